"""Which theorem certifies which kind of model without held-out rows.

In: a fitted model and its training rows.  Out: a `Designated`, which ``theory/certificates/training_set.py`` words.
A class names its theorem in its estimator file; what the theorem says is here.  The kind of model decides, never the
value of a bound: the smallest of several would need a smaller ``delta`` for each.

Read ``training_rows.py`` (what all theorems share, and no theorem at all), then ``classifiers.py`` (compression,
PAC-Bayes, margin, dimension) and ``regressors.py`` (balls, pseudo-dimension, the tube).
"""
