"""Layer solvers: proximal gradient steps, plain and accelerated, for a smooth loss and any penalty with a prox.

In: a `Problem` (best standardised).  Out: a `Solution` with its gap and the history of the iteration.  A step is
``w <- prox(w - step * gradient)``; its length is found by halving until the quadratic bound holds.  The intercept is
one more coordinate, which no prox touches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surefit.objective.problem import Problem
from surefit.progress import Task
from surefit.solvers.any_loss.curve import Curve, LossCurve
from surefit.solvers.any_loss.judge import Judge, Trace, constant_fit, gap_of
from surefit.solvers.solution import Solution

CHECK_EVERY = 20
"""Iterations between two looks at the duality gap."""

SMALLEST_STEP, LARGEST_STEP = 1e-30, 1e30
"""Where halving gives up, and where a loss that has become flat (separated labels) no longer lengthens the step."""


@dataclass(frozen=True)
class Composite:
    """``sum_i p_i risk(x_i w + b) + lam * penalty(w)`` over ``v = (w, b)``: smooth plus proxable."""

    problem: Problem
    risk: Curve

    def smooth_value(self, v: np.ndarray) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            return float(self.problem.weights @ self.risk.value(self.scores(v)))

    def scores(self, v: np.ndarray) -> np.ndarray:
        return np.asarray(self.problem.X @ v[:-1]) + v[-1]

    def smooth_slope(self, v: np.ndarray) -> np.ndarray:
        pull = self.problem.weights * self.risk.slope(self.scores(v))
        return np.append(np.asarray(self.problem.X.T @ pull), float(pull.sum()) * self.problem.fit_intercept)

    def prox(self, v: np.ndarray, step: float) -> np.ndarray:
        if self.problem.lam == 0:
            return v
        return np.append(self.problem.penalty.prox(v[:-1], step * self.problem.lam), v[-1])


def gradient_descent(problem: Problem, tol: float = 1e-6, max_iter: int = 20_000) -> Solution:
    """Proximal gradient steps without momentum: for a smooth penalty or none, gradient descent.  Catalogue A-16, A-07.

    >>> from surefit.objective import Logistic, SquaredL2
    >>> X, t = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([1, -1, -1, -1, 1, 1, 1, -1.0])
    >>> gradient_descent(Problem(X, t, Logistic(), SquaredL2(), 0.05), tol=1e-12).coef.round(6)
    array([0.772876])
    """
    return _solved(problem, tol, max_iter, lambda age: 0.0, "gradient")


def accelerated(problem: Problem, tol: float = 1e-8, max_iter: int = 20_000) -> Solution:
    """Proximal gradient steps with momentum that restarts when it points uphill (FISTA).  Catalogue A-16.

    >>> from surefit.objective import L1, Squared
    >>> problem = Problem(np.array([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5]), Squared(), L1(), 0.5)
    >>> accelerated(problem, tol=1e-12).coef.round(6)
    array([0.9])
    """
    return _solved(problem, tol, max_iter, lambda age: age / (age + 3.0), "proximal")


def _solved(problem: Problem, tol: float, max_iter: int, momentum: Callable[[int], float], method: str) -> Solution:
    if not problem.loss.smooth:
        raise ValueError(f"{method} needs a smooth loss, got {problem.loss!r}; use solver='auto'")
    level, null = constant_fit(problem)
    judge, trace, tell = Judge(problem, method, tol, null), Trace(), Task(method, max_iter)
    composite = Composite(problem, LossCurve(problem.loss, problem.y))

    def done(v: np.ndarray, iteration: int) -> bool:
        if iteration % CHECK_EVERY:
            return False
        gap, value = gap_of(problem, v[:-1], v[-1]), problem.primal(v[:-1], v[-1])
        error = gap if np.isfinite(gap) else problem.residual(v[:-1], v[-1])
        trace.record(value, error)
        tell(iteration, error)
        return judge.keeps(gap, value) if np.isfinite(gap) else error <= tol * null

    v, steps = iterate(composite, np.append(np.zeros(problem.X.shape[1]), level), momentum, max_iter, done)
    return judge.solution(v[:-1], float(v[-1]), trace, n_iter=steps)


def iterate(
    composite: Composite,
    start: np.ndarray,
    momentum: Callable[[int], float],
    max_iter: int,
    done: Callable[[np.ndarray, int], bool],
) -> tuple[np.ndarray, int]:
    """Steps from ``start`` until ``done(v, iteration)``; the last point and the number of steps."""
    v = previous = start
    step, age = 1.0, 0
    for iteration in range(max_iter):
        if done(v, iteration):
            return v, iteration
        ahead = v + momentum(age) * (v - previous)
        following, step = _bounded_step(composite, ahead, min(1.5 * step, LARGEST_STEP))
        uphill = float((ahead - following) @ (following - v)) > 0
        previous, v, age = v, following, 0 if uphill else age + 1
        if step <= SMALLEST_STEP:
            break
    return v, max_iter


def _bounded_step(composite: Composite, at: np.ndarray, step: float) -> tuple[np.ndarray, float]:
    """A proximal step, halved until the smooth part stays below its quadratic bound; none from a point without one."""
    slope, value = composite.smooth_slope(at), composite.smooth_value(at)
    if not (np.isfinite(value) and np.all(np.isfinite(slope))):
        return at, 0.0
    while step > SMALLEST_STEP:
        moved = composite.prox(at - step * slope, step)
        change = moved - at
        if _bounded(composite, value, slope, moved, change, step):
            return moved, step
        step *= 0.5
    return at, step


def _bounded(
    composite: Composite, value: float, slope: np.ndarray, moved: np.ndarray, change: np.ndarray, step: float
) -> bool:
    """Whether ``smooth(moved) <= value + slope . change + |change|**2 / (2 step)``.

    Where these differences drown in rounding, the slopes decide: ``(slope(moved) - slope) . change`` at most
    ``|change|**2 / (2 step)`` implies the bound for a convex function.
    """
    square = float(change @ change) / (2 * step)
    if square > 1e-8 * abs(value):
        return composite.smooth_value(moved) <= value + float(slope @ change) + square
    return float((composite.smooth_slope(moved) - slope) @ change) <= square
