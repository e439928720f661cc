"""Layer solvers: whether a path of the homotopy is what it claims to be, judged from the data at every knot.

In: the design and target of the walk, its levels and coefficients.  Out: how many of its knots, from the first on, meet
the conditions of optimality up to rounding.  The conditions are linear between knots, so what two neighbours meet all
points between them meet.  The walk cannot judge itself: two columns that differ in the eighth digit look dependent in
its factor, and it then goes on without one of them.
"""

from collections.abc import Callable

import numpy as np

from surefit.solvers.lasso.exact.active_columns import MeanDesign
from surefit.solvers.lasso.gap import rounding_level

ROUNDINGS = 16
"""Rounding errors of one long sum that a correlation may be off by: it has passed through several."""
TOGETHER = 64
"""Knots that are judged at a time."""

Held = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From correlations and coefficients, what must be at the level where the coefficient is not zero."""


def lasso_holds(corr: np.ndarray, coef: np.ndarray) -> np.ndarray:
    """The lasso: correlations have the signs of the coefficients."""
    return np.sign(coef) * corr


def least_angle_holds(corr: np.ndarray, coef: np.ndarray) -> np.ndarray:
    """Least-angle regression: a coefficient may have changed its sign."""
    return np.abs(corr)


def knots_met(
    design: MeanDesign,
    target: np.ndarray,
    levels: np.ndarray,
    coefs: np.ndarray,
    held: Held,
    *,
    signed: bool,
    tie: float,
) -> int:
    """How many of the solutions ``coefs`` (m, d) at ``levels`` (m,), before the first that is not, are optimal.

    No correlation may exceed the level and those of the support must be at it, up to rounding and a share ``tie``.
    Catalogue A-25.
    """
    for start in range(0, len(levels), TOGETHER):
        part = slice(start, start + TOGETHER)
        met = _are_met(design, target, levels[part], coefs[part], held, signed, tie)
        if not np.all(met):
            return start + int(np.argmin(met))
    return len(levels)


def _are_met(
    design: MeanDesign, target: np.ndarray, levels: np.ndarray, coefs: np.ndarray, held: Held, signed: bool, tie: float
) -> np.ndarray:
    corr = design.rmatvec(target[:, None] - design.matvec(coefs.T)).T
    reach = np.linalg.norm(target) + np.abs(coefs) @ design.sizes
    rounding = ROUNDINGS * rounding_level(len(target)) * reach[:, None]
    allowed = tie * levels[:, None] + rounding * design.sizes
    over = (np.abs(corr) if signed else corr) - levels[:, None]
    off = np.where(np.abs(coefs) * design.sizes > rounding, np.abs(held(corr, coefs) - levels[:, None]), 0.0)
    return np.all(np.maximum(over, off) <= allowed, axis=1)
