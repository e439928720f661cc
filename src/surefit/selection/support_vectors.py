"""Layer selection: which ``lam`` for support vectors, by the loss or the mistakes on held-out rows.

In: the tasks of a model (one for regression, one for each pair of classes) and folds.  Out: a `LamChoice` for any grid.
All folds share one Gram matrix while there is room for it, and each goes from one ``lam`` to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from surefit.data.scale import power_of_two, weighted_median
from surefit.kernels.library import Linear
from surefit.objective.margin import Hinge
from surefit.objective.regression import EpsilonInsensitive
from surefit.progress import Task
from surefit.selection.choice import LamChoice, negligible
from surefit.selection.folds import Fold
from surefit.solvers.support_vectors import limits
from surefit.solvers.support_vectors.ladder import Budget
from surefit.solvers.support_vectors.problem import SupportVectorProblem
from surefit.solvers.support_vectors.solve import solve_by_points, solve_primal
from surefit.solvers.support_vectors.warm import WarmDual

ROUGHLY = 1e-4
"""Violation, in units of the spread of the targets, at which a candidate is solved well enough to be judged: criteria
of weighted rows and of repeated ones then differ by up to 2e-5, with 3e-3 by up to 3e-4."""

NOTHING = 3e-3
"""Share of the loss of a constant below which no more is looked for."""

TIED = 2e-3
"""Share of the loss on held-out rows that such candidates may differ by on two machines: less counts as a tie."""

ROUGH_GAP = 1e-4
"""The same for a linear kernel that is solved for its coefficients: duality gap as a share of the null objective."""


@dataclass(frozen=True)
class Pairing:
    """One problem on some of the rows: ``rows`` are their numbers, ``y`` their targets (signs for the hinge)."""

    rows: np.ndarray
    y: np.ndarray


@dataclass
class _Part:
    """One task on the training rows of a fold, with where it stands."""

    problem: SupportVectorProblem
    train: np.ndarray
    test: np.ndarray
    truth: np.ndarray
    warm: WarmDual
    share: float
    penalty: float = np.inf
    risk: float = np.inf


def soft_error(signs: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """``(1 - t f) / 2`` held to [0, 1]: 0 beyond the margin, 1/2 on the boundary, 1 for a mistake beyond the margin.

    A share of mistakes that does not jump from one ``lam`` to the next, and that a few rows far off cannot decide.

    >>> soft_error(np.array([1.0, 1.0, -1.0, -1.0]), np.array([3.0, 0.5, 0.0, 9.0]))
    array([0.  , 0.25, 0.5 , 1.  ])
    """
    return np.clip(0.5 - 0.5 * signs * scores, 0.0, 1.0)


class HeldOutSupport:
    """Mean loss on held-out rows, for labels the soft error rate; each call walks on.  Catalogue S-05.

    ``problem`` is the one on all rows; for labels its targets do not matter, those of the ``tasks`` do.  With several
    tasks the loss is averaged over all their rows, and ``lam`` is that against the mean over all rows.  ``size`` is a
    ``lam`` at which hardly anything is fitted: the mean of ``k(x, x)``, over the spread of the targets for the tube.
    """

    def __init__(self, problem: SupportVectorProblem, tasks: Sequence[Pairing], folds: list[Fold], memory: float):
        self.problem, self.memory, n = problem, memory, len(problem.weight)
        shared = n <= limits.SHARED and 8.0 * n * n <= memory and not self._by_columns(n)
        self.gram = problem.kernel.gram(problem.X, dtype=np.float32) if shared else None
        diagonal = problem.kernel.diag(problem.X)
        self.size = (float(np.average(diagonal, weights=problem.weight)) or 1.0) / self._unit_of_loss()
        largest = float(np.max(diagonal)) or 1.0
        self.parts = [[self._part(task, fold, largest) for task in tasks] for fold in folds]
        self.weights = [sum(float(problem.weight[one.test].sum()) for one in parts) for parts in self.parts]
        self.constants = [self._mean(parts, [self._constant(one) for one in parts]) for parts in self.parts]
        self.null = self.constants[0] or 1.0
        self.lam = np.inf

    def __call__(self, lams: np.ndarray) -> LamChoice:
        """The criterion for decreasing ``lams``, below those of earlier calls."""
        tell, errors = Task("choosing lam", len(self.parts), "fold"), np.empty((len(self.parts), len(lams)))
        for fold, parts in enumerate(self.parts):
            scores = [self._scores(one, lams) for one in parts]
            for k in range(len(lams)):
                errors[fold, k] = self._mean(parts, [of_task[k] for of_task in scores])
            tell(fold + 1, float(np.min(errors[fold])))
        self.lam = float(np.min(lams))
        return LamChoice.over_folds(lams, errors, self.weights, self.constants, TIED)

    def matters(self) -> bool:
        """Whether at the smallest ``lam`` so far a smaller one could be better by an amount worth having."""
        return any(not negligible(one.penalty, one.risk, self.null, NOTHING) for one in self.parts[0])

    def _unit_of_loss(self) -> float:
        """A loss that grows with residuals over squares of functions: ``lam`` is in units of one over the targets'."""
        return self.problem.spread if isinstance(self.problem.loss, EpsilonInsensitive) else 1.0

    def _by_columns(self, n: int) -> bool:
        return isinstance(self.problem.kernel, Linear) and n > 4 * self.problem.X.shape[1]

    def _part(self, task: Pairing, fold: Fold, largest: float) -> _Part:
        """The task on one fold; positions are among all rows."""
        inside = [np.isin(task.rows, side) for side in fold]
        train, y = task.rows[inside[0]], task.y[inside[0]]
        if isinstance(self.problem.loss, Hinge) and len(np.unique(y)) < 2:
            raise ValueError("a fold leaves no row of some class to fit on; use stratified or fewer folds, or give lam")
        weight = self.problem.weight
        mine = replace(self.problem, X=self.problem.X[train], y=y, weight=weight[train])
        share = float(weight[fold[0]].sum() / weight[train].sum())
        return _Part(mine, train, task.rows[inside[1]], task.y[inside[1]], WarmDual(mine, largest), share)

    def _scores(self, one: _Part, lams: np.ndarray) -> list[np.ndarray]:
        """Values at the held-out rows for each ``lam``; notes the penalty and the risk at the last."""
        found = []
        gram = None if self.gram is None else self.gram[np.ix_(one.train, one.train)]
        across = None if self.gram is None else self.gram[np.ix_(one.test, one.train)]
        for lam in lams * one.share:
            if gram is None or across is None:
                values, offset, square, fitted = self._alone(replace(one.problem, lam=float(lam)), one)
            else:
                beta, offset, square = one.warm.step(float(lam), gram, ROUGHLY)
                unit = power_of_two(np.max(np.abs(beta), initial=0.0))  # targets may be beyond the range of float32
                small = (beta / unit).astype(np.float32)
                values, fitted = (unit * (matrix @ small).astype(np.float64) for matrix in (across, gram))
            found.append(values + offset)
            one.penalty = float(lam) * square
            one.risk = float(one.problem.shares @ one.problem.loss.value(one.problem.y, fitted + offset))
        return found

    def _alone(self, problem: SupportVectorProblem, one: _Part) -> tuple[np.ndarray, float, float, np.ndarray]:
        """The same without a Gram matrix: values at held-out rows, offset, ``||f||**2``, values at training rows."""
        new = self.problem.X[one.test]
        if self._by_columns(len(problem.y)):
            solution = solve_primal(problem, ROUGH_GAP, None)
            coef, offset = solution.coef, float(solution.intercept)
            return np.asarray(new @ coef), offset, float(coef @ coef), np.asarray(problem.X @ coef)
        budget = Budget(ROUGHLY, 100 * len(problem.y), np.inf, self.memory)
        solution = solve_by_points(problem, budget)
        used = np.flatnonzero(solution.coef)
        if len(used) == 0:
            return np.zeros(len(one.test)), float(solution.intercept), 0.0, np.zeros(len(problem.y))
        points, beta = problem.X[used], solution.coef[used]
        fitted = problem.kernel.times(problem.X, points, beta)
        values = problem.kernel.times(new, points, beta)
        return values, float(solution.intercept), float(beta @ fitted[used]), fitted

    def _constant(self, one: _Part) -> np.ndarray:
        """The constant that is best on the training rows, or nearly so, at the held-out ones."""
        y, weight = one.problem.y, one.problem.weight
        level = np.sign(weight @ y) if isinstance(one.problem.loss, Hinge) else weighted_median(y, weight)
        return np.full(len(one.test), float(level) if one.problem.offset else 0.0)

    def _mean(self, parts: list[_Part], scores: list[np.ndarray]) -> float:
        """The loss of these scores, averaged over the held-out rows of all tasks."""
        loss, weight = self.problem.loss, self.problem.weight
        judge = soft_error if isinstance(loss, Hinge) else loss.value
        total = sum(
            float(weight[one.test] @ judge(one.truth, values)) for one, values in zip(parts, scores, strict=True)
        )
        return total / sum(float(weight[one.test].sum()) for one in parts)
