"""Layer solvers: the walk down a decreasing grid of ``lam``.

Several ``lam`` ahead are solved on a working set of columns, then verified on all columns in one pass over the data.
Columns join the working set when their correlation, extrapolated along the path, comes near its threshold, or when
verification finds that they were missed.
"""

from dataclasses import dataclass

import numpy as np

from surefit.solvers.duality import Point, Rounding, duality_gap
from surefit.solvers.native import gram_descent
from surefit.solvers.sparse_problem import SparseProblem
from surefit.solvers.working_set import WorkingSet

WHOLE_LIMIT = 3000
"""Number of columns up to which, given as many rows, the Gram matrix of all of them is formed at once."""
LOOK_AHEAD = 8
"""How many ``lam`` are solved between two passes over the data."""
INNER_SHARE = 0.3
"""Share of the tolerance at which a solution on the working set is worth verifying."""
MARGIN = 0.1
"""How far below its threshold, in shares of the way ahead, a predicted correlation brings a column in."""
LARGEST_RATIO = 1.5
"""Largest ratio of neighbouring ``lam`` on the way down; wider steps get stepping stones in between."""
STONE_TOL = 1e-3
"""Relative gap with which a stepping stone is left."""
MAX_TRIES = 30
"""Verifications of one ``lam`` after which the solution is returned with the gap that it has."""


@dataclass(frozen=True)
class Answer:
    """The solution at one ``lam`` on the scale of the `SparseProblem`."""

    support: np.ndarray
    coef: np.ndarray
    gap: float
    converged: bool


@dataclass(frozen=True)
class _Block:
    """Solutions at neighbouring ``lam``, rows of ``coefs`` on the working set, their ``A'r`` and ``||r||**2``."""

    lams: np.ndarray
    coefs: np.ndarray
    corrs: np.ndarray
    squares: np.ndarray


