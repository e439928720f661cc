"""Layer solvers: support-vector problems ``mean(loss) + lam ||f||**2``, their dual, and the gap between the two.

In: a kernel, rows, targets, one of three losses, ``lam``.  Out: a `SupportVectorProblem`, the `DualProblem` in the
weights ``beta`` of ``f(x) = sum_i beta_i k(x_i, x) + b``, and how far a point is from the minimum.  Divided by
``2 lam`` the objective is ``||f||**2 / 2 + sum_i C_i loss_i`` with ``C_i = p_i / (2 lam)``, ``p`` the sample weights
scaled to sum 1: the form of LIBSVM.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from surefit.data.scale import EPS, weighted_median
from surefit.kernels.kernel import Kernel
from surefit.objective.margin import Hinge
from surefit.objective.regression import EpsilonInsensitive, QuadraticEpsilonInsensitive

ROUNDING = 64 * EPS
"""Relative error allowed for in the sums of which the gap is made."""


@dataclass(frozen=True)
class DualProblem:
    """Minimise ``beta'K beta / 2 + sum ridge_i beta_i**2 / 2 - <target, beta> + tube * sum |beta_i|``.

    Over ``lower <= beta <= upper``, and ``sum beta = 0`` if there is an ``offset``.  ``beta = 0`` must be allowed.
    Regression has ``-C <= beta <= C`` (no bounds but a ridge for the quadratic loss), the hinge loss targets -1 and +1,
    no tube, and ``0 <= target * beta <= C``.  Catalogue A-19, A-21.
    """

    target: np.ndarray
    tube: float
    lower: np.ndarray
    upper: np.ndarray
    ridge: np.ndarray
    offset: bool = True

    def offset_bounds(self, beta: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What each point asks of the offset: ``at_least[i] <= b <= at_most[i]``; optimal if some ``b`` suits all.

        A variable that may grow needs ``b >= -(derivative upwards)``, one that may shrink ``b <= -(derivative
        downwards)``; ``score`` is ``K beta``.  Catalogue T-73.
        """
        wanted = self.target - score - self.ridge * beta
        at_least = np.where(beta < self.upper, wanted - np.where(beta >= 0, self.tube, -self.tube), -np.inf)
        at_most = np.where(beta > self.lower, wanted + np.where(beta <= 0, self.tube, -self.tube), np.inf)
        return at_least, at_most

    def interval(self, at_least: np.ndarray, at_most: np.ndarray) -> tuple[float, float]:
        """The largest demand from below and the smallest from above; a fixed offset of 0 demands 0."""
        if self.offset:
            return float(at_least.max()), float(at_most.min())
        return max(float(at_least.max()), 0.0), min(float(at_most.min()), 0.0)

    def in_units(self, spread: float, largest: float) -> DualProblem:
        """The problem with targets divided by their ``spread`` and kernel values by the ``largest`` of them.

        ``beta`` is then divided by ``spread / largest``.
        """
        per_beta = spread / largest
        return DualProblem(
            self.target / spread, self.tube / spread, self.lower / per_beta, self.upper / per_beta,
            self.ridge / largest, self.offset,
        )  # fmt: skip


SupportLoss = EpsilonInsensitive | QuadraticEpsilonInsensitive | Hinge


