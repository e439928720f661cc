"""Layer theory: criteria that trade fit against degrees of freedom.

In: residual sums of squares and degrees of freedom (numbers or arrays of the same shape).  Out: the criterion; smaller
is better for all of them.  The intercept counts among the degrees of freedom.
"""

import numpy as np
from numpy.typing import ArrayLike


def noise_variance(rss: float, n: int, dof: float) -> float:
    """Unbiased estimate ``RSS / (n - p)`` from a rich model with ``p`` fitted coefficients.  Catalogue S-01, E-088.

    >>> noise_variance(2.45, n=4, dof=3)
    2.45
    """
    if n <= dof:
        raise ValueError(
            f"the noise variance needs more rows than coefficients, got n = {n} and {dof:g} degrees of freedom; "
            "pass a known variance instead"
        )
    return rss / (n - dof)


def mallows_cp(rss: ArrayLike, dof: ArrayLike, variance: float) -> np.ndarray:
    """``RSS + 2 * dof * variance``: unbiased for the risk on fresh responses at the same rows.

    ``dof`` is the trace of the hat matrix; exact in fixed design if ``variance`` is unbiased.  Catalogue S-01, T-75,
    E-087.

    >>> mallows_cp([8.75, 2.7, 2.45], [1, 2, 3], variance=2.45)
    array([13.65, 12.5 , 17.15])
    """
    return np.asarray(rss) + 2.0 * np.asarray(dof) * variance


def gaussian_log_likelihood(rss: ArrayLike, n: int, variance: float | None = None) -> np.ndarray:
    """Gaussian log-likelihood of a fit with this RSS; the variance is profiled out (``RSS / n``) unless it is given.

    Infinite for a fit without residuals if the variance is profiled.  Catalogue S-02, T-77.

    >>> round(float(gaussian_log_likelihood(2.7, 4)), 9)
    -4.889668957
    """
    rss = np.asarray(rss, dtype=float)
    if variance is not None:
        return -0.5 * n * np.log(2 * np.pi * variance) - 0.5 * rss / variance
    with np.errstate(divide="ignore"):
        return -0.5 * n * (np.log(2 * np.pi * rss / n) + 1.0)


def aic(log_likelihood: ArrayLike, dof: ArrayLike) -> np.ndarray:
    """``-2 loglik + 2 dof``: estimates the expected log-loss on fresh data.  Catalogue S-02, T-77.

    >>> round(float(aic(gaussian_log_likelihood(2.7, 4, variance=1.0), 2)), 9)
    14.051508266
    """
    return -2.0 * np.asarray(log_likelihood) + 2.0 * np.asarray(dof)


def bic(log_likelihood: ArrayLike, dof: ArrayLike, n: int) -> np.ndarray:
    """``-2 loglik + log(n) dof``: the large-sample odds of the models given the data.  Catalogue S-02."""
    return -2.0 * np.asarray(log_likelihood) + np.log(n) * np.asarray(dof)


def gcv(rss: ArrayLike, dof: ArrayLike, n: int) -> np.ndarray:
    """``(RSS / n) / (1 - dof / n)**2``: leave-one-out with every leverage replaced by their mean.  Not leave-one-out.

    Infinite where ``dof = n``.  Catalogue S-04 (its rotation-invariant relative).

    >>> round(float(gcv(2.7, 2, 4)), 6)
    2.7
    """
    room = 1.0 - np.asarray(dof, dtype=float) / n
    with np.errstate(divide="ignore"):
        return np.where(room > 0, np.asarray(rss) / n / np.where(room > 0, room, 1.0) ** 2, np.inf)
