"""Layer solvers: kinked losses with penalties that only have a prox (norms, a user's own).

In: a `Problem` with a convex loss.  Out: a `Solution` with its gap.  The method of multipliers on the loss, as in
`surefit.solvers.any_loss.multipliers`, with accelerated proximal gradient steps inside instead of Newton's.
"""

from __future__ import annotations

import numpy as np

from surefit.objective.problem import Problem
from surefit.progress import Task
from surefit.solvers.any_loss import limits
from surefit.solvers.any_loss.envelope import LossEnvelope
from surefit.solvers.any_loss.judge import Judge, Trace, constant_fit, gap_of
from surefit.solvers.any_loss.multipliers import first_width, needs_envelope
from surefit.solvers.any_loss.proximal import Composite, iterate
from surefit.solvers.solution import Solution


def smoothed(problem: Problem, tol: float = 1e-7, max_iter: int = 60) -> Solution:
    """Minimise any convex loss with any penalty that has a prox.  Catalogue A-16, E-107.

    >>> from surefit.objective import L2, Absolute
    >>> X, y = np.array([[0.0], [1], [2], [3], [4]]), np.array([1.0, 3, 5, 7, 900])
    >>> smoothed(Problem(X, y, Absolute(), L2(), 0.01)).coef.round(6)
    array([2.])
    """
    if not problem.loss.convex or not needs_envelope(problem):
        raise ValueError(f"smoothed is for convex losses with kinks, got {problem.loss!r}; use solver='auto'")
    level, null = constant_fit(problem)
    judge, trace, tell = Judge(problem, "smoothed", tol, null), Trace(), Task("smoothed", max_iter)
    v, dual, width = (
        np.append(np.zeros(problem.X.shape[1]), level),
        np.zeros(len(problem.y)),
        first_width(problem, null),
    )
    best, answer = np.inf, (v, dual)
    for iteration in range(max_iter):
        composite = Composite(problem, LossEnvelope(problem.loss, problem.y, dual, width))
        settle = _Settled(composite, width)
        v, steps = iterate(composite, v, limits.SMOOTHED_STEPS, settle)
        dual = composite.risk.derivative(composite.scores(v))
        gap, value = gap_of(problem, v[:-1], v[-1], dual), problem.primal(v[:-1], v[-1])
        trace.record(value, gap)
        tell(iteration, gap)
        if gap < best:
            best, answer = gap, (v, dual)
        if judge.keeps(best, value):
            break
        width *= 0.3 if steps < limits.SMOOTHED_STEPS // 10 else (2.0 if steps >= limits.SMOOTHED_STEPS else 1.0)
    v, dual = answer
    return judge.solution(v[:-1], float(v[-1]), trace, dual)


class _Settled:
    """Says stop when proximal steps have become small against the first ones of the round."""

    def __init__(self, composite: Composite, width: float):
        self.composite, self.last, self.first = composite, np.empty(0), 0.0

    def __call__(self, v: np.ndarray, iteration: int) -> bool:
        moved = float(np.linalg.norm(v - self.last)) if len(self.last) else np.inf
        self.last, self.first = v, max(self.first, moved if np.isfinite(moved) else 0.0)
        return iteration > 5 and moved <= 1e-9 * max(self.first, 1e-300)
