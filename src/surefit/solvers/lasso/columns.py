"""Layer solvers: the centred, weighted design of a lasso problem, seen by columns.

In: a `Centred` design and a target.  Out: a `Columns`, which gives products with all columns or with a few of them.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from surefit.compiled.door import column_products
from surefit.data.aligned import aligned
from surefit.data.centred import Centred, centre
from surefit.data.design import Design
from surefit.solvers.lasso import limits
from surefit.solvers.linear.rank import dead_columns
from surefit.threads import cores

FEW = 4
"""Residuals that the compiled loop takes at a time, or twice as many."""


def takes_full_gram(design: Design) -> bool:
    """Whether a path is best found from the Gram matrix of all columns."""
    return design.d <= min(limits.WHOLE_LIMIT, design.n)


@dataclass(frozen=True)
class Products:
    """``gram = A.T @ A`` and ``moment = A.T @ target``."""

    gram: np.ndarray
    moment: np.ndarray


@dataclass(frozen=True)
class Columns:
    """``A = sqrt(W) (X - shift)`` by columns; sparse data stay sparse, their centring is carried out on products.

    ``target`` is ``sqrt(W) (y - mean)``, shape ``(n,)``.  ``products`` are those of all columns, where they are
    wanted; they give the sizes of the columns too.
    """

    A: Centred
    target: np.ndarray
    products: Products | None = None

    @staticmethod
    def of(A: Centred, target: np.ndarray, full_gram: bool = False) -> "Columns":
        if A.design.is_sparse:
            X = sparse.csc_array(A.design.X, dtype=np.float64)
            A = replace(A, design=Design(X, A.design.weight))
        elif A.dwarfed:  # a mean that dwarfs the spread (timestamps, constants): centre before any product
            dense = A.dense()
            dense[:, dead_columns(A, np.linalg.norm(dense, axis=0))] = 0.0
            A = centre(Design(dense, np.ones(A.n)), fit_intercept=False)
        return Columns(A, target).with_products(full_gram)

    def with_products(self, wanted: bool = True) -> "Columns":
        """The same with all ``products``, in one pass over dense data."""
        return replace(self, products=Products(*self.A.gram_and_moment(self.target)) if wanted else None)

    @cached_property
    def moment(self) -> np.ndarray:
        """``A.T @ target``."""
        return self.correlations(self.target[None])[0] if self.products is None else self.products.moment

    @cached_property
    def sizes(self) -> np.ndarray:
        """Norm of each column before centring: what rounding errors are proportional to."""
        X, weight = self.A.design.X, self.A.design.weight
        if self.products is not None:
            centred = np.maximum(np.diag(self.products.gram), 0.0)
            return np.asarray(np.sqrt(centred + self.A.design.total_weight * self.A.shift**2))
        if self.A.design.is_sparse:
            return np.sqrt(np.asarray(X.multiply(X).T @ weight))
        if self.A.design.has_unit_weights:
            return np.sqrt(np.einsum("ij,ij->j", X, X))
        return np.sqrt(np.einsum("i,ij,ij->j", weight, X, X))

    def correlations(self, residuals: np.ndarray) -> np.ndarray:
        """``residuals @ A`` for rows of residuals ``(m, n)``: one pass over the data for all of them."""
        weighted = residuals if self.A.design.has_unit_weights else residuals * self.A.root_weight
        X = self.A.design.X
        product = sparse_products(X, weighted) if self.A.design.is_sparse else weighted @ X
        if self.A.fit_intercept:
            product -= np.multiply.outer(weighted.sum(axis=1), self.A.shift)
        return product

    def fitted(self, columns: np.ndarray, coefs: np.ndarray) -> np.ndarray:
        """``coefs @ A[:, columns].T`` for rows of coefficients ``(m, k)``."""
        raw = np.asarray((self.A.design.X[:, columns] @ coefs.T).T) - (coefs @ self.A.shift[columns])[:, None]
        return raw if self.A.design.has_unit_weights else raw * self.A.root_weight

    def dense(self, columns: np.ndarray) -> np.ndarray:
        """These columns of ``A``, shape ``(n, k)``, in Fortran order."""
        raw = self.A.design.X[:, columns]
        chosen = np.asfortranarray(raw.toarray() if self.A.design.is_sparse else raw)
        chosen -= self.A.shift[columns]
        if not self.A.design.has_unit_weights:
            chosen *= self.A.root_weight[:, None]
        return chosen


def sparse_products(X: sparse.csc_array, residuals: np.ndarray) -> np.ndarray:
    """``residuals @ X`` for a few rows of residuals: side by side, in fours, from the beginning of a line.

    Whoever looks one up then finds all of them.
    """
    m, n = residuals.shape
    width = m if m == 1 else -(-m // FEW) * FEW
    rows = aligned((n, width))
    rows[:, :m], rows[:, m:] = residuals.T, 0.0
    out = np.empty((X.shape[1], width))
    threads = min(cores(), 1 + X.nnz // limits.ENTRIES_PER_THREAD)
    column_products(X.indptr, X.indices, X.data, rows, threads, out)
    return np.ascontiguousarray(out[:, :m].T)
