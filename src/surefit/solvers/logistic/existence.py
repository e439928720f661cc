"""Layer solvers: whether an unpenalised logistic fit has a maximum; computed only where the last point raises doubts.

In: a `LogisticProblem` without a penalty and the `Run` that ended.  Out: the `Separation` that rules the maximum out,
or None.  Where classes are separated, coefficients grow until the remaining loss of the separated rows is below the
tolerance.  They are then large in most fits, but not where the tolerance is loose or these rows have small weights.
"""

from __future__ import annotations

import numpy as np

from surefit.data.scores import class_probabilities
from surefit.solvers.logistic import limits
from surefit.solvers.logistic.newton import Run, augmented, by_products
from surefit.solvers.logistic.problem import LogisticProblem, losses_and_pulls
from surefit.solvers.logistic.separation import Separation, separating_direction

FAR = 12.0
"""Scores beyond this in an unpenalised fit are a reason to look for separation: odds of 160,000 to 1."""

SLACK = 2.0
"""Margin, on the scale of scores, by which a row may be lost sooner: the error of a run is an estimate."""

ROUNDED = 1e-16
"""Contributions to the objective that no iteration can see, as a share of it."""

MOVED = 0.5
"""A Newton step that moves no score farther than this proves a maximum: a separated row would move by one."""

ACCURATE = 1e-6
"""Relative accuracy of that Newton step."""


def separation_of(problem: LogisticProblem, run: Run) -> Separation | None:
    """The direction along which the likelihood grows without end, None if nothing hints at one.  Catalogue A-29.

    A point that puts every row on its own side proves it; far scores, an iteration that did not end and a Newton step
    that would still move a row are only reasons to ask a linear programme.

    >>> problem = LogisticProblem.of(np.array([[0.0], [1.0]]), np.array([0, 1]))
    >>> separation_of(problem, Run(np.array([[2.0], [-1.0]]), "guess")).kind
    'separable'
    """
    scores = problem.scores(run.V)
    if problem.width == 1:
        scores = np.column_stack([np.zeros(problem.n), scores])
    rows = np.arange(problem.n)
    own = scores[rows, problem.codes]
    others = scores.copy()
    others[rows, problem.codes] = -np.inf
    least = float(np.min(own - others.max(axis=1)))
    spread = float(np.max(np.abs(scores - scores.mean(axis=1, keepdims=True))))
    if least > 1e-12 * spread:
        return Separation.of("separable", problem.X, run.V[:-1], run.V[-1])
    hint = least > 0 or spread > FAR / 2 or not run.settled
    if hint or (_lost(problem, run, own - scores.min(axis=1)) and _moves(problem, run.V)):
        return separating_direction(problem.X, problem.codes, problem.fit_intercept)
    return None


def _lost(problem: LogisticProblem, run: Run, margin: np.ndarray) -> bool:
    """Whether a row contributes so little to the objective that the iteration had no reason to move it farther."""
    error = max(run.errors[-1], ROUNDED) * max(run.objectives[-1], np.finfo(float).tiny)
    return bool(np.any((margin > 0) & (np.log(problem.share) - margin < np.log(error) + SLACK)))


def _moves(problem: LogisticProblem, V: np.ndarray) -> bool:
    """Whether the next Newton step moves a score as far as one that goes to infinity; True where asking is cheap.

    If it moves none that far, ``share * (1 - q)`` plus what the step changes are positive weights under which the
    gradients of all rows cancel, so no direction has gains without losses.
    """
    entries = problem.X.nnz if problem.is_sparse else problem.X.size
    if (
        entries * problem.width**2 <= limits.CHEAP_PROGRAMME
        or np.min(problem.share) < ROUNDED / np.finfo(float).eps ** 0.5
    ):
        return True
    A = augmented(problem)
    point = V[: A.shape[1]]
    scores = np.asarray(A @ point)
    _, pull = losses_and_pulls(scores, problem.codes)
    slope = np.asarray(A.T @ (problem.share[:, None] * pull))
    change = np.asarray(A @ by_products(problem, A)(class_probabilities(scores), slope, ACCURATE**2))
    farthest = np.abs(change) if problem.width == 1 else np.ptp(change, axis=1)
    return bool(np.max(farthest) > MOVED)
