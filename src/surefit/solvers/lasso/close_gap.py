"""Layer solvers: a gap of the elastic net into which rounding enters only squared.

In: a point whose plain gap (see `duality`) is too coarse, because one scaling of the whole residual must make up for
what rounding did to the column of the largest units or below the smallest threshold.  Out: a bound in which every
column is moved to its threshold by itself.
"""

from collections.abc import Callable

import numpy as np
from scipy import linalg

from surefit.solvers.lasso.gap import LassoPoint, LevelPenalty, Rounding
from surefit.solvers.linear.factor import EPS, cholesky_factor

ESTIMATE = 10.0
"""What an estimate of the norm of an inverse may be short of the norm itself."""
ROUNDS = 5
"""How often columns that a correction could push over their threshold join it before the bound is given up."""

LARGEST = 3000
"""Most columns whose Gram matrix is factored for a bound."""

Gram = Callable[[np.ndarray], np.ndarray]


def close_gap(penalty: LevelPenalty, point: LassoPoint, rounding: Rounding, gram: Gram, turned: np.ndarray) -> float:
    """Upper bound on ``F(w) - min F`` (see `duality_gap`) that is of the second order in all errors.  Catalogue A-22.

    With ``u = A'r - ridge w`` take any ``v_j`` within ``threshold_j``, on a set ``S`` that holds the support and all
    columns over their threshold.  The dual point ``r - A_S c`` with ``(A_S'A_S + diag(ridge)) c = (u - v)_S`` has the
    products ``v_S``, so it is feasible once no other column is pushed over its threshold, and its gap is
    ``(u - v)_S' c + 2 sum_j (threshold_j |w_j| - w_j v_j)``.  The sum vanishes for ``v_j = sign(w_j) threshold_j``.  No
    such point is formed: that it exists is enough, so thresholds far below rounding do no harm.  Where none is known to
    exist, since columns depend on each other, the objective itself is the bound.

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
    for _ in range(ROUNDS):
        chosen = np.flatnonzero(inside)
        if len(chosen) > LARGEST:
            break
        doubt = (rounding.level + 2.0 * turned[chosen]) * rounding.sizes[chosen] ** 2
        norm, toll = _moved(penalty, (w, u, error), chosen, gram(chosen), doubt)
        if not np.isfinite(norm):
            break
        over = ~inside & (size + rounding.sizes * norm > penalty.threshold)
        if not np.any(over):
            return min(norm**2 + toll, _whole(penalty, w, length, rounding))
        inside |= over
    return _whole(penalty, w, length, rounding)


def _whole(penalty: LevelPenalty, w: np.ndarray, length: float, rounding: Rounding) -> float:
    """The objective itself, which cannot fall below zero: the answer where the target is met."""
    reach = rounding.target_norm + float(rounding.sizes @ np.abs(w))
    cost = 2.0 * float(penalty.threshold @ np.abs(w)) + float(penalty.ridge @ w**2)
    return (length + rounding.level * reach) ** 2 + (1.0 + 1e-12) * cost


def _moved(
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
