"""Layer solvers: the dual of a support-vector problem, solved on a ladder of active sets.

In: a `DualProblem` in units in which targets and kernel values are about one, and a `Budget`.  Out: dual variables,
scores ``K beta`` recomputed in float64 from scratch, how many steps it took and why it ended.

A rung of the ladder brings the violation down to a tenth.  It works on the points that can still matter, on a Gram
matrix in few bits if they are many, and then brings the scores of all points up to date in tiles.  Few bits cost digits
of the *change* that a rung makes, and the changes vanish: this is iterative refinement.

A limit in seconds covers the closing evaluation, too.  The cost of kernel values is measured on the way; rungs take no
more points than they have time for, and steps end while there is time for the scores of the support vectors.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefit.compiled.door import pair_steps
from surefit.progress import Task
from surefit.solvers.solution import Status
from surefit.solvers.support_vectors import limits
from surefit.solvers.support_vectors.gram_store import FINER, GramStore
from surefit.solvers.support_vectors.problem import DualProblem


@dataclass(frozen=True)
class Budget:
    """When to stop: the violation to reach, steps, seconds, and the bytes that a Gram matrix may take.

    The seconds count from when the budget is made.
    """

    tol: float
    max_iter: int
    time_limit: float
    memory: float
    started: float = field(default_factory=time.perf_counter)

    @property
    def seconds_left(self) -> float:
        return self.time_limit - (time.perf_counter() - self.started)


@dataclass
class Climb:
    """Where the ladder stands."""

    problem: DualProblem
    store: GramStore
    X: Any
    budget: Budget
    storage: type
    beta: np.ndarray
    score: np.ndarray
    summed: np.ndarray  # sizes of the terms that were added up to the scores since they were fresh, for each beta
    steps: int = 0
    rungs: int = 0
    fresh: bool = True  # whether the scores are free of float32
    handling: float = 0.0  # seconds for a product of one point with all rows, in float64
    pace: float = 0.0  # seconds for each further point
    gram_pace: float = 0.0  # seconds for an entry of a Gram matrix
    trusted: int = limits.SMALL  # points in a Gram matrix up to which its pace is believed

    def out_of_budget(self, support: int) -> Status | None:
        """Why to stop, if one has to, while there is time to evaluate the scores of so many support vectors."""
        if self.budget.seconds_left <= self.closing(support):
            return Status.TIME_LIMIT
        return Status.MAX_ITER if self.steps >= self.budget.max_iter else None

    @property
    def support_size(self) -> int:
        return int(np.count_nonzero(self.beta))

    def closing(self, support: int) -> float:
        """Seconds that fresh scores of so many support vectors would take."""
        return limits.CAUTION * (self.handling + self.pace * support)

    def refresh(self) -> None:
        """Scores from scratch, in float64."""
        support = np.flatnonzero(self.beta)
        self.score, self.summed = self.measured(support, self.beta[support]), np.abs(self.beta)
        self.fresh = True

    def measured(self, points: np.ndarray, beta: np.ndarray) -> np.ndarray:
        """``K beta`` of some points at all rows in float64, noting the pace if there are enough of them."""
        started = time.perf_counter()
        product = self.store.times(self.X, self.X[points], beta)
        if len(points) >= limits.PROBE_POINTS:
            self.pace = max(time.perf_counter() - started - self.handling, 0.0) / len(points)
        return product

    def probe(self) -> None:
        """Measure what a product costs, on few rows and points: for each row, and for each pair of row and point."""
        rows = self.X[: limits.PROBE_ROWS]
        share, taken = len(self.beta) / rows.shape[0], {}
        for count in (1, limits.PROBE_POINTS, 1):  # the first one warms up
            started = time.perf_counter()
            self.store.times(rows, rows[:count], np.ones(count))
            taken[count] = share * (time.perf_counter() - started)
        self.handling, self.pace = taken[1], max(taken[limits.PROBE_POINTS] - taken[1], 0.0) / limits.PROBE_POINTS


def climb(problem: DualProblem, store: GramStore, storage: type, X: Any, budget: Budget) -> tuple[Climb, Status]:
    """Solve the dual from ``beta = 0``; the scores that are returned are fresh, and were so within the time limit."""
    n = len(problem.target)
    small = n <= limits.SMALL and 8 * (n + 1) ** 2 <= budget.memory
    state = Climb(problem, store, X, budget, np.float64 if small else storage, *np.zeros((3, n)))
    tell, best, waited = Task("support vectors", budget.max_iter), np.inf, 0
    if np.isfinite(budget.time_limit) and not small:
        state.probe()
    while True:
        bounds = problem.offset_bounds(state.beta, state.score)
        low, high = problem.interval(*bounds)
        violation = low - high
        ended = Status.CONVERGED if violation <= budget.tol else state.out_of_budget(state.support_size)
        most = n if small else _most_active(state, int(np.sum(bounds[0] == bounds[1])))
        if ended is None and (waited > limits.PATIENCE or most < 2):
            ended = Status.TIME_LIMIT if most < 2 else Status.MAX_ITER
        if ended is not None and state.fresh:
            return state, ended
        if ended is not None:
            state.refresh()
            best, waited = np.inf, 0
            continue
        goal, before = max(limits.GOAL * budget.tol, 0.0 if small else limits.RUNG * violation), state.steps
        if goal < limits.FINE:
            state.storage = np.float64
        active, whole = active_points(bounds, (low + high) / 2, violation, most)
        kept = state.beta.copy(), state.score, state.summed.copy(), state.fresh
        _rung(state, active, (low + high) / 2, goal, tell)
        astray = problem.ascends(state.beta, state.score)
        if astray:  # the rounded Gram matrix is not positive: its steps lead away
            state.beta, state.score, state.summed, state.fresh = kept
        if astray and state.storage is np.float64:
            if not state.fresh:
                state.refresh()
            return state, Status.ROUNDING
        stuck = astray or (whole and violation > 0.5 * best) or state.steps == before
        waited, best = (waited + 1 if stuck else 0), min(best, violation)
        if stuck:
            state.storage = FINER[state.storage]


def active_points(
    bounds: tuple[np.ndarray, np.ndarray], level: float, violation: float, most: int
) -> tuple[np.ndarray, bool]:
    """The points whose demands come near the disagreement, and whether these are all; else the most demanding ones."""
    at_least, at_most = bounds
    active = np.flatnonzero(np.maximum(at_least - level, level - at_most) > -limits.NEAR * violation)
    if len(active) <= most:
        return active, True
    half = most // 2
    demanding = np.argpartition(-at_least, half)[:half], np.argpartition(at_most, half)[:half]
    return np.union1d(*demanding), False


def _most_active(state: Climb, free: int) -> int:
    """How many points may be active at once: all the free ones and more, if they fit into memory and time."""
    fitting = int(np.sqrt(state.budget.memory / np.dtype(state.storage).itemsize)) - 1
    most = max(2, min(fitting, max(limits.SMALL, int(limits.WORKING * len(state.beta)), 2 * free)))
    left = limits.TIME_SHARE * state.budget.seconds_left
    if np.isinf(left):
        return most
    new = 0.5 * (left - state.closing(state.support_size) - state.handling)  # once for the rung, once for closing
    timely = min(new / max(state.pace, 1e-12), np.sqrt(max(left, 0.0) / max(state.gram_pace, 1e-12)))
    return int(min(most, state.trusted, max(timely, 0.0)))


def _rung(state: Climb, active: np.ndarray, level: float, goal: float, tell: Task) -> None:
    """Bring the violation on the active points down to the goal, then the scores of all points up to date."""
    X, start = state.X[active], state.beta[active]
    beta = _solved(state, active, level, goal, tell)
    state.beta[active] = beta
    state.rungs += 1
    moved = beta != start
    hurried = state.budget.seconds_left < 2 * state.closing(state.support_size)  # one evaluation is left
    narrow = goal > limits.GOAL * state.budget.tol and state.storage is not np.float64 and not hurried
    if not narrow and not state.fresh:
        state.refresh()
    elif np.any(moved) and narrow:
        state.score = state.score + state.store.times(state.X, X[moved], (beta - start)[moved], np.float32)
        state.fresh = False
    elif np.any(moved):
        state.score = state.score + state.measured(active[moved], (beta - start)[moved])
        state.summed[active] += np.abs(beta - start)


def _solved(state: Climb, active: np.ndarray, level: float, goal: float, tell: Task) -> np.ndarray:
    """Pair steps on the active points; without an offset, one more variable takes up the sum of the others."""
    problem, m = state.problem, len(active)
    started = time.perf_counter()
    gram, unit = state.store.gram(state.X[active], state.storage)
    state.gram_pace, state.trusted = (time.perf_counter() - started) / m**2, max(state.trusted, limits.GROWTH * m)

    def of(values: np.ndarray, last: float) -> np.ndarray:
        return values[active] if problem.offset else np.append(values[active], last)

    beta, tube = of(state.beta, 0.0), of(np.full(len(state.beta), problem.tube), 0.0)
    lower, upper, ridge = of(problem.lower, -np.inf), of(problem.upper, np.inf), of(problem.ridge, 0.0)
    slope = of(state.score + problem.ridge * state.beta - problem.target, 0.0) + level
    gradient = slope.astype(np.float64 if gram.dtype == np.float64 else np.float32)
    last = min(state.budget.max_iter, state.steps + limits.ROUND * (m + limits.SMALL))
    elsewhere = state.support_size - int(np.count_nonzero(state.beta[active]))
    while True:
        limit = min(int(limits.CHUNK / m) + 1, last - state.steps)
        taken, violation = pair_steps(gram, unit, ridge, tube, lower, upper, (goal, limit), beta, gradient)
        state.steps += taken
        tell(state.steps, violation)
        support = elsewhere + int(np.count_nonzero(beta))
        if taken < limit or state.steps >= last or state.out_of_budget(support) is not None:
            return beta[:m]
