"""Layer solvers: the columns on which a sparse solver works, with their Gram matrix, which only ever grows.

In: a `Columns`: the centred, weighted design ``A`` seen by columns.  Out: a `WorkingSet`: a few of its columns, their
Gram matrix and the factor of the support that the compiled loop keeps there.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from surefit.data.centering import Centred, centre
from surefit.data.design import Design


@dataclass(frozen=True)
class Columns:
    """``A = sqrt(W) (X - shift)`` by columns; sparse data stay sparse, their centring is carried out on products.

    ``target`` is ``sqrt(W) (y - mean)``, shape ``(n,)``.
    """

    A: Centred
    target: np.ndarray

    @staticmethod
    def of(A: Centred, target: np.ndarray) -> "Columns":
        if A.design.is_sparse:
            A = replace(A, design=Design(A.design.X.tocsc(), A.design.weight))
        elif np.any(A.shift_low):  # a mean that dwarfs the spread (timestamps): centre before any product
            A = centre(Design(A.dense(), np.ones(A.n)), fit_intercept=False)
        return Columns(A, target)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Norm of each column before centring: what rounding errors are proportional to."""
        X, weight = self.A.design.X, self.A.design.weight
        if self.A.design.is_sparse:
            return np.sqrt(np.asarray(X.multiply(X).T @ weight))
        if self.A.design.has_unit_weights:
            return np.sqrt(np.einsum("ij,ij->j", X, X))
        return np.sqrt(np.einsum("i,ij,ij->j", weight, X, X))

    def correlations(self, residuals: np.ndarray) -> np.ndarray:
        """``residuals @ A`` for rows of residuals ``(m, n)``: one pass over the data for all of them."""
        weighted = residuals if self.A.design.has_unit_weights else residuals * self.A.root_weight
        X = self.A.design.X
        product = np.asarray((X.T @ weighted.T).T) if self.A.design.is_sparse else weighted @ X
        if self.A.fit_intercept:
            product -= np.multiply.outer(weighted.sum(axis=1), self.A.shift)
        return product

    def dense(self, columns: np.ndarray) -> np.ndarray:
        """These columns of ``A``, shape ``(n, k)``, in Fortran order."""
        chosen = np.asfortranarray(self.A.design.X[:, columns])
        chosen -= self.A.shift[columns]
        if not self.A.design.has_unit_weights:
            chosen *= self.A.root_weight[:, None]
        return chosen


class WorkingSet:
    """Columns chosen so far, their Gram matrix, and the factor of the support inside it."""

    def __init__(self, source: Columns):
        self.source = source
        self.columns = np.empty(0, dtype=np.int64)
        self.place = np.full(source.A.d, -1, dtype=np.int64)
        self._held = np.empty((source.A.n, 0), order="F")
        self._gram = np.empty((0, 0))
        self.factor = np.empty((0, 0))
        self.order = np.empty(0, dtype=np.int64)
        self.n_factor = 0

    @staticmethod
    def whole(source: Columns) -> "WorkingSet":
        """All columns at once, for designs with few of them; the data themselves are not copied."""
        chosen = WorkingSet(source)
        d = source.A.d
        chosen.columns = chosen.place = np.arange(d)
        chosen._gram = np.ascontiguousarray(source.A.gram())
        chosen.factor, chosen.order = np.empty((d, d)), np.empty(d, dtype=np.int64)
        return chosen

    @property
    def size(self) -> int:
        return len(self.columns)

    @property
    def is_whole(self) -> bool:
        return self.size == self.source.A.d

    @property
    def gram(self) -> np.ndarray:
        return self._gram[: self.size, : self.size]

    def admit(self, candidates: np.ndarray) -> int:
        """Add those columns that are not here yet; how many that were."""
        new = candidates[self.place[candidates] < 0]
        if len(new):
            old, total = self.size, self.size + len(new)
            self._reserve(total)
            self.place[new] = np.arange(old, total)
            self.columns = np.concatenate([self.columns, new])
            cross = self._products(new, old)
            self._gram[old:total, :total] = cross
            self._gram[:old, old:total] = cross[:, :old].T
        return len(new)

    def fitted(self, coefs: np.ndarray) -> np.ndarray:
        """``coefs @ A_W.T`` for rows of coefficients ``(m, k)``."""
        A = self.source.A
        if self.size == 0:
            return np.zeros((len(coefs), A.n))
        if A.design.is_sparse:
            raw = np.asarray((A.design.X[:, self.columns] @ coefs.T).T) - (coefs @ A.shift[self.columns])[:, None]
            return raw * A.root_weight
        if self._held.shape[1] == 0:  # the whole design, which is not copied
            return A.matvec(coefs.T).T
        return coefs @ self._held[:, : self.size].T

    def _products(self, new: np.ndarray, old: int) -> np.ndarray:
        """Inner products of the new columns with all columns, the new ones last."""
        A = self.source.A
        if not A.design.is_sparse:
            self._held[:, old : self.size] = self.source.dense(new)
            return self._held[:, old : self.size].T @ self._held[:, : self.size]
        weighted = sparse.diags_array(A.design.weight) @ A.design.X[:, new]
        raw = (weighted.T @ A.design.X[:, self.columns]).toarray()
        return raw - A.design.total_weight * np.multiply.outer(A.shift[new], A.shift[self.columns])

    def _reserve(self, total: int) -> None:
        if total <= len(self._gram):
            return
        capacity = min(max(total + 64, 2 * len(self._gram)), max(self.source.A.d, total))
        self._gram = _grown(self._gram, (capacity, capacity), "C")
        self.factor = _grown(self.factor, (capacity, capacity), "C")
        self.order = _grown(self.order, (capacity,), "C")
        if not self.source.A.design.is_sparse:
            self._held = _grown(self._held, (self.source.A.n, capacity), "F")


def _grown(old: np.ndarray, shape: tuple[int, ...], layout: str) -> np.ndarray:
    new = np.empty(shape, dtype=old.dtype, order="F" if layout == "F" else "C")
    new[tuple(slice(0, side) for side in old.shape)] = old
    return new
