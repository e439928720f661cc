"""Layer selection: which ``lam`` for a kernel model, by K-fold cross-validation of the loss itself.

In: a `KernelRiskProblem` on all rows and folds.  Out: a `LamChoice` for any grid.  The Gram matrix is computed once;
each fold follows the grid from its largest ``lam`` down, from one solution to the next.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

from surefit.progress import Task
from surefit.selection.choice import LamChoice, negligible
from surefit.selection.folds import Fold
from surefit.solvers.any_loss.judge import Trace
from surefit.solvers.damped_newton import descend
from surefit.solvers.kernel.limits import NEWTON_SMALL
from surefit.solvers.kernel.newton import KernelNewton
from surefit.solvers.kernel.problem import KernelPoint, KernelRiskProblem
from surefit.threads import one_blas_thread

LEAST_DECADES = 4.0
"""Decades that are walked unless the criterion rises clearly before."""

LOWEST = 1e-10
"""Share of the first ``lam`` that no default grid goes below: rounding would decide."""

ROUGHLY = 1e-5
"""Squared Newton decrement, as a share of the null objective, at which a fit on a fold is good enough to be judged."""

MAX_STEPS = 50

CHOOSING_POINTS, CHOOSING_RANK = 1000, 300
"""Rows up to which candidates are fitted exactly, and landmarks of the approximation that stands for them beyond."""


class HeldOutLosses:
    """Mean loss on held-out rows, and its standard error over folds; each call walks on.  Catalogue S-05.

    ``problem`` is the one on all rows; fits on folds are rough, and go from one ``lam`` to the next.
    """

    def __init__(self, problem: KernelRiskProblem, folds: list[Fold]):
        self.problem, self.splits = problem, folds
        self.parts = [problem.part(train) for train, _ in self.splits]
        self.points = [part.start() for part in self.parts]
        self.before = list(self.points)
        self.nulls = [part.value(point) for part, point in zip(self.parts, self.points, strict=True)]
        self.weights = [float(problem.weights[test].sum()) for _, test in self.splits]
        self.constants = [self._of_constant(train, test) for train, test in self.splits]
        self.lam, self.done = np.inf, 0

    def __call__(self, lams: np.ndarray) -> LamChoice:
        """The criterion for decreasing ``lams``, below those of earlier calls."""
        tell = Task("choosing lam", len(self.splits), "fold")
        losses = np.empty((len(self.splits), len(lams)))
        for fold, (part, (train, test)) in enumerate(zip(self.parts, self.splits, strict=True)):
            for k, lam in enumerate(lams):
                with one_blas_thread(len(train) <= NEWTON_SMALL):
                    enough = ROUGHLY * self.nulls[fold]
                    at = replace(part, lam=float(lam), rough=enough)
                    start = self._start(at, fold)
                    point = descend(KernelNewton(at), start, enough, MAX_STEPS, Trace().record)
                    self.before[fold], self.points[fold] = self.points[fold], point
                    scores = self.problem.gram.across(test, train, point.coef) + point.intercept
                losses[fold, k] = self._mean_loss(test, scores)
            tell(fold + 1, float(np.min(losses[fold])))
        self.lam = float(np.min(lams))
        return LamChoice.over_folds(lams, losses, self.weights, self.constants)

    def _start(self, problem: KernelRiskProblem, fold: int) -> KernelPoint:
        """The last solution, or where the last two lead to if that is better."""
        last, before = self.points[fold], self.before[fold]
        ahead = last.moved(1.0, last).moved(-1.0, before)
        return ahead if problem.value(ahead) < problem.value(last) else last

    def matters(self) -> bool:
        """Whether at the smallest ``lam`` so far a smaller one could be better by an amount worth having."""
        part, point = self.parts[0], self.points[0]
        penalty = self.lam * float(np.sum(point.coef * point.values))
        return not negligible(penalty, part.risk(point.scores), self.nulls[0], ROUGHLY)

    def _mean_loss(self, test: np.ndarray, scores: np.ndarray) -> float:
        held = self.problem.weights[test]
        with np.errstate(over="ignore"):
            return float(held @ self.problem.loss.value(self.problem.y[test], scores) / held.sum())

    def _of_constant(self, train: np.ndarray, test: np.ndarray) -> float:
        """The loss of the constant that is best on the other rows."""
        loss, y = self.problem.loss, self.problem.y
        share = self.problem.weights[train] / self.problem.weights[train].sum()
        if self.problem.classes is not None:
            frequency = np.bincount(y[train], share, self.problem.classes)
            with np.errstate(divide="ignore"):
                level = np.maximum(np.log(frequency), -700.0)
            return self._mean_loss(test, np.tile(level, (len(test), 1)))
        slope = lambda level: float(share @ loss.derivative(y[train], np.full(len(train), level)))
        reach = 1.0 + float(np.max(np.abs(y[train])))
        ends = (-reach, reach) if loss.targets == "real" else (-40.0, 40.0)
        if slope(ends[0]) >= 0 or slope(ends[1]) <= 0:
            return np.nan
        return self._mean_loss(test, np.full(len(test), brentq(slope, *ends)))
