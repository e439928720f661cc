"""Layer selection: the default grid of ``lam`` for lasso and elastic net, and how far down it must go.

In: a design, a target, a penalty.  Out: decreasing values of ``lam``; whether smaller ones could still matter.
"""

from dataclasses import dataclass

import numpy as np

from surefit.data.design import Design
from surefit.data.scale import column_sizes, power_of_two
from surefit.data.units import column_spreads
from surefit.selection.choice import ALIKE, SMALL_UNITS, negligible, surely_held_back
from surefit.solvers.lasso.path import SparsePath, SparsePenalty
from surefit.solvers.lasso.problem import LassoProblem

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
    problem = LassoProblem.of(design, y, penalty, fit_intercept)
    largest = problem.lam_max
    if not largest > 0:
        return np.array([1.0])
    share = 1e-3 if design.n_counted > design.d else 1e-2
    reach = min(1.0, ALIKE * problem.lam_of_small_units(column_spreads(design), SMALL_UNITS) / largest)
    smallest = max(min(share * reach, 10 * share * problem.lam_of_squares / largest), np.finfo(float).tiny)
    return largest * np.logspace(0.0, np.log10(smallest), GRID_SIZE)


ENTERED = 1.5
"""How many times ``lam`` the entry of a column may be that is not in: at the optimum it is at most one."""


@dataclass(frozen=True)
class End:
    """The fit at the smallest ``lam`` of a path: its mean squared error, that of the mean, and the columns' pulls.

    ``pull`` (d,) is the mean product of the residuals with the centred column over its standard deviation (without an
    intercept: with the column over its root mean square): its square is what the column by itself could take of the
    error.
    """

    lam: float
    coef: np.ndarray
    risk: float
    null: float
    pull: np.ndarray
    spread: np.ndarray

    @staticmethod
    def of(path: SparsePath, design: Design, y: np.ndarray, fit_intercept: bool) -> "End":
        last, share = int(np.argmin(path.lams)), design.weight / design.total_weight
        residual = y - design.matvec(path.coefs[last]) - path.intercepts[last]
        level = float(share @ y) if fit_intercept else 0.0
        spread = column_spreads(design) if fit_intercept else _root_mean_squares(design, share)
        moved = residual - share @ residual if fit_intercept else residual
        pull = design.rmatvec(share * moved) / np.where(spread > 0, spread, 1.0)
        risk, null = float(share @ residual**2), float(share @ (y - level) ** 2)
        return End(float(path.lams[last]), path.coefs[last], risk, null, pull, spread)

    def matters(self, penalty: SparsePenalty, tol: float) -> bool:
        """Whether without the penalty the fit could be better by an amount worth having."""
        held = self.lam * penalty.value(self.coef) + float(self.pull @ self.pull)
        return not negligible(held, self.risk, self.null, tol)

    def held_back(self, penalty: SparsePenalty, n_rows: int) -> float:
        """The largest ``lam`` that lets in a column which surely explains something; 0 if there is none."""
        weights, gain = penalty.absolute_weights(len(self.pull)), np.square(self.pull)
        waiting = surely_held_back(gain, self.risk, self.null, n_rows) & (weights > 0)
        entry = 2.0 * np.abs(self.pull) * self.spread / (penalty.l1_ratio * np.where(weights > 0, weights, 1.0))
        waiting &= (self.coef != 0) | (entry <= ENTERED * self.lam)  # a bound on signs keeps others out, and no unit
        return float(np.max(entry[waiting], initial=0.0))


def _root_mean_squares(design: Design, share: np.ndarray) -> np.ndarray:
    unit = power_of_two(column_sizes(design))
    if design.is_sparse:
        X = design.X.multiply(1.0 / unit).tocsr()
        return unit * np.sqrt(np.asarray(X.multiply(X).T @ share).ravel())
    return unit * np.sqrt(share @ np.square(design.X / unit))
