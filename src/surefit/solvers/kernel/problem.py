"""Layer solvers: a regularised risk over functions ``f = sum_j a_j k(x_j, .) + b``, with its dual and its gap.

In: a Gram matrix, targets, a convex loss, ``lam``.  Out: the objective at a point and a bound on how far it is from
the smallest.  Nothing here searches.

Fenchel duality, with ``p`` the sample weights scaled to sum 1:

    minimise over (a, b)   sum_i p_i loss(y_i, (K a)_i + b) + lam a'K a
    maximise over u        - sum_i p_i loss*(y_i, u_i) - (p u)'K (p u) / (4 lam),      sum_i p_i u_i = 0 if b is free

At the optimum ``u_i = loss'(y_i, f_i)`` and ``a = -p u / (2 lam)``: the representer theorem with its coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.data.scale import weighted_median
from surefit.objective.loss import Loss
from surefit.objective.softmax import indicators
from surefit.solvers.any_loss.judge import Remembered
from surefit.solvers.kernel.gram import Gram


@dataclass(frozen=True)
class KernelPoint:
    """Dual weights, offset, and the values ``K a`` that belong to them."""

    coef: np.ndarray
    intercept: Any
    values: np.ndarray

    @property
    def scores(self) -> np.ndarray:
        """``K a + b``."""
        return self.values + self.intercept

    def moved(self, step: float, along: KernelPoint) -> KernelPoint:
        """This point plus ``step`` times another."""
        return KernelPoint(
            self.coef + step * along.coef,
            self.intercept + step * along.intercept,
            self.values + step * along.values,
        )


@dataclass(frozen=True, eq=False)
class KernelRiskProblem:
    """Minimise ``sum_i p_i loss(y_i, (K a)_i + b) + lam a'K a`` over ``a`` and, if wanted, ``b``.  Catalogue A-17.

    ``a'K a`` is the squared norm of the function (Catalogue P-04).  ``weights`` ``p`` are positive with sum 1.  With
    ``classes = k`` the loss is one of ``k`` scores: ``a`` is (n, k), ``b`` (k,), and the penalty sums over the classes.

    >>> from surefit.objective import Squared
    >>> from surefit.solvers.kernel.gram import DenseGram
    >>> problem = KernelRiskProblem(DenseGram(np.eye(2)), np.array([1.0, 3.0]), Squared(), 0.5, np.full(2, 0.5))
    >>> best = problem.at(np.array([0.5, 1.5]), 0.0)                       # shrunk to a half
    >>> problem.value(best), problem.gap(best) < 1e-12
    (2.5, True)
    """

    gram: Gram
    y: np.ndarray
    loss: Loss
    lam: float
    weights: np.ndarray
    fit_intercept: bool = False
    classes: int | None = None
    rough: float = 0.0
    """Squared Newton decrement at which the search ends if the minimum is only needed roughly: steps may be inexact."""

    @property
    def p(self) -> np.ndarray:
        """The weights, as a column if there are several scores."""
        return self.weights if self.classes is None else self.weights[:, None]

    def at(self, coef: np.ndarray, intercept: Any) -> KernelPoint:
        """The point with these dual weights and this offset."""
        return KernelPoint(coef, intercept, self.gram.times(coef))

    def start(self) -> KernelPoint:
        """The best simple constant: the zero function, offset by a median of the targets where that is allowed."""
        if self.classes is not None:
            nothing = np.zeros((self.gram.n, self.classes))
            return KernelPoint(nothing, np.zeros(self.classes), nothing)
        zeros = np.zeros(self.gram.n)
        levels = [0.0]
        if self.fit_intercept and self.loss.targets in ("real", "probabilities"):
            levels += [weighted_median(self.y, self.weights), float(self.weights @ self.y)]
        return min((KernelPoint(zeros, level, zeros) for level in levels), key=self.value)

    def risk(self, scores: np.ndarray) -> float:
        """Weighted mean loss of these scores."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(self.weights @ self.loss.value(self.y, scores))

    def value(self, point: KernelPoint) -> float:
        """The objective; rounding does not make the square of a norm negative."""
        return self.risk(point.scores) + self.lam * max(float(np.sum(point.coef * point.values)), 0.0)

    def slope(self, point: KernelPoint, along: KernelPoint) -> float:
        """Derivative of the objective at ``point`` in the direction ``along``."""
        with np.errstate(over="ignore", invalid="ignore"):
            pull = self.p * self.loss.derivative(self.y, point.scores)
            return float(np.sum(pull * along.scores) + 2 * self.lam * np.sum(point.values * along.coef))

    def gap(self, point: KernelPoint) -> float:
        """The objective at ``point`` minus a lower bound on every objective; ``inf`` if none is known."""
        return self.gap_and_rounding(point)[0]

    def gap_and_rounding(self, point: KernelPoint) -> tuple[float, float]:
        """The gap, and how much of it is there for rounding alone, which no step lowers.

        The better of two dual points: the slopes of the loss at the scores, and those that the dual weights stand for.
        The first are exact in ``a``, the second in ``K a``, where rounding of the other is divided by ``lam``.
        """
        loss: Loss = self.loss
        if type(loss).conjugate is Loss.conjugate:
            loss = Remembered(loss, point.scores)
        with np.errstate(over="ignore", invalid="ignore"):
            slopes = self.loss.derivative(self.y, point.scores)
            bounds = [self._bound(loss, u) for u in (slopes, self._feasible(-2 * self.lam * point.coef / self.p))]
            known = [(bound - off, off) for bound, off in bounds if np.isfinite(bound - off)]
            if not known:
                return np.inf, np.inf
            bound, off = max(known)
            rounding = off + self._rounding(point)
            gap = max(self.value(point) - (bound + off), 0.0) + rounding
        return (float(gap), rounding) if np.isfinite(gap) else (np.inf, np.inf)

    def _rounding(self, point: KernelPoint) -> float:
        """What rounding does to the objective at most: with a tiny ``lam``, large dual weights nearly cancel.

        Values ``K a`` that are off by ``h`` change the penalty by ``lam |a|'h``, and no convex loss by more than at one
        of the ends ``K a - h`` and ``K a + h``.  That of several classes has slopes ``q - e_y`` and a curvature of at
        most 1 in the largest change.
        """
        off, scores = self.gram.rounding(point.coef), point.scores
        if self.classes is None:
            ends = np.maximum(self.loss.value(self.y, scores - off), self.loss.value(self.y, scores + off))
            change = np.maximum(ends - self.loss.value(self.y, scores), 0.0)
        else:
            most = off.max(axis=1)
            first = np.sum(np.abs(self.loss.derivative(self.y, scores)) * off, axis=1)
            change = np.minimum(first + most**2 / 2, 2 * most)
        total = float(self.weights @ change) + self.lam * float(np.sum(np.abs(point.coef) * off))
        return total + float(np.finfo(float).eps) * abs(self.value(point))

    def _bound(self, loss: Loss, u: np.ndarray) -> tuple[float, float]:
        """The dual objective at ``u``, balanced first where the offset is free, and what rounding does to it."""
        if self.fit_intercept:
            u = loss.balanced(self.y, u, self.weights)
        pull = self.p * u
        norm = float(np.sum(pull * self.gram.times(pull))) / (4 * self.lam)
        off = float(np.sum(np.abs(pull) * self.gram.rounding(pull))) / (4 * self.lam)
        return -float(self.weights @ loss.conjugate(self.y, u)) - norm, off

    def _feasible(self, u: np.ndarray) -> np.ndarray:
        """``u`` moved into the domain of the conjugate: an interval, or for several classes a simplex."""
        if self.classes is None:
            return np.clip(u, *self.loss.conjugate_domain(self.y))
        truth = indicators(self.y, self.classes)
        q = np.maximum(u + truth, 0.0) + np.finfo(float).tiny
        return q / q.sum(axis=1, keepdims=True) - truth

    def part(self, rows: np.ndarray) -> KernelRiskProblem:
        """The same problem on some of the rows."""
        weights = self.weights[rows]
        return replace(self, gram=self.gram.part(rows), y=self.y[rows], weights=weights / weights.sum())
