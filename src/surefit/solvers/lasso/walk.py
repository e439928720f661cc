"""Layer solvers: the walk down a decreasing grid of ``lam``.

In: a `LassoProblem` and the grid.  Out: an `Answer` with its gap for every ``lam``.  Several ``lam`` ahead are solved
on a working set of columns, then verified on all columns in one pass over the data.  Columns join the working set when
their correlation, extrapolated along the path, comes near its threshold, or when verification finds that they were
missed.
"""

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np

from surefit.compiled.door import gram_descent
from surefit.progress import Task
from surefit.solvers.lasso import limits
from surefit.solvers.lasso.focus import Focus, GramCache, SparseFocus
from surefit.solvers.lasso.gap import LassoPoint, duality_gap
from surefit.solvers.lasso.path import SparsePath
from surefit.solvers.lasso.problem import LassoProblem
from surefit.solvers.solution import Status
from surefit.threads import Workers


@dataclass(frozen=True)
class Answer:
    """The solution at one ``lam`` on the scale of the `LassoProblem`."""

    support: np.ndarray
    coef: np.ndarray
    gap: float
    status: Status


@dataclass(frozen=True)
class Start:
    """Where an earlier walk over the same problem ended: its smallest ``lam``, and the coefficients there."""

    lam: float
    coef: np.ndarray


def end_of(path: SparsePath) -> Start:
    """The end of a path, for the next to go on from."""
    last = int(np.argmin(path.lams))
    return Start(float(path.lams[last]), path.coefs[last])


@dataclass(frozen=True)
class _Block:
    """Points at neighbouring ``lam``, each with its gap and how much of that is owed to rounding."""

    points: list[LassoPoint]
    gaps: list[tuple[float, float]]


