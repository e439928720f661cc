"""Layer solvers: one more pass that corrects coefficients with residuals in twice the working precision.

In: coefficients from a triangle, and blocks.  Out: the gradient of all rows as pairs of doubles, and the correction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular

from surefit.data.blocks.block import Block
from surefit.data.blocks.layout import Layout
from surefit.solvers.blocks.factor import Target, numbers_of
from surefit.solvers.blocks.small import Small
from surefit.solvers.linear.factor import triangle_of
from surefit.solvers.linear.refine import ExtendedState, Gradient, gradient_at

NOTHING = np.zeros(0)


@dataclass(frozen=True)
class GradientAt:
    """The gradient of a block at ``state``, whose coefficients are in the units of the layout."""

    layout: Layout
    target: Target
    state: ExtendedState

    def __call__(self, block: Block) -> Gradient:
        units = self.layout.units(self.layout.labels)
        y = numbers_of(block) / self.target.scale
        weight = np.ones(len(block)) if block.weight is None else block.weight
        total: Gradient | None = None
        for rows, X in self.layout.chunks(block, raw=True):
            part = gradient_at(X, y[rows], np.ascontiguousarray(weight[rows]), units, self.state)
            total = part if total is None else total + part
        assert total is not None
        return replace(total, residual=NOTHING)


def merge(left: Gradient, right: Gradient) -> Gradient:
    """The gradient of the rows of both."""
    return left + right


@dataclass(frozen=True)
class Corrected:
    """Coefficients (d,) and intercept in the units of the table, the sum of squares before, and the excess removed."""

    coef: np.ndarray
    intercept: float
    squares: float
    excess: float


def start(small: Small, layout: Layout, target: Target, coef: np.ndarray) -> ExtendedState:
    """Coefficients in the units of the table as a state to be corrected."""
    inside = coef * layout.units(layout.labels) / target.scale
    intercept = float(small.intercept(coef)) / target.scale if small.fit_intercept else 0.0
    return ExtendedState(inside, np.zeros_like(inside), (intercept, 0.0))


def corrected(
    small: Small, layout: Layout, target: Target, state: ExtendedState, found: Gradient, lam: float
) -> Corrected:
    """One Newton step for ``mean((y - X w - b)**2) + lam * ||w||**2`` from the gradient of all rows."""
    units = layout.units(layout.labels)
    shift = small.means / units if small.fit_intercept else np.zeros_like(units)
    gradient = found.centred(shift) - small.weight * lam * (state.high + state.low) / units**2
    R = small.R / units
    if lam > 0:
        R = np.vstack([R, np.diag(np.sqrt(small.weight * lam) / units)])
    size = np.linalg.norm(R, axis=0)
    R = triangle_of(R / size)
    half = solve_triangular(R, gradient / size, trans="T", check_finite=False)
    step = solve_triangular(R, half, check_finite=False) / size
    total = float(found.total.sum())
    offset = total / small.weight - float(shift @ step) if small.fit_intercept else 0.0
    moved = state.moved(step, offset)
    rise = total * total / small.weight if small.fit_intercept else 0.0
    excess = max(float(gradient @ step) + rise, 0.0)
    scale = target.scale
    return Corrected(moved.high / units * scale, moved.intercept[0] * scale, float(found.rss.sum()) * scale * scale,
                     excess * scale * scale)  # fmt: skip
