"""Layer solvers: stochastic proximal gradient, a few rows at a time, for any loss and any penalty.

In: a `Problem` (best standardised).  Out: a `Solution` whose history shows objective and gap after every epoch.  There
is no tolerance to reach: all epochs are run, and the gap says how good the result is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from surefit.objective.problem import Problem
from surefit.progress import Task
from surefit.solvers.any_loss.judge import Judge, Trace, constant_fit, gap_of
from surefit.solvers.solution import Solution, Status


@dataclass(frozen=True)
class Stochastic:
    """``w <- prox(w - s_t * mean of the slopes of some rows)``, ``s_t = step / sqrt(1 + t / epoch)``, averaged.

    Rows are drawn with probabilities equal to their weights, ``batch`` at a time.  ``step=None`` takes
    ``1 / (smoothness * largest squared row length)`` (the largest curvature at the start where there is no such
    constant), or for losses without curvature the reciprocal of the longest row.  The answer is the average of the
    second half of the iterates.  Catalogue A-16, A-08, C-05.

    >>> from surefit.objective import Absolute, L1
    >>> problem = Problem(np.eye(4), np.array([1.0, 3, 2, 5]), Absolute(), L1(), 0.01)
    >>> Stochastic(seed=1).solve(problem, max_iter=50).status.name
    'EPOCHS_DONE'
    """

    step: float | None = None
    batch: int = 32
    seed: int = 0

    def solve(self, problem: Problem, tol: float = 0.0, max_iter: int = 100) -> Solution:
        """``max_iter`` epochs; ``tol`` is not used."""
        n, d = problem.X.shape
        level, null = constant_fit(problem)
        rng, trace, tell = np.random.default_rng(self.seed), Trace(), Task("stochastic", max_iter)
        v = average = np.append(np.zeros(d), level)
        X = problem.X.tocsr() if hasattr(problem.X, "tocsr") else problem.X
        step, per_epoch, half = self._first_step(problem), -(-n // self.batch), max_iter // 2
        for epoch in range(max_iter):
            if not np.all(np.isfinite(v)):
                average = v
                break
            rows = rng.choice(n, size=(per_epoch, self.batch), p=problem.weights)
            for inner in range(per_epoch):
                v = self._moved(problem, X, v, rows[inner], step / np.sqrt(1 + epoch + inner / per_epoch))
                taken = (epoch - half) * per_epoch + inner + 1
                average = v if taken <= 1 else average + (v - average) / taken
            gap = gap_of(problem, average[:-1], average[-1])
            trace.record(problem.primal(average[:-1], average[-1]), gap)
            tell(epoch, gap)
        solution = Judge(problem, "stochastic", tol, null).solution(average[:-1], float(average[-1]), trace)
        return solution if solution.status is Status.DIVERGED else replace(solution, status=Status.EPOCHS_DONE)

    def _first_step(self, problem: Problem) -> float:
        if self.step is not None:
            if not self.step > 0:
                raise ValueError(f"step must be > 0, got {self.step}; leave it None to have it chosen")
            return float(self.step)
        squares = problem.X.multiply(problem.X) if hasattr(problem.X, "tocsr") else np.square(problem.X)
        longest = 1.0 + float(np.max(np.asarray(squares.sum(axis=1)), initial=0.0))
        bend = problem.loss.smoothness
        if not np.isfinite(bend):
            with np.errstate(divide="ignore"):
                start = np.full(len(problem.y), constant_fit(problem)[0])
                bend = float(np.max(problem.loss.curvature(problem.y, start)))
        return 1.0 / (bend * longest if 0 < bend < np.inf else np.sqrt(longest))

    @np.errstate(over="ignore", invalid="ignore")
    def _moved(self, problem: Problem, X: object, v: np.ndarray, rows: np.ndarray, step: float) -> np.ndarray:
        some = X[rows]  # type: ignore[index]
        slope = problem.loss.derivative(problem.y[rows], np.asarray(some @ v[:-1]) + v[-1]) / len(rows)
        coef = v[:-1] - step * np.asarray(some.T @ slope)
        if problem.lam > 0:
            coef = problem.penalty.prox(coef, step * problem.lam)
        return np.append(coef, v[-1] - step * float(slope.sum()) * problem.fit_intercept)


def stochastic(problem: Problem, tol: float = 0.0, max_iter: int = 100) -> Solution:
    """`Stochastic` with its default settings, ``max_iter`` epochs."""
    return Stochastic().solve(problem, tol, max_iter)
