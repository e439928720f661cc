"""Layer solvers: the same problem with centred and scaled columns, which is better conditioned, and the way back.

In: a `Problem` in the user's units.  Out: a `Problem` with the same values, whose columns are centred (where there is
an intercept; in a sparse design only columns without zeros) and of size about one, and the way back.  The penalty is
transformed exactly: ``penalty(coef)`` becomes ``penalty(coef / scale)``, so nothing about the answer changes, only the
rounding on the way to it.
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
from surefit.data.scale import CONSTANT, column_sizes, power_of_two
from surefit.objective.penalty import Penalty
from surefit.objective.problem import Problem
from surefit.solvers.any_loss.parts import Rescaled
from surefit.solvers.solution import Solution


@dataclass(frozen=True)
class Standardised:
    """A problem in good coordinates ``c = w * scale``, ``b + (shift + shift_low) . c``, and the way back."""

    problem: Problem
    scale: np.ndarray
    shift: np.ndarray
    shift_low: np.ndarray

    def restore(self, solution: Solution) -> Solution:
        """The same solution in the user's units; its objective and gap are those of the intercept that it ends with.

        The intercept is summed without rounding and rounded once.  What that leaves away is known, and where the
        columns are far from zero (timestamps) it can matter more than all that the solver left undone.
        """
        coef, intercept = solution.coef, float(solution.intercept)
        with np.errstate(over="ignore", invalid="ignore"):
            high, low = two_product(self.shift, coef)
            parts = np.concatenate([high, low, self.shift_low * coef])
            if not (np.all(np.isfinite(parts)) and math.isfinite(intercept)):
                intercept -= float(self.shift @ coef)
                return replace(solution, coef=coef / self.scale, intercept=intercept)
        terms = [intercept, *(-parts).tolist()]
        rounded = math.fsum(terms)
        moved = intercept - math.fsum([*terms, -rounded])
        objective = solution.objective if moved == intercept else self.problem.primal(coef, moved)
        gap = solution.gap + max(objective - solution.objective, 0.0)
        return replace(solution, coef=coef / self.scale, intercept=rounded, objective=objective, gap=gap)


def standardise(problem: Problem) -> Standardised:
    """``problem`` with its columns centred and brought to size one.

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
    return Standardised(replace(problem, X=X, penalty=penalty), scale, shift / scale, shift_low / scale)


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
