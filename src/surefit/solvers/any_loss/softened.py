"""Layer solvers: absolute loss with its kink rounded off, so that one point minimises it.

In: a width.  Out: a smooth `Loss`.  Absolute loss may have many minimisers (any point between the two middle targets
of a group of even size), and rounding picks one of them; the softened loss has one.
"""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import ArrayLike

from surefit.objective.loss import Loss, finite_inside, residual
from surefit.objective.regression import interval
from surefit.parameters import positive


@final
class Softened(Loss):
    """``sqrt(r**2 + width**2) - width``: absolute loss but for residuals not far above ``width``.

    >>> Softened(3.0).value(0.0, [0.0, 4.0]), Softened(3.0).derivative(0.0, 4.0)
    (array([0., 2.]), np.float64(0.8))
    """

    convex = smooth = twice_differentiable = symmetric = True

    def __init__(self, width: float):
        self.width = positive("width", width, "use Absolute() for a kink")

    @property
    def smoothness(self) -> float:  # type: ignore[override]
        return 1.0 / self.width

    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        r = residual(y, f)
        return np.abs(r) * (np.abs(r) / (np.hypot(r, self.width) + self.width))

    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        r = residual(y, f)
        return r / np.hypot(r, self.width)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        length = np.hypot(residual(y, f), self.width)
        return (self.width / length) ** 2 / length

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        u = np.asarray(u, dtype=float)
        inside = np.clip(u, -1.0, 1.0) ** 2
        bent = self.width * inside / (1.0 + np.sqrt(1.0 - inside))
        return finite_inside(u, -1.0, 1.0, u * np.asarray(y, dtype=float) + bent)

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        return interval(y, 1.0)

    def lipschitz(self, radius: float) -> float:
        return 1.0

    def bound(self, radius: float) -> float:
        return float(radius)
