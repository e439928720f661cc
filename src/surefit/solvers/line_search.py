"""Layer solvers: how far to go along a direction of descent of a convex function."""

from collections.abc import Callable

TRIES = 60


def convex_step(
    slope: Callable[[float], float], value: Callable[[float], float], first_slope: float, first_value: float
) -> float:
    """A step near the minimum of a convex function of one variable; 1 if that is good, 0 if none lowers it.

    ``slope(t)`` and ``value(t)`` are taken along the direction; ``first_*`` are those at 0.  Accepts where the slope
    has fallen to a tenth and the value has not risen (beyond rounding); brackets the zero of the slope otherwise.

    >>> convex_step(lambda t: 2 * (t - 3), lambda t: (t - 3) ** 2, -6.0, 9.0)
    3.0
    """
    low, high, slope_low, slope_high = 0.0, float("inf"), first_slope, float("inf")
    slack = 1e-14 * abs(first_value)
    step = 1.0
    for _ in range(TRIES):
        here = slope(step)
        if here <= 0:
            low, slope_low = step, here
        else:
            high, slope_high = step, here
        if abs(here) <= 0.1 * abs(first_slope) and value(step) <= first_value + slack:
            return step
        if high == float("inf"):
            step *= 3.0
        elif high - low <= 1e-12 * high:
            break
        else:
            step = _between(low, high, slope_low, slope_high)
    return low


def _between(low: float, high: float, slope_low: float, slope_high: float) -> float:
    """The zero of the chord, kept away from both ends; the middle if the slopes, being rounding, do not grow.

    >>> _between(0.0, 2.0, -1.0, 3.0), _between(0.0, 2.0, 1e-20, 1e-20)
    (0.5, 1.0)
    """
    width, rise = high - low, slope_high - slope_low
    share = -slope_low / rise if 0.0 < rise < float("inf") else 0.5
    return low + min(max(share, 0.05), 0.95) * width
