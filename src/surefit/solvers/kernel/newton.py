"""Layer solvers: damped Newton over functions, for any convex smooth loss.

In: a `KernelRiskProblem`.  Out: a `Solution` whose ``coef`` are the dual weights, with its gap.  Each step solves
``(I + S K S) y = ...`` with ``S**2 = p loss'' / (2 lam)``, which is ``K + 2 lam / (p loss'')`` scaled so that no
eigenvalue is below 1: rows without curvature do no harm, and neither does a singular ``K``.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from surefit.progress import Task
from surefit.solvers.any_loss.curve import LossCurve
from surefit.solvers.any_loss.judge import Trace
from surefit.solvers.kernel.problem import KernelPoint, KernelRiskProblem
from surefit.solvers.kernel.softmax import softmax_direction
from surefit.solvers.line_search import convex_step
from surefit.solvers.solution import Solution, Status
from surefit.threads import one_blas_thread

SETTLED = 1e-26
"""Newton stops when its decrement squared, twice the decrease still expected, is this share of the null objective."""

SMALL = 4000
"""Rows up to which a factorisation is not worth sharing between threads of BLAS."""


def kernel_newton(problem: KernelRiskProblem, tol: float = 1e-8, max_iter: int = 100) -> Solution:
    """Minimise ``sum_i p_i loss(y_i, (K a)_i + b) + lam a'K a``.  Catalogue A-17, A-32.

    Converged if the duality gap is at most ``tol`` times the objective of the best simple constant.

    >>> from surefit.kernels import Gaussian
    >>> from surefit.objective import Logistic
    >>> from surefit.solvers.kernel.gram import DenseGram
    >>> gram = DenseGram(Gaussian(1.0).gram([[0.0], [1.0], [2.0], [3.0]]))
    >>> problem = KernelRiskProblem(gram, np.array([-1.0, 1, -1, 1]), Logistic(), 0.01, np.full(4, 0.25))
    >>> kernel_newton(problem).coef.round(8)
    array([-3.40397429,  5.05791387, -5.05791387,  3.40397429])
    """
    start, trace = problem.start(), Trace()
    null = problem.value(start)
    with one_blas_thread(problem.gram.n <= SMALL):
        point = descend(problem, start, SETTLED * null, max_iter, trace)
        objective, gap = problem.value(point), problem.gap(point)
    status = Status.CONVERGED if gap <= tol * null + 1e-13 * abs(objective) else Status.MAX_ITER
    if not np.isfinite(objective):
        status = Status.DIVERGED
    facts = MappingProxyType({"method": "kernel-newton", "null_objective": null})
    return Solution(
        point.coef, point.intercept, status, gap, objective, len(trace.objective), trace.history(), facts
    )  # fmt: skip


def descend(problem: KernelRiskProblem, start: KernelPoint, enough: float, max_iter: int, trace: Trace) -> KernelPoint:
    """Newton steps from ``start`` until the squared decrement is at most ``enough`` or nothing moves any more."""
    tell, point, value, mixture, stuck = Task("kernel newton", max_iter), start, problem.value(start), 0.0, 0
    for iteration in range(max_iter):
        along = newton_direction(problem, point, mixture)
        decrement = -problem.slope(point, along)
        trace.record(value, decrement)
        tell(iteration, decrement)
        if decrement <= enough and mixture == 0:
            break
        step = _searched(problem, point, along, value, decrement)
        moved = point.moved(step, along)
        moved = problem.at(moved.coef, moved.intercept)
        lower = problem.value(moved)
        stuck = 0 if lower < value else stuck + 1
        if lower <= value + 1e-14 * abs(value):
            point, value = moved, lower
        if stuck >= 2:
            break
        mixture = _next_mixture(mixture, step)
    return point


def newton_direction(problem: KernelRiskProblem, point: KernelPoint, mixture: float = 0.0) -> KernelPoint:
    """From ``point`` towards the minimum of the quadratic model of the objective.

    ``mixture`` from 0 to 1 replaces the loss's curvature, which may vanish far from the target, by one that does not
    underestimate it.
    """
    if problem.classes is not None:
        return softmax_direction(problem, point)
    curve = LossCurve(problem.loss, problem.y)
    scores = point.scores
    bend = curve.bend(scores)
    if problem.fit_intercept and not np.any(bend > 0):
        mixture = 1.0
    if mixture > 0:
        bend = bend + mixture * np.maximum(curve.stiff(scores) - bend, 0.0)
    target = problem.p * curve.slope(scores) / (2 * problem.lam)
    root = np.sqrt(problem.p * bend / (2 * problem.lam))
    inverse = problem.gram.inverse(root)
    away = -(target + point.coef)  # zero at the optimum, where a = -p loss' / (2 lam)
    pulled, offset = inverse(root * problem.gram.times(away)), 0.0
    if problem.fit_intercept:
        level = inverse(root)
        offset = -float(target.sum() + root @ pulled) / float(root @ level)
        pulled = pulled + offset * level
    coef = away - root * pulled
    return KernelPoint(coef, offset, problem.gram.times(coef))


def _searched(
    problem: KernelRiskProblem, point: KernelPoint, along: KernelPoint, value: float, decrement: float
) -> float:
    return convex_step(
        lambda step: problem.slope(point.moved(step, along), along),
        lambda step: problem.value(point.moved(step, along)),
        -decrement,
        value,
    )


def _next_mixture(mixture: float, step: float) -> float:
    """Stiffer after a short step, softer after a long one."""
    if step < 0.1:
        return min(1.0, max(10 * mixture, 1e-2))
    return mixture / 10 if mixture > 1e-4 else 0.0
