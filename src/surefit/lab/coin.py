"""Layer lab: how far a mean of fair coins strays, exactly, also with probabilities that no float can hold.

Bounds on deviations are nearly attained by fair coins and tiny failure probabilities; this is where they are tried.
"""

import math

from scipy.special import gammaln


def coin_deviation(n: int, log_delta: float) -> float:
    """A deviation ``t`` that the mean of ``n`` fair coins exceeds with probability at least ``exp(log_delta)``.

    The probability of the last outcome alone is used, which is a little less than that of the tail.

    >>> bool(0.99 < coin_deviation(10_000_000, -20_000.0) / (20_000 / 2 / 10_000_000) ** 0.5 < 1)
    True
    """
    low, high = n // 2, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if log_probability(n, middle) >= log_delta else (low, middle)
    return low / n - 0.5


def log_probability(n: int, k: int) -> float:
    """The logarithm of the probability of ``k`` heads among ``n``."""
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) - n * math.log(2))
