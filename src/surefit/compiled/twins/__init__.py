"""What every compiled loop means, in NumPy: its specification, its test and its replacement.

In and out: the arguments of the compiled loop.  Door: ``compiled/door.py``, which takes one or the other.

``least_squares.py`` (steps and residuals; read it first), ``coordinate.py`` (elastic net), ``logistic.py`` (the loss)
and ``sweeps.py`` (sparse columns), ``tiles.py`` (kernels), ``pairs.py`` (dual steps), ``signs.py`` (two classes, row by
row), ``online.py``, ``betting.py``, ``fingerprints.py``, ``table.py`` (numbers and words).
"""
