"""Layer solvers: the lasso as a problem with a bound on the norm, and as a quadratic programme.

In: a `Design`, one target, and a radius or a ``lam``.  Out: the same minimisers as the penalised form, found by other
means, with the multiplier that links the forms.  Meant for problems of moderate size: neither iterates to a tolerance,
and their rounding error is measured on centred columns and reported.
"""

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.optimize import nnls

from surefit.data.design import Design
from surefit.data.scale import EPS
from surefit.parameters import modest_targets, positive, switch, within
from surefit.solvers.lasso.exact.active_columns import MeanDesign
from surefit.solvers.lasso.exact.homotopy import quiet_lasso_homotopy
from surefit.solvers.lasso.gap import Free, LassoPoint, LevelPenalty, Rounding, duality_gap, second_order_gap
from surefit.solvers.solution import ScaledTarget, Solution, Status, gap_in_units

NONE_FREE = Free(np.empty(0, dtype=np.intp), np.empty((0, 0)), np.empty(0), np.empty(0))
"""No feature is left without a penalty."""
EXACT_SHARE = 1e-10
"""Share of the variance of the target up to which a gap counts as rounding."""


@dataclass(frozen=True)
class ConstrainedLasso:
    """The minimiser under ``||w||_1 <= radius`` and the ``lam`` at which the penalised form has the same one."""

    solution: Solution
    lam: float


@dataclass(frozen=True)
class SplitLasso:
    """``w = u - v`` with non-negative ``u``, ``v`` of shape ``(d,)``, never both positive in one place."""

    u: np.ndarray
    v: np.ndarray
    solution: Solution


def constrained_lasso(
    X: Any, y: Any, radius: float, fit_intercept: bool = True, *, sample_weight: Any = None
) -> ConstrainedLasso:
    """Minimise ``mean((y - X w - b)**2)`` subject to ``||w||_1 <= radius``, by inverting the exact path.

    ``||w(lam)||_1`` falls piecewise linearly as ``lam`` grows, so each radius up to that of least squares belongs to
    one ``lam``, the multiplier; beyond, the constraint is slack and ``lam = 0``.  The solution's gap bounds the excess
    of the mean loss over its minimum on the ball.  Catalogue A-24, T-22.

    >>> X = [[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]]
    >>> answer = constrained_lasso(X, [3.0, 2, 1, 4, 7, 6], radius=2.0)
    >>> answer.solution.coef.round(6), round(answer.lam, 6)
    (array([0.265176, 0.514377, 1.220447]), 0.976038)
    """
    radius = within("radius", radius, (0.0, np.inf), "it bounds the sum of absolute coefficients")
    design, y = Design.pair(X, y, sample_weight)
    path = quiet_lasso_homotopy(design, modest_targets(y), switch("fit_intercept", fit_intercept))
    norms = path.l1_norms
    after = int(np.searchsorted(norms, radius, side="right"))
    if after == len(norms):
        lam = 0.0
    else:
        share = (radius - norms[after - 1]) / (norms[after] - norms[after - 1])
        lam = float((1 - share) * path.knots[after - 1] + share * path.knots[after])
    coef, intercept = path.at(lam)
    facts = {"method": "path inversion", "lam": lam, "radius": float(radius)}
    spare = lam * max(float(radius) - float(np.abs(coef).sum()), 0.0) if lam > 0 else 0.0
    return ConstrainedLasso(_judged(_Sample(design, y, fit_intercept), coef, intercept, lam, spare, facts), lam)


def lasso_by_quadratic_programme(
    X: Any, y: Any, lam: float, fit_intercept: bool = True, *, sample_weight: Any = None
) -> SplitLasso:
    """Minimise ``mean((y - X (u - v) - b)**2) + lam * sum(u + v)`` over ``u, v >= 0`` by an active-set method.

    The residual of the lasso is the point nearest to the target among those whose correlation with every column is at
    most ``lam / 2``; that least-distance programme is one non-negative least-squares problem (Lawson and Hanson), and
    its multipliers are ``u`` and ``v``.  Needs ``lam > 0``.  Catalogue A-23, T-22.

    >>> split = lasso_by_quadratic_programme([[0.0], [1], [2], [3]], [1.0, 3, 2, 5], lam=0.5)
    >>> split.u.round(12), split.v, round(split.solution.intercept, 12)
    (array([0.9]), array([0.]), 1.4)
    """
    lam = positive("lam", lam, "without a penalty this is least squares, use LeastSquares")
    design, y = Design.pair(X, y, sample_weight)
    sample = _Sample(design, modest_targets(y), fit_intercept)
    u, v = _least_distance_multipliers(sample.columns, sample.target, lam / sample.size / 2)
    u, v = u * sample.size, v * sample.size
    _, intercept = sample.centred.restore(u - v, sample.centred.target_mean(y))
    facts = {"method": "non-negative least squares"}
    solution = _judged(sample, u - v, intercept, lam, 0.0, facts)
    return SplitLasso(u, v, replace(solution, objective=solution.objective + lam * float(np.sum(u + v))))


