"""Leverages, degrees of freedom, leave-one-out and criteria of one fit.

In: a factor, residuals, ``lam``; of a sparse path its supports.  Out: leverages, left-out residuals, criteria; nothing
is fitted again.  Door: ``loo.exact_loo``.

Read ``smoother.py`` (the hat matrix through its factor), ``loo.py`` (exact, for linear smoothers), ``criteria.py``
(AIC, BIC, Cp, GCV), ``sparse_dof.py`` (lasso and elastic net), ``approximate_loo.py`` (logistic, one Newton step).
"""
