"""Layer compiled: two-variable dual steps in plain NumPy; twin of ``native/dual.cpp``."""

import numpy as np

FLAT = 1e-12
"""Smallest curvature of a pair, in units of the largest kernel value: less is rounding, and would win every choice."""


def pair_steps(  # noqa: PLR0913  the terms of the problem and where it stands, as in the compiled loop
    gram: np.ndarray,
    unit: float,
    ridge: np.ndarray,
    tube: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    stop: tuple[float, int],
    beta: np.ndarray,
    gradient: np.ndarray,
) -> tuple[int, float]:
    """Minimise ``beta'(K + diag(ridge)) beta / 2 + <slope, beta> + <tube, |beta|>`` in the box, with a fixed sum.

    ``K = unit * gram``; ``gradient`` is that of the smooth part; it and ``beta`` are changed in place.  ``stop`` is the
    violation to reach and the largest number of steps.  A step grows the variable ``i`` that gains most by growing and
    shrinks the ``j`` whose pair promises the largest decrease, ``(l_j - g_i)**2 / (K_ii + K_jj - 2 K_ij)`` with ``g``
    the derivative upwards and ``l`` the one downwards (second-order choice).  Gives the steps taken and the violation
    ``max l - min g`` that is left.
    """
    tol, limit = stop
    precision = gradient.dtype
    diagonal = (unit * np.diagonal(gram) + ridge).astype(precision)
    grow = np.where(beta < upper, np.where(beta >= 0, tube, -tube), np.inf).astype(precision)
    shrink = np.where(beta > lower, np.where(beta <= 0, -tube, tube), -np.inf).astype(precision)
    for step in range(limit + 1):
        upwards = gradient + grow
        i = int(upwards.argmin())
        difference = gradient + shrink - upwards[i]
        violation = float(difference.max())
        if not violation > tol or step == limit:
            return step, violation
        row = unit * gram[i].astype(precision)
        curvatures = np.maximum(diagonal[i] + diagonal - 2 * row, precision.type(FLAT))
        j = int((np.maximum(difference, 0) ** 2 / curvatures).argmax())
        curvature = float(diagonal[i]) + float(diagonal[j]) - 2.0 * unit * float(gram[i, j])
        length = _step(curvature, float(difference[j]), (i, j), beta, (tube, lower, upper))
        if length == 0:
            return step, violation
        for k in (i, j):
            grow[k] = np.inf if beta[k] >= upper[k] else (tube[k] if beta[k] >= 0 else -tube[k])
            shrink[k] = -np.inf if beta[k] <= lower[k] else (-tube[k] if beta[k] <= 0 else tube[k])
        gradient[i] += ridge[i] * length
        gradient[j] -= ridge[j] * length
        gradient += precision.type(length) * (row - unit * gram[j].astype(precision))
    raise AssertionError("the loop ends inside")


def _step(curvature, downhill, pair, beta, terms):
    """Grow ``i`` and shrink ``j`` by the same length, to the minimum along the line; kinks at zero add ``2 * tube``."""
    (i, j), (tube, lower, upper) = pair, terms
    start, length = (beta[i], beta[j]), 0.0
    while downhill > 0:
        below, above = beta[i] < 0, beta[j] > 0
        to_i = -beta[i] if below else upper[i] - beta[i]
        to_j = beta[j] if above else beta[j] - lower[j]
        free = downhill / curvature if curvature > 0 else np.inf
        s = min(free, to_i, to_j)
        if not 0 < s < np.inf:
            break
        length += s
        beta[i] = (0.0 if below else upper[i]) if s == to_i else beta[i] + s
        beta[j] = (0.0 if above else lower[j]) if s == to_j else beta[j] - s
        downhill -= curvature * s
        if s == to_i:
            downhill -= 2 * tube[i] if below else downhill
        if s == to_j:
            downhill -= 2 * tube[j] if above else downhill
        if s == free:
            break
    # one of them may only have been put on a bound that it had missed by its last digit: others can move then
    return 0.0 if start == (beta[i], beta[j]) else length


def store_rounded(block: np.ndarray, first_row: int, unit: float, threads: int, gram: np.ndarray) -> None:
    """Rows of a symmetric matrix up to their last column, to the nearest multiple of ``unit``, and their mirror."""
    rows = slice(first_row, first_row + len(block))
    lower = np.rint(block / np.float32(unit))
    gram[: rows.stop, rows] = lower.T
    gram[rows, : rows.stop] = lower