class PathRun:
    """One path; ``solve()`` returns an `Answer` for each ``lam``, ``n_iter`` counts the rounds of the inner solver."""

    def __init__(self, problem: LassoProblem, lams: np.ndarray, tol: float, max_iter: int, start: Start | None = None):
        self.problem, self.max_iter, self.n_iter = problem, max_iter, 0
        self.now, self.lam = problem.null, problem.lam_max  # a point, and the ``lam`` that it answers
        if start is not None and start.lam < self.lam and problem.rotation is None:
            self.now, self.lam = problem.point_at(start.coef / problem.size_of_y), start.lam
        columns = problem.columns
        self.full_gram = columns.products is not None
        ratio = limits.LARGEST_RATIO_BY_GRAM if self.full_gram else limits.LARGEST_RATIO
        self.grid, self.wanted = stepping_stones(lams, self.lam, ratio)
        share = 1.0 if columns.A.design.is_sparse else np.minimum(self.grid, problem.lam_max) / (problem.lam_max or 1.0)
        relative = np.where(self.wanted, tol, np.maximum(tol, limits.STONE_TOL * share))
        self.allowed = relative * problem.null.residual_square
        self.cache = GramCache(columns)
        everything = np.arange(columns.A.d if self.full_gram else 0)
        self.focus = Focus(everything, np.empty((0, 0)) if columns.products is None else columns.products.gram)
        self.answers: list[Answer] = []
        self.accepted = (self.lam, self.now.corr)
        self.corr_per_lam: np.ndarray | None = None  # how correlations change along the path
        self.large: SparseFocus | None = None
        self.swept = 0.0  # entries that sweeps over sparse columns have visited
        self.exhausted = False  # whether the last descent ended at its limit of rounds
        self.stalled = (-1, np.inf, 0)  # which lam was last refused, with which gap, how often without progress

    def solve(self) -> list[Answer]:
        """The answers for the ``lam`` that were asked for, in their order."""
        tell = Task("lasso path", len(self.grid), "lam")
        furthest = len(self.grid) if self.full_gram else limits.LOOK_AHEAD
        ahead, tries, share = (furthest if self.full_gram else 2), 0, limits.INNER_SHARE
        while len(self.answers) < len(self.grid):
            lams = self._next(ahead)
            missed = self._refocus(lams)
            self.stalled = (-1, np.inf, 0) if missed else self.stalled
            share = limits.INNER_SHARE if missed or not tries else 0.1 * share
            if self.full_gram and not tries:
                block = self._descend_and_judge(lams, share)
            else:
                block = self._judged(lams, self._points(self._descended(lams, share)))
            closely = self.full_gram or (tries > 0 and not missed)
            failed = self._accept(lams, block, closely, give_up=tries >= limits.MAX_TRIES)
            if failed is not None and self._astray(block.points[failed]):
                self._stay(float(lams[failed]))
                failed = None
            tell(len(self.answers), self.answers[-1].gap if self.answers else np.inf)
            tries = 0 if failed is None else (tries + 1 if failed == 0 else 1)
            if failed is None:
                ahead = min(2 * ahead, furthest)
            else:
                ahead = 2 if self.full_gram else ahead
                self.now, self.lam = block.points[failed], float(lams[failed])
        return [answer for answer, wanted in zip(self.answers, self.wanted, strict=True) if wanted]

    def _astray(self, point: LassoPoint) -> bool:
        """Whether a search has lost its way: no step of a descent fits the target worse than nothing does."""
        return not abs(point.residual_square) <= 2.0 * self.problem.null.residual_square

    def _stay(self, lam: float) -> None:
        """Answer with the last point before the search lost its way, and forget the factor that misled it."""
        gap, _ = duality_gap(self.problem.level(lam), self.now, self.problem.rounding, self.problem.free)
        self.answers.append(Answer(self.now.support, self.now.coef, gap, Status.ROUNDING))
        self.focus = Focus(self.focus.columns, self.focus.gram)

    def _next(self, ahead: int) -> np.ndarray:
        """The ``lam`` to solve for next: so many, but none much smaller than the first unless all columns are here."""
        lams = self.grid[len(self.answers) : len(self.answers) + ahead]
        return lams if self.full_gram else lams[lams * limits.FURTHEST >= lams[0]]

    def _refocus(self, lams: np.ndarray) -> int:
        """Turn to the columns that these ``lam`` will need; how many were not in focus before."""
        if self.full_gram:
            return 0
        here = np.zeros(self.problem.columns.A.d, dtype=bool)
        here[self.focus.columns] = True
        urgency = self._urgency(float(lams[0]), float(lams[-1]))
        needed = urgency > 1.0
        joining, most = np.flatnonzero(needed & ~here), max(limits.FIRST, len(self.now.support))
        if len(joining) > most:
            needed[joining[np.argpartition(-urgency[joining], most)[most:]]] = False
        needed[self.now.support] = True  # after that: the support that a walk begins with is not in focus yet
        needed[self.focus.factored] = True
        columns = np.flatnonzero(needed)
        missed = int(np.count_nonzero(~here[columns]))
        if missed or len(columns) < limits.REFOCUS_BELOW * len(self.focus.columns):
            self._turn_to(columns)
        return missed

    def _turn_to(self, columns: np.ndarray) -> None:
        source = self.problem.columns
        if source.A.design.is_sparse and len(columns) > limits.FEW_SPARSE:
            credit = self.swept * (limits.STAY if self.large is None else 1.0)
            self.large = SparseFocus(source, columns)
            if credit < self._price():
                self.focus = Focus(columns, np.empty((0, 0)))
                return
        self.focus, self.large = self.focus.moved(columns, self.cache.gram(columns)), None

    def _price(self) -> float:
        """How many entries sweeps may visit before the Gram matrix of the columns in focus is the cheaper way."""
        assert self.large is not None
        return self.large.gram_price if len(self.large.columns) <= limits.MOST_SPARSE else np.inf

    def _urgency(self, lam: float, lam_end: float) -> np.ndarray:
        """Correlations in units of their thresholds, at ``lam`` or, carried on along the path, at ``lam_end``.

        Columns beyond one are needed.  Where neither end is, nothing between them is: the excess of a linear function
        over one is convex.  An unpenalised column is beyond unless nothing is left for it.
        """
        corr, positive = self.now.corr, self.problem.penalty.positive
        threshold = self.problem.level(lam_end).threshold
        way = max(self.lam / lam_end - 1.0, 0.0) * threshold
        if self.corr_per_lam is None:
            ahead, reach = corr, way  # a correlation rarely moves faster than the threshold itself
        else:
            ahead, reach = corr + self.corr_per_lam * (lam_end - self.lam), limits.MARGIN * way
        there = (ahead if positive else np.abs(ahead)) + reach
        now, level = corr if positive else np.abs(corr), self.problem.level(lam).threshold
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.fmax(there / threshold, now / level)

    def _descended(self, lams: np.ndarray, share: float) -> np.ndarray:
        """Solutions on the columns in focus, by the way that seems cheaper."""
        coefs = None if self.large is None else self._descend_columns(lams, share)
        if coefs is None and self.large is not None:  # sweeps crawl
            self._turn_to(self.focus.columns)
        return self._descend(lams, share) if coefs is None else coefs

    def _descend(self, lams: np.ndarray, share: float) -> np.ndarray:
        """Solutions on the columns in focus, one row for each ``lam``."""
        return np.concatenate(list(self._walk(lams, share, len(lams))))

    def _descend_and_judge(self, lams: np.ndarray, share: float) -> _Block:
        """Solutions and their gaps; of a large problem, some are judged while the next are sought."""
        several = len(lams) // limits.JUDGED_TOGETHER if len(self.focus.columns) >= limits.LARGE_ENOUGH_TO_SHARE else 1
        if several < 2:
            return self._judged(lams, self._points_by_gram(self._descend(lams, share)))
        with Workers(1) as judge:

            def judged(start: int, coefs: np.ndarray) -> Future[_Block]:
                here = lams[start : start + len(coefs)]
                return judge.submit(lambda: self._judged(here, self._points_by_gram(coefs)))

            parts = [
                judged(k * limits.JUDGED_TOGETHER, coefs)
                for k, coefs in enumerate(self._walk(lams, share, limits.JUDGED_TOGETHER))
            ]
            blocks = [part.result() for part in parts]
        return _Block([p for block in blocks for p in block.points], [g for block in blocks for g in block.gaps])

    def _judged(self, lams: np.ndarray, points: list[LassoPoint]) -> _Block:
        problem = self.problem

        def gap(lam: float, point: LassoPoint) -> tuple[float, float]:
            if self._astray(point):
                return np.inf, 0.0
            return duality_gap(problem.level(lam), point, problem.rounding, problem.free)

        return _Block(points, [gap(*pair) for pair in zip(lams.tolist(), points, strict=True)])

    def _walk(self, lams: np.ndarray, share: float, together: int) -> Iterator[np.ndarray]:
        """Solutions on the columns in focus, one row for each ``lam``, so many at a time."""
        focus, start = self.focus, len(self.answers)
        self.exhausted = False
        coef = np.zeros(len(focus.columns))
        coef[np.searchsorted(focus.columns, self.now.support)] = self.now.coef
        corr = self.now.corr[focus.columns]
        found: list[np.ndarray] = []
        for k in range(len(lams)):
            self._descend_to(start + k, share, coef, corr)
            found.append(coef.copy())
            if len(found) == together or k + 1 == len(lams):
                yield np.array(found)
                found = []

    def _descend_to(self, place: int, share: float, coef: np.ndarray, corr: np.ndarray) -> None:
        """Minimise on the columns in focus for one ``lam`` of the grid, from ``coef`` and ``corr``, in place.

        A start that is good enough, that of a tiny ``lam``, still gets one step: it is the answer to a larger ``lam``.
        """
        focus, problem = self.focus, self.problem
        level = problem.level(float(self.grid[place]), focus.columns)
        if problem.penalty.l1_ratio < 1.0:
            focus.refactor(np.flatnonzero(coef), level.ridge)  # the ridge term moved
        enough = share * self.allowed[place]
        for stop in ((enough, self.max_iter), (limits.ONE_STEP * enough, 1)):
            _, rounds, focus.n_factor = gram_descent(
                focus.gram, problem.moment[focus.columns], problem.target_square, level.threshold, level.ridge,
                level.positive, stop, coef, corr, focus.factor, focus.order, focus.n_factor,
            )  # fmt: skip
            self._count(rounds)
            if rounds or not (self.wanted[place] and np.any(coef)):
                break

    def _descend_columns(self, lams: np.ndarray, share: float) -> np.ndarray | None:
        """The same for a large support of a sparse design, by sweeps over its columns; ``None`` if they cost more."""
        assert self.large is not None
        self.exhausted = False
        coef = np.zeros(len(self.large.columns))
        coef[np.searchsorted(self.large.columns, self.now.support)] = self.now.coef
        residual = self.large.residual(coef)
        coefs = np.empty((len(lams), len(coef)))
        for k, lam in enumerate(lams):
            level = self.problem.level(float(lam), self.large.columns)
            affordable = 1.0 + max(self._price() - self.swept, 0.0) / self.large.visits
            stop = (
                limits.SWEEP_SHARE * share * self.allowed[len(self.answers) + k],
                int(min(affordable, self.max_iter)),
            )
            rounds = self.large.descend(level, stop, coef, residual)
            self.swept += rounds * self.large.visits
            self._count(rounds)
            if self.swept >= self._price():
                return None
            coefs[k] = coef
        return coefs

    def _count(self, rounds: int) -> None:
        self.n_iter += rounds
        self.exhausted |= rounds >= self.max_iter

    def _points(self, coefs: np.ndarray) -> list[LassoPoint]:
        """The solutions with correlations from one pass over the data."""
        columns = self.problem.columns
        fitted = self.cache.fitted if self.large is None and not self.full_gram else columns.fitted
        residuals = columns.target - fitted(self.focus.columns, coefs)
        corrs = columns.correlations(residuals)
        squares = np.einsum("ij,ij->i", residuals, residuals)
        return [self._point(*parts) for parts in zip(coefs, corrs, squares, strict=True)]

    def _points_by_gram(self, coefs: np.ndarray) -> list[LassoPoint]:
        """The solutions with correlations ``A't - A'A w`` from the Gram matrix of all columns."""
        moment = self.problem.moment
        with np.errstate(over="ignore", invalid="ignore"):  # where a search has lost its way
            corrs = moment - self._times_gram(coefs)
            squares = self.problem.target_square - np.sum(coefs * (moment + corrs), axis=1)
        return [self._point(*parts) for parts in zip(coefs, corrs, squares, strict=True)]

    def _times_gram(self, coefs: np.ndarray) -> np.ndarray:
        """``coefs @ gram``; where few columns are in any of the rows, with the others left out."""
        inside = np.flatnonzero(coefs.any(axis=0))
        few = len(inside) < limits.FEW_INSIDE * coefs.shape[1]
        return coefs[:, inside] @ self.focus.gram[inside] if few else coefs @ self.focus.gram

    def _point(self, coef: np.ndarray, corr: np.ndarray, square: float) -> LassoPoint:
        inside = np.flatnonzero(coef)
        return LassoPoint(self.focus.columns[inside], coef[inside], corr, float(square))

    def _accept(self, lams: np.ndarray, block: _Block, closely: bool, give_up: bool) -> int | None:
        """Keep the leading solutions that are good enough; the place of the first that is not.

        ``closely``: where the plain gap is too large, the closer one decides.  Searching on would not lower the plain
        one where thresholds are as small as rounding of the correlations.
        """
        for k, (lam, point, (gap, doubt)) in enumerate(zip(lams.tolist(), block.points, block.gaps, strict=True)):
            if self._astray(point):
                return k
            allowed = float(self.allowed[len(self.answers)])
            if closely and gap > allowed:
                gap = min(gap, self.problem.closer_gap(lam, point, self.problem.rounding, allowed))
            enough = gap <= allowed
            if not (enough or give_up or gap <= 2.0 * doubt or (k == 0 and self._stalls(gap))):
                return k
            ended = Status.CONVERGED if enough else (Status.MAX_ITER if give_up or self.exhausted else Status.ROUNDING)
            self.answers.append(Answer(point.support, point.coef, gap, ended))
            before, corr = self.accepted
            if lam < before:
                self.corr_per_lam = (point.corr - corr) / (lam - before)
            self.now, self.lam, self.accepted, give_up = point, lam, (lam, point.corr), False
        return None

    def _stalls(self, gap: float) -> bool:
        """Whether the gap at this ``lam`` has hardly fallen for several tries: more of them would not help."""
        place, last, times = self.stalled
        times = times + 1 if place == len(self.answers) and gap > 0.9 * last else 0
        self.stalled = (len(self.answers), gap, times)
        return times >= limits.STALLED_TRIES


def stepping_stones(lams: np.ndarray, top: float, ratio: float) -> tuple[np.ndarray, np.ndarray]:
    """The decreasing grid with geometric steps put in where it falls faster than by ``ratio``, and who was asked for.

    The first step is from ``top``.

    >>> stepping_stones(np.array([1.0]), 1.21, 1.15)
    (array([1.1, 1. ]), array([False,  True]))
    """
    grid: list[float] = []
    wanted: list[bool] = []
    for lam in lams.tolist():
        before = min(grid[-1] if grid else np.inf, max(top, lam))
        parts = max(int(np.ceil(np.log(before / lam) / np.log(ratio))), 1)
        grid += [before * (lam / before) ** (k / parts) for k in range(1, parts)] + [lam]
        wanted += [False] * (parts - 1) + [True]
    return np.array(grid), np.array(wanted, dtype=bool)
