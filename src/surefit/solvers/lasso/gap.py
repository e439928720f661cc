"""Layer solvers: how far a point of the elastic net can be from the optimum, rounding errors included.

In: a point, its residual correlations ``A'r``.  Out: an upper bound on its suboptimality that holds in float64.

There are two bounds.  `duality_gap` multiplies the residual by one factor that brings all columns below their
thresholds.  Rounding in a single column, one in large units or with a small threshold, then decides the factor for all
of them.  Where that is too coarse, `second_order_gap` corrects every column by itself, and rounding errors enter only
squared.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from surefit.data.scale import EPS
from surefit.solvers.lasso import limits
from surefit.solvers.linear.factor import cholesky_factor

GRAM_ERROR = 1.0 + 1e-6
"""Factor by which a projection may be too short if the inverse of its Gram matrix keeps only nine digits."""

ESTIMATE = 10.0
"""Factor by which LAPACK's estimate of the norm of an inverse may be below the norm."""


Gram = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class LevelPenalty:
    """The penalty at one ``lam``: ``sum_j (2 threshold_j |w_j| + ridge_j w_j**2)``, each of shape ``(d,)``."""

    threshold: np.ndarray
    ridge: np.ndarray
    positive: bool


def rounding_level(n: int) -> float:
    """The share of a sum of ``n`` products that rounding may cost."""
    return float((10.0 + np.sqrt(n)) * EPS)


def scaled_inverse(gram: np.ndarray) -> np.ndarray:
    """The pseudo-inverse of a Gram matrix, with what counts as zero judged on columns of unit length.

    >>> scaled_inverse(np.diag([1.0, 4.0**-30, 0.0])).diagonal().tolist()
    [1.0, 1.152921504606847e+18, 0.0]
    """
    if not len(gram):
        return gram
    size = np.sqrt(np.maximum(np.diag(gram), 0.0))
    size[size == 0] = 1.0
    return linalg.pinvh(gram / size / size[:, None]) / size / size[:, None]


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
        return Rounding(sizes, target_norm, rounding_level(n))

    def error(self, support: np.ndarray, coef: np.ndarray) -> np.ndarray:
        """Bound on the error of each ``a_j'r``, shape ``(d,)``, at ``coef`` on ``support``."""
        return self.level * (self.target_norm + self.sizes[support] @ np.abs(coef)) * self.sizes


@dataclass(frozen=True)
class Free:
    """The unpenalised features ``U``, their Gram matrix, ``A_U't``, and their coefficients when fitted alone.

    A dual point must be orthogonal to them, so what is left of ``A_U'r`` is projected out of it.  Where coefficients
    must be ``>= 0`` it must have no positive product with them, and only what is positive is taken out.  ``angle`` is
    the sine of the angle by which these columns may be turned away from the user's, see `free_columns`.
    """

    features: np.ndarray
    gram: np.ndarray
    moment: np.ndarray
    coef: np.ndarray
    angle: float = 0.0

    @cached_property
    def inverse_gram(self) -> np.ndarray:
        return scaled_inverse(self.gram)

    def projection(self, corr: np.ndarray, error: np.ndarray, length: float) -> tuple[float, float]:
        """Norm of the projection of ``r``, whose length is given, on these columns: an upper bound.

        The second number is how much of it is owed to rounding.
        """
        u, doubt = corr[self.features], error[self.features]
        unsure = np.sqrt(doubt @ np.abs(self.inverse_gram) @ doubt) + self.angle * length
        return float(GRAM_ERROR * np.sqrt(max(u @ self.inverse_gram @ u, 0.0)) + unsure), float(unsure)

    def positive_part(self, corr: np.ndarray, error: np.ndarray) -> tuple[float, float]:
        """The same for a vector ``p`` with ``A_U'(r - p) <= 0``; both infinite if none was found.

        ``p`` is a combination of the columns with ``a_j'r > 0`` and of those that taking these out would turn positive.
        The second number also bounds half of what ``||r - p||**2`` exceeds ``||r||**2`` by.
        """
        u, doubt = corr[self.features], error[self.features]
        wanted, inside = u + 2.0 * doubt, u + doubt > 0
        while True:
            inverse = scaled_inverse(self.gram[np.ix_(inside, inside)])
            share = inverse @ wanted[inside]
            over = u + doubt > self.gram[:, inside] @ share
            if not np.any(over & ~inside):
                break
            inside |= over
        if np.any(over & (doubt > 0)):  # columns that depend on each other want different things
            return np.inf, np.inf
        square = float(wanted[inside] @ share)
        longer = square - 2.0 * float(u[inside] @ share) + 2.0 * float(doubt[inside] @ np.abs(share))
        return np.sqrt(max(square, 0.0)), abs(float(self.moment[inside] @ share)) + 0.5 * max(longer, 0.0)


