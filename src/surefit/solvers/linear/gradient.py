"""Layer solvers: gradient descent and stochastic gradient descent for least squares, with their history.

In: a dense `Design` and one target.  Out: a `Solution` whose history shows every iteration (or epoch).  The intercept
is one more coordinate that moves with the others: nothing is centred, the iterates are those of the textbook.
"""

from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from scipy import linalg

from surefit.compiled.door import sgd_squared
from surefit.data.design import Design
from surefit.solvers.linear.least_squares import least_squares
from surefit.solvers.solution import Solution, Status


@dataclass(frozen=True)
class GradientDescent:
    """Full gradient steps ``w <- w - step * (2/n) X'(X w + b - y)``.  Catalogue A-07, T-23, C-04.

    ``step=None`` takes ``1 / L`` with ``L`` the largest eigenvalue of the Hessian; any step below ``2 / L`` converges,
    to the least-squares solution nearest to the start (the shortest one from zero).  Stops when the gradient has
    fallen to ``tol`` of its first length.

    >>> GradientDescent(step=0.1, max_iter=2).max_iter
    2
    """

    step: float | None = None
    max_iter: int = 10_000
    tol: float = 1e-10

    def solve(self, design: Design, y: np.ndarray, fit_intercept: bool = True) -> Solution:
        """Minimise ``mean((y - X w - b)**2)`` for ``y`` of shape ``(n,)``."""
        if self.max_iter < 0 or not self.tol >= 0:
            raise ValueError(f"max_iter and tol must be >= 0, got {self.max_iter} and {self.tol}")
        A, share = _with_constant(design, fit_intercept), design.weight / design.total_weight
        largest = float(linalg.eigvalsh(2.0 * (A.T * share) @ A)[-1])
        step = _positive_step(self.step, 1.0 / largest if largest > 0 else 1.0)
        params = np.zeros(A.shape[1])
        trace, status = _Trace("gradient descent", step), Status.MAX_ITER
        for iteration in range(self.max_iter + 1):
            with np.errstate(over="ignore", invalid="ignore"):
                residual = A @ params - y
                slope = 2.0 * A.T @ (share * residual)
                trace.record(share @ residual**2, slope)
            if trace.lengths[-1] <= self.tol * trace.lengths[0]:
                status = Status.CONVERGED
                break
            if not trace.lengths[-1] <= 1e12 * trace.lengths[0]:
                status = Status.DIVERGED
                break
            if iteration < self.max_iter:
                params = params - step * slope
        return trace.solution(params, design, y, fit_intercept, status)


@dataclass(frozen=True)
class StochasticGradientDescent:
    """One row at a time: ``w <- w - s_t * 2 (w . x_i + b - y_i) x_i``, ``s_t = step / (1 + t)**decay``.

    With a constant step (``decay=0``) and noisy targets the iterates hover around the solution; ``decay > 0`` or
    ``average=True`` (the mean of all iterates) settles them.  ``order`` is ``"permutation"`` (each epoch visits every
    row once) or ``"uniform"`` (independent draws).  A row's weight multiplies its step.  Stable for
    ``step * max ||(x_i, 1)||**2 < 1``; ``step=None`` takes half of that.  Catalogue A-08, C-05, E-096, E-108.
    """

    step: float | None = None
    epochs: int = 100
    decay: float = 0.0
    average: bool = False
    order: str = "permutation"
    seed: int = 0

    def solve(self, design: Design, y: np.ndarray, fit_intercept: bool = True) -> Solution:
        """Approximately minimise ``mean((y - X w - b)**2)`` for ``y`` of shape ``(n,)``."""
        if self.epochs < 1:
            raise ValueError(f"epochs must be at least 1, got {self.epochs}")
        if self.order not in ("permutation", "uniform"):
            raise ValueError(f"order must be 'permutation' or 'uniform', got {self.order!r}")
        if not 0.0 <= self.decay < np.inf:
            raise ValueError(f"decay must be >= 0, got {self.decay}; 0 keeps the step constant")
        A = _with_constant(design, fit_intercept)
        X = np.ascontiguousarray(A[:, : design.d])
        weight = design.weight * (design.n / design.total_weight)
        longest = float(np.max(weight * np.sum(A**2, axis=1), initial=0.0))
        step = _positive_step(self.step, 0.5 / longest if longest > 0 else 1.0)
        rng = np.random.default_rng(self.seed)
        coef, mean_coef, intercepts = np.zeros(design.d), np.zeros(design.d), (0.0, 0.0)
        trace, params = _Trace("stochastic gradient descent", step), np.zeros(A.shape[1])
        trace.record(weight @ y**2 / design.n, 2.0 * A.T @ (weight * y) / design.n)
        for epoch in range(self.epochs):
            rows = rng.permutation(design.n) if self.order == "permutation" else rng.integers(design.n, size=design.n)
            intercepts = sgd_squared(
                X, np.ascontiguousarray(y), weight, rows.astype(np.int64), coef, mean_coef, intercepts,
                epoch * design.n, step, float(self.decay), fit_intercept,
            )  # fmt: skip
            params = _params(*((mean_coef, intercepts[1]) if self.average else (coef, intercepts[0])), fit_intercept)
            with np.errstate(over="ignore", invalid="ignore"):
                residual = A @ params - y
                trace.record(weight @ residual**2 / design.n, 2.0 * A.T @ (weight * residual) / design.n)
            if not np.isfinite(trace.objectives[-1]):
                break
        status = Status.EPOCHS_DONE if np.isfinite(trace.objectives[-1]) else Status.DIVERGED
        return trace.solution(params, design, y, fit_intercept, status)


def _positive_step(step: float | None, default: float) -> float:
    if step is None:
        return default
    if not step > 0:
        raise ValueError(f"step must be > 0, got {step}; leave it None to have it chosen")
    return float(step)


def _with_constant(design: Design, fit_intercept: bool) -> np.ndarray:
    X = design.dense_rows(slice(0, design.n))
    return np.hstack([X, np.ones((design.n, 1))]) if fit_intercept else X


def _params(coef: np.ndarray, intercept: float, fit_intercept: bool) -> np.ndarray:
    return np.append(coef, intercept) if fit_intercept else coef.copy()


@dataclass
class _Trace:
    """What an iteration recorded: objective and length of the gradient at each stop, and how it was run."""

    method: str
    step: float
    objectives: list[float] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)

    def record(self, objective: float, slope: np.ndarray) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            self.objectives.append(float(objective))
            self.lengths.append(float(np.linalg.norm(slope)))

    def solution(
        self, params: np.ndarray, design: Design, y: np.ndarray, fit_intercept: bool, status: Status
    ) -> Solution:
        """The record; the gap is the distance to the exact minimum, which for least squares can be had."""
        coef, intercept = (params[:-1], float(params[-1])) if fit_intercept else (params, 0.0)
        gap = np.inf
        if status is not Status.DIVERGED:
            best = least_squares(design, y[:, None], fit_intercept).solution
            rounding = 1e-14 * (self.objectives[-1] + float(np.max(np.abs(y), initial=0.0)) ** 2 * 1e-14)
            gap = max(self.objectives[-1] - best.objective, 0.0) + best.gap + rounding
        history = {"objective": np.array(self.objectives), "gradient_norm": np.array(self.lengths)}
        facts = {"method": self.method, "step": self.step}
        return Solution(
            coef, intercept, status, gap, self.objectives[-1], len(self.lengths) - 1,
            MappingProxyType(history), MappingProxyType(facts),
        )  # fmt: skip
