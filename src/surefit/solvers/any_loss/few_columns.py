"""Layer solvers: a penalty of absolute values leaves few columns, so the others are left out of the search.

In: a `Problem` with many columns and a way to solve one with few.  Out: a `Solution` with the gap of all columns.  The
search begins with the columns of the largest gradient; a pass over all columns then adds those that are missing.  The
matrices that are formed and factored grow with the answer, not with the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

import numpy as np
from scipy import sparse

from surefit.objective.penalty import Penalty
from surefit.objective.problem import Problem
from surefit.solvers.any_loss import limits
from surefit.solvers.any_loss.judge import Judge, Trace, constant_fit, gap_of
from surefit.solvers.any_loss.parts import Rescaled, parts_of
from surefit.solvers.solution import Solution

MISSED = 1.0 + 1e-9
"""A column without a coefficient is missing if its slope is more than this multiple of its threshold."""

Solve = Callable[[Problem, int | None], Solution]
"""Minimises a problem in at most so many steps, if a number is given."""


def has_few_columns(problem: Problem) -> bool:
    """Whether the answer is likely to have far fewer columns than the problem."""
    if problem.X.shape[1] * limits.MOST_COLUMNS <= limits.FIRST_COLUMNS or not problem.loss.convex:
        return False
    parts = parts_of(problem)
    return parts is not None and bool(np.all(parts.absolute > 0))


def solve_on_few(problem: Problem, solve: Solve, tol: float, limit: int | None) -> Solution:
    """Minimise over working columns until those left out confirm the answer.  Catalogue A-16, A-22.

    ``limit``, if given, bounds the steps of all rounds together.
    """
    if sparse.issparse(problem.X):
        problem = replace(problem, X=sparse.csc_array(problem.X))
    parts, d = parts_of(problem), problem.X.shape[1]
    assert parts is not None
    level, null = constant_fit(problem)
    kept, trace, steps = np.zeros(d, dtype=bool), Trace(), 0
    slopes = _slopes(problem, np.full(len(problem.y), level), None)
    for round_ in count():
        working = _joined(kept, np.abs(slopes) / parts.absolute)
        found = solve(_restricted(problem, working), None if limit is None else limit - steps)
        coef, dual, steps = np.zeros(d), found.facts.get("dual"), steps + found.n_iter
        coef[working] = found.coef
        for value, error in zip(found.history["objective"], found.history["error"], strict=True):
            trace.record(value, error)
        judge = Judge(problem, found.facts["method"], tol, null)
        if np.all(working) or (limit is not None and steps >= limit):
            break
        slopes = _slopes(problem, problem.scores(coef, found.intercept), dual)
        kept = (
            working if round_ >= limits.LOOKS else coef != 0
        )  # the objective falls each time: no set of columns returns
        missing = np.any(~working & (np.abs(slopes) > MISSED * parts.absolute))
        if not missing or judge.keeps(gap_of(problem, coef, found.intercept, dual), found.objective):
            break
    return judge.solution(coef, found.intercept, trace, dual, n_iter=steps)


def _slopes(problem: Problem, scores: np.ndarray, dual: np.ndarray | None) -> np.ndarray:
    """Slopes of the mean loss in all columns, at a dual point that allows for the intercept."""
    u = problem.loss.derivative(problem.y, scores) if dual is None else dual
    if problem.fit_intercept:
        u = problem.loss.balanced(problem.y, u, problem.weights)
    return np.asarray(problem.X.T @ (problem.weights * u))


def _joined(kept: np.ndarray, steepness: np.ndarray) -> np.ndarray:
    """The columns that are kept and the steepest of those that are beyond their threshold or near it."""
    most = max(limits.FIRST_COLUMNS, int(np.count_nonzero(kept)))
    outside = np.where(kept, -np.inf, steepness)
    steepest = np.argpartition(-outside, min(most, len(outside) - 1))[:most]
    larger = kept.copy()
    larger[steepest] = outside[steepest] >= (limits.NEAR_COLUMN if np.any(kept) else 0.0)
    larger |= kept
    return np.ones_like(larger) if np.count_nonzero(larger) > limits.MOST_COLUMNS * len(larger) else larger


def _restricted(problem: Problem, working: np.ndarray) -> Problem:
    """The problem on these columns alone."""
    if np.all(working):
        return problem
    penalty: Penalty = problem.penalty
    if isinstance(penalty, Rescaled):
        penalty = Rescaled(penalty.penalty, penalty.scale[working])
    return replace(problem, X=problem.X[:, np.flatnonzero(working)], penalty=penalty)
