"""Layer solvers: damped Newton for a smooth loss and a quadratic penalty on a linear class.

In: a `Problem` (best standardised) whose penalty is a weighted sum of squares.  Out: a `Solution` with its gap.  Each
step solves one weighted least-squares system; where the loss is flat (a Huber loss full of outliers) the curvature is
mixed with an upper bound on it, so that the system always has a direction of descent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from surefit.objective.loss import Loss
from surefit.objective.problem import Problem
from surefit.solvers.any_loss import limits
from surefit.solvers.any_loss.curve import Curve, LossCurve, square_curve
from surefit.solvers.any_loss.judge import Judge, Trace, constant_fit
from surefit.solvers.any_loss.parts import parts_of
from surefit.solvers.any_loss.softened import Softened
from surefit.solvers.damped_newton import descend
from surefit.solvers.normal_equations import FLOOR, flat_directions, solve_tall, solve_wide
from surefit.solvers.solution import Solution


@dataclass(frozen=True)
class Smooth:
    """``sum_i p_i risk(x_i c + b) + sum_j prior(c_j)``, both curves smooth."""

    X: Any
    weights: np.ndarray
    risk: Curve
    prior: Curve
    fit_intercept: bool

    def still(self) -> np.ndarray:
        """The projection on the coefficients that no loss feels; computed once, where columns depend on each other."""
        return self._still

    @cached_property
    def _still(self) -> np.ndarray:
        return flat_directions(self.X, self.fit_intercept)

    def value(self, point: LinearPoint) -> float:
        """The objective."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(self.weights @ self.risk.value(point.scores)) + float(np.sum(self.prior.value(point.coef)))

    def slope(self, point: LinearPoint, along: LinearPoint) -> float:
        """Derivative of the objective at ``point`` in the direction ``along``."""
        with np.errstate(over="ignore", invalid="ignore"):
            pull = self.weights * self.risk.derivative(point.scores)
            return float(pull @ along.scores + along.coef @ self.prior.derivative(point.coef))

    def moved(self, point: LinearPoint, step: float, along: LinearPoint) -> LinearPoint:
        """``point`` plus ``step`` times ``along``."""
        return point.moved(step, along)

    def direction(self, point: LinearPoint, mixture: float) -> tuple[LinearPoint, float, bool]:
        """The Newton direction, its squared decrement, and whether the curvature explains the whole gradient."""
        risk, prior, weights, X = self.risk, self.prior, self.weights, self.X
        pull = weights * risk.derivative(point.scores)
        slope, level = np.asarray(X.T @ pull) + prior.derivative(point.coef), float(pull.sum()) * self.fit_intercept
        bend, ridge, stiff = (
            risk.curvature(point.scores),
            prior.curvature(point.coef),
            prior.upper_curvature(point.coef),
        )
        if mixture > 0:
            bend = bend + mixture * np.maximum(risk.upper_curvature(point.scores) - bend, 0.0)
            ridge = ridge + mixture * np.maximum(stiff - ridge, 0.0)
        ridge = np.maximum(ridge, FLOOR * stiff)
        curvature = weights * bend
        total = float(curvature.sum()) if self.fit_intercept else 0.0
        centre = np.asarray(X.T @ curvature) / total if total > 0 else np.zeros(len(slope))
        target = slope - level * centre
        if X.shape[1] > X.shape[0]:
            coef, left = solve_wide(X, curvature, centre, ridge, -target)
        else:
            coef, left = solve_tall(X, curvature, centre, ridge, -target, self.still if not np.any(ridge) else None)
        intercept = (-level / total if total > 0 else 0.0) - float(centre @ coef)
        solved = bool(np.linalg.norm(left) <= 1e-6 * np.linalg.norm(target)) and (level == 0 or total > 0)
        scores = np.asarray(X @ coef) + intercept
        return LinearPoint(coef, intercept, scores), -float(slope @ coef + level * intercept), solved

    def minimised(self, start: LinearPoint, enough: float, max_iter: int, trace: Trace) -> LinearPoint:
        """Where Newton steps from ``start`` end, with scores computed afresh."""
        point = descend(self, start, enough, max_iter, trace.record)
        return replace(point, scores=np.asarray(self.X @ point.coef) + point.intercept)


@dataclass(frozen=True)
class LinearPoint:
    """Coefficients, intercept and the scores ``X c + b`` that belong to them."""

    coef: np.ndarray
    intercept: float
    scores: np.ndarray

    def moved(self, step: float, along: LinearPoint) -> LinearPoint:
        return LinearPoint(
            self.coef + step * along.coef,
            self.intercept + step * along.intercept,
            self.scores + step * along.scores,
        )


def newton(problem: Problem, tol: float = 1e-10, max_iter: int = 200) -> Solution:
    """Minimise a smooth loss with a penalty that is a sum of squares (or none).  Catalogue A-16, A-20.

    >>> from surefit.objective import Huber, SquaredL2
    >>> X = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
    >>> y = np.array([3.0, 2, 1, 4, 7, 6])
    >>> newton(Problem(X, y, Huber(0.5), SquaredL2(), 0.1)).coef.round(8)
    array([0.57046542, 0.84906481, 1.58851675])
    """
    parts = parts_of(problem)
    if parts is None or not parts.smooth or not problem.loss.smooth:
        raise ValueError(
            f"newton needs a smooth loss and a sum of squares as penalty, got {problem.loss!r} and "
            f"{problem.penalty!r}; use solver='auto'"
        )
    start, null = constant_fit(problem)
    trace = Trace()
    # a high power falls by many orders of magnitude on the way: only its own rounding may stop it
    enough = 0.0 if problem.loss.symmetric and np.isinf(problem.loss.smoothness) else limits.NEWTON_SETTLED * null
    point = LinearPoint(np.zeros(problem.X.shape[1]), start, np.full(len(problem.y), start))
    for loss in [*_wider(problem.loss, null), problem.loss]:
        curve, last = LossCurve(loss, problem.y), loss is problem.loss
        smooth = Smooth(problem.X, problem.weights, curve, square_curve(parts), problem.fit_intercept)
        point = smooth.minimised(point, enough if last else limits.NEAR * null, max_iter, trace)
    return Judge(problem, "newton", tol, null).solution(point.coef, point.intercept, trace)


def _wider(loss: Loss, null: float) -> Iterator[Loss]:
    """Softened absolute losses, the widest first, whose minimisers lead to that of a narrow one; none for others."""
    width = null
    while isinstance(loss, Softened) and width > limits.NARROWING * loss.width:
        yield Softened(width)
        width /= limits.NARROWING
