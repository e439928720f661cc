"""Layer solvers: squared loss with a squared penalty, which needs no iteration.

In: a `Problem` in the user's units.  Out: the `Solution` of one factorisation, with its refinement.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from surefit.data.design import Design
from surefit.data.units import Units
from surefit.objective.problem import Problem
from surefit.objective.regression import Squared
from surefit.solvers.any_loss.parts import parts_of
from surefit.solvers.linear.least_squares import ridge
from surefit.solvers.solution import Solution


def is_ridge(problem: Problem) -> bool:
    """Whether the problem is least squares or ridge: squared loss, sum of squares (or nothing) as penalty."""
    parts = parts_of(problem)
    return isinstance(problem.loss, Squared) and parts is not None and parts.smooth


def direct(problem: Problem, tol: float = 0.0, max_iter: int = 0) -> Solution:
    """Least squares or ridge by one factorisation; the shortest answer where columns depend.  Catalogue A-09, A-10.

    ``tol`` and ``max_iter`` are not used.

    >>> from surefit.objective import SquaredL2
    >>> problem = Problem(np.array([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5]), Squared(), SquaredL2(), 1.25)
    >>> direct(problem).coef.round(12)
    array([0.55])
    """
    if not is_ridge(problem):
        raise ValueError(
            f"direct needs squared loss and a sum of squares as penalty, got {problem.loss!r} and {problem.penalty!r}; "
            "use solver='auto'"
        )
    weight = None if problem.sample_weight is None else problem.weights * len(problem.weights)
    square = parts_of(problem).square  # type: ignore[union-attr]
    lam, design = float(np.max(square, initial=0.0)), Design.of(problem.X, weight)
    scale = np.sqrt(square / lam) if lam > 0 else np.ones(design.d)
    if np.any(scale != 1.0):
        design = Units.of(design, problem.fit_intercept, scale).design(design)
    answer = ridge(design, problem.y[:, None], lam, problem.fit_intercept).solution
    answer = replace(answer, coef=answer.coef / scale[:, None])
    facts = {**answer.facts, "method": "direct", "factorisation": answer.facts["method"]}
    level = float(np.ravel(answer.intercept)[0])
    return replace(answer, coef=answer.coef[:, 0], intercept=level, n_iter=1, facts=MappingProxyType(facts))
