"""Layer solvers: what Newton's method needs of losses and penalties: value, derivative and curvature, entry by entry.

In: a loss or the squares of a penalty.  Out: a `Curve` with value, derivative and curvature in each entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from surefit.objective.loss import Loss
from surefit.solvers.any_loss.parts import Parts

STIFFEST = 1e12
"""Curvature that is infinite (a power below 2 at a zero residual) counts as this."""


class Curve(Protocol):
    """A convex function of each entry of an array."""

    def value(self, at: np.ndarray) -> np.ndarray:
        """The function itself."""

    def derivative(self, at: np.ndarray) -> np.ndarray:
        """Its derivative."""

    def curvature(self, at: np.ndarray) -> np.ndarray:
        """Its second derivative where it exists."""

    def upper_curvature(self, at: np.ndarray) -> np.ndarray:
        """A curvature that never underestimates how fast the derivative changes on the way to the minimum."""


@dataclass(frozen=True)
class LossCurve:
    """``f -> loss(y, f)``."""

    loss: Loss
    y: np.ndarray

    def value(self, at: np.ndarray) -> np.ndarray:
        return self.loss.value(self.y, at)

    def derivative(self, at: np.ndarray) -> np.ndarray:
        return self.loss.derivative(self.y, at)

    def curvature(self, at: np.ndarray) -> np.ndarray:
        if np.isfinite(self.loss.smoothness):
            return np.clip(self.loss.curvature(self.y, at), 0.0, self.loss.smoothness)
        bend = np.nan_to_num(self.loss.curvature(self.y, at), nan=STIFFEST, posinf=STIFFEST)
        farthest = float(bend[np.argmax(np.abs(at - self.y))])  # a high power is stiff where it is far from its target
        return np.clip(bend, 0.0, max(STIFFEST, farthest))

    def upper_curvature(self, at: np.ndarray) -> np.ndarray:
        """The secant slope towards ``f = y`` for losses of a residual, the smoothness constant for others."""
        ceiling = self.loss.smoothness if np.isfinite(self.loss.smoothness) else STIFFEST
        if not self.loss.symmetric:
            return np.full(at.shape, ceiling)
        return secant(self.derivative(at), at - self.y, ceiling)


@dataclass(frozen=True)
class SquareCurve:
    """``c_j -> square_j c_j**2``: the smooth part of a penalty."""

    square: np.ndarray

    def value(self, at: np.ndarray) -> np.ndarray:
        return self.square * at**2

    def derivative(self, at: np.ndarray) -> np.ndarray:
        return 2 * self.square * at

    def curvature(self, at: np.ndarray) -> np.ndarray:
        return 2 * self.square

    def upper_curvature(self, at: np.ndarray) -> np.ndarray:
        return 2 * self.square


def square_curve(parts: Parts) -> SquareCurve:
    """The smooth part of the penalty."""
    return SquareCurve(parts.square)


def secant(slope: np.ndarray, distance: np.ndarray, ceiling: float) -> np.ndarray:
    """``slope / distance`` held between 0 and ``ceiling``, the ceiling where the distance is zero."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = slope / distance
    return np.clip(np.where(np.isfinite(ratio), ratio, ceiling), 0.0, ceiling)
