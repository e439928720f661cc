"""Layer solvers: from the last iterate of a solver to a `Solution` that says how good it is.

In: a problem, a point, perhaps a dual point.  Out: objective, duality gap where the loss and penalty have conjugates,
optimality residual otherwise, and the status that follows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from surefit.data.scale import EPS, weighted_median
from surefit.objective.loss import Loss, bisected_conjugate
from surefit.objective.problem import Problem
from surefit.solvers.any_loss import limits
from surefit.solvers.normal_equations import solve_psd, solve_tall, weighted_gram
from surefit.solvers.solution import Solution, Status

ROUNDING = 8 * np.finfo(float).eps

BALANCED = 16 * np.finfo(float).eps
"""Share of what is summed up in a product with a column up to which the product counts as zero."""

SUMMED = 8.0
"""Roundings of a row that a gap counts beside those of sums, which grow like the root of how much is summed."""


@dataclass(frozen=True)
class Trace:
    """What an iteration recorded: objective, and the number by which it decides to stop."""

    objective: list[float] = field(default_factory=list)
    error: list[float] = field(default_factory=list)

    def record(self, objective: float, error: float) -> None:
        self.objective.append(float(objective))
        self.error.append(float(error))

    def history(self) -> MappingProxyType:
        return MappingProxyType({"objective": np.array(self.objective), "error": np.array(self.error)})


def constant_fit(problem: Problem) -> tuple[float, float]:
    """A good intercept for ``w = 0`` and the objective there: start and yardstick of every solver.

    The weighted median of the targets or zero, whichever is better; real targets only, zero otherwise.
    """
    levels = [0.0]
    if problem.fit_intercept and problem.loss.targets in ("real", "probabilities"):
        levels += [weighted_median(problem.y, problem.weights), float(problem.weights @ problem.y)]
    with np.errstate(over="ignore"):
        values = [float(problem.weights @ problem.loss.value(problem.y, np.full(len(problem.y), b))) for b in levels]
    best = int(np.nanargmin(values))
    return levels[best], values[best]


def gap_of(problem: Problem, coef: np.ndarray, intercept: float, dual: np.ndarray | None = None) -> float:
    """Duality gap at a point, ``inf`` where loss or penalty have no conjugate."""
    if not problem.loss.convex:
        return np.inf
    if (
        problem.lam == 0
        and hasattr(problem.X, "tocsr")
        and problem.X.shape[1] * min(problem.X.shape) > limits.DENSE_LIMIT
    ):
        return np.inf
    if type(problem.loss).conjugate is Loss.conjugate:
        problem = replace(problem, loss=Remembered(problem.loss, problem.scores(coef, intercept)))
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            if problem.lam == 0 and problem.X.shape[1] < problem.X.shape[0]:
                gap = unpenalised_gap(problem, coef, intercept, dual)
            else:
                gap = problem.gap(coef, intercept, dual)
    except NotImplementedError:
        return np.inf
    return float(gap) if np.isfinite(gap) else np.inf


def unprojected_gap(problem: Problem, coef: np.ndarray, intercept: float) -> float:
    """The gap for ``lam = 0`` where the Gram matrix does not know all that the columns span; ``inf`` if none."""
    if not problem.loss.convex:
        return np.inf
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            gap = problem.gap(coef, intercept)
    except NotImplementedError:
        return np.inf
    return float(gap) if np.isfinite(gap) else np.inf


def corrected_dual(problem: Problem, u: np.ndarray, pull: np.ndarray) -> tuple[np.ndarray, float]:
    """The dual point nearest to ``u`` with ``X'(p u) == pull`` (and mean zero), and the factor that keeps it feasible.

    The correction may leave the domain of the conjugate by rounding; the factor, just below 1, brings it back.  Where
    the domain ends at zero (hinge) no factor does, so the correction is tried first with the rows that have room.
    """
    kept = _within_domain(problem, u, pull)
    if kept is not None:
        return kept, 1.0
    X, p = problem.X, problem.weights
    mean = np.asarray(X.T @ p) if problem.fit_intercept else np.zeros(X.shape[1])
    gram = weighted_gram(X, p) - np.multiply.outer(mean, mean)
    for _ in range(2):  # the second pass removes what rounding left of the first
        u = u - p @ u if problem.fit_intercept else u
        step = solve_psd(gram, np.asarray(X.T @ (p * u)) - mean * float(p @ u) - pull)
        u = u - (np.asarray(X @ step) - mean @ step)
    low, high = problem.loss.conjugate_domain(problem.y)
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(u > 0, high / u, np.where(u < 0, low / u, np.inf))
    return u, min(1.0, float(np.min(room[p > 0])))


def _within_domain(problem: Problem, u: np.ndarray, pull: np.ndarray) -> np.ndarray | None:
    """A dual point with ``X'(p u) == pull`` (and mean zero) that never left the domain of the conjugate, if found.

    A row moves in proportion to its distance from the nearer end of the domain, so those at an end stay where they
    are.  Only for domains that end, at zero for some row: elsewhere a factor does as well.
    """
    X, p = problem.X, problem.weights
    low, high = problem.loss.conjugate_domain(problem.y)
    if not np.any((low == 0) | (high == 0)):
        return None
    u = np.clip(u, low, high)
    rounding = BALANCED * np.append(abs(X).T @ (p * np.abs(u)), p @ np.abs(u))
    for _ in range(limits.CORRECTIONS):
        room = np.minimum(np.minimum(u - low, high - u), 1.0)
        curvature = p * room
        total = float(curvature.sum())
        if not total > 0:
            return None
        left, level = np.asarray(X.T @ (p * u)) - pull, float(p @ u) if problem.fit_intercept else 0.0
        if np.all(np.abs(np.append(left, level)) <= rounding):
            return u
        centre = np.asarray(X.T @ curvature) / total if problem.fit_intercept else np.zeros(X.shape[1])
        step, _ = solve_tall(X, curvature, centre, np.zeros(len(centre)), left - centre * level)
        u = np.clip(u - room * (np.asarray(X @ step) - centre @ step + level / total), low, high)
    return None


def unpenalised_gap(problem: Problem, coef: np.ndarray, intercept: float, dual: np.ndarray | None) -> float:
    """Duality gap for ``lam = 0``, where a dual point must be orthogonal to all columns: projected, then shrunk."""
    p, y = problem.weights, problem.y
    u = problem.loss.derivative(y, problem.scores(coef, intercept)) if dual is None else dual
    u, shrink = corrected_dual(problem, u, np.zeros(problem.X.shape[1]))
    best = max(-float(p @ problem.loss.conjugate(y, level * u)) for level in (shrink, 0.0))
    return max(problem.primal(coef, intercept) - best, 0.0)


def evaluation_rounding(problem: Problem, coef: np.ndarray, intercept: float, dual: np.ndarray | None = None) -> float:
    """What rounding can hide of a gap that is computed at this point: the floor below which no gap is known.

    Scores and targets are known to their last digit, which moves a loss by as much times its slope there, and sums of
    losses and of dual values to that of their terms.

    >>> from surefit.objective import Absolute, SquaredL2
    >>> problem = Problem(np.array([[1.0], [2.0]]), np.array([1.0, 2.0]), Absolute(), SquaredL2(), 0.0)
    >>> 1e-16 < evaluation_rounding(problem, np.ones(1), 0.0) < 1e-14
    True
    """
    p, y, loss = problem.weights, problem.y, problem.loss
    share = (SUMMED + np.sqrt(max(problem.X.shape))) * EPS
    with np.errstate(over="ignore", invalid="ignore"):
        scores = problem.scores(coef, intercept)
        terms = np.asarray(abs(problem.X) @ np.abs(coef)) + abs(intercept)
        terms = terms + np.abs(y) if loss.targets == "real" else terms
        ends = [np.abs(loss.derivative(y, scores + side * share * terms)) for side in (-1.0, 1.0)]
        steepest = np.maximum(*ends) if dual is None else np.maximum(np.maximum(*ends), np.abs(dual))
        summed = float(p @ (np.abs(loss.value(y, scores)) + steepest * terms))
        penalty = problem.lam * problem.penalty.value(coef) if problem.lam > 0 else 0.0
        return float(share * (summed + penalty))


@dataclass(frozen=True)
class Judge:
    """What a solver has promised: a gap (or a residual) within ``tol`` of the null objective."""

    problem: Problem
    method: str
    tol: float
    null: float

    def solution(
        self,
        coef: np.ndarray,
        intercept: float,
        trace: Trace,
        dual: np.ndarray | None = None,
        n_iter: int | None = None,
    ) -> Solution:
        """The record of a finished iteration: converged if the promise is kept."""
        problem = self.problem
        gap = gap_of(problem, coef, intercept, dual)
        with np.errstate(over="ignore", invalid="ignore"):
            residual, objective = problem.residual(coef, intercept), problem.primal(coef, intercept)
        kept = self.keeps(gap, objective) if np.isfinite(gap) else residual <= np.sqrt(self.tol) * start_slope(problem)
        status = Status.CONVERGED if kept else Status.MAX_ITER
        if not np.isfinite(objective):
            status = Status.DIVERGED
        facts = {"method": self.method, "residual": residual, "null_objective": self.null}
        facts |= {} if dual is None else {"dual": dual}
        steps = len(trace.objective) if n_iter is None else int(n_iter)
        return Solution(coef, float(intercept), status, gap, objective, steps, trace.history(), MappingProxyType(facts))

    def keeps(self, gap: float, objective: float) -> bool:
        """Whether the gap is small enough; what rounding leaves of an objective counts as nothing."""
        return gap <= max(self.tol, slope_rounding(self.problem)) * self.null + 1e-13 * abs(objective)


def slope_rounding(problem: Problem) -> float:
    """What rounding of the residuals does to the slopes of a loss, as a share of its steepest slope; at most 1e-8.

    A threshold far below the targets turns the rounding of ``y - f`` into slopes, and no dual point is better than
    the slopes: below this share of the null objective a gap says nothing.
    """
    loss = problem.loss
    size = float(problem.weights @ np.abs(problem.y))
    if loss.targets != "real" or not np.isfinite(loss.smoothness) or not 0 < size < np.inf:
        return 0.0
    steepest = float(np.max(np.abs(loss.derivative(problem.y, problem.y + size))))
    share = loss.smoothness * np.finfo(float).eps * size
    return min(share / steepest, 1e-8) if steepest > 0 else 0.0


def start_slope(problem: Problem) -> float:
    """Length of the gradient of the mean loss at the constant fit: the yardstick of the optimality residual."""
    start, _ = constant_fit(problem)
    slope, level = problem.gradient(np.zeros(problem.X.shape[1]), start)
    return float(np.hypot(np.linalg.norm(slope), level))


@final
class Remembered(Loss):
    """A loss without a formula for its conjugate, next to scores ``f`` where its derivative is known.

    Near ``u = derivative(f)`` a bracket one Newton step wide gives the conjugate to second order, as an upper bound;
    far from it the loss's own bisection does.  On a flat stretch (a Huber tail) the bracket reaches to ``f = y``, which
    costs the change of the slope times the residual: nothing, at a solution.

    >>> from surefit.objective import Huber
    >>> y, f = np.zeros(2), np.array([0.3, -0.2])
    >>> near = Remembered(Huber(1.0), f).conjugate(y, 2 * f + 1e-8)
    >>> bool(np.allclose(near, Huber(1.0).conjugate(y, 2 * f + 1e-8), rtol=1e-12))
    True
    """

    convex = True

    def __init__(self, loss: Loss, scores: np.ndarray):
        self.loss, self.scores = loss, scores
        self.targets = loss.targets

    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return self.loss.value(y, f)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return self.loss.derivative(y, f)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return self.loss.curvature(y, f)

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        return self.loss.conjugate_domain(y)

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        y, u = np.broadcast_arrays(np.asarray(y, dtype=float), np.asarray(u, dtype=float))
        loss, f = self.loss, self.scores
        change = u - loss.derivative(y, f)
        if loss.symmetric and not np.any(u) and not np.any(loss.derivative(y, y)):
            return -loss.value(y, y)  # the smallest loss is at f = y
        bend = loss.curvature(y, f)
        flat = (bend <= 0) & loss.symmetric
        there = f + np.where(change == 0, 0.0, np.where(flat, y - f, 2 * change / bend))  # where flat, to the minimum
        there = there + np.sign(change) * ROUNDING * (np.abs(f) + np.abs(y))  # a step must outlast rounding
        slope = loss.derivative(y, there)
        beyond = np.where(change >= 0, slope - u, u - slope) >= 0
        bound = u * f - loss.value(y, f) + change * (there - f)
        known = beyond & np.isfinite(bound)
        if not np.all(known):
            bound[~known] = bisected_conjugate(loss, y[~known], u[~known])
        return bound
