"""Layer solvers: least squares and ridge over a stream, exactly, in memory that does not grow.

In: rows in any partition into blocks.  Out: at any moment the solution of all rows so far, from the triangle of a QR
decomposition of ``[1, X, Y]`` to which new rows are stacked (catalogue A-02, A-09, A-10).  Rows wait until there are
enough of them for one decomposition; how many is decided by the number of columns alone, so that the partition changes
nothing, not even a bit.  The triangle has the digits of plain QR, not those of normal equations; with up to 100 columns
and targets their products are kept in 106 bits as well, and correct the answer as a second pass over the rows would.

``forget < 1`` multiplies the weights of all earlier rows by ``forget`` with every row: a row that is ``k`` rows old
weighs ``forget**k``, and the solution follows a drifting stream.  What is given up: the rows that count never exceed
``1 / (1 - forget)``, so estimates stay noisy however long the stream, and it is no batch answer to all rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from surefit.data.scale import EPS, power_of_two
from surefit.solvers.linear.factor import TriangularFactor, qr_factor, triangle_of
from surefit.solvers.online.products import Pair, centred, exact_products, plus, refined, times

FEWEST = 64
"""Rows that wait for one decomposition, at least; twice the number of columns if that is more."""
MOST_EXACT = 100
"""Columns and targets up to which their products are kept in 106 bits: three times the work of the triangle alone."""


@dataclass(frozen=True)
class Answer:
    """Coefficients (d, k), intercepts (k,), the factor that found them, their gap, and how often they were improved."""

    coef: np.ndarray
    intercept: np.ndarray
    factor: TriangularFactor
    gap: float
    refinements: int


@dataclass(frozen=True)
class Stacked:
    """The triangle of ``sqrt(weight) [1, X / scale - shift, Y / size]``, the constant first if there is one."""

    triangle: np.ndarray
    scale: np.ndarray
    origin: np.ndarray
    fit_intercept: bool
    d: int
    n: int
    total_weight: float
    products: np.ndarray
    """Of ``sqrt(weight) [1, X, Y] / scale`` in 106 bits, (2, p, p); empty if there are too many columns."""

    def ridge(self, lam: float, units: np.ndarray | None = None) -> Answer:
        """Coefficients (d, k) and intercepts (k,) of ``mean((y - X w - b)**2) + lam * ||units * w||**2``.

        ``units=None`` penalises ``w`` itself.  Of all minimisers that of least ``||w||``.  The factor is that of the
        centred columns in units of ``scale``, penalty included; the gap, of the sum of all targets, is infinite where
        the answer could not be corrected.
        """
        first, d = int(self.fit_intercept), self.d
        rest = self.triangle[first:, first + d :]
        scale, size = self.scale[:d], self.scale[d:]
        rows = self.triangle[first:, first:].copy()
        dead = self.dead_columns()
        rows[:, :d][:, dead] = 0.0
        if lam > 0:
            roots = np.sqrt(lam * self.total_weight) * (1.0 if units is None else units) / scale
            rows = np.vstack([rows, np.hstack([np.diag(np.broadcast_to(roots, d)), np.zeros((d, rest.shape[1]))])])
            dead = dead & (roots == 0.0)
        factor, rotated = qr_factor(triangle_of(rows), d, self.n, dead)
        coef = factor.solve(rotated)
        if factor.rank == d and len(self.products) and not np.any(dead):
            penalty = np.broadcast_to(roots**2 if lam > 0 else 0.0, d).astype(float)
            return self._corrected(coef, penalty, factor)
        if factor.rank < d:
            basis = np.linalg.qr(factor.null_basis() / scale[:, None])[0]
            coef = coef / scale[:, None]
            coef = (coef - basis @ (basis.T @ coef)) * scale[:, None]
        intercept = self.means()[d:] - self.means()[:d] @ coef if first else np.zeros(rest.shape[1])
        return Answer(coef / scale[:, None] * size, intercept * size, factor, np.inf, 0)

    def _corrected(self, coef: np.ndarray, penalty: np.ndarray, factor: TriangularFactor) -> Answer:
        """The answer in 106 bits, rounded once."""
        d, k, first = self.d, coef.shape[1], int(self.fit_intercept)
        whole: Pair = (self.products[0], self.products[1])
        about = centred(whole) if first else whole
        found = []
        for j in range(k):
            wanted = np.append(np.arange(d), d + j)
            pair = (about[0][np.ix_(wanted, wanted)], about[1][np.ix_(wanted, wanted)])
            found.append(refined(pair, penalty, coef[:, j], factor.solve_normal))
        size, intercept = self.scale[d:], np.zeros(k)
        if first:
            sums = (whole[0][0], whole[1][0])
            for j, one in enumerate(found):
                rest: Pair = (sums[0][[1 + d + j]], sums[1][[1 + d + j]])
                for i in range(d):
                    taken = times((sums[0][[1 + i]], sums[1][[1 + i]]), (one.coef[0][i], one.coef[1][i]))
                    rest = plus(rest, (-taken[0], -taken[1]))
                intercept[j] = (rest[0] + rest[1])[0] / sums[0][0]
        coef = np.stack([one.coef[0] for one in found], axis=1)
        rounding = (EPS * (factor.size @ np.abs(coef) + np.sqrt(self.total_weight) * np.abs(intercept))) ** 2
        gap = float(np.sum((np.array([one.excess for one in found]) + rounding) * size**2) / self.total_weight)
        rounds = max(one.rounds for one in found)
        return Answer(coef / self.scale[:d, None] * size, intercept * size, factor, gap, rounds)

    def means(self) -> np.ndarray:
        """The weighted means of all columns, in units of ``scale``."""
        first = self.triangle[0, 1:] / self.triangle[0, 0]
        return first + np.append(self.origin / self.scale[: self.d], np.zeros(len(first) - self.d))

    def spreads(self) -> np.ndarray:
        """The standard deviations of the columns of ``X``, in the user's units (root mean squares, if uncentred)."""
        first = int(self.fit_intercept)
        return self._norms(first) / np.sqrt(self.total_weight) * self.scale[: self.d]

    def dead_columns(self) -> np.ndarray:
        """Which columns are constant up to rounding, so that nothing of them is left once they are centred."""
        first = int(self.fit_intercept)
        means = np.abs(self.means()[: self.d]) if first else np.zeros(self.d)
        return self._norms(first) <= 8.0 * EPS * means * np.sqrt(self.total_weight)

    def _norms(self, first: int) -> np.ndarray:
        return np.linalg.norm(self.triangle[first:, first : first + self.d], axis=0)

    def residual_square(self, lam_sum: float, penalise_constant: bool = False) -> tuple[float, np.ndarray]:
        """``min_u ||y - X u||**2 + lam_sum ||u||**2`` for one target, and its ``u``, the constant last if there is one.

        With ``penalise_constant`` the constant is a feature like any other; so a comparator of an online learner,
        whose intercept is the weight of a constant 1, is measured.
        """
        first, d, scale = int(self.fit_intercept), self.d, self.scale
        columns = self.triangle[:, first : first + d] * scale[:d]
        target = self.triangle[:, first + d] * scale[d]
        roots = np.full(d + first, np.sqrt(lam_sum))
        if first:
            columns = np.column_stack([columns + self.triangle[:, [0]] * self.origin, self.triangle[:, 0]])
            roots[-1] = np.sqrt(lam_sum) if penalise_constant else 0.0
        rows, wanted = np.vstack([columns, np.diag(roots)]), np.append(target, np.zeros(d + first))
        size = np.linalg.norm(rows, axis=0)
        size[size == 0] = 1.0
        u = np.linalg.lstsq(rows / size, wanted, rcond=None)[0] / size
        return float(np.sum((rows @ u - wanted) ** 2)), u


