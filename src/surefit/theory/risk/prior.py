"""Layer theory: a penalty as the logarithm of a prior: which ``lam`` belongs to which variance of the coefficients.

For the log-loss the penalised fit is the most probable one a posteriori (MAP) if the coefficients are independent a
priori with mean zero: Gaussian for the squared penalty, Laplace for the absolute one.  ``n`` is the number of rows (the
sum of the sample weights).
"""

from __future__ import annotations

from math import sqrt

from surefit.parameters import positive


def gaussian_prior_lam(variance: float, n: float) -> float:
    """``lam = 1 / (2 n variance)`` for coefficients ``N(0, variance)`` and an L2 penalty.  Catalogue A-31.

    >>> gaussian_prior_lam(1.25, n=8)
    0.05
    """
    return 1.0 / (2 * positive("n", n, _ROWS) * positive("variance", variance, _VARIANCE))


def gaussian_prior_variance(lam: float, n: float) -> float:
    """``variance = 1 / (2 n lam)``: the inverse of `gaussian_prior_lam`.  Catalogue A-31.

    >>> gaussian_prior_variance(0.05, n=8)
    1.25
    """
    return 1.0 / (2 * positive("n", n, _ROWS) * positive("lam", lam, _LAM))


def laplace_prior_lam(variance: float, n: float) -> float:
    """``lam = 1 / (n s)`` for Laplace coefficients of scale ``s = sqrt(variance / 2)``, L1 penalty.  Catalogue A-31.

    >>> laplace_prior_lam(2.0, n=8)
    0.125
    """
    return 1.0 / (positive("n", n, _ROWS) * sqrt(positive("variance", variance, _VARIANCE) / 2))


def laplace_prior_variance(lam: float, n: float) -> float:
    """``variance = 2 s**2`` with ``s = 1 / (n lam)``: the inverse of `laplace_prior_lam`.  Catalogue A-31.

    >>> laplace_prior_variance(0.125, n=8)
    2.0
    """
    return 2.0 / (positive("n", n, _ROWS) * positive("lam", lam, _LAM)) ** 2


_ROWS = "give the number of rows"
_VARIANCE = "a flat prior has no finite variance and means lam=0"
_LAM = "lam=0 is a flat prior, which has no variance"
