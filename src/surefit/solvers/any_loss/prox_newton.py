"""Layer solvers: the prox-Newton method for a smooth loss with an L1-type penalty.

In: a `Problem` whose penalty is a weighted sum of absolute values and squares.  Out: a `Solution` with its gap.  Each
round replaces the loss by its second-order model at the current scores and minimises that with the penalty exactly, by
coordinate descent on the Gram matrix and Newton steps on the support.
"""

from __future__ import annotations

import numpy as np

from surefit.compiled.door import gram_descent
from surefit.objective.problem import Problem
from surefit.progress import Task
from surefit.solvers.any_loss import limits
from surefit.solvers.any_loss.curve import LossCurve
from surefit.solvers.any_loss.judge import Judge, Trace, constant_fit, gap_of
from surefit.solvers.any_loss.parts import Parts, parts_of
from surefit.solvers.damped_newton import next_mixture
from surefit.solvers.normal_equations import FLOOR, weighted_gram
from surefit.solvers.solution import Solution


def proximal_newton(problem: Problem, tol: float = 1e-10, max_iter: int = 200) -> Solution:
    """Minimise a smooth loss with a penalty of absolute values and squares.  Catalogue A-16, A-22.

    >>> from surefit.objective import L1, Squared
    >>> X = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
    >>> y = np.array([3.0, 2, 1, 4, 7, 6])
    >>> proximal_newton(Problem(X, y, Squared(), L1(), 1.0)).coef.round(7)
    array([0.2519685, 0.503937 , 1.2047244])
    """
    parts = parts_of(problem)
    if parts is None or not problem.loss.smooth:
        raise ValueError(
            f"prox-newton needs a smooth loss and a penalty of absolute values and squares, got {problem.loss!r} and "
            f"{problem.penalty!r}; use solver='auto'"
        )
    level, null = constant_fit(problem)
    judge, trace, tell = Judge(problem, "prox-newton", tol, null), Trace(), Task("prox-newton", max_iter)
    coef, value, mixture, idle = np.zeros(problem.X.shape[1]), null, 0.0, 0
    fallen, gap = np.inf, np.inf
    for iteration in range(max_iter):
        if fallen <= limits.LATE * value:  # a gap costs as much as a step, and early ones are large anyway
            gap = gap_of(problem, coef, level)
        trace.record(value, gap)
        tell(iteration, gap)
        if gap <= 1e-3 * tol * null or idle >= 3:
            break
        coef_step, level_step = _model_step(problem, parts, (coef, level), mixture, (1e-4 * tol * null, null))
        share, lower = _halved(problem, (coef, level), (coef_step, level_step), value)
        fallen = value - lower
        idle = idle + 1 if fallen <= 1e-14 * abs(value) else 0
        mixture = next_mixture(mixture, share)
        coef, level, value = coef + share * coef_step, level + share * level_step, lower
    return judge.solution(coef, level, trace)


def _model_step(
    problem: Problem, parts: Parts, point: tuple[np.ndarray, float], mixture: float, stop: tuple[float, float]
) -> tuple[np.ndarray, float]:
    """The step to the minimiser of the second-order model of the loss plus the penalty itself."""
    coef, level = point
    curve, X = LossCurve(problem.loss, problem.y), problem.X
    scores = problem.scores(coef, level)
    pull = problem.weights * curve.derivative(scores)
    bend = curve.curvature(scores)
    bend = bend + max(mixture, FLOOR) * np.maximum(curve.upper_curvature(scores) - bend, 0.0)
    curvature = problem.weights * bend
    total = float(curvature.sum()) if problem.fit_intercept else 0.0
    shift = float(pull.sum()) if problem.fit_intercept else 0.0
    centre = np.asarray(X.T @ curvature) / total if total > 0 else np.zeros(len(coef))
    gram = weighted_gram(X, curvature) - total * np.multiply.outer(centre, centre)
    slope = np.asarray(X.T @ pull) - shift * centre
    step = minimise_model(gram, slope, parts, coef, stop) - coef
    return step, (-shift / total if total > 0 else 0.0) - float(centre @ step)


def minimise_model(
    gram: np.ndarray, slope: np.ndarray, parts: Parts, start: np.ndarray, stop: tuple[float, float]
) -> np.ndarray:
    """Minimise ``slope . e + e' gram e / 2 + sum_j absolute_j |w_j| + square_j w_j**2``, ``e = w - start``.

    Coordinate descent and Newton steps on the support, until the gap is ``stop[0]`` for an objective of about
    ``stop[1]``: its gap is a guide, the one of the loss itself decides.
    """
    size, moment = len(start), gram @ start - slope
    coef, corr = start.copy(), -slope
    constant, limit = 2 * (abs(float(start @ moment)) + stop[1]), (2 * stop[0], limits.MODEL_SWEEPS)
    gram_descent(
        np.ascontiguousarray(gram), moment, constant, parts.absolute, 2 * parts.square, False, limit,
        coef, corr, np.empty((size, size)), np.empty(size, dtype=np.int64), 0,
    )  # fmt: skip
    return coef


def _halved(
    problem: Problem, point: tuple[np.ndarray, float], step: tuple[np.ndarray, float], value: float
) -> tuple[float, float]:
    """The longest of the steps 1, 1/2, 1/4, ... that does not raise the objective, and the objective there."""
    share = 1.0
    for _ in range(limits.HALVINGS):
        with np.errstate(over="ignore", invalid="ignore"):
            lower = problem.primal(point[0] + share * step[0], point[1] + share * step[1])
        if lower <= value + 1e-15 * abs(value):
            return share, lower
        share *= 0.5
    return 0.0, value
