"""Layer solvers: the Moreau envelope of a function with kinks: smooth, and with the same minimum.

In: a convex loss (or ``|w_j|``), a width, and estimates of the slopes at the minimum.  Out: the `Curve` of its
Moreau envelope ``min_z loss(z) + (z - v)**2 / (2 width)`` at ``v = f + width * slope``: smooth, with the same minimum
once the slopes are right.  The method of multipliers improves them round by round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surefit.objective.loss import Loss
from surefit.objective.margin import Hinge, PerceptronLoss
from surefit.objective.regression import Absolute, EpsilonInsensitive, Pinball, Power


@dataclass(frozen=True)
class LossEnvelope:
    """The envelope of ``loss(y, .)`` of the given width, shifted by ``width * dual``; slope between the loss's own."""

    loss: Loss
    y: np.ndarray
    dual: np.ndarray
    width: float

    def value(self, at: np.ndarray) -> np.ndarray:
        v = at + self.width * self.dual
        slope = self._slope(v)
        return self.loss.value(self.y, v - self.width * slope) + 0.5 * self.width * slope**2

    def derivative(self, at: np.ndarray) -> np.ndarray:
        return self._slope(at + self.width * self.dual)

    def curvature(self, at: np.ndarray) -> np.ndarray:
        """``k / (1 + width * k)`` with ``k`` the curvature of the loss at the nearest point; ``1 / width`` at kinks."""
        v = at + self.width * self.dual
        slope = self._slope(v)
        kinked = _at_kink(self.loss, self.y, v - self.width * slope, slope)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            k = np.asarray(self.loss.curvature(self.y, v - self.width * slope), dtype=float)
            smooth = np.where(np.isfinite(k), k / (1 + self.width * k), 1 / self.width)
        return np.where(kinked, 1 / self.width, smooth)

    def upper_curvature(self, at: np.ndarray) -> np.ndarray:
        return np.full(at.shape, 1 / self.width)

    def _slope(self, v: np.ndarray) -> np.ndarray:
        return envelope_slope(self.loss, self.y, v, self.width)


@dataclass(frozen=True)
class AbsoluteEnvelope:
    """``absolute_j |c_j| + square_j c_j**2`` with the kink smoothed: the penalty as Newton sees it."""

    absolute: np.ndarray
    square: np.ndarray
    dual: np.ndarray
    width: float

    def value(self, at: np.ndarray) -> np.ndarray:
        slope = self.kink_slope(at)
        z = at + self.width * (self.dual - slope)
        return self.absolute * np.abs(z) + 0.5 * self.width * slope**2 + self.square * at**2

    def derivative(self, at: np.ndarray) -> np.ndarray:
        return self.kink_slope(at) + 2 * self.square * at

    def curvature(self, at: np.ndarray) -> np.ndarray:
        return np.where(self.rounded(at), 1 / self.width, 0.0) + 2 * self.square

    def upper_curvature(self, at: np.ndarray) -> np.ndarray:
        return np.where(self.absolute > 0, 1 / self.width, 0.0) + 2 * self.square

    def kink_slope(self, at: np.ndarray) -> np.ndarray:
        """The multiplier of each ``|c_j|`` that the next round will use, within ``[-absolute, absolute]``."""
        return np.clip(at / self.width + self.dual, -self.absolute, self.absolute)

    def rounded(self, at: np.ndarray) -> np.ndarray:
        """Where the coefficient is held at its kink: exactly zero once the multipliers are right."""
        return np.abs(at / self.width + self.dual) < self.absolute


@np.errstate(over="ignore")  # a slope beyond all numbers is clipped to that of the loss
def envelope_slope(loss: Loss, y: np.ndarray, v: np.ndarray, width: float) -> np.ndarray:
    """``(v - z) / width`` at the minimiser ``z`` of ``loss(y, z) + (z - v)**2 / (2 width)``.

    >>> envelope_slope(Absolute(), np.zeros(3), np.array([-3.0, 0.5, 2.0]), 1.0)
    array([-1. ,  0.5,  1. ])
    """
    formula = _FORMULAS.get(type(loss))
    if formula is not None:
        return formula(loss, y, v, width)
    return bisected_slope(loss, y, v, width)


def bisected_slope(loss: Loss, y: np.ndarray, v: np.ndarray, width: float) -> np.ndarray:
    """The same for any convex loss, by bisection on ``z + width * derivative(z) = v``."""
    drift = width * loss.derivative(y, v)
    low, high = np.minimum(v, v - drift), np.maximum(v, v - drift)  # the answer lies downhill, before v - drift
    for _ in range(80):
        middle = 0.5 * (low + high)
        below = middle + width * loss.derivative(y, middle) < v
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (v - 0.5 * (low + high)) / width


def _tube_slope(epsilon: float, y: np.ndarray, v: np.ndarray, width: float) -> np.ndarray:
    r = v - y
    return np.sign(r) * np.clip((np.abs(r) - epsilon) / width, 0.0, 1.0)


def _margin_slope(edge: float, y: np.ndarray, v: np.ndarray, width: float) -> np.ndarray:
    return -y * np.clip((edge - y * v) / width, 0.0, 1.0)


def _power_slope(loss: Loss, y: np.ndarray, v: np.ndarray, width: float) -> np.ndarray:
    """Solves ``u / width' : r = (u / p)**(1 / (p - 1)) + width * u`` for the slope, by bisection in the slope."""
    power = loss.power  # type: ignore[attr-defined]
    if power == 1:
        return _tube_slope(0.0, y, v, width)
    r = np.abs(v - y)
    low, high = np.zeros_like(r), r / width
    for _ in range(80):
        middle = 0.5 * (low + high)
        below = (middle / power) ** (1 / (power - 1)) + width * middle < r
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.sign(v - y) * 0.5 * (low + high)


def _at_kink(loss: Loss, y: np.ndarray, z: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Whether ``z`` sits on a kink: the envelope's slope is none of the one-sided slopes next to it."""
    if type(loss) in (Absolute, EpsilonInsensitive) or (isinstance(loss, Power) and loss.power == 1):
        return (np.abs(slope) < 1) & ((slope != 0) | (getattr(loss, "epsilon", 0.0) == 0.0))
    if type(loss) in (Hinge, PerceptronLoss):
        return (np.abs(slope) < 1) & (slope != 0)
    if loss.smooth:
        return np.zeros(np.shape(z), dtype=bool)
    hair = 1e-9 * np.maximum(np.abs(z), 1e-6)
    left, right = loss.derivative(y, z - hair), loss.derivative(y, z + hair)
    return (slope - left > 1e-5 * (right - left)) & (right - slope > 1e-5 * (right - left)) & (right - left > 1e-5)


_FORMULAS: dict[type, Callable[[Loss, np.ndarray, np.ndarray, float], np.ndarray]] = {
    Absolute: lambda loss, y, v, width: _tube_slope(0.0, y, v, width),
    EpsilonInsensitive: lambda loss, y, v, width: _tube_slope(loss.epsilon, y, v, width),  # type: ignore[attr-defined]
    Hinge: lambda loss, y, v, width: _margin_slope(1.0, y, v, width),
    Pinball: lambda loss, y, v, width: np.clip((v - y) / width, -loss.quantile, 1 - loss.quantile),  # type: ignore[attr-defined]
    PerceptronLoss: lambda loss, y, v, width: _margin_slope(0.0, y, v, width),
    Power: _power_slope,
}
