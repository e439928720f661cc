"""Layer solvers: accelerated proximal gradient steps (FISTA), for a smooth loss and any penalty with a prox.

In: a `Problem` (best standardised).  Out: a `Solution` with its gap and the history of the iteration.  A step is
``v <- prox(v - step * slope)`` over ``v``, the coefficients with the intercept behind them, which no prox touches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surefit.objective.problem import Problem
from surefit.progress import Task
from surefit.solvers.any_loss import limits
from surefit.solvers.any_loss.curve import Curve, LossCurve
from surefit.solvers.any_loss.judge import Judge, Trace, constant_fit, gap_of
from surefit.solvers.solution import Solution

SMALLEST_STEP = 1e-30
"""Halving gives up below this length."""
LARGEST_STEP = 1e30
"""A loss that has become flat (separated labels) lengthens no step beyond this."""


@dataclass(frozen=True)
class Composite:
    """``sum_i p_i risk(x_i w + b) + lam * penalty(w)`` over ``v = (w; b)``: a smooth part and one with a prox.

    ``v`` has shape ``(d + 1,)``, or ``(d + 1, k)`` for a loss of ``k`` scores.  With ``explicit`` the penalty, which
    must be smooth, belongs to the smooth part: that is how a lecture writes gradient descent.
    """

    problem: Problem
    risk: Curve
    explicit: bool = False

    def scores(self, v: np.ndarray) -> np.ndarray:
        """``X w + b``."""
        return np.asarray(self.problem.X @ v[:-1]) + v[-1]

    def smooth_value(self, v: np.ndarray) -> float:
        """The smooth part at ``v``."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._value(v, self.scores(v))

    def smooth(self, v: np.ndarray) -> tuple[float, np.ndarray]:
        """The smooth part at ``v`` and its gradient, from one product with the design and one with its transpose."""
        problem = self.problem
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self.scores(v)
            pull = _weighted(problem.weights, self.risk.derivative(scores))
            level = np.asarray(pull.sum(axis=0))[None] * problem.fit_intercept
            slope = np.concatenate([np.asarray(problem.X.T @ pull), level])
            if self.explicit and problem.lam > 0:
                slope[:-1] += problem.lam * problem.penalty.gradient(v[:-1])
            return self._value(v, scores), slope

    def _value(self, v: np.ndarray, scores: np.ndarray) -> float:
        value = float(self.problem.weights @ self.risk.value(scores))
        return value + self._penalty(v) if self.explicit else value

    def objective(self, v: np.ndarray, smooth_value: float) -> float:
        """The objective at ``v``, given the value of its smooth part."""
        return smooth_value if self.explicit else smooth_value + self._penalty(v)

    def _penalty(self, v: np.ndarray) -> float:
        return self.problem.lam * self.problem.penalty.value(v[:-1]) if self.problem.lam > 0 else 0.0

    def moved(self, v: np.ndarray, slope: np.ndarray, step: float) -> np.ndarray:
        """A gradient step on the smooth part, then the prox of the penalty."""
        with np.errstate(over="ignore", invalid="ignore"):
            moved = v - step * slope
            if self.problem.lam > 0 and not self.explicit:
                moved[:-1] = self.problem.penalty.prox(moved[:-1], step * self.problem.lam)
        return moved


def _weighted(weights: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    return weights * slopes if slopes.ndim == 1 else weights[:, None] * slopes


def accelerated(problem: Problem, tol: float = 1e-8, max_iter: int = 20_000) -> Solution:
    """Proximal gradient steps with momentum that restarts when it points uphill (FISTA).  Catalogue A-16.

    >>> from surefit.objective import L1, Squared
    >>> problem = Problem(np.array([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5]), Squared(), L1(), 0.5)
    >>> accelerated(problem, tol=1e-12).coef.round(6)
    array([0.9])
    """
    level, null = constant_fit(problem)
    watch = GapWatch(Judge(problem, "proximal", tol, null), max_iter)
    composite = Composite(problem, smooth_curve(problem, "proximal"))
    v, steps = iterate(composite, np.append(np.zeros(problem.X.shape[1]), level), max_iter, watch)
    return watch.judge.solution(v[:-1], float(v[-1]), watch.trace, n_iter=steps)


def smooth_curve(problem: Problem, method: str) -> LossCurve:
    """The loss of the problem as a curve; an error for one with kinks, which these steps cannot take."""
    if not problem.loss.smooth:
        raise ValueError(f"{method} needs a smooth loss, got {problem.loss!r}; use solver='auto'")
    return LossCurve(problem.loss, problem.y)


class GapWatch:
    """Looks at the gap every few iterations, records it, and says when it is small enough."""

    def __init__(self, judge: Judge, max_iter: int):
        self.judge, self.trace, self.tell = judge, Trace(), Task(judge.method, max_iter)

    def __call__(self, v: np.ndarray, iteration: int) -> bool:
        """Whether ``v`` is good enough; the optimality residual decides where there is no gap."""
        if iteration % limits.CHECK_EVERY:
            return False
        judge, problem = self.judge, self.judge.problem
        gap, value = gap_of(problem, v[:-1], v[-1]), problem.primal(v[:-1], v[-1])
        error = gap if np.isfinite(gap) else problem.residual(v[:-1], v[-1])
        self.trace.record(value, error)
        self.tell(iteration, error)
        return judge.keeps(gap, value) if np.isfinite(gap) else error <= judge.tol * judge.null


def iterate(
    composite: Composite, start: np.ndarray, max_iter: int, done: Callable[[np.ndarray, int], bool]
) -> tuple[np.ndarray, int]:
    """Accelerated steps from ``start`` until ``done(v, iteration)``; the last point and the number of steps."""
    v = previous = start
    step, age = 1.0, 0
    for iteration in range(max_iter):
        if done(v, iteration):
            return v, iteration
        ahead = v + age / (age + 3.0) * (v - previous)
        longest = min(limits.GROWTH * step, LARGEST_STEP)
        following, step = halved_step(composite, ahead, *composite.smooth(ahead), longest)
        uphill = float((ahead - following) @ (following - v)) > 0
        previous, v, age = v, following, 0 if uphill else age + 1
        if step <= SMALLEST_STEP:
            break
    return v, max_iter


def halved_step(
    composite: Composite, at: np.ndarray, value: float, slope: np.ndarray, step: float
) -> tuple[np.ndarray, float]:
    """A proximal step, halved until the smooth part stays below its quadratic bound, and its length.

    ``value`` and ``slope`` are those of the smooth part at ``at``; where these are not numbers there is no step.
    """
    if not (np.isfinite(value) and np.all(np.isfinite(slope))):
        return at, 0.0
    while step > SMALLEST_STEP:
        moved = composite.moved(at, slope, step)
        if _bounded(composite, value, slope, moved, moved - at, step):
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
    square = float(np.vdot(change, change)) / (2 * step)
    if square > 1e-8 * abs(value):
        return composite.smooth_value(moved) <= value + float(np.vdot(slope, change)) + square
    return float(np.vdot(composite.smooth(moved)[1] - slope, change)) <= square
