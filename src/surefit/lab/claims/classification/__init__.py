"""Claims of the lab about logistic regression, and a few facts beside it.

Out: ``CLAIM`` or ``CLAIMS`` of each file.  It is named after its first entry in the catalogue; its first line has all.

``t78.py`` (78 and 81: derivatives of the likelihood), ``t79.py`` (the boundary), ``t80.py`` (log-loss and divergence),
``t82.py`` (bias and variance at a point), ``t84.py`` (where the lasso is zero).
"""
