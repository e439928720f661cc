"""Layer selection: where the default grids of ``lam`` begin, and how far apart their values are.

In: what a model penalises: a factor, a design with its target, a problem.  Out: values of ``lam`` from where hardly
anything is fitted (or down to where the penalty no longer matters), whatever the units of the columns.  Those of paths
are the beginning of a walk, which `choice.walked_down` continues.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.data.design import Design
from surefit.data.fingerprints import fingerprints, n_distinct
from surefit.data.units import column_spreads
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.lasso.problem import LassoProblem
from surefit.solvers.linear.factor import SpectralFactor
from surefit.solvers.logistic.problem import LogisticProblem

RIDGE_VALUES, LASSO_VALUES, KERNEL_RIDGE_VALUES = 100, 100, 50
"""Lengths of the grids of ridge, lasso and kernel ridge."""

LASSO_PER_DECADE, LOGISTIC_PER_DECADE, LOGISTIC_REFINED, KERNEL_PER_DECADE = 10, 2, 2, 2
"""Values of a decade that is walked: lasso and L1 logistic, logistic with squares (and how many more on either side of
the best), kernel models."""

LEAST_SHRUNKEN = 1e-3
"""Share of an eigenvalue that a ``lam`` may be and still leave its direction as it is; and the reverse."""

KERNEL_FLOOR, KERNEL_TOP = 1e-10, 1e3
"""Smallest and largest ``n * lam`` of kernel ridge as shares of the largest eigenvalue: below the one rounding decides,
at the other nothing is left of any function."""

HARDLY = 1e3
"""Squares that outweigh the curvature of the loss so many times leave hardly anything of a fit."""

SMALL_UNITS, ALIKE = 0.25, 4.0
"""Share of the columns whose units count as small, and the ratio up to which units are alike."""

CANCELS = 1e-6
"""A variance below this share of the mean square is taken from the centred column: the difference has few digits."""


def decade_below(lam: float, values: int) -> np.ndarray:
    """``values`` numbers, evenly spaced in logarithms, from just below ``lam`` to a tenth of it.

    >>> decade_below(1.0, 2).round(3)
    array([0.316, 0.1  ])
    """
    return lam * 10.0 ** (-np.arange(1, values + 1) / values)


def ridge_lams(factor: SpectralFactor) -> np.ndarray:
    """From where ridge is least squares to where nothing is left, by the eigenvalues of the covariance.

    From a thousandth of the smallest eigenvalue to a thousand times the largest, increasing, evenly spaced in
    logarithms.  At either end another decade would change nothing, so that a choice there is no reason for a warning.
    """
    if factor.rank == 0:
        return np.array([1.0])
    low = np.log10(LEAST_SHRUNKEN * smallest_eigenvalue(factor))
    high = np.log10(factor.squared_singular()[0] / factor.A.design.total_weight / LEAST_SHRUNKEN)
    return np.logspace(low, high, RIDGE_VALUES)


def smallest_eigenvalue(factor: SpectralFactor) -> float:
    """Of the covariance of the columns, as far as it has a rank."""
    return float(factor.squared_singular()[-1] / factor.A.design.total_weight)


def kernel_ridge_lams(factor: SpectralFactor) -> np.ndarray:
    """Increasing, evenly spaced in logarithms, over the spectrum of the kernel at the data."""
    if factor.rank == 0:
        return np.array([1.0])
    top = float(factor.squared_singular()[0]) / factor.A.design.total_weight
    return np.geomspace(KERNEL_FLOOR * top, KERNEL_TOP * top, KERNEL_RIDGE_VALUES)


def kernel_lams(size: float) -> np.ndarray:
    """The decade below ``size``, the mean of ``k(x, x)``: there hardly anything is left of ``f``.

    >>> kernel_lams(1.0).round(3)
    array([1.   , 0.316, 0.1  ])
    """
    size = size if size > 0 else 1.0
    return np.append(size, decade_below(size, KERNEL_PER_DECADE))


def lasso_lams(
    design: Design,
    y: np.ndarray,
    penalty: SparsePenalty,
    fit_intercept: bool = True,
    *,
    spread: np.ndarray | None = None,
    rows: int | None = None,
) -> np.ndarray:
    """100 values, decreasing, from the ``lam`` at which the last coefficient vanishes.

    Down to a hundredth of it, or a thousandth if there are more distinct rows than columns; one value if nothing is
    explained.  Where columns have different units that is a share of where the columns of small units have their say:
    those at the lower quartile of the standard deviations.  With squares in the penalty the grid goes at least down to
    where they add a tenth, or a hundredth, to the variance of a typical column: the first end grows with the units of
    ``y`` and alone might leave nothing but shrunken models.  ``spread`` and ``rows``: the standard deviations and the
    number of distinct rows, where the design only stands for other rows.
    """
    problem = LassoProblem.of(design, y, penalty, fit_intercept)
    largest = problem.lam_max
    if not largest > 0:
        return np.array([1.0])
    if rows is None:
        rows = n_distinct(fingerprints(design.counted().X, y[design.weight > 0]))  # copies say nothing new
    share = 1e-3 if rows > design.d else 1e-2
    spread = column_spreads(design) if spread is None else spread
    reach = min(1.0, ALIKE * problem.lam_of_small_units(spread, SMALL_UNITS) / largest)
    smallest = max(min(share * reach, 10 * share * problem.lam_of_squares / largest), np.finfo(float).tiny)
    return largest * np.logspace(0.0, np.log10(smallest), LASSO_VALUES)


@dataclass(frozen=True)
class LogisticGrid:
    """Where the grid begins, how many decades are walked in any case, and how many values a decade has.

    ``refined`` is how many more are tried on either side of the best.  ``top`` is the smallest ``lam`` that leaves no
    coefficient, where that lies above the beginning and would be reached by no walk.
    """

    largest: float
    decades: float
    per_decade: int
    refined: int
    top: float | None = None

    @property
    def first(self) -> np.ndarray:
        """The first decade; one value if no ``lam`` is better than another."""
        if not (self.largest > 0 and np.isfinite(self.largest)):
            return np.array([1.0])
        return np.append(self.largest, decade_below(self.largest, self.per_decade))


def logistic_grid(problem: LogisticProblem) -> LogisticGrid:
    """With an L1 part from the smallest ``lam`` that leaves no coefficient at least to a thousandth of it.

    With fewer rows than columns a hundredth.  For squares alone from a penalty that outweighs all curvature of the
    loss, a quarter of the mean squared length of a centred row, at least to a millionth of it.  Where columns have
    different units these are shares of what the columns of small units, at the lower quartile, would give.  In units
    so small that squares leave hardly anything where the L1 part does not even begin, squares decide where the grid
    begins and how far it goes.
    """
    squares = centred_squares(problem)
    varies = squares > 0
    small = lambda units: float(np.quantile(units, SMALL_UNITS)) if len(units) else 1.0
    top = None
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        curvatures = 0.25 * (squares / problem.square)[varies]
        outweighed, typical = float(np.sum(curvatures)), len(curvatures) * small(curvatures)
        if np.any(problem.absolute):
            pull = np.abs(problem.evaluate(problem.null_point()).slope[:-1]).max(axis=1)
            spread, weight = np.sqrt(squares[varies]), problem.absolute[varies]
            largest = float(np.max(pull / problem.absolute, initial=0.0))
            reach = float(np.max(pull[varies] / spread, initial=0.0)) * small(spread / weight)
            share, values, refined = (1e-3 if problem.n > problem.d else 1e-2), LASSO_PER_DECADE, 0
            if 0.0 < HARDLY * outweighed < largest:
                top, largest, reach, share = largest, HARDLY * outweighed, typical, share / HARDLY
        else:
            largest, reach = outweighed, typical
            share, values, refined = 1e-6, LOGISTIC_PER_DECADE, LOGISTIC_REFINED
        decades = np.log10(largest) - np.log10(share * min(largest, ALIKE * reach))
    return LogisticGrid(largest, float(decades) if np.isfinite(decades) else 0.0, values, refined, top)


def centred_squares(problem: LogisticProblem) -> np.ndarray:
    """Mean square of each column, centred if there is an intercept; exactly 0 for constants."""
    if not problem.fit_intercept:
        return problem.mean_square
    mean = np.asarray(problem.X.T @ problem.share).ravel()
    with np.errstate(over="ignore", invalid="ignore"):
        squares = problem.mean_square - mean**2
    for j in np.flatnonzero(squares < CANCELS * problem.mean_square):
        column = problem.by_columns[:, [j]]
        column = np.asarray(column.todense() if problem.is_sparse else column, dtype=np.float64).ravel()
        column = column - column[0]  # what is near is subtracted without rounding
        squares[j] = problem.share @ (column - problem.share @ column) ** 2
    return squares
