"""Layer solvers: damped Newton over functions, for any convex smooth loss.

In: a `KernelRiskProblem`.  Out: a `Solution` whose ``coef`` are the dual weights, with its gap.  Each step solves
``(I + S K S) y = ...`` with ``S**2 = p loss'' / (2 lam)``, which is ``K + 2 lam / (p loss'')`` scaled so that no
eigenvalue is below 1: rows without curvature do no harm, and neither does a singular ``K``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from surefit.solvers.any_loss.curve import LossCurve
from surefit.solvers.any_loss.judge import Trace
from surefit.solvers.damped_newton import descend
from surefit.solvers.kernel import limits
from surefit.solvers.kernel.problem import KernelPoint, KernelRiskProblem
from surefit.solvers.kernel.softmax import softmax_direction
from surefit.solvers.solution import BLURRED, Solution, Status
from surefit.threads import one_blas_thread


def kernel_newton(problem: KernelRiskProblem, tol: float = 1e-8, max_iter: int = 100) -> Solution:
    """Minimise ``sum_i p_i loss(y_i, (K a)_i + b) + lam a'K a``.  Catalogue A-17, A-32.

    Converged if the duality gap, but for what rounding adds to it, is at most ``tol`` times the objective of the best
    simple constant, and rounding adds little.

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
    with one_blas_thread(problem.gram.n <= limits.NEWTON_SMALL):
        if problem.classes is not None:  # steps towards the minimum need less care than those at it
            rough = limits.SOFTMAX_ROUGH_UNTIL * null
            roughly = KernelNewton(replace(problem, rough=rough))
            start = descend(roughly, start, rough, max_iter, trace.record, "kernel newton")
        point = descend(KernelNewton(problem), start, limits.SETTLED * null, max_iter, trace.record, "kernel newton")
        objective, (gap, rounding) = problem.value(point), problem.gap_and_rounding(point)
    enough, status = tol * null + 1e-13 * abs(objective), Status.MAX_ITER
    if not np.isfinite(objective):
        status = Status.DIVERGED
    elif np.isfinite(gap) and gap - rounding <= enough:
        status = Status.CONVERGED if gap <= max(enough, BLURRED * null) else Status.ROUNDING
    facts = MappingProxyType({"method": "kernel-newton", "null_objective": null})
    return Solution(
        point.coef, point.intercept, status, gap, objective, len(trace.objective), trace.history(), facts
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class KernelNewton:
    """A `KernelRiskProblem` as damped Newton steps see it."""

    problem: KernelRiskProblem

    def value(self, point: KernelPoint) -> float:
        """The objective."""
        return self.problem.value(point)

    def slope(self, point: KernelPoint, along: KernelPoint) -> float:
        """Derivative of the objective at ``point`` in the direction ``along``."""
        return self.problem.slope(point, along)

    def direction(self, point: KernelPoint, mixture: float) -> tuple[KernelPoint, float, bool]:
        """The Newton direction and its squared decrement; the norm of the function gives curvature everywhere."""
        along = newton_direction(self.problem, point, mixture)
        return along, -self.problem.slope(point, along), True

    def moved(self, point: KernelPoint, step: float, along: KernelPoint) -> KernelPoint:
        """``point`` plus ``step`` times ``along``, with values computed afresh: large dual weights nearly cancel."""
        there = point.moved(step, along)
        return self.problem.at(there.coef, there.intercept)


@np.errstate(over="ignore", invalid="ignore")  # a lam of next to nothing: what is found is judged by its value
def newton_direction(problem: KernelRiskProblem, point: KernelPoint, mixture: float = 0.0) -> KernelPoint:
    """From ``point`` towards the minimum of the quadratic model of the objective.

    ``mixture`` from 0 to 1 replaces the loss's curvature, which may vanish far from the target, by one that does not
    underestimate it.
    """
    if problem.classes is not None:
        return softmax_direction(problem, point)
    curve = LossCurve(problem.loss, problem.y)
    scores = point.scores
    bend = curve.curvature(scores)
    if problem.fit_intercept and not np.any(bend > 0):
        mixture = 1.0
    if mixture > 0:
        bend = bend + mixture * np.maximum(curve.upper_curvature(scores) - bend, 0.0)
    target = problem.p * curve.derivative(scores) / (2 * problem.lam)
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
