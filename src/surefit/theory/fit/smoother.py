"""Layer theory: the hat matrix of a linear smoother, seen through its factorisation.

In: a factor of the design.  Out: leverages and degrees of freedom, for every ``lam`` at once, never an n x n matrix.
"""

from dataclasses import dataclass

import numpy as np

from surefit.solvers.linear.factor import SpectralFactor


@dataclass(frozen=True)
class DegreesOfFreedom:
    """Three traces of the hat matrix ``H``, one entry per ``lam``; the intercept counts as one.

    ``trace`` = tr H (what Cp and the optimism need), ``squared`` = tr H H' (what the variance needs), ``residual_form``
    = tr(2H - H H') (``n`` minus the residual degrees of freedom).  ``squared <= trace <= residual_form``.
    Catalogue S-09, E-038.
    """

    trace: np.ndarray
    squared: np.ndarray
    residual_form: np.ndarray


def leverages(factor: SpectralFactor, lams: np.ndarray) -> np.ndarray:
    """Diagonal of the hat matrix of ridge for every ``lam``, shape ``(len(lams), n)``; intercept included.

    ``H_ii = w_i / sum(w) + sum_k s_k**2 / (s_k**2 + n lam) U_ik**2``.  Catalogue S-09, T-05.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.linear.factor import spectral_factor
    >>> leverages(spectral_factor(Design.of([[0.0], [1], [2], [3]]), True), [0.0]).round(12)
    array([[0.7, 0.3, 0.3, 0.7]])
    """
    shrink = factor.shrinkage(np.asarray(lams) * factor.A.design.total_weight)
    leverage = np.empty((len(shrink), factor.A.n))
    for rows, U in factor.left_blocks():
        leverage[:, rows] = shrink @ (U**2).T
    return leverage + factor.mean_leverage


def degrees_of_freedom(factor: SpectralFactor, lams: np.ndarray) -> DegreesOfFreedom:
    """The three degrees of freedom of ridge for every ``lam``, from the singular values alone.  Catalogue S-09.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.linear.factor import spectral_factor
    >>> degrees_of_freedom(spectral_factor(Design.of([[0.0], [1], [2], [3]]), True), [0.0]).trace
    array([2.])
    """
    shrink = factor.shrinkage(np.asarray(lams) * factor.A.design.total_weight)
    constant = float(factor.A.fit_intercept)
    first, second = shrink.sum(axis=1), (shrink**2).sum(axis=1)
    return DegreesOfFreedom(first + constant, second + constant, 2 * first - second + constant)
