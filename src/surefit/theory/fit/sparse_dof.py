"""Layer theory: degrees of freedom of lasso and elastic net along a path.

In: a design, a path and its penalty.  Out: the effective number of fitted coefficients for every ``lam``.
"""

import numpy as np
from scipy import linalg

from surefit.data.centred import centre
from surefit.data.design import Design
from surefit.solvers.lasso.columns import takes_full_gram
from surefit.solvers.lasso.path import SparsePath, SparsePenalty
from surefit.solvers.lasso.ranks import support_ranks
from surefit.solvers.linear.factor import cholesky_factor


def sparse_degrees_of_freedom(
    design: Design, path: SparsePath, penalty: SparsePenalty, fit_intercept: bool
) -> np.ndarray:
    """Effective number of fitted coefficients along the path, intercept included.

    Lasso: the rank of the columns with a nonzero coefficient, which is their number unless some depend on others.
    Elastic net: the trace of the ridge smoother on the support ``S``, ``tr(G (G + lam (1 - l1_ratio) V)^{-1})`` with
    ``G`` the weighted covariance of the columns in ``S``.
    """
    if penalty.l1_ratio == 1.0:
        return support_ranks(design, path.coefs != 0, fit_intercept) + float(fit_intercept)
    weights, traces = penalty.square_weights(design.d), np.zeros(len(path.lams))
    ever = np.flatnonzero(np.any(path.coefs != 0, axis=0))
    some = Design(design.X[:, ever], design.weight)
    whole = centre(some, fit_intercept).gram() / design.total_weight if takes_full_gram(some) else None
    for k, (lam, coef) in enumerate(zip(path.lams, path.coefs[:, ever], strict=True)):
        support = np.flatnonzero(coef)
        if whole is None:
            chosen = Design(some.X[:, support], design.weight)
            gram = centre(chosen, fit_intercept).gram() / design.total_weight
        else:
            gram = whole[np.ix_(support, support)]
        traces[k] = _smoother_trace(gram, lam * (1 - penalty.l1_ratio) * weights[ever[support]])
    return traces + float(fit_intercept)


def _smoother_trace(gram: np.ndarray, ridge: np.ndarray) -> float:
    """``tr(G (G + R)^{-1})`` for a diagonal ``R``, or of the least-squares solution where ``G + R`` is nearly singular.

    >>> _smoother_trace(np.diag([1.0, 3.0]), np.array([1.0, 1.0]))
    1.25
    """
    if not len(gram):
        return 0.0
    factor = cholesky_factor(gram, ridge)
    if factor is None:
        return float(np.trace(np.linalg.lstsq(gram + np.diag(ridge), gram, rcond=None)[0]))
    root = linalg.solve_triangular(factor.R, np.eye(len(gram)), check_finite=False) / factor.size[:, None]
    return len(gram) - float(ridge @ np.sum(root**2, axis=1))