class PathRun:
    """One path; ``solve()`` returns an `Answer` for each ``lam``, ``n_iter`` counts the rounds of the inner solver."""

    def __init__(self, problem: SparseProblem, lams: np.ndarray, tol: float, max_iter: int):
        self.problem, self.max_iter, self.n_iter = problem, max_iter, 0
        self.grid, self.wanted = stepping_stones(lams, problem.lam_max)
        self.allowed = np.where(self.wanted, tol, max(tol, STONE_TOL)) * problem.null_square
        columns = problem.columns
        self.rounding = Rounding.of(columns.sizes, float(np.sqrt(problem.target_square)), columns.A.n)
        self.by_gram = columns.A.d <= min(WHOLE_LIMIT, columns.A.n)
        self.chosen = WorkingSet.whole(columns) if self.by_gram else WorkingSet(columns)
        self.chosen.admit(problem.free.features)
        self.answers: list[Answer] = []
        self.coef = np.zeros(self.chosen.size)
        self.coef[self.chosen.place[problem.free.features]] = problem.free.coef
        self.corr = problem.null_correlations
        self.lam = problem.lam_max
        self.slope: np.ndarray | None = None

    def solve(self) -> list[Answer]:
        ahead, tries, share = 2, 0, INNER_SHARE
        while len(self.answers) < len(self.grid):
            start = len(self.answers)
            block = self._solved(self.grid[start : start + ahead], share, from_gram=self.by_gram and tries == 0)
            failed = self._accept(block, give_up=tries >= MAX_TRIES)
            if failed is None:
                ahead, tries, share = min(2 * ahead, LOOK_AHEAD), 0, INNER_SHARE
                continue
            tries = tries + 1 if failed == 0 else 1
            self.coef, self.corr = block.coefs[failed], block.corrs[failed]
            added = self._admit_violators(float(block.lams[failed]))
            share = INNER_SHARE if added or failed else 0.1 * share
        return [answer for answer, wanted in zip(self.answers, self.wanted, strict=True) if wanted]

    def _solved(self, lams: np.ndarray, share: float, from_gram: bool) -> _Block:
        """Solutions on the working set, and what is needed to judge them on all columns."""
        chosen, problem = self.chosen, self.problem
        if share == INNER_SHARE and not chosen.is_whole:
            self._admit_predicted(float(lams[-1]))
        coef = np.zeros(chosen.size)
        coef[: len(self.coef)] = self.coef
        corr, moment = self.corr[chosen.columns], problem.moment[chosen.columns]
        coefs = np.empty((len(lams), chosen.size))
        start = len(self.answers)
        for k, lam in enumerate(lams):
            level = problem.level(float(lam), chosen.columns)
            if problem.penalty.l1_ratio < 1.0:
                chosen.n_factor = 0  # the ridge term moved, and the factor with it
            stop = (share * self.allowed[start + k], self.max_iter)
            _, rounds, chosen.n_factor = gram_descent(
                chosen.gram, moment, problem.target_square, level.threshold, level.ridge, level.positive, stop,
                coef, corr, chosen.factor, chosen.order, chosen.n_factor,
            )  # fmt: skip
            self.n_iter += rounds
            coefs[k] = coef
        if from_gram:
            corrs = moment - coefs @ chosen.gram
            return _Block(lams, coefs, corrs, problem.target_square - np.sum(coefs * (moment + corrs), axis=1))
        residuals = problem.columns.target - chosen.fitted(coefs)
        squares = np.einsum("ij,ij->i", residuals, residuals)
        return _Block(lams, coefs, problem.columns.correlations(residuals), squares)

    def _accept(self, block: _Block, give_up: bool) -> int | None:
        """Keep the leading solutions that are good enough; the place of the first that is not."""
        for k, lam in enumerate(block.lams):
            inside = np.flatnonzero(block.coefs[k])
            point = Point(self.chosen.columns[inside], block.coefs[k, inside], block.corrs[k], float(block.squares[k]))
            gap, doubt = duality_gap(self.problem.level(float(lam)), point, self.rounding, self.problem.free)
            enough = gap <= self.allowed[len(self.answers)]
            if not enough and not give_up and gap > 2.0 * doubt:
                return k
            self.answers.append(Answer(point.support, point.coef, gap, bool(enough)))
            if lam < self.lam:
                self.slope = (block.corrs[k] - self.corr) / (lam - self.lam)
            self.coef, self.corr, self.lam, give_up = block.coefs[k], block.corrs[k], float(lam), False
        return None

    def _admit_predicted(self, lam_end: float) -> None:
        """Columns whose correlation, carried on along the path, comes near its threshold at ``lam_end``."""
        threshold = self.problem.level(lam_end).threshold
        way = (self.lam / lam_end - 1.0) * threshold if self.lam > lam_end else 0.0 * threshold
        if self.slope is None:
            reach = np.abs(self.corr) + way  # a correlation rarely moves faster than the threshold itself
        else:
            ahead = self.corr + self.slope * (lam_end - self.lam)
            reach = np.maximum(np.abs(self.corr), np.abs(ahead)) + MARGIN * way
        self.chosen.admit(np.flatnonzero(reach > threshold))

    def _admit_violators(self, lam: float) -> int:
        """Columns outside the working set whose correlation exceeds its threshold."""
        size = self.corr if self.problem.penalty.positive else np.abs(self.corr)
        return self.chosen.admit(np.flatnonzero(size > self.problem.level(lam).threshold))


def stepping_stones(lams: np.ndarray, top: float) -> tuple[np.ndarray, np.ndarray]:
    """The decreasing grid with geometric steps put in where it falls too fast from ``top`` on, and who was asked for.

    >>> stepping_stones(np.array([1.0]), 2.0)
    (array([1.41421356, 1.        ]), array([False,  True]))
    """
    grid: list[float] = []
    wanted: list[bool] = []
    for lam in lams.tolist():
        before = min(grid[-1] if grid else np.inf, max(top, lam))
        parts = max(int(np.ceil(np.log(before / lam) / np.log(LARGEST_RATIO))), 1)
        grid += [before * (lam / before) ** (k / parts) for k in range(1, parts)] + [lam]
        wanted += [False] * (parts - 1) + [True]
    return np.array(grid), np.array(wanted, dtype=bool)