@dataclass(frozen=True)
class LassoPoint:
    """Coefficients ``coef`` on ``support``, ``corr = A'r`` for all columns, ``||r||**2``."""

    support: np.ndarray
    coef: np.ndarray
    corr: np.ndarray
    residual_square: float


def duality_gap(penalty: LevelPenalty, point: LassoPoint, rounding: Rounding, free: Free) -> tuple[float, float]:
    """Upper bound on ``F(w) - min F``, ``F(w) = ||t - A w||**2 + sum_j (2 threshold_j |w_j| + ridge_j w_j**2)``.

    With ``u = A'r - ridge w`` the dual point ``s r``, ``s = min(1, threshold_j / |u_j|)``, gives
    ``(1 - s)**2 ||r||**2 + 2 sum_j (threshold_j |w_j| - s w_j u_j)``, in which nothing large cancels.  With unpenalised
    features the dual point is ``s (r - P r)``, ``P`` the projection on their columns: the sum is over the others, and
    ``||P r||**2 + 2 s sum_j w_j a_j'P r`` is added.  The second number returned is how much of the bound is owed to
    rounding.  Catalogue A-22.
    """
    support, coef, reach = point.support, point.coef, np.abs(point.coef)
    error = rounding.error(support, coef)
    u = point.corr.copy()
    u[support] -= penalty.ridge[support] * coef
    square = max(point.residual_square, 0.0) + float(penalty.ridge[support] @ coef**2)
    norm, added, unsure = 0.0, 0.0, 0.0
    if len(free.features) and penalty.positive:
        norm, product = free.positive_part(u, error)
        added = 2.0 * product
    elif len(free.features):
        reach = np.where(np.isin(support, free.features), 0.0, reach)
        length = float(rounding.sizes[support] @ reach)
        norm, unsure = free.projection(u, error, np.sqrt(square))
        added, unsure = norm**2 + 2.0 * norm * length, 2.0 * unsure * (norm + length)
    doubt = 2.0 * float((error[support] + 4.0 * EPS * penalty.threshold[support]) @ reach)
    if np.isinf(norm):  # no dual point but zero
        scale, added = 0.0, 0.0
    else:
        size = (u if penalty.positive else np.abs(u)) + error + rounding.sizes * norm
        over = size > penalty.threshold
        over[free.features] = False
        scale = float(np.min(penalty.threshold[over] / size[over], initial=1.0))
    slack = penalty.threshold[support] * reach - scale * np.sign(coef) * reach * u[support]
    bound = max(float((1.0 - scale) ** 2 * square + 2.0 * np.sum(slack)), 0.0)
    return bound + added + doubt, doubt + unsure


def second_order_gap(
    penalty: LevelPenalty, point: LassoPoint, rounding: Rounding, gram: Gram, turned: np.ndarray, enough: float = 0.0
) -> float:
    """Upper bound on ``F(w) - min F`` (see `duality_gap`) that is of the second order in all errors.  Catalogue A-22.

    With ``u = A'r - ridge w`` take any ``v_j`` within ``threshold_j``, on a set ``S`` that holds the support and all
    columns over their threshold.  The dual point ``r - A_S c`` with ``(A_S'A_S + diag(ridge)) c = (u - v)_S`` has the
    products ``v_S``, so it is feasible once no other column is pushed over its threshold, and its gap is
    ``(u - v)_S' c + 2 sum_j (threshold_j |w_j| - w_j v_j)``.  The sum vanishes for ``v_j = sign(w_j) threshold_j``.  No
    such point is formed: that it exists is enough, so thresholds far below rounding do no harm.  Where none is known to
    exist, since columns depend on each other, the objective itself is the bound.  Where a bound by the ridge alone is
    at most ``enough``, it is the answer.

    ``gram`` returns inner products of the columns that it is given.  ``turned`` are sines of the angles by which
    columns may be turned away from those that count, shape ``(d,)``; zero where they are what the user gave.
    """
    support, coef = point.support, point.coef
    w = np.zeros(len(point.corr))
    w[support] = coef
    u, length = point.corr - penalty.ridge * w, np.sqrt(max(point.residual_square, 0.0))
    error = rounding.error(support, coef) + turned * length * rounding.sizes
    error += 4.0 * EPS * (penalty.threshold + penalty.ridge * np.abs(w))
    size = (u if penalty.positive else np.abs(u)) + error
    inside = (w != 0) | (size > penalty.threshold)
    by_ridge = _ridge_bound(penalty, (w, u, error), inside)
    if by_ridge <= enough:
        return by_ridge
    for _ in range(limits.CORRECTION_ROUNDS):
        chosen = np.flatnonzero(inside)
        if len(chosen) > limits.LARGEST_FACTORED:
            break
        doubt = (rounding.level + 2.0 * turned[chosen]) * rounding.sizes[chosen] ** 2
        norm, toll = _correction(penalty, (w, u, error), chosen, gram(chosen), doubt)
        if not np.isfinite(norm):
            break
        over = ~inside & (size + rounding.sizes * norm > penalty.threshold)
        if not np.any(over):
            return min(norm**2 + toll, _objective_bound(penalty, w, length, rounding))
        inside |= over
    return _objective_bound(penalty, w, length, rounding)


