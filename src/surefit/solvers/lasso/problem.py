"""Layer solvers: the elastic net in sums over centred, weighted rows, from which the intercept is eliminated.

In: what the user asks.  Out: ``F(w) = ||t - A w||**2 + sum_j (2 threshold_j |w_j| + ridge_j w_j**2)``, which is
``sum(weights)`` times the user's objective with the target divided by a power of two, and the way back.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from surefit.compiled.door import gram_descent
from surefit.data.centred import Centred, centre
from surefit.data.design import Design
from surefit.data.scale import EPS
from surefit.solvers.lasso import limits
from surefit.solvers.lasso.columns import Columns, Products
from surefit.solvers.lasso.focus import GramCache
from surefit.solvers.lasso.free_columns import Rotation, rotation_of
from surefit.solvers.lasso.gap import (
    Free,
    LassoPoint,
    LevelPenalty,
    Rounding,
    duality_gap,
    scaled_inverse,
    second_order_gap,
)
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.linear.factor import check_sizes
from surefit.solvers.solution import ScaledTarget

SMALLEST_NORM = 1e-130
"""Squares of columns shorter than this may vanish."""
LARGEST_NORM = 1e130
"""Squares of columns longer than this may overflow."""
Known = Callable[[Centred, float], Products | None]
"""Products of the columns with each other and with the target divided by a number, where they were formed before."""
LARGEST_TARGET = 1e300
"""Largest entry of a target: coefficients and ``lam`` in its units may be larger, and must not overflow."""


@dataclass(frozen=True)
class LassoProblem:
    """Data, penalty and what every ``lam`` shares: ``moment = A't``, ``target_square = ||t||**2``.  Catalogue A-22.

    Where unpenalised columns nearly depend on each other, ``rotation`` stands for them and ``columns`` holds its basis
    in their places; `in_user_columns` leads back.
    """

    columns: Columns
    design: Design
    penalty: SparsePenalty
    weights: np.ndarray
    shift: np.ndarray
    target_mean: float
    size_of_y: float
    moment: np.ndarray
    target_square: float
    rotation: Rotation | None = None

    @staticmethod
    def of(
        design: Design,
        y: np.ndarray,
        penalty: SparsePenalty,
        fit_intercept: bool,
        full_gram: bool = False,
        known: Known | None = None,
    ) -> "LassoProblem":
        """``full_gram`` asks for the Gram matrix of all columns: the one that is ``known``, or a new one."""
        weights = penalty.absolute_weights(design.d)
        scaled = _scaled(y)
        with np.errstate(over="ignore", invalid="ignore"):
            A = centre(design.settled() if fit_intercept else design, fit_intercept)
            columns = Columns.of(A, A.target(scaled.values))
            if full_gram:
                found = None if known is None or A.dwarfed else known(A, scaled.size)
                columns = columns.with_products() if found is None else replace(columns, products=found)
            norms = columns.sizes
        if not np.all((norms > SMALLEST_NORM) & (norms < LARGEST_NORM)):
            check_sizes(design)  # looks at every entry
        rotation = None if penalty.positive else rotation_of(columns, np.flatnonzero(weights == 0))
        columns = columns if rotation is None else rotation.columns
        shift = A.shift + A.shift_low + _moved(A)
        return LassoProblem(
            columns, design, penalty, weights, shift, float(A.target_mean(scaled.values)), scaled.size, columns.moment,
            float(columns.target @ columns.target), rotation,
        )  # fmt: skip

    def level(self, lam: float, columns: np.ndarray | slice = slice(None)) -> LevelPenalty:
        """Thresholds and ridge terms of these columns at ``lam``."""
        total, ratio, weights = lam * self.design.total_weight, self.penalty.l1_ratio, self.weights[columns]
        squares = weights if self.penalty.units is None else weights * self.penalty.units[columns]
        return LevelPenalty(
            (0.5 * ratio * total / self.size_of_y) * weights, ((1.0 - ratio) * total) * squares, self.penalty.positive
        )

    @cached_property
    def rounding(self) -> Rounding:
        """What rounding can do to products with the columns."""
        return Rounding.of(self.columns.sizes, float(np.sqrt(self.target_square)), self.columns.A.n)

    @cached_property
    def free(self) -> Free:
        """The unpenalised features, fitted alone."""
        features = np.flatnonzero(self.weights == 0)
        gram, moment = GramCache(self.columns).gram(features), self.moment[features]
        coef = self._non_negative(features, gram) if self.penalty.positive else scaled_inverse(gram) @ moment
        return Free(features, gram, moment, coef, 0.0 if self.rotation is None else self.rotation.angle)

    def _non_negative(self, features: np.ndarray, gram: np.ndarray) -> np.ndarray:
        """Non-negative least squares on these columns; the second round starts from correlations with the residual."""
        coef, none, corr = np.zeros(len(gram)), np.zeros(len(gram)), self.moment[features]
        stop = (EPS * self.target_square, limits.NON_NEGATIVE_ROUNDS)
        for _ in range(2):
            gram_descent(
                gram, self.moment[features], self.target_square, none, none, True, stop,
                coef, corr, np.empty_like(gram), np.empty(len(gram), dtype=np.int64), 0,
            )  # fmt: skip
            corr = self.columns.correlations(self._residual(features, coef)[None])[0][features]
        return coef

    def _residual(self, features: np.ndarray, coef: np.ndarray) -> np.ndarray:
        return self.columns.target - self.columns.fitted(features, coef[None])[0]

    @cached_property
    def null(self) -> LassoPoint:
        """Only the intercept and the unpenalised features fitted."""
        free = self.free
        if not len(free.features):
            return LassoPoint(free.features, free.coef, self.moment, self.target_square)
        return self._point(free.features, free.coef)

    @cached_property
    def lam_max(self) -> float:
        """The smallest ``lam`` at which all penalised coefficients are zero."""
        penalised = self.weights > 0
        corr = self.null.corr[penalised]
        size = (corr if self.penalty.positive else np.abs(corr)) / self.weights[penalised]
        share = 2.0 * float(np.max(size, initial=0.0)) / (self.design.total_weight * self.penalty.l1_ratio)
        if not np.isfinite(self.size_of_y * share):
            raise ValueError(
                f"y reaches {self.size_of_y:.0e}, so lam_max in the units of y and X leaves the range of floating "
                "point numbers; rescale y, or the columns of X"
            )
        return self.size_of_y * share

    @cached_property
    def lam_of_squares(self) -> float:
        """The ``lam`` at which squares add to a typical column what its variance is; ``inf`` without squares.

        Unlike `lam_max` it does not grow with the units of the target.
        """
        columns, penalised = self.columns, self.weights > 0
        variances = columns.sizes**2 / self.design.total_weight - columns.A.shift**2
        shares = variances[penalised] / self.penalty.square_weights(self.design.d)[penalised]
        shares = shares[shares > 0]
        if self.penalty.l1_ratio == 1.0 or not len(shares):
            return np.inf
        return float(np.median(shares)) / (1.0 - self.penalty.l1_ratio)

    def lam_of_small_units(self, spreads: np.ndarray, quantile: float) -> float:
        """What `lam_max` would be if all columns had the unit of those of small standard deviation.

        ``spreads`` (d,) are the deviations; small is this ``quantile`` of them, each measured by its penalty weight.
        """
        penalised = self.weights > 0
        spread, corr = spreads[penalised], np.abs(self.null.corr[penalised])
        if not len(spread):
            return np.inf
        share = 2.0 * float(np.max(corr / spread)) / (self.design.total_weight * self.penalty.l1_ratio)
        return self.size_of_y * share * float(np.quantile(spread / self.weights[penalised], quantile))

    @cached_property
    def _cache(self) -> GramCache:
        return GramCache(self.columns)

    def _gram(self, chosen: np.ndarray) -> np.ndarray:
        """Inner products of these columns, shape ``(k, k)``."""
        products = self.columns.products
        if products is None:
            return self._cache.gram(chosen)
        return np.take(np.take(products.gram, chosen, axis=0), chosen, axis=1)

    def gap(self, lam: float, point: LassoPoint, rounding: Rounding, enough: float) -> float:
        """The duality gap of a point; where it is more than ``enough``, the closer bound is tried as well."""
        plain, _ = duality_gap(self.level(lam), point, rounding, self.free)
        return plain if plain <= enough else min(plain, self.closer_gap(lam, point, rounding, enough))

    def closer_gap(self, lam: float, point: LassoPoint, rounding: Rounding, enough: float) -> float:
        """A bound in which errors enter squared, for the price of a factorisation unless a cheap one is ``enough``."""
        turned = np.zeros(self.design.d)
        turned[self.free.features] = self.free.angle
        return second_order_gap(self.level(lam), point, rounding, self._gram, turned, enough)

    def gap_at(self, lam: float, support: np.ndarray, coef: np.ndarray, enough: float) -> float:
        """The same for coefficients, with correlations from a pass over the data."""
        return self.gap(lam, self._point(support, coef), self.rounding, enough)

    def point_at(self, coef: np.ndarray) -> LassoPoint:
        """The point with these coefficients ``(d,)`` on the scale of this problem."""
        support = np.flatnonzero(coef)
        return self._point(support, coef[support])

    def _point(self, support: np.ndarray, coef: np.ndarray) -> LassoPoint:
        residual = self._residual(support, coef)
        return LassoPoint(support, coef, self.columns.correlations(residual[None])[0], float(residual @ residual))

    def in_user_columns(
        self, lam: float, support: np.ndarray, coef: np.ndarray, enough: float
    ) -> tuple[np.ndarray, float]:
        """All coefficients ``(d,)`` of a solution in terms of the user's columns, and the gap that they have there.

        The unpenalised ones are corrected once with the residual that is left; the gap is that of the final residual.
        """
        assert self.rotation is not None
        features, source, back = self.rotation.features, self.rotation.source, self.rotation.back
        found = np.zeros(self.design.d)
        found[support] = coef
        found[features] = back @ found[features]
        for correct in (True, False):
            inside = np.flatnonzero(found)
            residual = source.target - source.fitted(inside, found[inside][None])[0]
            corr = self.columns.correlations(residual[None])[0]
            if correct:
                found[features] += back @ corr[features]
        penalised = inside[self.weights[inside] > 0]
        point = LassoPoint(penalised, found[penalised], corr, float(residual @ residual))
        reach = self.rounding.target_norm + float(source.sizes[features] @ np.abs(found[features]))
        return found, self.gap(lam, point, replace(self.rounding, target_norm=reach), enough)

    def intercept(self, support: np.ndarray, coef: np.ndarray) -> tuple[float, float]:
        """The best intercept for these coefficients, and what rounding it can add to the objective."""
        shift, held = self.shift[support], self.columns.A.shift[support]
        reach = abs(self.target_mean) + np.abs(coef) @ np.abs(shift)
        summed = self.columns.A.n * float(np.abs(coef) @ np.abs(held))  # errors of a long sum of one sign add up
        return self.target_mean - float(coef @ shift), float((4.0 * EPS * reach + EPS * summed) ** 2)


def _scaled(y: np.ndarray) -> ScaledTarget:
    """The target over a power of two; a target at the end of the range is refused."""
    largest = float(np.max(np.abs(y), initial=0.0))
    if largest > LARGEST_TARGET:
        raise ValueError(
            f"y reaches {largest:.0e}, so coefficients and lam in its units leave the range of floating point numbers; "
            "rescale y"
        )
    return ScaledTarget.of(np.asarray(y, dtype=np.float64))


def _moved(A: Centred) -> np.ndarray | float:
    """How far columns were moved before they were centred."""
    return 0.0 if A.design.offset is None else A.design.offset
