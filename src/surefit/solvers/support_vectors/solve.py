"""Layer solvers: the doors to support-vector problems: through the dual, or for many rows of few columns directly.

In: a `SupportVectorProblem`, scaled as ``mean(loss) + lam ||f||**2``.  Out: a `Solution` with a gap.  Its coefficients
are the weights ``beta`` of ``f(x) = sum_i beta_i k(x_i, x) + b``, or those of the columns if it was solved for these.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from surefit.data.fingerprints import fingerprints
from surefit.data.scale import EPS
from surefit.objective.margin import Hinge
from surefit.objective.penalty import SquaredL2
from surefit.objective.problem import Problem
from surefit.objective.regression import EpsilonInsensitive, QuadraticEpsilonInsensitive
from surefit.solvers.any_loss.solve import minimise
from surefit.solvers.solution import BLURRED, Solution, Status, status_in_units
from surefit.solvers.support_vectors.gram_store import GramStore
from surefit.solvers.support_vectors.ladder import Budget, Climb, climb
from surefit.solvers.support_vectors.problem import (
    LAM_RANGE,
    ROUNDING,
    DualProblem,
    SupportVectorProblem,
    Units,
    kernel_rounding,
    null_objective,
    objective_and_gap,
    target_rounding,
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
    Where rounding alone makes the gap no small share of the null objective, the status says so, and
    ``facts["rounding"]`` whether that of the kernel's values or that of targets far from 0.
    """
    units, level, lam = problem.units, problem.level, problem.lam_in(problem.units)
    if not LAM_RANGE[0] <= lam <= LAM_RANGE[1]:
        raise ValueError(
            f"lam = {problem.lam:.0e} is out of all proportion to kernel values of {units.kernel:.0e} and targets of "
            f"{units.target:.0e}: weights of the rows leave the range of floating point numbers; choose a lam nearer "
            "to the kernel values over the targets"
        )
    store, storage = GramStore.of(problem.kernel, problem.X, padded=not problem.offset)
    scaled, violation = problem.dual(units), budget.tol * problem.spread / units.target
    state, status = climb(scaled, store, storage, problem.X, replace(budget, tol=violation))
    offset, (low, high) = offset_of(scaled, state.beta, state.score)
    beta, summed = _published(state, units, max(1.0, 2 * lam))
    intercept, score = level + units.target * offset, state.score * units.target
    at = (beta, score, intercept - level)  # the intercept as it is published, rounded
    objective, gap = objective_and_gap(problem, *at, summed)
    facts = {
        "method": "two-variable dual steps",
        "intercept_interval": (level + units.target * low, level + units.target * high),
        "violation": violation_of(scaled, state) * units.target,
        "rungs": state.rungs,
    }
    null, kernels, targets = null_objective(problem), kernel_rounding(problem, *at, summed), 0.0
    if null > 0.0:  # otherwise the tube holds all targets, and a constant does
        targets = target_rounding(problem, *at)
    if status is Status.CONVERGED and not kernels + targets <= BLURRED * null:
        status, facts["rounding"] = Status.ROUNDING, "targets" if targets > kernels else "kernel"
    status = status_in_units(status, gap, objective)
    return Solution(beta, intercept, status, gap, objective, state.steps, facts=MappingProxyType(facts))


def _published(state: Climb, units: Units, price: float) -> tuple[np.ndarray, np.ndarray]:
    """The weights in the user's units, and the sizes of the terms in the scores; an error where lost digits matter.

    A change of a weight, in units, changes scores and objective by ``price`` times as much at most.
    """
    with np.errstate(over="ignore", under="ignore"):
        beta, summed = units.beta_from(state.beta), units.beta_from(state.summed)
        lost = np.abs(units.beta_in(beta) - state.beta)
    if not lost.max() <= EPS * max(float(np.abs(state.beta).max()), 1 / price):
        raise ValueError(
            f"kernel values of {units.kernel:.0e} and targets of {units.target:.0e} give weights of the rows beyond "
            "the range of floating point numbers; rescale X or y"
        )
    return beta, summed + units.beta_from(lost / EPS)


def offset_of(problem: DualProblem, beta: np.ndarray, score: np.ndarray) -> tuple[float, tuple[float, float]]:
    """The offset and the interval of optimal ones; ``score`` is ``K beta``.

    Free points (``beta`` neither zero nor at a bound) lie exactly on the tube and know ``b``; their mean is taken.
    Without any the whole interval is optimal and its midpoint is taken.  Rounding frees no point: a weight that misses
    zero or a bound by that alone is there.  Catalogue A-19, E-079, E-082.
    """
    if not problem.offset:
        return 0.0, (0.0, 0.0)
    at_least, at_most = problem.offset_bounds(problem.unrounded(beta), score)
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
    objective = linear.primal(found.coef, offset)
    gap = found.gap + max(objective - found.objective, 0.0)  # of the offset that is published
    facts = MappingProxyType({**found.facts, "intercept_interval": interval})
    return replace(found, intercept=offset, objective=objective, gap=gap, facts=facts)
