"""Layer theory: what every bound on a mean shares: losses checked against their declared range, and safe roots.

In: losses ``(..., n)`` in ``[0, upper]`` and a failure probability.  Out: the same as numbers in ``[0, 1]``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

ROOT_TOLERANCE = 1e-13


def failure_probability(delta: float) -> float:
    """``delta`` as a float, if it lies strictly between 0 and 1.

    >>> failure_probability(95)
    Traceback (most recent call last):
        ...
    ValueError: delta must lie strictly between 0 and 1, got 95; it is the probability of failure, 0.05 for 95 %
    """
    value = float(delta)
    if not 0.0 < value < 1.0:
        raise ValueError(
            f"delta must lie strictly between 0 and 1, got {delta!r}; it is the probability of failure, 0.05 for 95 %"
        )
    return value


def unit_losses(losses: Any, upper: float = 1.0) -> np.ndarray:
    """``losses / upper``, shape ``(..., n)`` with ``n >= 1``, if all of them lie in ``[0, upper]``.

    >>> unit_losses([0.5, 3.0])
    Traceback (most recent call last):
        ...
    ValueError: losses must lie in [0, 1], got values from 0.5 to 3; declare their true range with upper=..., or cap
    them at a value chosen before these data were seen
    """
    values = np.asarray(losses, dtype=float)
    if values.ndim == 0 or values.shape[-1] == 0:
        raise ValueError("no losses were given; a bound needs at least one held-out loss")
    if not (np.isfinite(upper) and upper > 0):
        raise ValueError(f"upper must be finite and > 0, got {upper!r}; it is the largest loss that can occur")
    low, high = values.min(), values.max()
    if not (low >= 0.0 and high <= upper):  # also true of NaN
        raise ValueError(
            f"losses must lie in [0, {upper:g}], got values from {low:g} to {high:g}; declare their true range with "
            "upper=..., or cap them at a value chosen before these data were seen"
        )
    return values if upper == 1.0 else values / upper


def safe_root(excess: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The smallest number known to have ``excess >= 0``, elementwise; ``high`` where none is.

    ``excess`` is increasing.  The bracket is closed by the interpolate-truncate-project method, which never needs more
    steps than bisection by much and usually a third; its upper end is returned, so rounding errs on the safe side.

    >>> safe_root(lambda p: p**2 - 0.25, np.zeros(1), np.ones(1)).round(12)
    array([0.5])
    """
    low, high = (np.array(end, dtype=float) for end in np.broadcast_arrays(low, high))
    below, above = excess(low), excess(high)
    high = np.where(below >= 0, low, high)
    open_ = (below < 0) & (above >= 0)
    width = float(np.max(high - low, initial=0.0))
    steps = int(np.ceil(np.log2(max(width / ROOT_TOLERANCE, 2.0)))) + 1
    for step in range(steps + 1):
        gap = high - low
        if not np.any(open_ & (gap > ROOT_TOLERANCE)):
            break
        radius = np.maximum(0.5 * ROOT_TOLERANCE * 2.0 ** (steps - step) - 0.5 * gap, 0.0)
        tried = _next_point(low, high, below, above, radius)
        value = excess(tried)
        up = open_ & (value >= 0)
        down = open_ & ~up
        high, above = np.where(up, tried, high), np.where(up, value, above)
        low, below = np.where(down, tried, low), np.where(down, value, below)
    return high


def _next_point(low: np.ndarray, high: np.ndarray, below: np.ndarray, above: np.ndarray, radius: np.ndarray) -> Any:
    """Between the ends: regula falsi, moved a little towards the middle, never further than ``radius`` from it."""
    middle, gap = 0.5 * (low + high), high - low
    with np.errstate(divide="ignore", invalid="ignore"):
        falsi = (above * low - below * high) / (above - below)
    falsi = np.where(np.isfinite(falsi), falsi, middle)
    towards = np.sign(middle - falsi)
    truncated = falsi + towards * np.minimum(0.1 * gap**2 + 0.5 * ROOT_TOLERANCE, np.abs(middle - falsi))
    near = np.abs(truncated - middle) <= radius
    return np.where(near, truncated, middle - towards * radius)
