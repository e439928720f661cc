"""Layer objective: losses of the residual ``r = f - y`` for real targets.

In: ``y`` and ``f``, arrays that broadcast.  Out: value, derivative in ``f``, curvature, conjugate, constants.  All are
convex, zero where ``f = y``, all but `Pinball` symmetric, and safe for residuals as large as a float can hold (an
overflowing square is ``inf``, without a warning).  Constants hold on ``|f - y| <= radius``.  No loss here carries a
factor 1/2.
"""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import ArrayLike

from surefit.objective.loss import Loss, finite_inside, residual
from surefit.parameters import non_negative, positive


@final
class Squared(Loss):
    """``(f - y)**2``, derivative ``2 * (f - y)``.  Predicts the conditional mean.  Catalogue L-03.

    Lipschitz with ``2 * radius`` and at most ``radius**2`` on ``|f - y| <= radius``; unbounded without a radius.

    >>> Squared().value(1.0, 3.0), Squared().derivative(1.0, 3.0)
    (np.float64(4.0), np.float64(4.0))
    """

    convex = smooth = twice_differentiable = symmetric = True
    smoothness = 2.0

    @np.errstate(over="ignore")
    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return residual(y, f) ** 2

    @np.errstate(over="ignore")
    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return 2 * residual(y, f)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.full_like(residual(y, f), 2.0)

    @np.errstate(over="ignore")
    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        u = np.asarray(u, dtype=float)
        return u * np.asarray(y, dtype=float) + u**2 / 4

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        return whole_line(y)

    def lipschitz(self, radius: float) -> float:
        return 2.0 * radius

    def bound(self, radius: float) -> float:
        return float(radius) ** 2


@final
class Absolute(Loss):
    """``|f - y|``; the subgradient is ``sign(f - y)``, 0 at a zero residual.  Predicts a median.  Catalogue L-04.

    >>> Absolute().value([1.0, 1.0], [3.0, 1.0]), Absolute().derivative([1.0, 1.0], [3.0, 1.0])
    (array([2., 0.]), array([1., 0.]))
    """

    convex = symmetric = True

    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.abs(residual(y, f))

    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.sign(residual(y, f))

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.zeros_like(residual(y, f))

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        u = np.asarray(u, dtype=float)
        return finite_inside(u, -1.0, 1.0, u * np.asarray(y, dtype=float))

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        return interval(y, 1.0)

    def lipschitz(self, radius: float) -> float:
        return 1.0

    def bound(self, radius: float) -> float:
        return float(radius)


@final
class Power(Loss):
    """``|f - y|**power`` with ``power >= 1``; derivative ``power * |r|**(power - 1) * sign(r)``.  Catalogue L-05.

    ``power=1`` is ``Absolute`` and ``power=2`` is ``Squared``.  Between 1 and 2 the loss is smooth, but its curvature
    is infinite at a zero residual; above 2 the curvature grows without bound.

    >>> Power(3.0).value(2.0, 0.0), Power(3.0).derivative(2.0, 0.0)
    (np.float64(8.0), np.float64(-12.0))
    """

    convex = symmetric = True

    def __init__(self, power: float = 2.0):
        self.power = positive("power", power, "use power=1 for absolute and power=2 for squared loss")
        if self.power < 1:
            raise ValueError(f"power must be >= 1, got {power!r}; below 1 the loss is not convex, use power=1")

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        return self.power > 1

    @property
    def twice_differentiable(self) -> bool:  # type: ignore[override]
        return self.power >= 2

    @property
    def smoothness(self) -> float:  # type: ignore[override]
        return 2.0 if self.power == 2 else np.inf

    @np.errstate(over="ignore")
    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.abs(residual(y, f)) ** self.power

    @np.errstate(over="ignore")
    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        r = residual(y, f)
        return self.power * np.abs(r) ** (self.power - 1) * np.sign(r)

    @np.errstate(over="ignore", divide="ignore")
    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        r = np.abs(residual(y, f))
        return np.zeros_like(r) if self.power == 1 else self.power * (self.power - 1) * r ** (self.power - 2)

    @np.errstate(over="ignore")
    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        u, p = np.asarray(u, dtype=float), self.power
        linear = u * np.asarray(y, dtype=float)
        if p == 1:
            return finite_inside(u, -1.0, 1.0, linear)
        return linear + (p - 1) * (np.abs(u) / p) ** (p / (p - 1))

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        return interval(y, 1.0) if self.power == 1 else whole_line(y)

    def lipschitz(self, radius: float) -> float:
        return self.power * float(radius) ** (self.power - 1)

    def bound(self, radius: float) -> float:
        return float(radius) ** self.power


@final
class EpsilonInsensitive(Loss):
    """``max(|f - y| - epsilon, 0)``: residuals inside the tube ``|f - y| <= epsilon`` are free.  Catalogue L-06.

    1-Lipschitz.  The subgradient is 0 in the closed tube and ``sign(f - y)`` outside; ``epsilon=0`` is ``Absolute``.

    >>> EpsilonInsensitive(0.2).value(0.0, [0.1, -0.7])
    array([0. , 0.5])
    """

    convex = symmetric = True

    def __init__(self, epsilon: float = 0.1):
        self.epsilon = non_negative("epsilon", epsilon, "use epsilon=0 for absolute loss")

    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.maximum(np.abs(residual(y, f)) - self.epsilon, 0)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        r = residual(y, f)
        return np.sign(r) * (np.abs(r) > self.epsilon)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.zeros_like(residual(y, f))

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        u = np.asarray(u, dtype=float)
        return finite_inside(u, -1.0, 1.0, u * np.asarray(y, dtype=float) + self.epsilon * np.abs(u))

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        return interval(y, 1.0)

    def lipschitz(self, radius: float) -> float:
        return 1.0

    def bound(self, radius: float) -> float:
        return max(float(radius) - self.epsilon, 0.0)


