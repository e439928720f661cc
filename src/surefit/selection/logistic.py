"""Layer selection: which ``lam`` of a logistic path: by log-loss on held-out rows, or by approximate leave-one-out.

In: a `LogisticProblem` at ``lam = 1``, weights and a grid.  Out: a `LamChoice`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from surefit.data.design import Design
from surefit.data.fingerprints import without_copies
from surefit.data.scores import class_probabilities
from surefit.progress import Task
from surefit.selection.choice import SOLVED, LamChoice, negligible, surely_held_back
from surefit.selection.folds import Fold, in_parallel
from surefit.selection.grids import centred_squares
from surefit.solvers.logistic.problem import LogisticProblem, losses
from surefit.solvers.logistic.solve import LogisticPath, PathWalk
from surefit.theory.fit.approximate_loo import approximate_loo

CHOOSING = 1e-9
"""Tolerance of the fits that are only judged.  Held-out losses are off by the order of its root: at 1e-6 by 1e-4 of
themselves, which chose another ``lam`` for weights than for copies, here by less than what counts as a tie."""

CHOOSING_SPARSE = 1e-6
"""The same with an L1 part, whose gap is as large as slopes are wrong, while losses are as wrong as their squares."""

EXACTLY = 5000
"""Entries of the table times classes up to which Newton's method fits what is judged: held-out losses are then right to
the last digits, and it takes up to a thirtieth of a second more."""

NOTHING_LEFT = 1e-6
"""Share of the null loss below which a fit leaves nothing that another penalty could gain."""


class HeldOutLoss:
    """Mean log-loss on held-out rows along the path of the other rows; each call walks on.  Catalogue S-05."""

    def __init__(
        self,
        problem: LogisticProblem,
        weight: np.ndarray,
        folds: list[Fold],
        walk: Callable[[LogisticProblem], PathWalk],
    ):
        self.problem, self.weight, self.splits = problem, weight, folds
        for train, _ in self.splits:
            if len(np.unique(problem.codes[train])) < problem.n_classes:
                raise ValueError(
                    "a fold leaves no row of some class to fit on, so its loss has no bound; "
                    "use stratified or fewer folds, or give lam"
                )
        self.walks = [walk(rows_of(problem, train)) for train, _ in self.splits]
        self.weights = [float(weight[test].sum()) for _, test in self.splits]
        self.constants = [self._of_constant(train, test) for train, test in self.splits]

    def __call__(self, lams: np.ndarray) -> LamChoice:
        """The criterion for ``lams`` below those of earlier calls."""
        problem = self.problem

        def held_out(fold: int) -> np.ndarray:
            path, test = self.walks[fold].down(lams), self.splits[fold][1]
            share, X = self.weight[test] / self.weights[fold], problem.X[test]
            scores = (np.asarray(X @ coef.T) + b for coef, b in zip(path.coefs, path.intercepts, strict=True))
            return np.array([share @ losses(one, problem.codes[test]) for one in scores])

        tell = Task("choosing lam", len(self.splits), "fold")
        errors = in_parallel(held_out, list(range(len(self.splits))), problem.n * problem.d, tell)
        return LamChoice.over_folds(lams, errors, self.weights, self.constants)

    def _of_constant(self, train: np.ndarray, test: np.ndarray) -> float:
        codes, weight = self.problem.codes, self.weight
        frequency = np.bincount(codes[train], weight[train], self.problem.n_classes) / weight[train].sum()
        return -float(np.average(np.log(frequency[codes[test]]), weights=weight[test]))


def by_approximate_loo(problem: LogisticProblem, path: LogisticPath) -> LamChoice:
    """Approximate leave-one-out log-loss along a path, from one factorisation of the Hessian for each ``lam``.

    Equal rows are left out together.
    """
    rows, codes = without_copies(Design(problem.X, problem.share), problem.codes)
    problem = replace(problem, X=rows.X, codes=codes, share=rows.weight)
    curve, tell = np.empty(len(path.lams)), Task("approximate leave-one-out", len(path.lams), "lam")
    for k, lam in enumerate(path.lams):
        at = problem.with_penalty(lam * problem.absolute, lam * problem.square)
        curve[k] = approximate_loo(at, np.vstack([path.coefs[k].T, path.intercepts[k]]))
        tell(k + 1, curve[k])
    frequency = problem.frequency
    return LamChoice(path.lams, curve, np.full(len(curve), np.nan), -float(frequency @ np.log(frequency)), SOLVED)


@dataclass(frozen=True)
class LogisticEnd:
    """The fit at the smallest ``lam`` of a path, its slopes in each column, and the columns' variances.

    ``surprise`` (width,) is the variance of labels about their probabilities, class by class.
    """

    lam: float
    risk: float
    penalty: float
    slope: np.ndarray
    squares: np.ndarray
    surprise: np.ndarray

    @staticmethod
    def of(problem: LogisticProblem, path: LogisticPath) -> LogisticEnd:
        last = int(np.argmin(path.lams))
        V = np.vstack([path.coefs[last].T, path.intercepts[last]])
        at, q = problem.evaluate(V), class_probabilities(problem.scores(V))
        q = q[:, -1:] if V.shape[1] == 1 else q
        slope = at.slope[:-1]
        if problem.fit_intercept:  # slopes of centred columns: an intercept not quite at rest is no merit of an origin
            slope = slope - np.multiply.outer(np.asarray(problem.X.T @ problem.share).ravel(), at.slope[-1])
        lam, squares = float(path.lams[last]), centred_squares(problem)
        return LogisticEnd(lam, at.risk, lam * problem.penalty(V), slope, squares, problem.share @ (q * (1.0 - q)))

    def matters(self, problem: LogisticProblem) -> bool:
        """Whether without the penalty the fit could be better by an amount worth having."""
        varies = self.squares > 0
        gains = np.sum(self.slope**2, axis=1)[varies] / self.squares[varies]
        return not negligible(self.penalty + 2.0 * float(np.sum(gains)), self.risk, problem.null_value(), NOTHING_LEFT)

    def held_back(self, problem: LogisticProblem, n_rows: int) -> float:
        """The largest ``lam`` that lets in a column which surely explains something; 0 if there is none.

        A slope ``g`` of a column of variance ``v`` promises ``g**2 / (2 v surprise)`` of the loss.
        """
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            gain = np.max(0.5 * self.slope**2 / self.squares[:, None] / self.surprise, axis=1)
        gain = np.where((self.squares > 0) & np.isfinite(gain), gain, 0.0)
        waiting = surely_held_back(gain, 0.5, problem.null_value(), n_rows) & (problem.absolute + problem.square > 0)
        if not np.any(waiting):
            return 0.0
        pull = np.abs(self.slope).max(axis=1)[waiting]
        alone = problem.absolute[waiting] > 0  # squares let every column in, a little
        return float(np.max(pull[alone] / problem.absolute[waiting][alone])) if np.all(alone) else self.lam


def rows_of(problem: LogisticProblem, rows: np.ndarray) -> LogisticProblem:
    """The problem of some rows alone."""
    share = problem.share[rows]
    return replace(problem, X=problem.X[rows], codes=problem.codes[rows], share=share / share.sum())
