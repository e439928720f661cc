"""Layer data: the matrix of samples, dense or sparse, behind one face.

In: a validated array or SciPy sparse matrix and non-negative sample weights.  Out: the handful of products that the
solvers need.  Rows are samples.  Nothing here copies the data; validation belongs to the estimators.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

ROWS_PER_BLOCK = 2048
"""Rows that a blocked loop touches at a time; fixed, so that results do not depend on the number of threads."""


@dataclass(frozen=True)
class Design:
    """``n`` rows of ``d`` features with sample weights; a weight of ``k`` means the row stands ``k`` times.

    Catalogue D-01.

    >>> design = Design.of([[1.0, 0.0], [0.0, 2.0]])
    >>> design.matvec(np.array([3.0, 4.0]))
    array([3., 8.])
    """

    X: Any
    weight: np.ndarray

    @staticmethod
    def of(X: Any, weight: Any = None) -> "Design":
        """A design from anything array-like or sparse; weights default to one."""
        X = X.tocsr() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        weight = np.ones(X.shape[0]) if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
        if weight.shape != (X.shape[0],):
            raise ValueError(
                f"sample_weight has shape {weight.shape} for {X.shape[0]} rows; give one non-negative number per row"
            )
        if not np.all(np.isfinite(weight)) or np.any(weight < 0):
            raise ValueError("sample_weight must be finite and >= 0; drop or zero the rows that should not count")
        if not np.any(weight > 0):
            raise ValueError("all sample weights are zero, so no row counts; give at least one positive weight")
        return Design(X, weight)

    @property
    def n(self) -> int:
        return self.X.shape[0]

    @property
    def d(self) -> int:
        return self.X.shape[1]

    @property
    def is_sparse(self) -> bool:
        return sparse.issparse(self.X)

    @cached_property
    def has_unit_weights(self) -> bool:
        return bool(np.all(self.weight == 1.0))

    @cached_property
    def total_weight(self) -> float:
        """What takes the place of ``n`` in a mean."""
        return float(self.weight.sum())

    @property
    def n_counted(self) -> int:
        """Rows with a positive weight."""
        return int(np.count_nonzero(self.weight))

    def matvec(self, coef: np.ndarray) -> np.ndarray:
        """``X @ coef``, shape ``(n,)`` or ``(n, k)``."""
        if coef.ndim == 2 and coef.shape[1] == 1:  # a vector product is much faster than a thin matrix product
            return np.asarray(self.X @ coef[:, 0])[:, None]
        return np.asarray(self.X @ coef)

    def rmatvec(self, dual: np.ndarray) -> np.ndarray:
        """``X.T @ dual``, shape ``(d,)`` or ``(d, k)``."""
        if dual.ndim == 2 and dual.shape[1] == 1:
            return np.asarray(self.X.T @ dual[:, 0])[:, None]
        return np.asarray(self.X.T @ dual)

    def row_slices(self, rows: int = ROWS_PER_BLOCK) -> Iterator[slice]:
        """Slices that cover all rows in order."""
        for start in range(0, self.n, rows):
            yield slice(start, min(start + rows, self.n))

    def dense_rows(self, rows: slice) -> np.ndarray:
        """These rows as a dense float64 array; a view where the data already are that."""
        block = self.X[rows]
        return np.asarray(block.toarray() if self.is_sparse else block, dtype=np.float64)
