"""Layer estimators: which ``lam`` of a logistic path: by log-loss on held-out rows, or by approximate leave-one-out.

In: a `LogisticProblem` at ``lam = 1``, weights and a grid.  Out: a `LamChoice`.  Folds keep the shares of the classes;
equal rows share a fold, so a row of weight ``k`` counts exactly as ``k`` copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from surefit.data.design import Design
from surefit.data.rows import without_copies
from surefit.estimators.lam_choice import LamChoice, equal_rows, given_splits, in_parallel, some_splits
from surefit.parameters import generator
from surefit.progress import Task
from surefit.solvers.logistic import LogisticPath
from surefit.solvers.logistic_problem import LogisticProblem, losses
from surefit.theory.approximate_loo import approximate_loo

GRID_SIZE = 50

CANCELS = 1e-6
"""A variance below this share of the mean square is taken from the centred column: the difference has few digits."""

PathSolver = Callable[[LogisticProblem], LogisticPath]


def default_lams(problem: LogisticProblem) -> np.ndarray:
    """50 values, decreasing and evenly spaced in logarithms.

    With an L1 part from the smallest ``lam`` that leaves no coefficient down to a thousandth of it (a hundredth with
    fewer rows than columns).  For squares alone from a penalty that outweighs all curvature of the loss, a quarter of
    the mean squared length of a centred row, down to a millionth of it.
    """
    if np.any(problem.absolute):
        pull = np.abs(problem.evaluate(problem.null_point()).slope[:-1]).max(axis=1)
        largest = float(np.max(pull / problem.absolute, initial=0.0))
        smallest = 1e-3 if problem.n > problem.d else 1e-2
    else:
        largest, smallest = 0.25 * float(np.sum(_centred_squares(problem))), 1e-6
    if not (largest > 0 and np.isfinite(largest)):
        return np.array([1.0])
    return largest * np.logspace(0.0, np.log10(smallest), GRID_SIZE)


def _centred_squares(problem: LogisticProblem) -> np.ndarray:
    """Mean square of each column, centred if there is an intercept; exactly 0 for constants."""
    if not problem.fit_intercept:
        return problem.mean_square
    mean = np.asarray(problem.X.T @ problem.share).ravel()
    with np.errstate(over="ignore", invalid="ignore"):
        squares = problem.mean_square - mean**2
    for j in np.flatnonzero(squares < CANCELS * problem.mean_square):
        column = problem.by_columns[:, [j]]
        column = np.asarray(column.todense() if problem.is_sparse else column, dtype=np.float64).ravel()
        column = column - column[0]  # what is near is subtracted without rounding
        squares[j] = problem.share @ (column - problem.share @ column) ** 2
    return squares


def by_held_out_loss(
    problem: LogisticProblem, weight: np.ndarray, folds: Iterator[Any], solve: PathSolver
) -> LamChoice:
    """Mean log-loss on held-out rows along the path of the other rows.  Catalogue S-05."""
    splits = some_splits(list(folds))

    def held_out(split: tuple[np.ndarray, np.ndarray]) -> tuple[LogisticPath, np.ndarray]:
        train, test = split
        if len(np.unique(problem.codes[train])) < problem.n_classes:
            raise ValueError(
                "a fold leaves no row of some class to fit on, so its loss has no bound; "
                "use stratified or fewer folds, or give lam"
            )
        path = solve(rows_of(problem, train))
        share = weight[test] / weight[test].sum()
        scores = (np.asarray(problem.X[test] @ coef.T) + b for coef, b in zip(path.coefs, path.intercepts, strict=True))
        return path, np.array([share @ losses(one, problem.codes[test]) for one in scores])

    tell = Task("choosing lam", len(splits), "fold")
    paths, errors = zip(*in_parallel(held_out, splits, problem.n * problem.d, tell), strict=True)
    return LamChoice.over_folds(paths[0].lams, errors, [weight[test].sum() for _, test in splits])


def by_approximate_loo(problem: LogisticProblem, path: LogisticPath) -> LamChoice:
    """Approximate leave-one-out log-loss along a path, from one factorisation of the Hessian for each ``lam``.

    Equal rows are left out together.
    """
    rows, codes = without_copies(Design(problem.X, problem.share), problem.codes)
    problem = replace(problem, X=rows.X, codes=codes, share=rows.weight)
    curve, tell = np.empty(len(path.lams)), Task("approximate leave-one-out", len(path.lams), "lam")
    for k, lam in enumerate(path.lams):
        at = problem.at_lam(lam * problem.absolute, lam * problem.square)
        curve[k] = approximate_loo(at, np.vstack([path.coefs[k].T, path.intercepts[k]]))
        tell(k + 1, curve[k])
    return LamChoice(path.lams, curve, np.full(len(curve), np.nan))


def rows_of(problem: LogisticProblem, rows: np.ndarray) -> LogisticProblem:
    """The problem of some rows alone."""
    share = problem.share[rows]
    return replace(problem, X=problem.X[rows], codes=problem.codes[rows], share=share / share.sum())


def given_folds(design: Design, codes: np.ndarray, cv: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """What the splitter ``cv`` says about all rows, as positions among the rows of positive weight."""
    counted = design.weight > 0
    position = np.cumsum(counted) - 1
    for train, test in given_splits(design, codes, cv):
        if np.any(counted[test]):
            yield position[train[counted[train]]], position[test[counted[test]]]


def stratified_folds(
    problem: LogisticProblem, weight: np.ndarray, cv: int, random_state: Any
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """``(train, test)`` for each of ``cv`` shuffled folds with the shares of the classes kept.

    Different rows of a class are dealt to the folds in turn.  A class with one different row only is never held out.
    """
    if cv < 2:
        raise ValueError(f"cv must be at least 2 folds, a splitter or an iterable of splits, got {cv!r}")
    groups = equal_rows(Design(problem.X, weight), problem.codes.astype(float))
    _, first = np.unique(groups, return_index=True)
    of_group = problem.codes[first]
    shuffled = generator(random_state).permutation(len(first))
    dealt = shuffled[np.argsort(of_group[shuffled], kind="stable")]
    folds = np.empty(len(first), dtype=np.intp)
    folds[dealt] = np.arange(len(first)) % cv
    folds[np.bincount(of_group)[of_group] < 2] = -1
    of_row = folds[groups]
    if not np.any(of_row >= 0):
        raise ValueError(
            f"cross-validation needs a class with at least 2 different rows, got n_samples = {len(first)} different "
            "rows in all; give lam, or more rows"
        )
    for k in np.unique(of_row[of_row >= 0]):
        yield np.flatnonzero(of_row != k), np.flatnonzero(of_row == k)
