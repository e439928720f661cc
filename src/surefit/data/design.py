"""Layer data: the matrix of samples, dense or sparse, behind one face.

In: a validated array or SciPy sparse matrix and non-negative sample weights.  Out: the handful of products that the
solvers need.  Rows are samples.  Data are copied only where `plain` must; validation belongs to the estimators.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from surefit.data.plain import plain

ROWS_PER_BLOCK = 2048
"""Rows that a blocked loop touches at a time; fixed, so that results do not depend on the number of threads."""


FARTHEST_UNIT = 200
"""Power of two of the mean weight from which on the unit of weights is changed so that their mean is near one."""


def checked_weight(weight: Any, n: int) -> np.ndarray:
    """One finite weight ``>= 0`` for each of ``n`` rows, ones by default; refuses those with which no row counts.

    One number is the weight of every row.  A unit in which squares of weights would overflow or vanish is changed:
    only their ratios matter.

    >>> checked_weight([1, 0], 2), checked_weight(3, 2)
    (array([1., 0.]), array([3., 3.]))
    """
    if weight is None and n > 0:
        return np.ones(n)
    try:
        weight = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
        weight = np.ascontiguousarray(weight) if weight.ndim else np.full(n, weight)
    except (TypeError, ValueError) as error:
        raise ValueError("sample_weight must be numbers; give one non-negative number per row") from error
    if weight.shape != (n,):
        raise ValueError(f"sample_weight has shape {weight.shape} for {n} rows; give one non-negative number per row")
    if not np.all(np.isfinite(weight)) or np.any(weight < 0):
        raise ValueError("sample_weight must be finite and >= 0; drop or zero the rows that should not count")
    if not np.any(weight > 0):
        raise ValueError("all sample weights are zero, so no row counts; give at least one positive weight")
    with np.errstate(over="ignore"):
        finite = np.isfinite(weight.sum())
    if not finite:
        raise ValueError("the sum of the sample weights overflows; divide them by their largest")
    exponent = int(np.frexp(weight.sum() / n)[1])
    return np.ldexp(weight, -exponent) if abs(exponent) > FARTHEST_UNIT else weight


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
    offset: np.ndarray | None = None
    """What was subtracted from each column of the user's data, if anything was (see `settled`, `begun_nearby`)."""

    @staticmethod
    def of(X: Any, weight: Any = None) -> "Design":
        """A design from anything array-like or sparse; weights default to one."""
        X = plain(X.tocsr() if sparse.issparse(X) else np.asarray(X, dtype=np.float64))
        return Design(X, checked_weight(weight, X.shape[0]))

    @staticmethod
    def pair(X: Any, y: Any, weight: Any = None) -> tuple["Design", np.ndarray]:
        """A design and its one target from arrays, or as they are; refuses what cannot be fitted."""
        if np.iscomplexobj(X.X if isinstance(X, Design) else X) or np.iscomplexobj(y):
            raise ValueError("X or y holds complex numbers, and a fit is of real ones; pass .real, or .real and .imag")
        if isinstance(X, Design) and weight is not None:
            raise ValueError("X is a Design, which has its own weights; leave sample_weight None")
        design = X if isinstance(X, Design) else Design.of(X, weight)
        y = np.asarray(y, dtype=np.float64)
        if len(design.X.shape) != 2 or y.shape != (design.n,):
            raise ValueError(f"need X (n, d) and y (n,), got shapes {design.X.shape} and {y.shape}; reshape them")
        stored = design.X.data if design.is_sparse else design.X
        if not (np.all(np.isfinite(stored)) and np.all(np.isfinite(y))):
            raise ValueError("X or y contains NaN or infinity; drop or impute the rows concerned")
        return design, y

    def counted(self) -> "Design":
        """Without the rows of weight zero: they might as well not be there, whatever they hold."""
        keep = self.weight > 0
        return self if np.all(keep) else Design(self.X[keep], self.weight[keep], self.offset)

    def settled(self) -> "Design":
        """A sparse design with the columns whose mean dwarfs their spread moved to the origin.

        Such columns have hardly any zeros, so storing them in full costs no more than they did; products with them
        would otherwise cancel.  Dense designs are centred row by row and stay as they are.
        """
        if not self.is_sparse:
            return self
        share = self.weight / self.total_weight
        mean = np.asarray(self.X.T @ share)
        stored = self.X.tocsc()
        filled = np.diff(stored.indptr) > 0.9 * self.n
        far = []
        for j in np.flatnonzero(filled & (mean != 0)):
            column = stored[:, [j]].toarray()[:, 0]
            centred = column - mean[j]
            spread = float(np.max(np.abs(centred)))
            if spread < 10.0 * abs(mean[j]):
                far.append((j, centred if np.ptp(column) > 1e-15 * abs(mean[j]) else np.zeros(self.n)))
        if not far:
            return self
        offset = np.zeros(self.d)
        offset[[j for j, _ in far]] = mean[[j for j, _ in far]]
        parts: list[Any] = []
        last = 0
        for j, column in far:
            parts += [stored[:, last:j], sparse.csc_matrix(column[:, None])]
            last = int(j) + 1
        moved = sparse.hstack([*parts, stored[:, last:]], format="csr")
        return Design(moved, self.weight, offset)

    def begun_nearby(self) -> "Design":
        """A dense design whose columns far from zero (years, timestamps) are measured from their first row on.

        Products of such columns would cancel; a subset of the rows need not be centred before any product then.
        """
        if self.is_sparse or not self.n:
            return self
        some = self.dense_rows(slice(0, self.n, max(self.n // 32, 1)))
        with np.errstate(over="ignore", invalid="ignore"):
            far = np.abs(some[0]) > 10.0 * np.ptp(some, axis=0)
        if not np.any(far & (some[0] != 0)):
            return self
        origin = np.where(far, some[0], 0.0)
        return Design(self.X - origin, self.weight, origin if self.offset is None else self.offset + origin)

    def user_intercept(self, coef: np.ndarray, intercept: Any) -> Any:
        """The intercept for the user's columns from the one for these: ``coef`` is ``(d,)`` or ``(d, k)``."""
        return intercept if self.offset is None else intercept - self.offset @ coef

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

    def dense_rows(self, rows: slice | np.ndarray) -> np.ndarray:
        """These rows as a dense float64 array; a view where the data already are that."""
        block = self.X[rows]
        return np.asarray(block.toarray() if self.is_sparse else block, dtype=np.float64)