def _least_distance_multipliers(columns: np.ndarray, target: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Multipliers of ``min ||x||  s.t.  +-columns' (x + target) <= level``; ``x = -columns (u - v)``."""
    size = float(np.linalg.norm(target))
    lengths = np.linalg.norm(columns, axis=0)
    lengths = np.where(lengths > 0, lengths, 1.0)
    if size == 0.0 or not len(lengths):
        return np.zeros(len(lengths)), np.zeros(len(lengths))
    # columns and target of unit length: the programme's own residual then stays of order one
    unit, t, bound = columns / lengths, target / size, level / (lengths * size)
    pull = unit.T @ t
    rows = np.vstack([np.hstack([-unit, unit]), np.concatenate([pull - bound, -pull - bound])])
    multipliers, _ = nnls(rows, np.eye(len(rows))[-1], maxiter=30 * rows.shape[1])
    scaled = multipliers * size / (1.0 - rows[-1] @ multipliers)
    u, v = np.split(scaled, 2)
    return u / lengths, v / lengths


class _Sample:
    """Centred columns ``(n, d)`` and target, rows weighted so that squares sum to means; target over ``size``."""

    def __init__(self, design: Design, y: np.ndarray, fit_intercept: bool):
        A = MeanDesign(design, switch("fit_intercept", fit_intercept))
        self.design, self.y, self.centred = design, y, A.centred
        scaled = ScaledTarget.of(y)
        self.size, self.target = scaled.size, A.target(scaled.values)
        self.columns = np.column_stack([np.zeros((design.n, 0)), *(A.column(j) for j in range(design.d))])
        self.columns[:, A.dead] = 0.0
        self.rounding = Rounding.of(np.where(A.dead, 0.0, A.lengths), float(np.linalg.norm(self.target)), design.n)

    def gap(self, coef: np.ndarray, lam: float) -> float:
        """Upper bound on the suboptimality of ``coef`` in the lasso, on the scale of the target over ``size``.

        What rounding may have done to the products that it is made of is counted, so it is never zero beside a target.
        """
        scaled, level, columns = coef / self.size, lam / self.size / 2, self.columns
        residual, support = self.target - columns @ scaled, np.flatnonzero(scaled)
        point = LassoPoint(support, scaled[support], columns.T @ residual, float(residual @ residual))
        penalty = LevelPenalty(np.full(len(scaled), level), np.zeros(len(scaled)), False)
        plain, _ = duality_gap(penalty, point, self.rounding, NONE_FREE)
        least = (self.rounding.level * self.rounding.target_norm) ** 2
        gap = min(plain, second_order_gap(penalty, point, self.rounding, self._gram, np.zeros(len(scaled)))) + least
        if gap > EXACT_SHARE * self.rounding.target_norm**2:
            # what the penalty could still give, and least squares on all columns
            reach = self.rounding.target_norm + float(self.rounding.sizes @ np.abs(scaled))
            gained = np.sqrt(_projected_square(columns, residual)) + self.rounding.level * reach
            gap = min(gap, 2.0 * level * float(np.abs(scaled).sum()) * (1.0 + 1e-12) + float(gained) ** 2)
        return gap

    def intercept_doubt(self, coef: np.ndarray) -> float:
        """What rounding the intercept can add to the objective, on the same scale."""
        moved = np.abs(coef) @ np.abs(self.centred.shift)
        reach = 4.0 * (np.max(np.abs(self.y), initial=0.0) + moved) + len(self.y) * moved
        return float((EPS * reach / self.size) ** 2)

    def _gram(self, chosen: np.ndarray) -> np.ndarray:
        return self.columns[:, chosen].T @ self.columns[:, chosen]


def _projected_square(columns: np.ndarray, residual: np.ndarray) -> float:
    """``||P r||**2``, ``P`` the projection on the columns: what least squares on them would gain."""
    lengths = np.linalg.norm(columns, axis=0)
    unit = columns[:, lengths > 0] / lengths[lengths > 0]
    return float(np.sum((unit @ np.linalg.lstsq(unit, residual, rcond=None)[0]) ** 2))


def _judged(
    sample: _Sample, coef: np.ndarray, intercept: Any, lam: float, spare: float, facts: dict[str, Any]
) -> Solution:
    """The solution with its mean squared error; exact only if the gap measured, ``spare`` included, is rounding."""
    null, size = float(sample.target @ sample.target), sample.size
    gap = sample.gap(coef, lam) + sample.intercept_doubt(coef) + spare / size / size
    status = Status.EXACT if gap <= EXACT_SHARE * null else Status.ROUNDING
    share = sample.design.weight / sample.design.total_weight
    mean_loss = float(share @ (sample.y - sample.design.matvec(coef) - intercept) ** 2)
    return Solution(coef, float(intercept), status, gap_in_units(gap, size), mean_loss, facts=MappingProxyType(facts))
