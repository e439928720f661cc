"""Layer solvers: the dual of a support-vector problem, solved on a ladder of ever smaller active sets.

In: a `DualProblem` and a `Budget`.  Out: dual variables, scores ``K beta`` recomputed in float64 from scratch, how many
steps it took and why it ended.  Every rung solves for a fifth of the violation that is left, on the points that can
still matter and in float32 if they are many, then refreshes the scores of all points in tiles.  Errors of float32 touch
only the *change* that a rung makes, so they vanish with it, as in iterative refinement.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefit.data.threads import cores
from surefit.features.kernel import Kernel
from surefit.progress import Task
from surefit.solvers.native import pair_steps, store_rounded
from surefit.solvers.solution import Status

SMALL = 2000
"""Up to so many points the whole Gram matrix is held in float64 and the ladder has one rung."""

RUNG = 0.2
"""Share of the violation that a rung leaves."""

NEAR = 0.7
"""Points whose conditions hold by more than this share of the violation sit a rung out."""

GOAL = 0.8
"""The last rung aims at this share of the tolerance, so that the recomputed violation is below all of it."""

CHUNK = 2e8
"""Entries of the Gram matrix that are passed between two looks at the clock."""

FINER = {np.int16: np.float32, np.float32: np.float64, np.float64: np.float64}
"""The next storage of the Gram matrix where one was too coarse to make progress."""

STRIP = 512
"""Rows of a Gram matrix that are rounded together."""

PATIENCE = 5
"""Rungs without progress after which rounding is held to be the limit."""


@dataclass(frozen=True)
class DualProblem:
    """Minimise ``beta'K beta / 2 + sum ridge_i beta_i**2 / 2 - <target, beta> + tube * sum |beta_i|``.

    Over ``lower <= beta <= upper``, and ``sum beta = 0`` if there is an ``offset``.  Catalogue A-19, A-21.
    """

    kernel: Kernel
    X: Any
    target: np.ndarray
    tube: float
    lower: np.ndarray
    upper: np.ndarray
    ridge: np.ndarray
    offset: bool = True

    def offset_bounds(self, beta: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What each point asks of the offset ``b``: ``at_least[i] <= b <= at_most[i]``; optimal if some ``b`` suits all.

        A variable that may grow needs ``b >= -(derivative upwards)``, one that may shrink ``b <= -(derivative
        downwards)``.  Catalogue T-73.
        """
        wanted = self.target - score - self.ridge * beta
        at_least = np.where(beta < self.upper, wanted - np.where(beta >= 0, self.tube, -self.tube), -np.inf)
        at_most = np.where(beta > self.lower, wanted + np.where(beta <= 0, self.tube, -self.tube), np.inf)
        return at_least, at_most

    def interval(self, at_least: np.ndarray, at_most: np.ndarray) -> tuple[float, float]:
        """The largest demand from below and the smallest from above; ``b = 0`` is a demand where it is fixed."""
        fixed = -np.inf if self.offset else 0.0
        return max(float(at_least.max()), fixed), min(float(at_most.min()), -fixed)


@dataclass(frozen=True)
class Budget:
    """When to stop: violation to reach, steps, seconds, and the bytes that a Gram matrix may take."""

    tol: float
    max_iter: int
    time_limit: float = np.inf
    memory: float = 2e9


@dataclass
class Climb:
    """Where the ladder stands."""

    problem: DualProblem
    budget: Budget
    beta: np.ndarray
    score: np.ndarray
    steps: int = 0
    rungs: int = 0
    fresh: bool = True  # whether the scores come from one float64 product
    precision: type = np.int16
    started: float = field(default_factory=time.perf_counter)

    def seconds_left(self) -> float:
        return self.budget.time_limit - (time.perf_counter() - self.started)


def climb(problem: DualProblem, budget: Budget) -> tuple[Climb, Status]:
    """Solve the dual; the scores that are returned are fresh."""
    n = len(problem.target)
    state = Climb(problem, budget, np.zeros(n), np.zeros(n))
    if n <= SMALL:
        state.precision = np.float64
    tell, best, waited = Task("support vectors", budget.max_iter), np.inf, 0
    while True:
        at_least, at_most = problem.offset_bounds(state.beta, state.score)
        low, high = problem.interval(at_least, at_most)
        violation = low - high
        if violation <= budget.tol:
            if state.fresh:
                return state, Status.CONVERGED
            refresh(state)
            continue
        waited = 0 if violation < 0.5 * best else waited + 1
        best = min(best, violation)
        status = _ended(state, waited)
        if status is not None:
            if not state.fresh:
                refresh(state)
            return state, status
        if waited:
            state.precision = FINER[state.precision]
        rung(state, (at_least, at_most), (low, high), tell)
    raise AssertionError("the loop ends inside")