@final
class QuadraticEpsilonInsensitive(Loss):
    """``max(|f - y| - epsilon, 0)**2``; derivative ``2 * max(|r| - epsilon, 0) * sign(r)``.  Catalogue L-07.

    Smooth; ``epsilon=0`` is ``Squared``.  The curvature is 2 outside the tube and 0 in the closed tube.

    >>> loss = QuadraticEpsilonInsensitive(0.2)
    >>> float(round(loss.value(0.0, 1.0), 12)), float(loss.derivative(0.0, 1.0))
    (0.64, 1.6)
    """

    convex = smooth = symmetric = True
    smoothness = 2.0

    def __init__(self, epsilon: float = 0.1):
        self.epsilon = non_negative("epsilon", epsilon, "use epsilon=0 for squared loss")

    @property
    def twice_differentiable(self) -> bool:  # type: ignore[override]
        return self.epsilon == 0

    @np.errstate(over="ignore")
    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.maximum(np.abs(residual(y, f)) - self.epsilon, 0) ** 2

    @np.errstate(over="ignore")
    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        r = residual(y, f)
        return 2 * np.maximum(np.abs(r) - self.epsilon, 0) * np.sign(r)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        r = np.abs(residual(y, f))
        return np.where((r > self.epsilon) | (self.epsilon == 0), 2.0, 0.0).astype(r.dtype)

    @np.errstate(over="ignore")
    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        u = np.asarray(u, dtype=float)
        return u * np.asarray(y, dtype=float) + self.epsilon * np.abs(u) + u**2 / 4

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        return whole_line(y)

    def lipschitz(self, radius: float) -> float:
        return 2.0 * max(float(radius) - self.epsilon, 0.0)

    def bound(self, radius: float) -> float:
        return max(float(radius) - self.epsilon, 0.0) ** 2


@final
class Huber(Loss):
    """``r**2`` if ``|r| <= threshold`` else ``2 * threshold * |r| - threshold**2``.  Catalogue L-08.

    Derivative ``2 * clip(r, -threshold, threshold)``: one wild target moves the fit by a bounded amount.  Twice the
    common half-squared form, so that it tends to ``Squared`` as the threshold grows.  At the knees, the curvature is
    taken from outside (0).

    >>> Huber(1.0).value(0.0, [0.5, 1.0, 3.0])
    array([0.25, 1.  , 5.  ])
    """

    convex = smooth = symmetric = True
    smoothness = 2.0

    def __init__(self, threshold: float = 1.0):
        self.threshold = positive("threshold", threshold, "use Squared() for an unlimited threshold")

    @np.errstate(over="ignore", invalid="ignore")
    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        r = np.abs(residual(y, f))
        return np.where(r <= self.threshold, r**2, self.threshold * (2 * r - self.threshold))

    @np.errstate(over="ignore")
    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return 2 * np.clip(residual(y, f), -self.threshold, self.threshold)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        r = np.abs(residual(y, f))
        return np.where(r < self.threshold, 2.0, 0.0).astype(r.dtype)

    @np.errstate(over="ignore")
    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        u, edge = np.asarray(u, dtype=float), 2 * self.threshold
        return finite_inside(u, -edge, edge, u * np.asarray(y, dtype=float) + u**2 / 4)

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        return interval(y, 2 * self.threshold)

    def lipschitz(self, radius: float) -> float:
        return 2.0 * min(float(radius), self.threshold)

    def bound(self, radius: float) -> float:
        return float(self.value(0.0, radius))


@final
class Pinball(Loss):
    """``quantile * (y - f)`` where ``f`` is below ``y``, ``(1 - quantile) * (f - y)`` where it is above.

    Predicts that quantile of ``y`` given ``x``: with an unpenalised intercept at most a share ``quantile`` of the
    training targets lies below the fit, at most ``1 - quantile`` above.  The subgradient at a zero residual is 0.
    ``quantile=0.5`` is half of ``Absolute``.

    >>> Pinball(0.9).value([1.0, 1.0], [0.0, 2.0]), Pinball(0.9).derivative([1.0, 1.0], [0.0, 2.0])
    (array([0.9, 0.1]), array([-0.9,  0.1]))
    """

    convex = True

    def __init__(self, quantile: float = 0.5):
        self.quantile = positive("quantile", quantile, "use 0.5 for the median")
        if self.quantile >= 1:
            raise ValueError(f"quantile must lie between 0 and 1, got {quantile!r}; use 0.5 for the median")

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        return self.quantile == 0.5

    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        r = residual(y, f)
        return np.maximum(-self.quantile * r, (1 - self.quantile) * r)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        r = residual(y, f)
        return np.where(r > 0, 1 - self.quantile, np.where(r < 0, -self.quantile, 0.0)).astype(r.dtype)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.zeros_like(residual(y, f))

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        u = np.asarray(u, dtype=float)
        return finite_inside(u, -self.quantile, 1 - self.quantile, u * np.asarray(y, dtype=float))

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        return np.full(np.shape(y), -self.quantile), np.full(np.shape(y), 1 - self.quantile)

    def lipschitz(self, radius: float) -> float:
        return max(self.quantile, 1 - self.quantile)

    def bound(self, radius: float) -> float:
        return self.lipschitz(radius) * float(radius)


def whole_line(y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """The domain of a conjugate that is finite everywhere, one interval for each target."""
    return interval(y, np.inf)


def interval(y: ArrayLike, edge: float) -> tuple[np.ndarray, np.ndarray]:
    """The domain ``[-edge, edge]`` of a conjugate, one copy for each target."""
    shape = np.shape(y)
    return np.full(shape, -edge), np.full(shape, edge)
