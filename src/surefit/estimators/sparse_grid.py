"""Layer estimators: the default grid of ``lam`` for lasso and elastic net, and how far down it must go.

In: a design, a target, a penalty.  Out: decreasing values of ``lam``; whether smaller ones could still matter.
"""

import numpy as np

from surefit.data.centering import column_spreads
from surefit.data.design import Design
from surefit.estimators.lam_curve import ALIKE, SMALL_UNITS, negligible
from surefit.solvers.sparse_path import SparsePath, SparsePenalty
from surefit.solvers.sparse_problem import SparseProblem

GRID_SIZE, PER_DECADE = 100, 10
"""Values of the first grid, and of every decade below it that is walked."""


def default_lams(design: Design, y: np.ndarray, penalty: SparsePenalty, fit_intercept: bool = True) -> np.ndarray:
    """100 values, decreasing, from the ``lam`` at which the last coefficient vanishes.

    Down to a hundredth of it, or a thousandth if there are more rows than columns; one value if nothing is explained.
    Where columns have different units that is a share of where the columns of small units have their say: those at
    the lower quartile of the standard deviations.  With squares in the penalty the grid goes at least down to where
    they add a tenth, or a hundredth, to the variance of a typical column: the first end grows with the units of ``y``
    and alone might leave nothing but shrunken models.
    """
    problem = SparseProblem.of(design, y, penalty, fit_intercept)
    largest = problem.lam_max
    if not largest > 0:
        return np.array([1.0])
    share = 1e-3 if design.n_counted > design.d else 1e-2
    reach = min(1.0, ALIKE * problem.lam_of_small_units(column_spreads(design), SMALL_UNITS) / largest)
    smallest = max(min(share * reach, 10 * share * problem.lam_of_squares / largest), np.finfo(float).tiny)
    return largest * np.logspace(0.0, np.log10(smallest), GRID_SIZE)


def penalty_matters(path: SparsePath, design: Design, y: np.ndarray, penalty: SparsePenalty, tol: float) -> bool:
    """Whether without the penalty the fit at the smallest ``lam`` could be better by an amount worth having."""
    last, share = int(np.argmin(path.lams)), design.weight / design.total_weight
    residual = y - design.matvec(path.coefs[last]) - path.intercepts[last]
    risk, null = float(share @ residual**2), float(share @ (y - share @ y) ** 2)
    pull = design.rmatvec(share * (residual - share @ residual)) / column_spreads(design)
    held = float(path.lams[last]) * penalty.value(path.coefs[last]) + float(pull @ pull)  # what each column could gain
    return not negligible(held, risk, null, tol)
