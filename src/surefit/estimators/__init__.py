"""The scikit-learn face: one file per public class, thin: validate, build a problem, solve it, publish the solution.

In: tables and settings.  Out: fitted models, whose attributes end in an underscore.  Read `least_squares.py` first,
then `lasso.py` (a choice of ``lam``) and `kernel_ridge.py` (kernels).

``kinds/`` holds what several models share, ``online/`` the models of streams, ``blocks/`` what `fit_blocks` does,
``exhibits/`` those that show something rather than serve in practice; ``transformers.py`` has kernels as features for
pipelines.
"""
