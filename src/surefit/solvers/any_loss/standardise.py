"""Layer solvers: the same problem in coordinates that a computer likes.

In: a `Problem` in the user's units.  Out: a `Problem` with the same values, whose columns are centred (where there is
an intercept; of a sparse design those that have no zeros to lose) and of size about one, and the way back.  The penalty
travels exactly: ``penalty(coef)`` becomes ``penalty(coef / scale)``, so nothing about the answer changes, only the
rounding on the way to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from surefit.compiled.doubled import two_product
from surefit.data.centred import centre
from surefit.data.design import Design
from surefit.data.scale import CONSTANT, column_sizes, power_of_two
from surefit.objective.penalty import L1, ElasticNet, Penalty, PNorm, SquaredL2
from surefit.objective.problem import Problem
from surefit.solvers.solution import Solution


@final
class Rescaled(Penalty):
    """``penalty(w / scale)``: what a penalty becomes when the columns are divided by ``scale``.  Catalogue P-08.

    A separable penalty is proxed one scale at a time; those that a solver takes by itself are powers of two, so few of
    them differ.

    >>> Rescaled(L1(), np.array([1.0, 2.0])).prox([3.0, 3.0], 1.0)
    array([2. , 2.5])
    """

    def __init__(self, penalty: Penalty, scale: np.ndarray):
        self.penalty, self.scale = penalty, scale
        if not penalty.separable and np.any(scale != scale.flat[0]):
            raise ValueError(f"{penalty!r} is not separable, so its columns must share one scale")

    def __repr__(self) -> str:
        """As the penalty of the user, who is told about that one and has never seen the scales."""
        return repr(self.penalty)

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        return self.penalty.smooth

    @property
    def separable(self) -> bool:  # type: ignore[override]
        return self.penalty.separable

    @property
    def norm(self) -> bool:  # type: ignore[override]
        return self.penalty.norm

    @property
    def strong_convexity(self) -> float:  # type: ignore[override]
        return self.penalty.strong_convexity / float(np.max(self.scale, initial=1.0)) ** 2

    def value(self, w: ArrayLike) -> float:
        return self.penalty.value(np.asarray(w, dtype=float) / self.scale)

    def gradient(self, w: ArrayLike) -> np.ndarray:
        return self.penalty.gradient(np.asarray(w, dtype=float) / self.scale) / self.scale

    def prox(self, v: ArrayLike, step: float) -> np.ndarray:
        moved = np.asarray(v, dtype=float) / self.scale
        for scale in np.unique(self.scale):
            here = self.scale == scale
            moved[here] = self.penalty.prox(moved[here], step / scale**2)
        return moved * self.scale

    def conjugate(self, u: ArrayLike, lam: float = 1.0) -> float:
        return self.penalty.conjugate(np.asarray(u, dtype=float) * self.scale, lam)

    def dual_norm(self, u: ArrayLike) -> float:
        return self.penalty.dual_norm(np.asarray(u, dtype=float) * self.scale)

    def dual_scaling(self, u: ArrayLike, lam: float) -> float:
        return self.penalty.dual_scaling(np.asarray(u, dtype=float) * self.scale, lam)


@dataclass(frozen=True)
class Parts:
    """A penalty of the form ``sum_j absolute_j |w_j| + square_j w_j**2``, with ``lam`` already multiplied in."""

    absolute: np.ndarray
    square: np.ndarray

    @property
    def smooth(self) -> bool:
        return not np.any(self.absolute)


def parts_of(problem: Problem) -> Parts | None:
    """The coefficients of ``|w_j|`` and ``w_j**2`` in ``lam * penalty``, None for a penalty of another form.

    >>> problem = Problem(np.eye(2), np.zeros(2), __import__("surefit").objective.Squared(), ElasticNet(0.25), 2.0)
    >>> parts_of(problem)
    Parts(absolute=array([0.5, 0.5]), square=array([1.5, 1.5]))
    """
    penalty: Penalty = problem.penalty
    d = problem.X.shape[1]
    scale = np.ones(d)
    if problem.lam == 0 or d == 0:
        return Parts(np.zeros(d), np.zeros(d))
    if isinstance(penalty, Rescaled):
        scale, penalty = penalty.scale, penalty.penalty
    ratio = _l1_share(penalty)
    if ratio is None:
        return None
    return Parts(problem.lam * ratio / scale, problem.lam * (1 - ratio) / scale**2)


def _l1_share(penalty: Penalty) -> float | None:
    if isinstance(penalty, SquaredL2):
        return 0.0
    if isinstance(penalty, L1) or (isinstance(penalty, PNorm) and penalty.order == 1):
        return 1.0
    return penalty.l1_ratio if isinstance(penalty, ElasticNet) else None


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
