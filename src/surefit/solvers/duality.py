"""Layer solvers: how far a point of the elastic net can be from the optimum, rounding errors included.

In: a point, its residual correlations ``A'r``.  Out: an upper bound on its suboptimality that holds in float64.
"""

from dataclasses import dataclass

import numpy as np

from surefit.solvers.factor import EPS


@dataclass(frozen=True)
class LevelPenalty:
    """The penalty at one ``lam``: ``sum_j (2 threshold_j |w_j| + ridge_j w_j**2)``, each of shape ``(d,)``."""

    threshold: np.ndarray
    ridge: np.ndarray
    positive: bool


@dataclass(frozen=True)
class Rounding:
    """What rounding can do to inner products: ``|error of a_j'r| <= level * sizes_j * reach(w)``.

    ``level`` is ``(10 + sqrt(n)) eps``: sums of ``n`` products lose no more than that unless their rounding errors
    conspire.  ``reach = ||t|| + sum_j sizes_j |w_j|`` bounds what is summed up in a residual.
    """

    sizes: np.ndarray
    target_norm: float
    level: float

    @staticmethod
    def of(sizes: np.ndarray, target_norm: float, n: int) -> "Rounding":
        return Rounding(sizes, target_norm, (10.0 + np.sqrt(n)) * EPS)

    def error(self, support: np.ndarray, coef: np.ndarray) -> np.ndarray:
        """Bound on the error of each ``a_j'r``, shape ``(d,)``, at ``coef`` on ``support``."""
        return self.level * (self.target_norm + self.sizes[support] @ np.abs(coef)) * self.sizes


@dataclass(frozen=True)
class Free:
    """The unpenalised features ``U``, the inverse of their Gram matrix and ``A_U't``.

    A dual point must be orthogonal to them, so what is left of ``A_U'r`` is projected out of it.
    """

    features: np.ndarray
    inverse_gram: np.ndarray
    moment: np.ndarray

    @property
    def coef(self) -> np.ndarray:
        """The coefficients of the unpenalised features alone."""
        return self.inverse_gram @ self.moment

    def projection(self, corr: np.ndarray, error: np.ndarray) -> tuple[float, float]:
        """Norm of the projection of ``r`` on these columns, and its product with ``t`` in size; both upper bounds."""
        u, doubt = corr[self.features], error[self.features]
        norm = np.sqrt(max(u @ self.inverse_gram @ u, 0.0)) + np.sqrt(doubt @ np.abs(self.inverse_gram) @ doubt)
        return float(norm), float(abs(self.coef @ u) + np.abs(self.coef) @ doubt)


@dataclass(frozen=True)
class Point:
    """Coefficients ``coef`` on ``support``, ``corr = A'r`` for all columns, ``||r||**2``."""

    support: np.ndarray
    coef: np.ndarray
    corr: np.ndarray
    residual_square: float


def duality_gap(penalty: LevelPenalty, point: Point, rounding: Rounding, free: Free) -> tuple[float, float]:
    """Upper bound on ``F(w) - min F``, ``F(w) = ||t - A w||**2 + sum_j (2 threshold_j |w_j| + ridge_j w_j**2)``.

    With ``u = A'r - ridge w`` the dual point ``s r``, ``s = min(1, threshold_j / |u_j|)``, gives
    ``(1 - s)**2 ||r||**2 + 2 sum_j (threshold_j |w_j| - s w_j u_j)``, in which nothing large cancels.  The second
    number returned is how much of the bound is owed to rounding.  Catalogue A-22.
    """
    support, coef = point.support, point.coef
    error = rounding.error(support, coef)
    u = point.corr.copy()
    u[support] -= penalty.ridge[support] * coef
    doubt = 2.0 * float((error[support] + 4.0 * EPS * penalty.threshold[support]) @ np.abs(coef))
    projected = 0.0
    if len(free.features):
        norm, product = free.projection(u, error)
        error = error + rounding.sizes * norm
        projected = 2.0 * product
    size = (u if penalty.positive else np.abs(u)) + error
    over = (size > penalty.threshold) & (penalty.threshold > 0)
    scale = float(np.min(penalty.threshold[over] / size[over], initial=1.0))
    square = max(point.residual_square, 0.0) + penalty.ridge[support] @ coef**2
    slack = penalty.threshold[support] * np.abs(coef) - scale * coef * u[support]
    return max(float((1.0 - scale) ** 2 * square + 2.0 * np.sum(slack)), 0.0) + projected + doubt, doubt
