"""Layer solvers: support-vector problems ``mean(loss) + lam ||f||**2`` through their dual, with an honest gap.

In: a `KernelProblem` at the house's scale.  Out: a `Solution` whose coefficients are the weights ``beta`` of
``f(x) = sum_i beta_i k(x_i, x) + b``.  Divided by ``2 lam`` the objective is ``||f||**2 / 2 + sum_i C_i loss_i`` with
``C_i = p_i / (2 lam)``, ``p`` the sample weights scaled to sum 1: the form of the lectures and of LIBSVM.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from surefit.features.kernel import Kernel
from surefit.objective.loss import Loss
from surefit.objective.margin import Hinge
from surefit.objective.regression import EpsilonInsensitive, QuadraticEpsilonInsensitive
from surefit.solvers.certify import weighted_median
from surefit.solvers.dual_gram import GramStore
from surefit.solvers.dual_ladder import Budget, Climb, DualProblem, climb
from surefit.solvers.solution import Solution

ROUNDING = 64 * np.finfo(np.float64).eps
"""Relative error allowed for in the sums of which the gap is made."""


@dataclass(frozen=True)
class KernelProblem:
    """Minimise ``sum_i p_i loss(y_i, f(x_i) + b) + lam ||f||**2`` over the functions of a kernel.  Catalogue A-18, P-04.

    ``loss`` is ``EpsilonInsensitive``, ``QuadraticEpsilonInsensitive`` or ``Hinge``; ``lam > 0``; ``p`` are the
    ``weight``s (all > 0) scaled to sum 1.

    >>> from surefit.features.kernels import Linear
    >>> X, y = np.array([[0.0], [1.0]]), np.array([0.0, 1.0])
    >>> problem = KernelProblem(Linear(), X, y, np.ones(2), EpsilonInsensitive(0.1), lam=0.025)     # C = 10
    >>> solve_dual(problem, Budget(1e-9, 1000, np.inf, 1e9)).coef.round(9)
    array([-0.8,  0.8])
    """

    kernel: Kernel
    X: Any
    y: np.ndarray
    weight: np.ndarray
    loss: Loss
    lam: float
    offset: bool = True

    @property
    def shares(self) -> np.ndarray:
        """``p``: the weights, scaled to sum 1."""
        return self.weight / self.weight.sum()

    def dual(self) -> DualProblem:
        """The problem in ``beta``."""
        C, none = self.shares / (2 * self.lam), np.zeros(len(self.y))
        if isinstance(self.loss, Hinge):
            return DualProblem(self.y, 0.0, np.where(self.y > 0, 0.0, -C), np.where(self.y > 0, C, 0.0), none, self.offset)
        if isinstance(self.loss, EpsilonInsensitive):
            return DualProblem(self.y, self.loss.epsilon, -C, C, none, self.offset)
        if isinstance(self.loss, QuadraticEpsilonInsensitive):
            free = np.full(len(self.y), np.inf)
            return DualProblem(self.y, self.loss.epsilon, -free, free, 1 / (2 * C), self.offset)
        raise ValueError(f"{self.loss!r} has no dual here; use EpsilonInsensitive, QuadraticEpsilonInsensitive or Hinge")

    def spread(self) -> float:
        """The unit of violations: mean distance of the targets from their median (from 0 without offset); 1 for labels."""
        if isinstance(self.loss, Hinge):
            return 1.0
        level = weighted_median(self.y, self.weight) if self.offset else 0.0
        return float(self.shares @ np.abs(self.y - level)) or 1.0


def solve_dual(problem: KernelProblem, budget: Budget) -> Solution:
    """The minimiser by two-variable steps on the dual.  Catalogue A-19, A-21, T-73, T-74.

    ``budget.tol`` is the largest violation of the optimality conditions, in units of the spread of the targets.  Where
    no dual variable is strictly between its bounds every offset of ``facts["intercept_interval"]`` is optimal and the
    midpoint is returned (E-079).  At a limit of the budget the answer is feasible, and its gap says how good it is.
    """
    dual, spread = problem.dual(), problem.spread()
    store, storage = GramStore.of(problem.kernel, problem.X, padded=not problem.offset)
    level = weighted_median(problem.y, problem.weight) if problem.offset and dual.tube + dual.ridge.max() > 0 else 0.0
    per_beta = spread / store.largest  # targets are divided by spread, kernel values by their largest
    scaled = replace(
        dual,
        target=(dual.target - level) / spread,
        tube=dual.tube / spread,
        lower=dual.lower / per_beta,
        upper=dual.upper / per_beta,
        ridge=dual.ridge / store.largest,
    )
    state, status = climb(scaled, store, storage, problem.X, budget)
    beta, score = state.beta * per_beta, state.score * spread
    offset, interval = offset_of(scaled, state)
    offset, interval = level + spread * offset, tuple(level + spread * end for end in interval)
    objective, gap = objective_and_gap(problem, dual, beta, score, offset)
    facts = {
        "method": "two-variable dual steps",
        "intercept_interval": interval,
        "violation": violation_of(scaled, state) * spread,
        "rungs": state.rungs,
    }
    return Solution(beta, offset, status, gap, objective, state.steps, facts=MappingProxyType(facts))


def offset_of(problem: DualProblem, state: Climb) -> tuple[float, tuple[float, float]]:
    """The offset and the interval of optimal ones.

    Free points (``beta`` neither zero nor at a bound) lie exactly on the tube and know ``b``; their mean is taken.
    Without any the whole interval is optimal and its midpoint is taken.  Catalogue A-19, E-079, E-082.
    """
    if not problem.offset:
        return 0.0, (0.0, 0.0)
    at_least, at_most = problem.offset_bounds(state.beta, state.score)
    free = at_least == at_most
    low, high = problem.interval(at_least, at_most)
    offset = float(np.mean(at_least[free])) if np.any(free) else (low + high) / 2
    return offset, ((low, high) if low < high else (offset, offset))


def violation_of(problem: DualProblem, state: Climb) -> float:
    """How far the demands on the offset disagree; 0 at an optimum."""
    low, high = problem.interval(*problem.offset_bounds(state.beta, state.score))
    return max(low - high, 0.0)


def objective_and_gap(
    problem: KernelProblem, dual: DualProblem, beta: np.ndarray, score: np.ndarray, offset: float
) -> tuple[float, float]:
    """The objective and its distance from the dual value, which bounds the excess; rounding is allowed for.

    Catalogue V-15.
    """
    square, linear = float(beta @ score), float(beta @ dual.target - dual.tube * np.abs(beta).sum())
    loss = float(problem.shares @ problem.loss.value(problem.y, score + offset))
    objective = loss + problem.lam * square
    lower_bound = 2 * problem.lam * (linear - square / 2 - float(dual.ridge @ beta**2) / 2)
    sizes = np.abs(beta) @ (np.abs(score) + np.abs(dual.target) + dual.tube + dual.ridge * np.abs(beta))
    rounding = ROUNDING * (loss + 2 * problem.lam * float(sizes)) + 2 * problem.lam * abs(offset * float(beta.sum()))
    return objective, max(objective - lower_bound, 0.0) + rounding
