"""Layer theory: means of numbers that have no largest value, at all times at once.

In: independent non-negative numbers in the order in which they came, and what is known of them: their largest value, or
their variance as a multiple of their squared mean.  Out: ends between which the mean lies after every number, with
probability ``1 - delta`` in all.

- *The mean is at most* ``m``: bets ``1 + l (x/m - 1)`` with ``0 < l < 1`` never lose more than there is, because ``x``
  is not negative, and gain nothing on average.  Nothing else is needed, no variance and no largest value.
- *The mean is at least* ``m``: no test can refute this unless something is known of large numbers, which may be rare.
  With a largest value ``1 - l (x/m - 1)`` is a bet as well.  With a variance of at most ``v m**2``,
  ``E exp(l (1 - x/m)) <= exp(v (e**l - 1 - l))``, since ``1 - x/m`` has mean zero and is at most one (Bennett 1962): so
  the products of ``exp(l (1 - x/m) - v (e**l - 1 - l))`` are supermartingales.

Each is mixed over a few ``l``; wealth ``2 / delta`` refutes (Ville).  Non-negative quadratic forms of Gaussian noise,
squared errors among them, have ``v <= 2``, whatever their ranks and offsets.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp

from surefit.theory.means.arguments import failure_probability

STAKES = np.append(0.5 ** np.arange(8, 0, -1), 0.98)
"""Shares of the money that bets may lose."""
RATES = 0.5 ** np.arange(9, -2, -1)
"""Exponents ``l`` of the bound by the variance."""
BLOCK = 16
"""Factors multiplied before a logarithm is taken."""
STEPS = 24
"""Halvings of the interval in which an end is looked for."""


def nonnegative_sequence(
    values: np.ndarray, variance: float = np.inf, largest: float = np.inf, delta: float = 0.05
) -> tuple[float, float]:
    """Ends between which the mean lies, after all of ``values``; ``variance`` is in units of the squared mean.

    >>> low, high = nonnegative_sequence(np.tile([0.5, 1.5], 1000), variance=1.0)
    >>> 0.95 < low < 1 < high < 1.1, nonnegative_sequence(np.tile([0.5, 1.5], 1000))[1]
    (True, inf)
    """
    values, target = np.asarray(values, dtype=float), np.log(2 / failure_probability(delta))
    if len(values) and not values.min() >= 0:
        raise ValueError(f"the numbers must not be negative, got {values.min():g}; add a constant to all of them")
    if len(values) == 0 or not np.all(np.isfinite(values)) or values.max() == 0:
        return 0.0, np.inf
    mean = float(values.mean())
    low = _last(lambda m: log_wealth_above(values, m) >= target, 0.0, mean)
    high = np.inf
    if np.isfinite(variance) or np.isfinite(largest):
        far = 100 * mean
        refuted = lambda m: log_wealth_below(values, m, variance, largest) >= target
        high = _last(refuted, far, mean) if refuted(far) else np.inf
    return low, high


def log_wealth_above(values: np.ndarray, m: float) -> float:
    """Logarithm of what bets against a mean of at most ``m`` own after all ``values``.

    >>> log_wealth_above(np.full(100, 2.0), 1.0) > 60, log_wealth_above(np.full(100, 1.0), 1.0)
    (True, 0.0)
    """
    return _mixed(values / m - 1.0, STAKES)


def log_wealth_below(values: np.ndarray, m: float, variance: float = np.inf, largest: float = np.inf) -> float:
    """Logarithm of what bets against a mean of at least ``m`` own; minus infinity where nothing is known.

    >>> log_wealth_below(np.full(100, 0.5), 1.0, variance=1.0) > 5, log_wealth_below(np.full(100, 0.5), 1.0)
    (True, -inf)
    """
    found = []
    if np.isfinite(largest):
        if values.max() > largest:
            raise ValueError(f"a value of {values.max():g} exceeds the largest one, {largest:g}; give a larger bound")
        found.append(_mixed(1.0 - values / m, STAKES / max(largest / m - 1.0, 1.0)))
    if np.isfinite(variance):
        gain = RATES * float(np.sum(1.0 - values / m)) - len(values) * variance * (np.expm1(RATES) - RATES)
        found.append(float(logsumexp(gain) - np.log(len(RATES))))
    return float(logsumexp(found) - np.log(len(found))) if found else -np.inf


def _mixed(gains: np.ndarray, stakes: np.ndarray) -> float:
    """Log of the mean over ``stakes`` of the product of ``1 + stake * gain``, a logarithm for every 16 factors."""
    padded = np.zeros(-(-len(gains) // BLOCK) * BLOCK)
    padded[: len(gains)] = gains
    blocks = padded.reshape(BLOCK, -1)
    logs = [float(np.log(np.prod(1.0 + stake * blocks, axis=0)).sum()) for stake in stakes]
    return float(logsumexp(logs) - np.log(len(stakes)))


def _last(refuted: Callable[[float], bool], far: float, near: float) -> float:
    """The end of what is refuted on the way from ``far`` (refuted) to ``near`` (not refuted)."""
    for _ in range(STEPS):
        middle = (far + near) / 2
        far, near = (middle, near) if refuted(middle) else (far, middle)
    return far
