"""What held-out rows are compared with, and how they can be asked more than once.

In: held-out targets, and what the training rows say.  Out: the constant that a model has to beat, and a hold-out that
pays for what it tells.  Door: ``reusable.py`` (`ReusableHoldOut`).

``baseline.py``: the constant and the cap on squared errors, from training rows or, without them, from held-out ones.
"""
