"""Layer solvers: least squares and ridge over a stream, exactly, in memory that does not grow.

In: rows in any partition into blocks.  Out: at any moment the solution of all rows so far, from the triangle of a QR
decomposition of ``[1, X, Y]`` to which new rows are stacked (catalogue A-02, A-09, A-10).  Rows wait until there are
enough of them for one decomposition; how many is decided by the number of columns alone, so that the partition changes
nothing, not even a bit.  The answer has the digits of plain QR, not those of normal equations.

``forget < 1`` multiplies the weights of all earlier rows by ``forget`` with every row: a row that is ``k`` rows old
weighs ``forget**k``, and the solution follows a drifting stream.  What is given up: the rows that count never exceed
``1 / (1 - forget)``, so estimates stay noisy however long the stream, and it is no batch answer to all rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from surefit.data.scale import power_of_two
from surefit.solvers.linear.factor import EPS, TriangularFactor, qr_factor, triangle_of

FEWEST = 64
"""Rows that wait for one decomposition, at least; twice the number of columns if that is more."""


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

    def ridge(self, lam: float, units: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, TriangularFactor]:
        """Coefficients (d, k) and intercepts (k,) of ``mean((y - X w - b)**2) + lam * ||units * w||**2``.

        ``units=None`` penalises ``w`` itself.  Of all minimisers that of least ``||w||``.  The factor is that of the
        centred columns in units of ``scale``, penalty included.
        """
        first, d = int(self.fit_intercept), self.d
        centred, rest = self.triangle[first:, first : first + d], self.triangle[first:, first + d :]
        scale, size = self.scale[:d], self.scale[d:]
        rows = np.hstack([centred, rest])
        dead = self.dead_columns()
        rows[:, :d][:, dead] = 0.0
        if lam > 0:
            roots = np.sqrt(lam * self.total_weight) * (1.0 if units is None else units) / scale
            rows = np.vstack([rows, np.hstack([np.diag(np.broadcast_to(roots, d)), np.zeros((d, rest.shape[1]))])])
            dead = dead & (roots == 0.0)
        factor, rotated = qr_factor(triangle_of(rows), d, self.n, dead)
        coef = factor.solve(rotated)
        if factor.rank < d:
            basis = np.linalg.qr(factor.null_basis() / scale[:, None])[0]
            coef = coef / scale[:, None]
            coef = (coef - basis @ (basis.T @ coef)) * scale[:, None]
        intercept = self.means()[d:] - self.means()[:d] @ coef if first else np.zeros(rest.shape[1])
        return coef / scale[:, None] * size, intercept * size, factor

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
        return Stacked(self.triangle, self.scale, self.origin, self.fit_intercept, self.d, self.n, self.total_weight)

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
        centred = values / scale
        centred[:, : self.d] -= origin / scale[: self.d]
        ones = [np.ones((self.held, 1))] if self.fit_intercept else []
        triangle = triangle_of(np.hstack([*ones, centred]) * np.sqrt(weight)[:, None], triangle)
        total = faded * self.total_weight + float(weight.sum())
        n = self.n + self.held
        return Stacked(triangle, scale, origin, self.fit_intercept, self.d, n, total)

    def copy(self) -> StackedRows:
        """The same state, of which later rows change nothing here."""
        return replace(self, waiting=self.waiting.copy())
