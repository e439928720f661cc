"""Layer solvers: the same problem with centred and scaled columns, which is better conditioned, and the way back.

In: a `Problem` in the user's units.  Out: a `Problem` with the same values, whose columns are centred (where there is
an intercept; in a sparse design only columns without zeros) and of size about one, and the way back.  Targets far from
zero are brought near it where the loss is one of the residual and an intercept takes up what they lose.  The penalty
is transformed exactly: ``penalty(coef)`` becomes ``penalty(coef / scale)``, so nothing about the answer changes, only
the rounding on the way to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from surefit.compiled.doubled import two_product
from surefit.data.centred import centre
from surefit.data.design import Design
from surefit.data.scale import CONSTANT, column_sizes, power_of_two, weighted_median
from surefit.objective.penalty import Penalty
from surefit.objective.problem import Problem
from surefit.objective.regression import (
    Absolute,
    EpsilonInsensitive,
    Huber,
    Pinball,
    Power,
    QuadraticEpsilonInsensitive,
    Squared,
)
from surefit.solvers.any_loss.parts import Rescaled
from surefit.solvers.any_loss.softened import Softened
from surefit.solvers.solution import Solution

OF_RESIDUALS = (Squared, Absolute, Power, EpsilonInsensitive, QuadraticEpsilonInsensitive, Huber, Pinball, Softened)
"""Losses of ``f - y`` alone: a number may be subtracted from all targets if it is added to the intercept."""

FAR = 4.0
"""Targets are far from zero if their median is more than this many times their typical distance from it."""

SMALLEST_TARGET = 1e-140
"""Targets all of which are smaller have squares that vanish."""


@dataclass(frozen=True)
class Standardised:
    """A problem in good coordinates and the way back: ``c = w * scale``, ``b - level + (shift + shift_low) . c``."""

    problem: Problem
    scale: np.ndarray
    shift: np.ndarray
    shift_low: np.ndarray
    level: float = 0.0

    def restore(self, solution: Solution) -> Solution:
        """The same solution in the user's units; its objective and gap are those of the intercept that it ends with.

        The intercept is summed without rounding and rounded once.  What that leaves away is known, and where columns
        or targets are far from zero (timestamps) it can matter more than all that the solver left undone.
        """
        coef, intercept = solution.coef, float(solution.intercept)
        with np.errstate(over="ignore", invalid="ignore"):
            high, low = two_product(self.shift, coef)
            parts = np.concatenate([high, low, self.shift_low * coef])
            if not (np.all(np.isfinite(parts)) and math.isfinite(intercept)):
                intercept += self.level - float(self.shift @ coef)
                return replace(solution, coef=coef / self.scale, intercept=intercept)
        terms = [intercept, self.level, *(-parts).tolist()]
        rounded = math.fsum(terms)
        moved = intercept - math.fsum([*terms, -rounded])
        objective = solution.objective if moved == intercept else self.problem.primal(coef, moved)
        gap = solution.gap + max(objective - solution.objective, 0.0)
        return replace(solution, coef=coef / self.scale, intercept=rounded, objective=objective, gap=gap)


def standardise(problem: Problem) -> Standardised:
    """``problem`` with its columns centred and brought to size one, and its targets near zero.

    Sparse designs stay sparse: of their columns only those are centred that have hardly any zeros and a mean that
    counts beside their spread.  A penalty that is not separable allows one
    common scale only.  Columns that are constant (the intercept does their work) become exactly zero.
    """
    d = problem.X.shape[1]
    X, (shift, shift_low), size = _centred(problem)
    scale = power_of_two(size)
    if not problem.penalty.separable and problem.lam > 0:
        scale = np.full(d, scale.max(initial=np.finfo(float).tiny) if np.any(size) else 1.0)
    X = X @ sparse.diags_array(1.0 / scale) if sparse.issparse(X) else np.divide(X, scale, out=X)
    penalty: Penalty = problem.penalty
    if isinstance(penalty, Rescaled):
        penalty = Rescaled(penalty.penalty, penalty.scale * scale)
    elif not np.all(scale == 1.0):
        penalty = Rescaled(penalty, scale)
    level = target_level(problem)
    y = problem.y - level if level else problem.y
    return Standardised(replace(problem, X=X, y=y, penalty=penalty), scale, shift / scale, shift_low / scale, level)


def target_level(problem: Problem) -> float:
    """The number to subtract from all targets: their median if it is far from zero and an intercept can take it up.

    Most differences are exact then, and the others are rounded as any number of their size is.

    >>> problem = Problem(np.eye(3), np.array([1e9, 1e9 + 1, 1e9 + 5]), Huber(), None, 0.0)
    >>> target_level(problem), target_level(replace(problem, y=np.arange(3.0)))
    (1000000001.0, 0.0)
    """
    if not problem.fit_intercept or not isinstance(problem.loss, OF_RESIDUALS):
        return 0.0
    middle = weighted_median(problem.y, problem.weights)
    distance = np.abs(problem.y - middle)
    typical, farthest = weighted_median(distance, problem.weights), float(np.max(distance))
    vanish = 0.0 < farthest < SMALLEST_TARGET
    return middle if abs(middle) > FAR * typical and not vanish else 0.0


def _centred(problem: Problem) -> tuple[Any, tuple[np.ndarray, np.ndarray], np.ndarray]:
    """The design to be scaled (a copy where dense), what was subtracted as a pair, and the size of each column."""
    design = Design.of(problem.X, problem.weights * len(problem.weights))
    none = np.zeros(design.d)
    if design.is_sparse:
        design = design.settled() if problem.fit_intercept else design
        return design.X, (none if design.offset is None else design.offset, none), column_sizes(design)
    size = column_sizes(design)
    if not problem.fit_intercept:
        return np.array(design.X, order="F"), (none, none), size
    with np.errstate(over="ignore", invalid="ignore"):
        A = centre(design, True)
        X = np.asfortranarray(replace(A, design=Design.of(problem.X)).dense())  # centred by weight, not weighted
        spread = np.maximum(X.max(axis=0), -X.min(axis=0))
    X[:, spread <= CONSTANT * size] = 0.0
    return X, (A.shift, A.shift_low), np.where(spread <= CONSTANT * size, 0.0, spread)
