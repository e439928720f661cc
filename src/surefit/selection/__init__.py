"""Which ``lam``, which kernel: grids, folds, criteria and the choice.

In: rows and targets, or a path of solutions, and a grid.  Out: a `LamChoice`, the criterion at every ``lam`` and the
value that it picks, and the record of it that a fit keeps.  Door: the file of a family, which its estimator calls.

Read ``choice.py`` (the pick, ties, how far to walk, what to warn of), ``grids.py`` (default grids in memory) and
``folds.py`` (how folds are dealt, one way for every model).  Then a file for each family, with its criteria on a grid
that is given: ``lasso.py`` (cross-validation, AIC, BIC, Cp), ``logistic.py`` (log-loss, approximate leave-one-out),
``ridge.py`` (ridge and kernel ridge: rows left out one by one or in folds), ``kernel.py`` (smooth losses over a
kernel), ``support_vectors.py`` (loss or mistakes on held-out rows).

``fold_products.py`` has Gram matrices of all folds from one pass, ``settle.py`` bandwidths and equal rows of a kernel
model, ``record.py`` what a fit chose.
"""
