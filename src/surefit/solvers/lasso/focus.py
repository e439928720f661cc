"""Layer solvers: the working set of columns, with their inner products.

In: a `Columns`.  Out: a `GramCache`, the inner products of the columns that ever mattered, which only grows; and
the working set of the next steps: a `Focus` with its Gram matrix, or a `SparseFocus` for sweeps without one.
"""

from typing import Literal

import numpy as np
from scipy import sparse
from scipy.linalg import lapack

from surefit.compiled.door import column_descent
from surefit.compiled.limits import SMALLEST_PIVOT
from surefit.solvers.lasso import limits
from surefit.solvers.lasso.columns import Columns
from surefit.solvers.lasso.gap import LevelPenalty


class GramCache:
    """Columns that mattered so far and their inner products."""

    def __init__(self, source: Columns):
        self.source = source
        self.columns = np.empty(0, dtype=np.int64)
        self._place = np.full(source.A.d, -1, dtype=np.int64)
        self._held = np.empty((source.A.n, 0), order="F")
        self._gram = np.empty((0, 0))

    def gram(self, columns: np.ndarray) -> np.ndarray:
        """Inner products of these columns, shape ``(k, k)``; those not met before are computed."""
        self._admit(columns[self._place[columns] < 0])
        place = self._place[columns]
        return np.take(np.take(self._gram, place, axis=0), place, axis=1)  # twice as fast as both at once

    def fitted(self, columns: np.ndarray, coefs: np.ndarray) -> np.ndarray:
        """``coefs @ A[:, columns].T`` for rows of coefficients ``(m, k)`` on columns that are here."""
        if self.source.A.design.is_sparse:
            return self.source.fitted(columns, coefs)
        wide = np.zeros((len(coefs), len(self.columns)))
        wide[:, self._place[columns]] = coefs
        return wide @ self._held[:, : len(self.columns)].T

    def _admit(self, new: np.ndarray) -> None:
        if not len(new):
            return
        old, total = len(self.columns), len(self.columns) + len(new)
        self._reserve(total)
        self._place[new] = np.arange(old, total)
        self.columns = np.concatenate([self.columns, new])
        cross = self._products(new, old)
        self._gram[old:total, :total] = cross
        self._gram[:old, old:total] = cross[:, :old].T

    def _products(self, new: np.ndarray, old: int) -> np.ndarray:
        """Inner products of the new columns with all columns, the new ones last."""
        A, total = self.source.A, len(self.columns)
        if not A.design.is_sparse:
            self._held[:, old:total] = self.source.dense(new)
            return self._held[:, old:total].T @ self._held[:, :total]
        weighted = sparse.diags_array(A.design.weight) @ A.design.X[:, new]
        raw = (weighted.T @ A.design.X[:, self.columns]).toarray()
        return raw - A.design.total_weight * np.multiply.outer(A.shift[new], A.shift[self.columns])

    def _reserve(self, total: int) -> None:
        if total <= len(self._gram):
            return
        capacity = min(max(total, 2 * len(self._gram), 256), self.source.A.d)
        self._gram = _grown(self._gram, (capacity, capacity), "C")
        if not self.source.A.design.is_sparse:
            self._held = _grown(self._held, (self.source.A.n, capacity), "F")


class Focus:
    """The columns of the next few ``lam``, their Gram matrix, and the factor of the support that the loops keep."""

    def __init__(self, columns: np.ndarray, gram: np.ndarray):
        self.columns, self.gram = columns, gram
        self.factor = np.empty((0, 0))
        self.order = np.empty(len(columns), dtype=np.int64)
        self.n_factor = 0
        self._room(len(columns))

    def moved(self, columns: np.ndarray, gram: np.ndarray) -> "Focus":
        """A focus on other columns, which hold all that the factor holds."""
        place = np.empty(int(columns.max(initial=0)) + 1, dtype=np.int64)
        place[columns] = np.arange(len(columns))
        held = place[self.columns[self.order[: self.n_factor]]]
        self.columns, self.gram = columns, gram
        self.order = np.empty(len(columns), dtype=np.int64)
        self.order[: self.n_factor] = held
        self._room(len(columns))
        return self

    def refactor(self, support: np.ndarray, ridge: np.ndarray) -> None:
        """Factor ``gram + diag(ridge)`` on this support afresh; left to the loops where columns are dependent."""
        block = np.take(np.take(self.gram, support, axis=0), support, axis=1)
        np.fill_diagonal(block, block.diagonal() + ridge[support])
        upper, failed = lapack.dpotrf(block, lower=0, clean=0, overwrite_a=0)
        if failed or np.any(upper.diagonal() ** 2 <= SMALLEST_PIVOT * block.diagonal()):
            self.n_factor = 0
            return
        self.n_factor = len(support)
        self.factor[: self.n_factor, : self.n_factor] = upper
        self.order[: self.n_factor] = support

    @property
    def factored(self) -> np.ndarray:
        """The columns that the factor holds."""
        return self.columns[self.order[: self.n_factor]]

    def _room(self, size: int) -> None:
        if size > len(self.factor) and len(self.gram):
            capacity = max(size, 2 * len(self.factor))
            self.factor = _grown(self.factor, (capacity, capacity), "C")


class SparseFocus:
    """Sparse columns in focus, for coordinate descent without a Gram matrix: the answer to a large support."""

    def __init__(self, source: Columns, columns: np.ndarray):
        A = source.A
        self.source, self.columns = source, columns
        self.X = A.design.X[:, columns]
        self.shift = A.shift[columns]
        self.weighted = self.X.data * A.design.weight[self.X.indices]
        squares = sparse.csc_array((self.weighted * self.X.data, self.X.indices, self.X.indptr), shape=self.X.shape)
        self.square = np.maximum(squares.sum(axis=0) - A.design.total_weight * self.shift**2, 0.0)

    @property
    def visits(self) -> float:
        """Entries that a sweep visits, an empty column counted as one."""
        return float(self.X.nnz + len(self.columns))

    @property
    def gram_price(self) -> float:
        """Visits to entries for which the Gram matrix of these columns could be formed and factored."""
        return len(self.columns) ** 3 / limits.PRICE_OF_ENTRY + self.visits**2 / self.X.shape[0]

    def descend(self, level: LevelPenalty, stop: tuple[float, int], coef: np.ndarray, residual: np.ndarray) -> int:
        """Lower the objective from ``coef`` and ``residual``, in place; the number of sweeps."""
        design = self.source.A.design
        total = float(design.weight @ residual)
        return column_descent(
            self.X.indptr, self.X.indices, self.X.data, self.weighted, self.shift, self.square, level.threshold,
            level.ridge, design.total_weight, level.positive, stop, coef, residual, total,
        )[1]  # fmt: skip

    def residual(self, coef: np.ndarray) -> np.ndarray:
        """``y - mean - X w`` of the counted rows, from scratch."""
        root = self.source.A.root_weight
        raw = np.divide(self.source.target, root, out=np.zeros_like(root), where=root > 0)
        return raw - self.X @ coef


def _grown(old: np.ndarray, shape: tuple[int, ...], layout: Literal["C", "F"]) -> np.ndarray:
    new = np.empty(shape, dtype=old.dtype, order=layout)
    new[tuple(slice(0, side) for side in old.shape)] = old
    return new
