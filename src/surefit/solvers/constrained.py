"""Layer solvers: the lasso seen as a problem with a budget, and as a quadratic programme.

In: a `Design`, one target, and a radius or a ``lam``.  Out: the same minimisers as the penalised form, found by other
means, with the multiplier that links the forms.  Meant for problems of moderate size: both are exact, neither iterates
to a tolerance.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.optimize import nnls

from surefit.data.design import Design
from surefit.objective.penalty import L1
from surefit.objective.problem import Problem
from surefit.objective.regression import Squared
from surefit.solvers.active_columns import MeanDesign
from surefit.solvers.homotopy import lasso_homotopy
from surefit.solvers.solution import Solution, Status


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


def constrained_lasso(X: Any, y: Any, radius: float, fit_intercept: bool = True) -> ConstrainedLasso:
    """Minimise ``mean((y - X w - b)**2)`` subject to ``||w||_1 <= radius``, by inverting the exact path.

    ``||w(lam)||_1`` falls piecewise linearly as ``lam`` grows, so each radius up to that of least squares belongs to
    one ``lam``, the multiplier; beyond, the constraint is slack and ``lam = 0``.  The solution's gap bounds the excess
    of the mean loss over its minimum on the ball.  Catalogue A-24, T-22.

    >>> X = [[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]]
    >>> answer = constrained_lasso(X, [3.0, 2, 1, 4, 7, 6], radius=2.0)
    >>> answer.solution.coef.round(6), round(answer.lam, 6)
    (array([0.265176, 0.514377, 1.220447]), 0.976038)
    """
    if not radius >= 0:
        raise ValueError(f"radius must be >= 0, got {radius!r}; it bounds the sum of absolute coefficients")
    design, y = Design.pair(X, y)
    path = lasso_homotopy(design, y, fit_intercept=fit_intercept)
    norms = path.l1_norms
    after = int(np.searchsorted(norms, radius, side="right"))
    if after == len(norms):
        lam = 0.0
    else:
        share = (radius - norms[after - 1]) / (norms[after] - norms[after - 1])
        lam = float((1 - share) * path.knots[after - 1] + share * path.knots[after])
    coef, intercept = path.at(lam)
    problem = _problem(design, y, lam, fit_intercept)
    facts = MappingProxyType({"method": "path inversion", "lam": lam, "radius": float(radius)})
    solution = Solution(
        coef, float(intercept), Status.EXACT, problem.gap(coef, intercept), problem.risk(coef, intercept), facts=facts
    )
    return ConstrainedLasso(solution, lam)


def lasso_by_quadratic_programme(X: Any, y: Any, lam: float, fit_intercept: bool = True) -> SplitLasso:
    """Minimise ``mean((y - X (u - v) - b)**2) + lam * sum(u + v)`` over ``u, v >= 0`` by an active-set method.

    The residual of the lasso is the point nearest to the target among those whose correlation with every column is at
    most ``lam / 2``; that least-distance programme is one non-negative least-squares problem (Lawson and Hanson), and
    its multipliers are ``u`` and ``v``.  Needs ``lam > 0``.  Catalogue A-23, T-22.

    >>> split = lasso_by_quadratic_programme([[0.0], [1], [2], [3]], [1.0, 3, 2, 5], lam=0.5)
    >>> split.u.round(12), split.v, round(split.solution.intercept, 12)
    (array([0.9]), array([0.]), 1.4)
    """
    if not lam > 0:
        raise ValueError(f"lam must be > 0, got {lam!r}; without a penalty this is least squares, use LeastSquares")
    design, y = Design.pair(X, y)
    A = MeanDesign(design, fit_intercept)
    target = A.target(y)
    columns = np.column_stack([A.column(j) for j in range(design.d)])
    u, v = _least_distance_multipliers(columns, target, lam / 2)
    coef = u - v
    intercept = float(A.centred.target_mean(y) - A.centred.shift @ coef)
    problem = _problem(design, y, lam, fit_intercept)
    facts = MappingProxyType({"method": "non-negative least squares"})
    gap, objective = problem.gap(coef, intercept), problem.primal(coef, intercept)
    return SplitLasso(u, v, Solution(coef, intercept, Status.EXACT, gap, objective, facts=facts))


def _least_distance_multipliers(columns: np.ndarray, target: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Multipliers of ``min ||x||  s.t.  +-columns' (x + target) <= level``; ``x = -columns (u - v)``."""
    size = float(np.linalg.norm(target))
    lengths = np.linalg.norm(columns, axis=0)
    lengths = np.where(lengths > 0, lengths, 1.0)
    if size == 0.0:
        return np.zeros(len(lengths)), np.zeros(len(lengths))
    # columns and target of unit length: the programme's own residual then stays of order one
    unit, t, bound = columns / lengths, target / size, level / (lengths * size)
    pull = unit.T @ t
    rows = np.vstack([np.hstack([-unit, unit]), np.concatenate([pull - bound, -pull - bound])])
    multipliers, _ = nnls(rows, np.eye(len(rows))[-1], maxiter=30 * rows.shape[1])
    scaled = multipliers * size / (1.0 - rows[-1] @ multipliers)
    u, v = np.split(scaled, 2)
    return u / lengths, v / lengths


def _problem(design: Design, y: np.ndarray, lam: float, fit_intercept: bool) -> Problem:
    return Problem(design.X, y, Squared(), L1(), lam, sample_weight=design.weight, fit_intercept=fit_intercept)
