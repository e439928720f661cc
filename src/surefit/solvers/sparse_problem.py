"""Layer solvers: the elastic net in sums over centred, weighted rows, where the intercept has disappeared.

In: what the user asks.  Out: ``F(w) = ||t - A w||**2 + sum_j (2 threshold_j |w_j| + ridge_j w_j**2)``, which is
``sum(weights)`` times the user's objective with the target divided by a power of two, and the way back.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from surefit.data.centering import Centred, centre, power_of_two
from surefit.data.design import Design
from surefit.solvers.duality import Free, LevelPenalty
from surefit.solvers.factor import EPS, check_sizes
from surefit.solvers.sparse_path import SparsePenalty
from surefit.solvers.working_set import Columns, GramCache


@dataclass(frozen=True)
class SparseProblem:
    """Data, penalty and what every ``lam`` shares: ``moment = A't``, ``target_square = ||t||**2``.  Catalogue A-22."""

    columns: Columns
    design: Design
    penalty: SparsePenalty
    weights: np.ndarray
    shift: np.ndarray
    target_mean: float
    size_of_y: float
    moment: np.ndarray
    target_square: float

    @staticmethod
    def of(design: Design, y: np.ndarray, penalty: SparsePenalty, fit_intercept: bool) -> "SparseProblem":
        weights = penalty.feature_weights(design.d)
        if penalty.positive and np.any(weights == 0):
            raise ValueError("positive=True needs every penalty weight > 0; give such features a small weight")
        check_sizes(design)
        A = centre(design.settled() if fit_intercept else design, fit_intercept)
        size = float(power_of_two(np.asarray(np.max(np.abs(y), initial=0.0))))
        scaled = np.asarray(y, dtype=np.float64) / size
        columns = Columns.of(A, A.target(scaled))
        moment = columns.correlations(columns.target[None])[0]
        shift = A.shift + A.shift_low + _moved(A)
        return SparseProblem(
            columns, design, penalty, weights, shift, float(A.target_mean(scaled)), size, moment,
            float(columns.target @ columns.target),
        )  # fmt: skip

    def level(self, lam: float, columns: np.ndarray | slice = slice(None)) -> LevelPenalty:
        """Thresholds and ridge terms of these columns at ``lam``."""
        total, ratio, weights = lam * self.design.total_weight, self.penalty.l1_ratio, self.weights[columns]
        return LevelPenalty(
            (0.5 * ratio * total / self.size_of_y) * weights, ((1.0 - ratio) * total) * weights, self.penalty.positive
        )

    @cached_property
    def free(self) -> Free:
        """The unpenalised features, fitted alone."""
        features = np.flatnonzero(self.weights == 0)
        gram = GramCache(self.columns).gram(features)
        inverse = linalg.pinvh(gram) if len(features) else gram
        return Free(features, inverse, self.moment[features])

    @cached_property
    def null_correlations(self) -> np.ndarray:
        """``A'r`` with only the intercept and the unpenalised features fitted."""
        if not len(self.free.features):
            return self.moment
        residual = self.columns.target - self.columns.fitted(self.free.features, self.free.coef[None])[0]
        return self.columns.correlations(residual[None])[0]

    @cached_property
    def null_square(self) -> float:
        """``||r||**2`` with only the intercept and the unpenalised features fitted."""
        return max(self.target_square - float(self.free.moment @ self.free.coef), 0.0)

    @cached_property
    def lam_max(self) -> float:
        """The smallest ``lam`` at which all penalised coefficients are zero."""
        penalised = self.weights > 0
        corr = self.null_correlations[penalised]
        size = (corr if self.penalty.positive else np.abs(corr)) / self.weights[penalised]
        largest = float(np.max(size, initial=0.0))
        return 2.0 * self.size_of_y * largest / (self.design.total_weight * self.penalty.l1_ratio)

    def intercept(self, support: np.ndarray, coef: np.ndarray) -> tuple[float, float]:
        """The best intercept for these coefficients, and what rounding it can add to the objective."""
        shift = self.shift[support]
        reach = abs(self.target_mean) + np.abs(coef) @ np.abs(shift)
        return self.target_mean - float(coef @ shift), float((4.0 * EPS * reach) ** 2)


def _moved(A: Centred) -> np.ndarray | float:
    """How far sparse columns were moved before they were centred."""
    return 0.0 if A.design.offset is None else A.design.offset
