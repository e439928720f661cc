"""Layer solvers: the method of multipliers, exact for kinked losses and for L1-type penalties.

In: a `Problem` with any convex loss and a penalty of absolute values and squares.  Out: a `Solution` with its gap.
Every kink is replaced by its Moreau envelope, shifted by an estimate of its slope; Newton's method minimises the sum;
the slopes at that minimum are the next estimates.  For piecewise linear and quadratic problems this ends after finitely
many rounds, and the slopes are a dual point that proves it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from surefit.data.scale import weighted_median
from surefit.objective.problem import Problem
from surefit.progress import Task
from surefit.solvers.any_loss import limits
from surefit.solvers.any_loss.curve import Curve, LossCurve
from surefit.solvers.any_loss.envelope import AbsoluteEnvelope, LossEnvelope
from surefit.solvers.any_loss.judge import Judge, Trace, constant_fit, corrected_dual, gap_of
from surefit.solvers.any_loss.newton import LinearPoint, Smooth
from surefit.solvers.any_loss.parts import Parts, parts_of
from surefit.solvers.solution import Solution


@dataclass(frozen=True)
class Beliefs:
    """The slopes at the kinks of the loss (one per row) and of the penalty (one per column), and the width."""

    loss: np.ndarray
    penalty: np.ndarray
    width: float


def multipliers(problem: Problem, tol: float = 1e-10, max_iter: int = 60) -> Solution:
    """Minimise a convex loss, kinked or not, with a penalty of absolute values and squares.  Catalogue A-16, A-20.

    >>> from surefit.objective import Absolute, SquaredL2
    >>> X = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
    >>> y = np.array([3.0, 2, 1, 4, 7, 6])
    >>> solution = multipliers(Problem(X, y, Absolute(), SquaredL2(), 0.1))
    >>> (solution.coef * 7).round(9), round(solution.objective * 70, 9)
    (array([ 2.,  6., 11.]), 43.0)
    """
    parts = parts_of(problem)
    if parts is None or not problem.loss.convex:
        raise ValueError(
            f"multipliers need a convex loss and a penalty of absolute values and squares, got {problem.loss!r} and "
            f"{problem.penalty!r}; use solver='auto'"
        )
    level, null = constant_fit(problem)
    point = LinearPoint(np.zeros(problem.X.shape[1]), level, np.full(len(problem.y), level))
    beliefs = Beliefs(np.zeros(len(problem.y)), np.zeros(len(point.coef)), first_width(problem, null))
    narrowest = limits.NARROWEST * beliefs.width
    trace, tell, best, idle = Trace(), Task("method of multipliers", max_iter), np.inf, 0
    answer = point, beliefs.loss
    for iteration in range(max_iter):
        smooth = _smoothed(problem, parts, beliefs)
        steps = Trace()
        point = smooth.minimised(point, limits.NEWTON_SETTLED * null, 2 * limits.HARD_STEPS, steps)
        width = max(_next_width(beliefs.width, len(steps.error)), narrowest)
        beliefs, exact = _revised(smooth, point, width), _zeroed(smooth, problem, point)
        dual, gap = _best_dual(problem, parts, exact, beliefs)
        trace.record(problem.primal(exact.coef, exact.intercept), gap)
        tell(iteration, gap)
        idle = 0 if gap < 0.5 * best else idle + 1
        if gap < best:
            answer, best = (exact, dual), gap
        if best <= 1e-16 * null or (best <= tol * null and idle >= 2):
            break
    point, dual = answer
    return Judge(problem, "multipliers", tol, null).solution(point.coef, point.intercept, trace, dual)


def first_width(problem: Problem, null: float) -> float:
    """The typical distance of a target from the middle one, in the units of the targets; 1 for labels.

    Where most targets are equal the mean loss of a constant tells instead, or else, if that is nothing (all targets are
    in the tube), the largest distance.
    """
    if problem.loss.targets != "real":
        return 1.0
    distance = np.abs(problem.y - weighted_median(problem.y, problem.weights))
    spread, farthest = weighted_median(distance, problem.weights), float(np.max(distance))
    if spread > 0:
        return spread
    return null or farthest or 1.0


def _smoothed(problem: Problem, parts: Parts, beliefs: Beliefs) -> Smooth:
    risk: Curve = LossCurve(problem.loss, problem.y)
    if needs_envelope(problem):
        risk = LossEnvelope(problem.loss, problem.y, beliefs.loss, beliefs.width)
    prior = AbsoluteEnvelope(parts.absolute, parts.square, beliefs.penalty, beliefs.width)
    return Smooth(problem.X, problem.weights, risk, prior, problem.fit_intercept)


def needs_envelope(problem: Problem) -> bool:
    """Whether the loss has kinks, or an infinite curvature that Newton's method would trip over."""
    if not problem.loss.smooth:
        return True
    at_target = problem.loss.targets == "real" and problem.loss.curvature(np.zeros(1), np.zeros(1))
    return bool(not np.all(np.isfinite(at_target)))


def _best_dual(problem: Problem, parts: Parts, point: LinearPoint, beliefs: Beliefs) -> tuple[np.ndarray, float]:
    """The dual point and its gap: the slopes found, or those moved to balance the penalty's slopes exactly.

    The second is better where a penalty is so weak that its conjugate magnifies rounding.
    """
    gap = gap_of(problem, point.coef, point.intercept, beliefs.loss)
    if problem.lam == 0 or problem.X.shape[1] >= problem.X.shape[0]:
        return beliefs.loss, gap
    moved, shrink = corrected_dual(problem, beliefs.loss, -(beliefs.penalty + 2 * parts.square * point.coef))
    other = gap_of(problem, point.coef, point.intercept, shrink * moved)
    return (shrink * moved, other) if other < gap else (beliefs.loss, gap)


def _next_width(width: float, steps: int) -> float:
    return 0.2 * width if steps <= limits.EASY_STEPS else (3.0 * width if steps >= limits.HARD_STEPS else width)


def _revised(smooth: Smooth, point: LinearPoint, width: float) -> Beliefs:
    assert isinstance(smooth.prior, AbsoluteEnvelope)
    return Beliefs(smooth.risk.derivative(point.scores), smooth.prior.kink_slope(point.coef), width)


def _zeroed(smooth: Smooth, problem: Problem, point: LinearPoint) -> LinearPoint:
    """The point with every coefficient that is held at its kink set to exactly zero."""
    assert isinstance(smooth.prior, AbsoluteEnvelope)
    held = smooth.prior.rounded(point.coef)
    if not np.any(held & (point.coef != 0)):
        return point
    coef = np.where(held, 0.0, point.coef)
    return replace(point, coef=coef, scores=problem.scores(coef, point.intercept))
