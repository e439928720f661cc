"""Layer theory: what every bound on a mean shares: losses checked against their declared range, and safe roots.

In: losses ``(..., n)`` in ``[0, upper]`` and a failure probability.  Out: the same as numbers in ``[0, 1]``.
"""

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from surefit.parameters import positive
from surefit.progress import Task

ROOT_TOLERANCE = 1e-14
MAX_STEPS = 200


def failure_probability(delta: float) -> float:
    """``delta`` as a float, if it lies strictly between 0 and 1.

    >>> failure_probability(95)
    Traceback (most recent call last):
        ...
    ValueError: delta must lie strictly between 0 and 1, got 95; it is the probability of failure, 0.05 for 95 %
    """
    value = float(delta) if isinstance(delta, Real) else np.nan
    if not 0.0 < value < 1.0:
        raise ValueError(
            f"delta must lie strictly between 0 and 1, got {delta!r}; it is the probability of failure, 0.05 for 95 %"
        )
    return value


def kept_promise(delta: float) -> float:
    """``delta`` as a float, if it is a failure probability of at most one half.

    >>> kept_promise(0.95)
    Traceback (most recent call last):
        ...
    ValueError: delta = 0.95 is a promise that is broken more often than kept; it is the probability of failure, 0.05
    for 95 %
    """
    value = failure_probability(delta)
    if value > 0.5:
        raise ValueError(
            f"delta = {delta!r} is a promise that is broken more often than kept; it is the probability of failure, "
            "0.05 for 95 %"
        )
    return value


def checked_coverage(coverage: float, name: str = "coverage") -> float:
    """``coverage`` as a float, if it lies strictly between 0 and 1; ``name`` is what the user calls it.

    >>> checked_coverage(90)
    Traceback (most recent call last):
        ...
    ValueError: coverage must lie between 0 and 1, got 90; use 0.9 for 90 %
    """
    if not (isinstance(coverage, Real) and 0 < coverage < 1):
        raise ValueError(f"{name} must lie between 0 and 1, got {coverage!r}; use 0.9 for 90 %")
    return float(coverage)


def loss_array(losses: Any) -> np.ndarray:
    """``losses`` as an array of floats; an error if they are no numbers.

    >>> loss_array(["small", "large"])
    Traceback (most recent call last):
        ...
    ValueError: losses must be numbers, and could not convert string to float: 'small'; give one number per row
    """
    try:
        return np.asarray(losses, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"losses must be numbers, and {error}; give one number per row") from None


def unit_losses(losses: Any, upper: float = 1.0) -> np.ndarray:
    """``losses / upper``, shape ``(..., n)`` with ``n >= 1``, if all of them lie in ``[0, upper]``.

    >>> unit_losses([0.5, 3.0])
    Traceback (most recent call last):
        ...
    ValueError: losses must lie in [0, 1], got values from 0.5 to 3; declare their true range with upper=..., or cap
    them at a value chosen before these data were seen
    """
    values = loss_array(losses)
    if values.ndim == 0 or values.shape[-1] == 0:
        raise ValueError("no losses were given; a bound needs at least one held-out loss")
    upper = largest_loss(upper)
    low, high = values.min(), values.max()
    if not (low >= 0.0 and high <= upper):  # also true of NaN
        raise ValueError(
            f"losses must lie in [0, {upper:g}], got values from {low:g} to {high:g}; declare their true range with "
            "upper=..., or cap them at a value chosen before these data were seen"
        )
    return values if upper == 1.0 else values / upper


def largest_loss(upper: float) -> float:
    """``upper`` as a float, if it can be the largest loss."""
    return positive("upper", upper, "it is the largest loss that can occur")


def safe_root(excess: Callable[[np.ndarray], np.ndarray], low: Any, high: Any) -> np.ndarray:
    """The smallest number known to have ``excess >= 0``, elementwise; ``high`` where none is.

    ``excess`` is increasing.  Chandrupatla's method: inverse quadratic interpolation where it can be trusted,
    bisection where not.  The upper end of the bracket is returned, so rounding errs on the safe side.

    >>> safe_root(lambda p: p**2 - 0.25, np.zeros(1), np.ones(1)).round(12)
    array([0.5])
    """
    a, b = (np.array(end, dtype=float) for end in np.broadcast_arrays(low, high))
    fa, fb = excess(a), excess(b)
    answer, running = np.where(fa >= 0, a, b), (fa < 0) & (fb >= 0)
    share = np.full_like(a, 0.5)
    tell = Task("bound on a mean", total=MAX_STEPS)
    for step in range(MAX_STEPS):
        tried = np.where(running, a + share * (b - a), a)
        value = excess(tried)
        same = (value >= 0) == (fa >= 0)
        c, fc = np.where(same, a, b), np.where(same, fa, fb)
        b, fb = np.where(same, b, a), np.where(same, fb, fa)
        a, fa = tried, value
        answer = np.where(running, np.where(fa >= 0, a, b), answer)
        running &= np.abs(b - a) > ROOT_TOLERANCE
        tell(step, float(np.max(np.abs(b - a), initial=0.0)))
        if not running.any():
            break
        share = np.where(running, _share(a, b, c, (fa, fb, fc)), 0.5)
    return answer


def _share(a: np.ndarray, b: np.ndarray, c: np.ndarray, values: tuple[np.ndarray, ...]) -> np.ndarray:
    """How far from ``a`` to ``b`` to look next: by inverse quadratic interpolation through three points, or halfway."""
    fa, fb, fc = values
    with np.errstate(all="ignore"):
        place, height = (a - b) / (c - b), (fa - fb) / (fc - fb)
        trusted = (height**2 < place) & ((1 - height) ** 2 < 1 - place)
        bent = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        least = 0.5 * ROOT_TOLERANCE / np.abs(b - a)
        return np.clip(np.where(trusted & np.isfinite(bent), bent, 0.5), least, 1.0 - least)