def _ridge_bound(penalty: LevelPenalty, state: tuple[np.ndarray, np.ndarray, np.ndarray], inside: np.ndarray) -> float:
    """The same bound without a factor: ``sum_S (u_j - v_j)**2 / ridge_j``, which no column can be pushed out of.

    The conjugate of ``threshold |w| + ridge w**2 / 2`` is finite everywhere and bends by at most ``1 / ridge``, so the
    residual itself is a dual point.  Infinite where a column of the set has no ridge term.
    """
    w, u, error = (part[inside] for part in state)
    threshold, ridge = penalty.threshold[inside], penalty.ridge[inside]
    if not np.all(ridge > 0):
        return np.inf
    low = np.full(len(w), -np.inf) if penalty.positive else -threshold
    wanted = np.where(w != 0, np.sign(w) * threshold, np.clip(u, low, threshold))
    with np.errstate(over="ignore"):
        return float(np.sum((np.abs(u - wanted) + error) ** 2 / ridge)) * (1.0 + 1e-12)


def _objective_bound(penalty: LevelPenalty, w: np.ndarray, length: float, rounding: Rounding) -> float:
    """The objective itself, which cannot fall below zero: the answer where the target is met."""
    reach = rounding.target_norm + float(rounding.sizes @ np.abs(w))
    cost = 2.0 * float(penalty.threshold @ np.abs(w)) + float(penalty.ridge @ w**2)
    return (length + rounding.level * reach) ** 2 + (1.0 + 1e-12) * cost


def _correction(
    penalty: LevelPenalty,
    state: tuple[np.ndarray, np.ndarray, np.ndarray],
    chosen: np.ndarray,
    gram: np.ndarray,
    doubt: np.ndarray,
) -> tuple[float, float]:
    """Length of the correction that moves these columns to products within their thresholds, and what that costs.

    A product goes to the threshold of the coefficient's sign, or, where that is far and the coefficient hardly
    matters, no further than it must.  ``doubt`` bounds the errors on the diagonal of ``gram``.  Both numbers are
    infinite where the columns depend on each other too much.
    """
    if not len(chosen):
        return 0.0, 0.0
    w, u, error = (part[chosen] for part in state)
    threshold, ridge = penalty.threshold[chosen], penalty.ridge[chosen]
    factor = cholesky_factor(gram, ridge)
    if factor is None:
        return np.inf, np.inf
    inverse_norm = ESTIMATE * factor.condition**2  # of the Gram matrix of columns of unit length
    share = inverse_norm * float(np.sum(doubt / factor.size**2))
    if not share < 0.5:
        return np.inf, np.inf
    edge, nearest = np.sign(w) * threshold, np.clip(u, -np.inf if penalty.positive else -threshold, threshold)
    toll = 2.0 * np.abs(w) * threshold * (1.0 + 8.0 * EPS) - 2.0 * w * nearest
    stays = (w == 0) | (toll < ((u - edge) / factor.size) ** 2)
    excess = (u - np.where(stays, nearest, edge)) / factor.size
    length = np.linalg.norm(linalg.solve_triangular(factor.R, excess, trans="T", check_finite=False))
    unsure = np.sqrt(inverse_norm) * np.linalg.norm(error / factor.size)
    return float(length + unsure) / np.sqrt(1.0 - share), float(np.sum(toll[stays]))