@dataclass(frozen=True)
class SupportVectorProblem:
    """Minimise ``sum_i p_i loss(y_i, f(x_i) + b) + lam ||f||**2`` over the functions of a kernel.

    ``lam > 0``; ``p`` are the ``weight``s (all > 0) scaled to sum 1.  Catalogue A-18, P-04.

    >>> from surefit.kernels.library import Linear
    >>> X, y = np.array([[0.0], [1.0]]), np.array([0.0, 1.0])
    >>> problem = SupportVectorProblem(Linear(), X, y, np.ones(2), EpsilonInsensitive(0.1), lam=0.025)
    >>> problem.dual().upper                                                    # C = 1 / (2 n lam)
    array([10., 10.])
    """

    kernel: Kernel
    X: Any
    y: np.ndarray
    weight: np.ndarray
    loss: SupportLoss
    lam: float
    offset: bool = True

    @property
    def shares(self) -> np.ndarray:
        """``p``: the weights, scaled to sum 1."""
        return self.weight / self.weight.sum()

    @property
    def tube(self) -> float:
        """Half-width of the tube in which the loss is zero."""
        return 0.0 if isinstance(self.loss, Hinge) else self.loss.epsilon

    @cached_property
    def level(self) -> float:
        """What may be taken from targets and offset alike: the median of the targets, if an offset gives it back."""
        regression = self.offset and not isinstance(self.loss, Hinge)
        return float(weighted_median(self.y, self.weight)) if regression else 0.0

    @cached_property
    def spread(self) -> float:
        """The unit of violations: mean distance of the targets from their level; 1 for labels."""
        return 1.0 if isinstance(self.loss, Hinge) else float(self.shares @ np.abs(self.y - self.level)) or 1.0

    def dual(self) -> DualProblem:
        """The problem in ``beta``, with the level taken from the targets."""
        target, C, none = self.y - self.level, self.shares / (2 * self.lam), np.zeros(len(self.y))
        lower, upper, ridge = -C, C, none
        if isinstance(self.loss, Hinge):
            lower, upper = np.where(self.y > 0, 0.0, -C), np.where(self.y > 0, C, 0.0)
        elif isinstance(self.loss, QuadraticEpsilonInsensitive):
            lower, upper, ridge = none - np.inf, none + np.inf, 1 / (2 * C)
        return DualProblem(target, self.tube, lower, upper, ridge, self.offset)


def objective_and_gap(
    problem: SupportVectorProblem, beta: np.ndarray, score: np.ndarray, offset: float
) -> tuple[float, float]:
    """The objective and its distance from the dual value, which bounds the excess; rounding is allowed for.

    ``score`` is ``K beta``, ``offset`` the intercept without the level.  Catalogue V-15.
    """
    dual, lam = problem.dual(), problem.lam
    square, ridge = max(float(beta @ score), 0.0), float(dual.ridge @ beta**2)
    loss = float(problem.shares @ problem.loss.value(dual.target, score + offset))
    dual_value = float(beta @ dual.target - dual.tube * np.abs(beta).sum()) - square / 2 - ridge / 2
    sizes = float(np.abs(beta) @ (np.abs(score) + np.abs(dual.target) + dual.tube)) + ridge
    rounding = ROUNDING * (loss + 2 * lam * sizes) + 2 * lam * abs(offset * float(beta.sum()))
    rounding += kernel_rounding(problem, beta, score, offset)
    return loss + lam * square, max(loss + 2 * lam * (square / 2 - dual_value), 0.0) + rounding


def kernel_rounding(problem: SupportVectorProblem, beta: np.ndarray, score: np.ndarray, offset: float) -> float:
    """What rounding of the kernel's values and of their sums ``score`` adds to the gap at most.

    A value of the kernel is off by some ``EPS`` of ``sqrt(k(x, x) k(z, z))``, a sum of ``n`` terms by ``n EPS`` of
    their sizes.  No convex loss changes by more than at one of the ends of the interval of scores.
    """
    reach = np.sqrt(np.maximum(problem.kernel.diag(problem.X), 0.0))
    unit = EPS * (np.count_nonzero(beta) + 24 + 4 * problem.X.shape[1])
    off, target = unit * float(reach @ np.abs(beta)) * reach, problem.dual().target
    low, here, high = (problem.loss.value(target, score + offset + end * off) for end in (-1, 0, 1))
    change = float(problem.shares @ (np.maximum(low, high) - here))
    return change + 2 * problem.lam * float(np.abs(beta) @ off)


def null_objective(problem: SupportVectorProblem) -> float:
    """The objective of the best simple constant."""
    target = problem.dual().target
    levels = (-1.0, 1.0) if problem.offset and isinstance(problem.loss, Hinge) else (0.0,)
    return min(float(problem.shares @ problem.loss.value(target, np.full(len(target), level))) for level in levels)
