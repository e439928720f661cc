"""Layer solvers: the intercept for the columns of a table, rounded once, and what that rounding costs.

In: an intercept about origins, coefficients and the origins.  Out: the intercept for columns as they are, what rounding
it left away, and how much that can raise an objective.  Where columns are far from zero (timestamps) it can matter more
than all that a search left undone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from surefit.compiled.doubled import two_product
from surefit.data.scale import EPS


def rounded_offset(terms: Iterable[float], coef: np.ndarray, *origins: np.ndarray) -> tuple[float, float]:
    """``sum(terms) - coef . (sum of origins)`` rounded once, and what rounding left away.

    Beyond the range of exact products the second number is what rounding can have left away at most.

    >>> rounded_offset([0.25], np.array([1.0]), np.array([2.0**53]))
    (-9007199254740992.0, 0.25)
    """
    parts = [float(one) for one in terms]
    with np.errstate(over="ignore", invalid="ignore"):
        for origin in origins:
            high, low = two_product(coef, origin)
            parts += [*(-high).tolist(), *(-low).tolist()]
    if not np.all(np.isfinite(parts)):
        plain = [*map(float, terms), *(-float(coef @ origin) for origin in origins)]
        return sum(plain), 4.0 * EPS * (len(coef) + 1) * sum(map(abs, plain))
    rounded = math.fsum(parts)
    return rounded, math.fsum([*parts, -rounded])


def rise(gap: float, missed: float | np.ndarray, smoothness: float) -> float:
    """How much an intercept that is off by ``missed`` can raise an objective that stands at most ``gap`` too high.

    The slope along the intercept is at most ``sqrt(2 smoothness gap)``, and changes by no more than ``smoothness`` for
    each unit.

    >>> rise(0.0, 0.5, 2.0), rise(1.0, 0.5, 2.0), rise(np.inf, 0.0, 2.0)
    (0.25, 1.25, 0.0)
    """
    distance = float(np.linalg.norm(missed))
    if distance == 0.0:
        return 0.0
    length = math.sqrt(0.5 * smoothness) * distance
    return length * (2.0 * math.sqrt(gap) + length)
