"""Layer estimators: which ``lam`` for a kernel model, by K-fold cross-validation of the loss itself.

In: a `KernelProblem` on all rows, folds, a grid.  Out: a `LamChoice`.  The Gram matrix is computed once; each fold
follows the grid from its largest ``lam`` down, from one solution to the next.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from surefit.data.design import Design
from surefit.data.threads import one_blas_thread
from surefit.estimators.lam_choice import LamChoice, fold_indices
from surefit.progress import Task
from surefit.solvers.certify import Trace
from surefit.solvers.kernel_newton import SMALL, descend
from surefit.solvers.kernel_problem import KernelProblem

GRID_SIZE, GRID_DECADES = 15, 7

ROUGHLY = 1e-5
"""Squared Newton decrement, as a share of the null objective, at which a fit on a fold is good enough to be judged."""

MAX_STEPS = 50

Fold = tuple[np.ndarray, np.ndarray]


def default_lams(problem: KernelProblem) -> np.ndarray:
    """Half-decades from the mean of ``k(x, x)``, where hardly anything is left of ``f``, down to 1e-7 of it."""
    size = problem.gram.mean_diagonal(problem.weights)
    return (size if size > 0 else 1.0) * np.logspace(0, -GRID_DECADES, GRID_SIZE)


def held_out_losses(problem: KernelProblem, lams: np.ndarray, folds: Iterable[Fold]) -> LamChoice:
    """Mean loss on held-out rows for every ``lam``, and its standard error over folds.  Catalogue S-05."""
    splits = list(folds)
    tell = Task("choosing lam", len(splits), "fold")
    losses: list[list[float]] = []
    for train, test in splits:
        part, held = problem.part(train), problem.weights[test]
        point, curve = part.start(), []
        enough = ROUGHLY * part.value(point)
        for lam in lams:
            with one_blas_thread(len(train) <= SMALL):
                point = descend(replace(part, lam=float(lam)), point, enough, MAX_STEPS, Trace())
                scores = problem.gram.across(test, train, point.coef) + point.intercept
            with np.errstate(over="ignore"):
                curve.append(held @ problem.loss.value(problem.y[test], scores) / held.sum())
        losses.append(curve)
        tell(len(losses), float(min(curve)))
    return LamChoice.over_folds(lams, losses, [problem.weights[test].sum() for _, test in splits])


def folds_of_counted(design: Design, y: np.ndarray, labelled: bool, cv: Any, random_state: Any) -> list[Fold]:
    """``(train, test)`` for each fold, as positions among the rows of positive weight.

    A number ``cv`` of folds spreads labels evenly; a splitter or a list of splits is taken as it is.
    """
    splits = (
        class_folds(design, y, int(cv), random_state)
        if labelled and isinstance(cv, int | np.integer)
        else fold_indices(design, y, cv, random_state)
    )
    counted = design.weight > 0
    position = np.cumsum(counted) - 1
    among = lambda rows: position[rows[counted[rows]]]
    folds = [(among(np.asarray(train)), among(np.asarray(test))) for train, test in splits]
    if any(len(train) == 0 for train, _ in folds):
        raise ValueError("a fold leaves no row of positive weight to fit on; use fewer folds or more rows")
    return [(train, test) for train, test in folds if len(test)]


def class_folds(design: Design, labels: np.ndarray, cv: int, random_state: Any) -> list[Fold]:
    """Folds in which every class is spread evenly; a class with one different row only is never held out."""
    fold_of, counted = np.full(design.n, -1), design.weight > 0
    for label in np.unique(labels[counted]):
        rows = np.flatnonzero(counted & (labels == label))
        try:
            splits = list(fold_indices(Design(design.X[rows], design.weight[rows]), labels[rows], cv, random_state))
        except ValueError as error:
            if "different rows" not in str(error):
                raise
            continue
        for k, (_, test) in enumerate(splits):
            fold_of[rows[test]] = k
    if fold_of.max(initial=-1) < 0:
        raise ValueError("cross-validation needs at least 2 different rows in some class; give lam, or more rows")
    return [(np.flatnonzero(fold_of != k), np.flatnonzero(fold_of == k)) for k in range(fold_of.max() + 1)]