@dataclass(eq=False)
class StackedRows:
    """The state: a triangle, and the rows that wait to be stacked.

    ``d`` columns and ``k`` targets; arrays and numbers only.
    """

    d: int
    k: int = 1
    fit_intercept: bool = True
    forget: float = 1.0
    triangle: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    scale: np.ndarray = field(default_factory=lambda: np.zeros(0))
    origin: np.ndarray = field(default_factory=lambda: np.zeros(0))
    waiting: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    held: int = 0
    n: int = 0
    total_weight: float = 0.0
    products: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 0)))

    def __post_init__(self) -> None:
        if self.waiting.size == 0:
            self.waiting = np.zeros((max(FEWEST, 2 * (self.d + self.k)), self.d + self.k + 1))

    def add(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> None:
        """Take in rows ``X`` (m, d), targets ``y`` (m, k) and weights (m,); rows of weight zero are not there."""
        rows = np.column_stack([X, y, np.ones(len(X)) if weight is None else weight])
        rows = rows[rows[:, -1] > 0]
        while len(rows):
            taken = rows[: len(self.waiting) - self.held]
            self.waiting[self.held : self.held + len(taken)] = taken
            self.held, rows = self.held + len(taken), rows[len(taken) :]
            if self.held == len(self.waiting):
                stacked = self._stacked()
                self.triangle, self.scale, self.origin = stacked.triangle, stacked.scale, stacked.origin
                self.n, self.total_weight, self.held = stacked.n, stacked.total_weight, 0
                self.products = stacked.products

    def widen(self, d: int) -> None:
        """Columns that no row has had so far: they were zero."""
        if d <= self.d:
            return
        if self.rows == 0:
            self.d, self.waiting = d, np.zeros((0, 0))
            self.__post_init__()
            return
        place, more = int(self.fit_intercept) + self.d, d - self.d
        self.waiting = np.insert(self.waiting, [self.d] * more, 0.0, axis=1)
        if len(self.triangle):
            self.triangle = np.insert(self.triangle, [place] * more, 0.0, axis=1)
            self.scale = np.insert(self.scale, [self.d] * more, 1.0)
            self.origin = np.append(self.origin, np.zeros(more))
        if len(self.products):
            for axis in (1, 2):
                self.products = np.insert(self.products, [place] * more, 0.0, axis=axis)
        self.d = d

    @property
    def rows(self) -> int:
        """Rows taken in."""
        return self.n + self.held

    def solved(self) -> Stacked:
        """All rows so far, those that wait included; nothing is changed."""
        if self.rows == 0:
            raise ValueError("no row with a positive weight has come yet; give at least one")
        if self.held:
            return self._stacked()
        sizes = (self.d, self.n, self.total_weight)
        return Stacked(self.triangle, self.scale, self.origin, self.fit_intercept, *sizes, self.products)

    def _stacked(self) -> Stacked:
        """Columns are divided by powers of two that may grow: the triangle is divided along, which is exact."""
        values, weight = self.waiting[: self.held, :-1], self.waiting[: self.held, -1]
        weight = weight * self.forget ** np.arange(self.held - 1, -1, -1)
        faded = self.forget**self.held
        scale, triangle = power_of_two(np.abs(values).max(axis=0)), None
        if len(self.triangle):
            scale = np.maximum(scale, self.scale)
            constant = [1.0] if self.fit_intercept else []
            triangle = self.triangle * np.append(constant, self.scale / scale) * np.sqrt(faded)
            origin = self.origin
        elif self.fit_intercept:
            origin = (values[:, : self.d] / scale[: self.d]).mean(axis=0) * scale[: self.d]
        else:
            origin = np.zeros(self.d)
        near = values / scale
        near[:, : self.d] -= origin / scale[: self.d]
        ones = [np.ones((self.held, 1))] if self.fit_intercept else []
        triangle = triangle_of(np.hstack([*ones, near]) * np.sqrt(weight)[:, None], triangle)
        total = faded * self.total_weight + float(weight.sum())
        products = self._multiplied(values / scale, weight, scale, faded)
        return Stacked(triangle, scale, origin, self.fit_intercept, self.d, self.n + self.held, total, products)

    def _multiplied(self, scaled: np.ndarray, weight: np.ndarray, scale: np.ndarray, faded: float) -> np.ndarray:
        """The products of all columns, with those of the rows that wait."""
        if self.d + self.k > MOST_EXACT or (self.n and not len(self.products)):
            return np.zeros((0, 0, 0))
        ones = [np.ones((len(scaled), 1))] if self.fit_intercept else []
        found = exact_products(np.hstack([*ones, scaled]) * np.sqrt(weight)[:, None] / self._root(weight))
        found = (found[0] * self._root(weight) ** 2, found[1] * self._root(weight) ** 2)
        if len(self.products):
            shrink = np.append([1.0] if self.fit_intercept else [], self.scale / scale)
            before = self.products * np.outer(shrink, shrink)  # powers of two: exact
            found = plus(times((before[0], before[1]), (np.array(faded), np.array(0.0))), found)
        return np.stack(found)

    @staticmethod
    def _root(weight: np.ndarray) -> float:
        """A power of two that no root of a weight exceeds by more than it must: rows stay in the range of slices."""
        return float(2.0 * power_of_two(np.sqrt(np.array(weight.max())))) if np.any(weight != 1.0) else 1.0

    def copy(self) -> StackedRows:
        """The same state, of which later rows change nothing here."""
        return replace(self, waiting=self.waiting.copy())
