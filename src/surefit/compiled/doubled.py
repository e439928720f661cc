"""Below all layers: sums and products of doubles with their exact errors, for arithmetic in pairs of doubles.

In: numbers or arrays.  Out: the rounded result and what rounding left away, so that the two add up exactly.
"""

from typing import Any

SPLITTER = 134217729.0  # 2**27 + 1: Veltkamp's constant, splits a double into two halves of 26 bits


def two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """``a + b`` as rounded sum and its exact error (Knuth).

    >>> two_sum(1.0, 1e-20)
    (1.0, 1e-20)
    """
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def two_product(a: Any, b: Any) -> tuple[Any, Any]:
    """``a * b`` as rounded product and its exact error (Dekker); needs ``|a|, |b| < 1e290``."""
    p = a * b
    wide_a, wide_b = SPLITTER * a, SPLITTER * b
    high_a, high_b = wide_a - (wide_a - a), wide_b - (wide_b - b)
    low_a, low_b = a - high_a, b - high_b
    return p, ((high_a * high_b - p) + high_a * low_b + low_a * high_b) + low_a * low_b
