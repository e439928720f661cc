"""Layer solvers: iterative refinement of (ridge) least squares with residuals in twice the working precision.

In: a first answer and a way to solve the normal equations approximately.  Out: the answer that the exact solution of
the given numbers rounds to, or nearly.  One correction multiplies the error by about ``condition(A) * eps`` when the
factor comes from QR, ``condition(A)**2 * eps`` when it comes from Cholesky.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surefit.compiled.door import extended_gradient
from surefit.compiled.doubled import two_product, two_sum
from surefit.data.centred import Centred
from surefit.solvers.linear import limits


@dataclass
class ExtendedState:
    """Coefficients of ``A`` and raw intercept as unevaluated sums of two doubles, for one target."""

    high: np.ndarray
    low: np.ndarray
    intercept: tuple[float, float]

    @staticmethod
    def start(A: Centred, coef: np.ndarray, target_mean: float) -> "ExtendedState":
        intercept = target_mean - float(A.shift @ coef) - float(A.shift_low @ coef)
        return ExtendedState(coef.astype(np.float64), np.zeros_like(coef), (intercept, 0.0))

    def moved(self, coef: np.ndarray, intercept: float) -> "ExtendedState":
        high, error = two_sum(self.high, coef)
        high, low = two_sum(high, error + self.low)
        b, error_b = two_sum(np.float64(self.intercept[0]), np.float64(intercept))
        b, low_b = two_sum(b, error_b + self.intercept[1])
        return ExtendedState(high, low, (float(b), float(low_b)))


@dataclass(frozen=True)
class Gradient:
    """What a pass over the rows yields: residuals, ``A' W r`` for the uncentred columns, ``sum(w r)``, weighted RSS.

    The sums are pairs of doubles, rows of shape ``(2, ...)``: over blocks they are large and cancel.
    """

    residual: np.ndarray
    columns: np.ndarray
    total: np.ndarray
    rss: np.ndarray

    def __add__(self, other: "Gradient") -> "Gradient":
        """The gradient of two blocks together; the residuals are those of the second."""
        columns, total, rss = (
            _pair_add(a, b)
            for a, b in ((self.columns, other.columns), (self.total, other.total), (self.rss, other.rss))
        )
        return Gradient(other.residual, columns, total, rss)

    def centred(self, shift: np.ndarray, shift_low: np.ndarray | float = 0.0) -> np.ndarray:
        """``(A - shift - shift_low)' W r``, rounded once at the end."""
        high, low = two_product(shift, self.total[0])
        low = low + shift * self.total[1] + shift_low * self.total[0]
        difference = _pair_add(self.columns, -np.stack([high, low]))
        return difference[0] + difference[1]


def _pair_add(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    high, error = two_sum(a[0], b[0])
    return np.stack(two_sum(high, error + a[1] + b[1]))


def gradient_at(X: np.ndarray, y: np.ndarray, weight: np.ndarray, scale: np.ndarray, state: ExtendedState) -> Gradient:
    """Residuals and gradient at ``state``, accumulated with 106 bits and rounded once."""
    residual, high, low, sums = np.empty(len(y)), np.empty(X.shape[1]), np.empty(X.shape[1]), np.empty(4)
    extended_gradient(
        X, np.ascontiguousarray(y), weight, 1.0 / scale, state.high, state.low, state.intercept,
        residual, high, low, sums,
    )  # fmt: skip
    return Gradient(residual, np.stack([high, low]), sums[:2].copy(), sums[2:].copy())


@dataclass(frozen=True)
class RefinedFit:
    state: ExtendedState
    gradient: Gradient
    gap: float
    rounds: int


def correction(
    A: Centred, gradient: Gradient, state: ExtendedState, penalty: np.ndarray, solve: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, float, float]:
    """Newton step (coefficients, intercept) towards the optimum, and how far above it the objective stands.

    The objective is quadratic, so ``g' (A'A + penalty)^{-1} g`` is its exact excess, up to rounding.
    """
    centred = gradient.centred(A.shift, A.shift_low) - penalty * (state.high + state.low)
    step = solve(centred)
    total = float(gradient.total.sum())
    mean_residual = total / A.design.total_weight if A.fit_intercept else 0.0
    excess = float(centred @ step) + mean_residual * total
    return step, mean_residual - float(A.shift @ step) - float(A.shift_low @ step), max(excess, 0.0)


def refine(
    A: Centred,
    y: np.ndarray,
    coef: np.ndarray,
    penalty: np.ndarray,
    solve: Callable[[np.ndarray], np.ndarray],
    contraction: float = 1.0,
) -> RefinedFit:
    """Correct ``coef`` (of ``A``, one target) until the corrections no longer shrink or are below rounding.

    ``contraction`` is what one correction is known to multiply the error by; a correction that leaves less than
    rounding behind is the last.
    """
    X = A.design.X
    state = ExtendedState.start(A, coef, float(A.target_mean(y)))
    gradient = gradient_at(X, y, A.design.weight, A.scale, state)
    step, offset, excess = correction(A, gradient, state, penalty, solve)
    rounds, last = 0, np.inf
    while rounds < limits.MAX_REFINEMENTS:
        size = float(np.max(np.abs(step) / np.maximum(np.abs(state.high), 1e-300), initial=0.0))
        if size > 0.5 * last or not np.isfinite(size):
            break
        state = state.moved(step, offset if A.fit_intercept else 0.0)
        gradient = gradient_at(X, y, A.design.weight, A.scale, state)
        step, offset, excess = correction(A, gradient, state, penalty, solve)
        rounds, last = rounds + 1, size
        if size < 1e-17 or size * contraction < 1e-19:
            break
    return RefinedFit(state, gradient, excess / A.design.total_weight, rounds)
