"""Layer solvers: support-vector problems ``mean(loss) + lam ||f||**2``, their dual, and the gap between the two.

In: a kernel, rows, targets, one of three losses, ``lam``.  Out: a `SupportVectorProblem`, the `DualProblem` in the
weights ``beta`` of ``f(x) = sum_i beta_i k(x_i, x) + b``, and how far a point is from the minimum.  Divided by
``2 lam`` the objective is ``||f||**2 / 2 + sum_i C_i loss_i`` with ``C_i = p_i / (2 lam)``, ``p`` the sample weights
scaled to sum 1: the form of LIBSVM.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from surefit.data.scale import EPS, power_of_two, weighted_median
from surefit.kernels.kernel import Kernel
from surefit.kernels.library import Linear, Polynomial
from surefit.objective.margin import Hinge
from surefit.objective.regression import EpsilonInsensitive, QuadraticEpsilonInsensitive
from surefit.solvers.solution import gap_in_units

ROUNDING = 64 * EPS
"""Relative error allowed for in the sums of which the gap is made."""

KERNEL_RANGE = (1e-290, 1e300)
"""Between these the largest ``k(x, x)`` must be: beyond, sums of kernel values or their digits get lost."""

LAM_RANGE = (1e-290, 1e290)
"""The same for ``lam`` against a largest kernel value and targets of about one."""

HAIR = 1e-9
"""Share of its room, or of the largest weight, by which a weight may miss zero or a bound and count as there."""

FARTHEST = 1e-100
"""Smallest unit of the targets as a share of the largest of them: their squares must stay within range."""


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

    def unrounded(self, beta: np.ndarray) -> np.ndarray:
        """The weights, those that rounding alone keeps from zero or from a bound moved there.

        >>> dual = DualProblem(np.zeros(3), 0.1, np.full(3, -1.0), np.full(3, 1.0), np.zeros(3))
        >>> dual.unrounded(np.array([1e-17, 0.5, 1.0 - 1e-16])).tolist()
        [0.0, 0.5, 1.0]
        """
        room = HAIR * np.minimum(self.upper - self.lower, np.max(np.abs(beta), initial=0.0))
        beta = np.where(np.abs(beta) <= room, 0.0, beta)
        return np.where(beta >= self.upper - room, self.upper, np.where(beta <= self.lower + room, self.lower, beta))

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

    def ascends(self, beta: np.ndarray, score: np.ndarray) -> bool:
        """Whether ``beta`` is worse than none at all, beyond rounding, or no number: steps went astray."""
        with np.errstate(over="ignore", invalid="ignore"):
            ridge = float((self.ridge * beta) @ beta)
            value = float(beta @ (score / 2 - self.target)) + ridge / 2 + self.tube * float(np.abs(beta).sum())
            sizes = float(np.abs(beta) @ (np.abs(score) + np.abs(self.target) + self.tube)) + ridge
        return not value <= ROUNDING * sizes < np.inf

    def in_units(self, spread: float, largest: float) -> DualProblem:
        """The problem with targets divided by their ``spread`` and kernel values by the ``largest`` of them.

        ``beta`` is then divided by ``spread / largest``.
        """
        per_beta = spread / largest
        return DualProblem(
            self.target / spread, self.tube / spread, self.lower / per_beta, self.upper / per_beta,
            self.ridge / largest, self.offset,
        )  # fmt: skip


class Units(NamedTuple):
    """Powers of two by which targets and kernel values are divided: exactly, so that no scale changes an answer.

    Functions are then in units of ``target``, weights ``beta`` in units of ``target / kernel``.
    """

    target: float = 1.0
    kernel: float = 1.0

    def beta_in(self, beta: np.ndarray) -> np.ndarray:
        """Weights of the rows in these units."""
        return np.ldexp(beta, self._exponent)

    def beta_from(self, beta: np.ndarray) -> np.ndarray:
        """Weights in these units, in those of the user."""
        return np.ldexp(beta, -self._exponent)

    @property
    def _exponent(self) -> int:
        return math.frexp(self.kernel)[1] - math.frexp(self.target)[1]


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

    @cached_property
    def diagonal(self) -> np.ndarray:
        """``k(x, x)`` of the rows."""
        return np.asarray(self.kernel.diag(self.X))

    @cached_property
    def units(self) -> Units:
        """In which targets and kernel values are about one; an error where there are none."""
        largest = float(np.max(self.diagonal))
        vanished = largest == 0.0 and isinstance(self.kernel, Linear | Polynomial) and abs(self.X).max() > 0.0
        if vanished or not (largest == 0.0 or KERNEL_RANGE[0] <= largest <= KERNEL_RANGE[1]):
            raise ValueError(
                f"values of {self.kernel!r} on these rows are {largest:.0e} at most, near the end of the range of "
                "floating point numbers, where digits get lost; rescale X"
            )
        farthest = float(np.max(np.abs(self.y - self.level)))
        size = float(power_of_two(np.asarray(max(self.spread, FARTHEST * farthest))))
        return Units(size, power_above(largest))

    def lam_in(self, units: Units) -> float:
        """``lam`` in other units: the objective is divided by that of its loss."""
        exponent = math.frexp(units.kernel)[1] - (0 if self._squares else math.frexp(units.target)[1] - 1) - 1
        return float(np.ldexp(self.lam, -exponent))

    def objective_from(self, value: float, units: Units) -> float:
        """An objective in other units in those of the user; positive ones stay positive."""
        if self._squares:
            return gap_in_units(value, units.target)
        with np.errstate(over="ignore", under="ignore"):
            scaled = float(np.float64(value) * units.target)
        return max(scaled, float(np.finfo(np.float64).tiny)) if value > 0.0 else scaled

    @property
    def _squares(self) -> bool:
        return isinstance(self.loss, QuadraticEpsilonInsensitive)

    def loss_in(self, units: Units) -> SupportLoss:
        """The loss of targets in other units."""
        return self.loss if isinstance(self.loss, Hinge) else type(self.loss)(self.tube / units.target)

    def dual(self, units: Units = Units()) -> DualProblem:  # noqa: B008  a tuple, which nobody changes
        """The problem in ``beta``, with the level taken from the targets.

        A row of the quadratic loss whose ridge leaves the range of numbers, for its weight is next to nothing, keeps
        ``beta_i = 0``, which is feasible: its loss counts in the gap.
        """
        target, none = (self.y - self.level) / units.target, np.zeros(len(self.y))
        with np.errstate(over="ignore", divide="ignore", under="ignore"):
            C = self.shares / (2 * self.lam_in(units))
            ridge = 1 / (2 * C) if self._squares else none
        lower, upper = -C, C
        if isinstance(self.loss, Hinge):
            lower, upper = np.where(self.y > 0, 0.0, -C), np.where(self.y > 0, C, 0.0)
        elif self._squares:
            upper = np.where(np.isfinite(ridge), np.inf, 0.0)
            lower, ridge = -upper, np.where(np.isfinite(ridge), ridge, 0.0)
        return DualProblem(target, self.tube / units.target, lower, upper, ridge, self.offset)


def power_above(size: float) -> float:
    """The smallest power of two that is not below ``size``; 1 for 0.

    >>> power_above(3.0), power_above(4.0), power_above(0.0)
    (4.0, 4.0, 1.0)
    """
    below = float(power_of_two(np.asarray(size)))
    return below if below == size or size == 0.0 else 2 * below


def objective_and_gap(
    problem: SupportVectorProblem,
    beta: np.ndarray,
    score: np.ndarray,
    offset: float,
    summed: np.ndarray | None = None,
) -> tuple[float, float]:
    """The objective and its distance from the dual value, which bounds the excess; rounding is allowed for.

    ``score`` is ``K beta``, ``offset`` the intercept without the level; ``summed`` as in `kernel_rounding`.  All sums
    are taken in the units of the problem.  Catalogue V-15.
    """
    units = problem.units
    dual, lam = problem.dual(units), problem.lam_in(units)
    off, far = _off_by(problem, beta, score, offset, summed)
    change = _change(problem, score, offset, off + far)
    beta, score, offset = units.beta_in(beta), score / units.target, offset / units.target
    square, ridge = max(float(beta @ score), 0.0), float((dual.ridge * beta) @ beta)
    loss = float(problem.shares @ problem.loss_in(units).value(dual.target, score + offset))
    dual_value = float(beta @ dual.target - dual.tube * np.abs(beta).sum()) - square / 2 - ridge / 2
    sizes = float(np.abs(beta) @ (np.abs(score) + np.abs(dual.target) + dual.tube)) + ridge
    gap = max(loss + 2 * lam * (square / 2 - dual_value), 0.0) + ROUNDING * (loss + 2 * lam * sizes)
    gap += change + 2 * lam * float(np.abs(beta) @ off)
    if problem.offset:
        gap = _unbalanced(gap, 2 * lam * abs(math.fsum(beta)), np.abs(dual.target - score), lam, _reach(problem))
    return problem.objective_from(loss + lam * square, units), problem.objective_from(gap, units)


def _unbalanced(gap: float, slope: float, residual: np.ndarray, lam: float, reach: np.ndarray) -> float:
    """The gap where the weights do not sum to 0: ``slope`` is paid for each unit of the best offset.

    That offset is no larger than the best function's largest residual, and by strong convexity that function is no
    farther than ``sqrt(gap / lam)`` from this one.
    """
    gap, more = gap + slope * float(residual.max()), slope / math.sqrt(lam) * float(reach.max())
    root = (more + math.hypot(more, 2 * math.sqrt(gap))) / 2
    return root * root if more > 0.0 else gap


def kernel_rounding(
    problem: SupportVectorProblem,
    beta: np.ndarray,
    score: np.ndarray,
    offset: float,
    summed: np.ndarray | None = None,
) -> float:
    """What rounding of the kernel's values and of their sums ``score`` adds to the gap at most.

    A value of the kernel is off by some ``EPS`` of ``sqrt(k(x, x) k(z, z))``, a sum of ``n`` terms by ``n EPS`` of
    their sizes.  No convex loss changes by more than at one of the ends of the interval of scores.  Scores that were
    brought up to date step by step have larger terms than ``|beta|``: ``summed`` are the sums of their sizes.
    """
    units = problem.units
    off, _ = _off_by(problem, beta, score, offset, summed)
    payment = 2 * problem.lam_in(units) * float(np.abs(units.beta_in(beta)) @ off)
    return problem.objective_from(_change(problem, score, offset, off) + payment, units)


def target_rounding(problem: SupportVectorProblem, beta: np.ndarray, score: np.ndarray, offset: float) -> float:
    """What rounding of residuals, predictions and the published intercept adds to the gap at most."""
    _, far = _off_by(problem, beta, score, offset, None)
    return problem.objective_from(_change(problem, score, offset, far), problem.units)


def _off_by(
    problem: SupportVectorProblem, beta: np.ndarray, score: np.ndarray, offset: float, summed: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """By how much scores may be off in units of the targets: through the kernel, and through adding and subtracting."""
    units, reach = problem.units, _reach(problem)
    sizes = units.beta_in(np.abs(beta) if summed is None else summed)
    unit = EPS * (np.count_nonzero(beta) + 24 + 4 * problem.X.shape[1])
    target, level = np.abs(problem.y - problem.level) / units.target, problem.level / units.target
    score, offset = np.abs(score) / units.target, offset / units.target
    near = 2 * (score + target + abs(offset) + problem.tube / units.target)
    far = np.abs(problem.y) / units.target + abs(level + offset)
    return unit * float(reach @ sizes) * reach, EPS * (near + far)


def _reach(problem: SupportVectorProblem) -> np.ndarray:
    return np.sqrt(np.maximum(problem.diagonal, 0.0) / problem.units.kernel)


def _change(problem: SupportVectorProblem, score: np.ndarray, offset: float, off: np.ndarray) -> float:
    """How much the loss may grow, in units, if scores are off by so much in units of the targets."""
    units = problem.units
    target, loss, score = (problem.y - problem.level) / units.target, problem.loss_in(units), score / units.target
    low, here, high = (loss.value(target, score + offset / units.target + end * off) for end in (-1, 0, 1))
    return float(problem.shares @ (np.maximum(low, high) - here))


def null_objective(problem: SupportVectorProblem) -> float:
    """The objective of the best simple constant."""
    units = problem.units
    target, loss = (problem.y - problem.level) / units.target, problem.loss_in(units)
    levels = (-1.0, 1.0) if problem.offset and isinstance(problem.loss, Hinge) else (0.0,)
    constants = (float(problem.shares @ loss.value(target, np.full(len(target), level))) for level in levels)
    return problem.objective_from(min(constants), units)