def _ended(state: Climb, waited: int) -> Status | None:
    if state.seconds_left() <= 0:
        return Status.TIME_LIMIT
    return Status.MAX_ITER if state.steps >= state.budget.max_iter or waited > PATIENCE else None


def rung(state: Climb, bounds: tuple[np.ndarray, np.ndarray], interval: tuple[float, float], tell: Task) -> None:
    """Reduce the violation on the active points, then bring the scores of all points up to date."""
    problem, (low, high) = state.problem, interval
    violation, level = low - high, (low + high) / 2
    active = active_points(bounds, level, violation, _room(state))
    goal = GOAL * state.budget.tol
    if len(problem.target) > SMALL:
        goal = max(goal, RUNG * violation)
    X, start = problem.X[active], state.beta[active]
    gram, unit = stored_gram(problem.kernel, X, state.precision)
    beta = start.copy()
    gradient = state.score[active] + problem.ridge[active] * beta - problem.target[active] + level
    _solve(state, (gram, unit, active, gradient), beta, goal, tell)
    moved = beta != start
    state.beta[active] = beta
    state.rungs += 1
    last = goal < RUNG * violation or len(active) == len(problem.target)
    if goal <= GOAL * state.budget.tol and not (state.fresh and state.rungs > 1):
        refresh(state)
    elif np.any(moved):
        precision = np.float64 if state.fresh and state.rungs > 1 else np.float32
        state.score += problem.kernel.times(problem.X, X[moved], (beta - start)[moved], dtype=precision)
        state.fresh = state.fresh and precision is np.float64


def _solve(state: Climb, system: tuple, beta: np.ndarray, goal: float, tell: Task) -> None:
    """Steps on one Gram matrix, with a look at clock and budget now and then."""
    problem, (gram, unit, active, gradient) = state.problem, system
    gradient = gradient.astype(np.float64 if gram.dtype == np.float64 else np.float32)
    tube = np.full(len(active), problem.tube)
    lower, upper = problem.lower[active], problem.upper[active]
    chunk = int(CHUNK / len(active)) + 1
    while True:
        limit = min(chunk, state.budget.max_iter - state.steps)
        taken, violation = pair_steps(gram, unit, problem.ridge[active], tube, lower, upper, (goal, limit), beta, gradient)
        state.steps += taken
        tell(state.steps, violation)
        if taken < limit or state.steps >= state.budget.max_iter or state.seconds_left() <= 0:
            return


def stored_gram(kernel: Kernel, X: Any, precision: type) -> tuple[np.ndarray, float]:
    """The Gram matrix as ``unit * stored``; 16-bit integers resolve 1/32767 of the largest entry."""
    if precision is not np.int16:
        return kernel.gram(X, dtype=precision), 1.0
    n = X.shape[0]
    unit = float(np.max(kernel.diag(X))) / np.iinfo(np.int16).max or 1.0
    stored = np.empty((n, n), np.int16)
    for first in range(0, n, STRIP):
        last = min(n, first + STRIP)
        store_rounded(kernel.block(X[first:last], X[:last], dtype=np.float32), first, unit, cores(), stored)
    return stored, unit


def refresh(state: Climb) -> None:
    """Scores from scratch, in float64."""
    support = np.flatnonzero(state.beta)
    state.score = state.problem.kernel.times(state.problem.X, state.problem.X[support], state.beta[support])
    state.fresh = True


def active_points(bounds: tuple[np.ndarray, np.ndarray], level: float, violation: float, room: int) -> np.ndarray:
    """The points whose demands come near the interval of disagreement; the most demanding ones if room is short."""
    at_least, at_most = bounds
    demand = np.maximum(at_least - level, level - at_most)
    active = np.flatnonzero(demand > -NEAR * violation)
    if len(active) <= room:
        return active
    half = room // 2
    growing, shrinking = np.argpartition(-at_least, half)[:half], np.argpartition(at_most, half)[:half]
    return np.union1d(growing, shrinking)


def _room(state: Climb) -> int:
    """How many points fit into the memory that a Gram matrix may take."""
    return max(int(np.sqrt(state.budget.memory / np.dtype(state.precision).itemsize)), 2)
