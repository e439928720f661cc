"""Layer solvers: the doors to support-vector problems: through the dual, or for many rows of few columns directly.

In: a `SupportVectorProblem`, scaled as ``mean(loss) + lam ||f||**2``.  Out: a `Solution` with a gap.  Its coefficients
are the weights ``beta`` of ``f(x) = sum_i beta_i k(x_i, x) + b``, or those of the columns if it was solved for these.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from surefit.data.fingerprints import fingerprints
from surefit.objective.margin import Hinge
from surefit.objective.penalty import SquaredL2
from surefit.objective.problem import Problem
from surefit.objective.regression import EpsilonInsensitive, QuadraticEpsilonInsensitive
from surefit.solvers.any_loss.solve import minimise
from surefit.solvers.solution import BLURRED, Solution, Status
from surefit.solvers.support_vectors.gram_store import GramStore
from surefit.solvers.support_vectors.ladder import Budget, Climb, climb
from surefit.solvers.support_vectors.problem import (
    ROUNDING,
    DualProblem,
    SupportVectorProblem,
    kernel_rounding,
    null_objective,
    objective_and_gap,
)


def solve_by_points(problem: SupportVectorProblem, budget: Budget) -> Solution:
    """As `solve_dual`, with equal rows of equal target taken as one: copies and weights give the same answer.

    Copies share the weight of their point in proportion to their own.  Points are taken in the order of their
    fingerprints, so that the steps do not depend on where copies stand.
    """
    _, first, member = np.unique(fingerprints(problem.X, problem.y), return_index=True, return_inverse=True)
    weight = np.bincount(member, problem.weight)
    found = solve_dual(replace(problem, X=problem.X[first], y=problem.y[first], weight=weight), budget)
    return replace(found, coef=found.coef[member] * (problem.weight / weight[member]))


def solve_dual(problem: SupportVectorProblem, budget: Budget) -> Solution:
    """The minimiser by two-variable steps on the dual.  Catalogue A-19, A-21, T-73, T-74.

    ``budget.tol`` is the largest violation of the optimality conditions, in units of the spread of the targets.  Where
    no dual variable is strictly between its bounds every offset of ``facts["intercept_interval"]`` is optimal and the
    midpoint is returned (E-079).  At a limit of the budget the answer is feasible, and its gap says how good it is.
    Where rounding of the kernel's values alone makes the gap no small share of the null objective, the status says so.
    """
    dual, level, spread = problem.dual(), problem.level, problem.spread
    store, storage = GramStore.of(problem.kernel, problem.X, padded=not problem.offset)
    per_beta = spread / store.largest  # targets are divided by their spread, kernel values by their largest
    scaled = dual.in_units(spread, store.largest)
    state, status = climb(scaled, store, storage, problem.X, budget)
    offset, (low, high) = offset_of(scaled, state.beta, state.score)
    beta = np.where(state.beta == scaled.upper, dual.upper, state.beta * per_beta)
    beta, score = np.where(state.beta == scaled.lower, dual.lower, beta), state.score * spread
    objective, gap = objective_and_gap(problem, beta, score, spread * offset)
    rounding = kernel_rounding(problem, beta, score, spread * offset)
    if status is Status.CONVERGED and not rounding <= BLURRED * null_objective(problem):
        status = Status.ROUNDING
    facts = {
        "method": "two-variable dual steps",
        "intercept_interval": (level + spread * low, level + spread * high),
        "violation": violation_of(scaled, state) * spread,
        "rungs": state.rungs,
    }
    return Solution(beta, level + spread * offset, status, gap, objective, state.steps, facts=MappingProxyType(facts))


def offset_of(problem: DualProblem, beta: np.ndarray, score: np.ndarray) -> tuple[float, tuple[float, float]]:
    """The offset and the interval of optimal ones; ``score`` is ``K beta``.

    Free points (``beta`` neither zero nor at a bound) lie exactly on the tube and know ``b``; their mean is taken.
    Without any the whole interval is optimal and its midpoint is taken.  Catalogue A-19, E-079, E-082.
    """
    if not problem.offset:
        return 0.0, (0.0, 0.0)
    at_least, at_most = problem.offset_bounds(beta, score)
    free = at_least == at_most
    low, high = problem.interval(at_least, at_most)
    offset = float(np.mean(at_least[free])) if np.any(free) else (low + high) / 2
    return offset, ((low, high) if low < high else (offset, offset))


def violation_of(problem: DualProblem, state: Climb) -> float:
    """How far the demands on the offset disagree; 0 at an optimum."""
    low, high = problem.interval(*problem.offset_bounds(state.beta, state.score))
    return max(low - high, 0.0)


def best_offsets(
    loss: EpsilonInsensitive | Hinge, y: np.ndarray, score: np.ndarray, shares: np.ndarray
) -> tuple[float, float]:
    """The interval of offsets that minimise ``sum_i p_i loss(y_i, score_i + b)`` for a loss with kinks.

    The slope jumps up by ``p_i`` at every kink; it is zero between the ends.  Catalogue E-079.

    >>> best_offsets(EpsilonInsensitive(0.1), np.array([0.0, 1.0]), np.array([0.0, 0.5]), np.array([0.5, 0.5]))
    (0.1, 0.4)
    """
    wanted = y - score
    if isinstance(loss, Hinge):
        kinks, jumps, slope = wanted, shares, -float(shares[y > 0].sum())
    else:
        kinks, jumps, slope = np.r_[wanted - loss.epsilon, wanted + loss.epsilon], np.tile(shares, 2), -1.0
    order = np.argsort(kinks)
    slopes = slope + np.cumsum(jumps[order])
    first = int(np.argmax(slopes > -ROUNDING))
    last = int(np.argmax(slopes > ROUNDING)) if slopes[first] <= ROUNDING else first
    return float(kinks[order[first]]), float(kinks[order[last]])


def solve_primal(problem: SupportVectorProblem, tol: float, max_iter: int | None) -> Solution:
    """The same problem for the linear kernel, solved for the coefficients: few columns, however many rows.

    ``tol`` is the duality gap to reach, as a share of the objective of the best constant.
    """
    linear = Problem(problem.X, problem.y, problem.loss, SquaredL2(), problem.lam, problem.weight, problem.offset)
    found = minimise(linear, tol=tol, max_iter=max_iter)
    interval = (float(found.intercept),) * 2
    if problem.offset and not isinstance(problem.loss, QuadraticEpsilonInsensitive):
        interval = best_offsets(problem.loss, problem.y, linear.scores(found.coef, 0.0), problem.shares)
    offset = sum(interval) / 2
    objective = min(found.objective, linear.primal(found.coef, offset))
    facts = MappingProxyType({**found.facts, "intercept_interval": interval})
    return replace(found, intercept=offset, objective=objective, facts=facts)
