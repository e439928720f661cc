"""Layer guarantee: rows and targets as columns of numbers in common units, so that rows have distances.

In: rows and targets, dense or sparse, with words among them or not.  Out: `Columns`: every column that varies, in units
of its standard deviation, with the tolerance to which two of its values count as nearly equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

JITTER = 1e-5
"""Difference of two values that counts as none, as a share of the column's standard deviation."""
DIGITS = 1e-6
"""The same as a share of the value's size: what is lost by seven digits in a file, or in single precision."""
MOST_COLUMNS = 64
"""Columns that distances are taken in: those with the most values, which tell rows apart best."""
ENOUGH, MANY = 5, 0.5
"""Columns, and different values in each as a share of the rows, with which changed copies are told from neighbours."""
SOME = 500
"""Rows whose values are counted; drawn with a fixed seed."""


@dataclass(frozen=True)
class Columns:
    """``values`` (n, k), each column divided by its standard deviation, and the ``tolerance`` (n, k) of each value."""

    values: np.ndarray
    tolerance: np.ndarray

    @staticmethod
    def of(X: Any, y: Any) -> Columns:
        """The columns of ``X`` and then of ``y`` that take more than one value, at most `MOST_COLUMNS` of them.

        >>> found = Columns.of(np.array([[1.0, 5.0], [3.0, 5.0]]), ["a", "b"])
        >>> found.values.round(2).tolist(), found.tolerance.round(6).tolist()
        ([[-1.0, -1.0], [1.0, 1.0]], [[1.1e-05, 1e-05], [1.3e-05, 1.2e-05]])
        """
        table = np.column_stack([_dense(X), _block(np.asarray(y))])
        table = table[:, _most_values(table)]
        largest = np.max(np.abs(table), axis=0, initial=0.0)
        scaled = table / np.where(largest > 0, largest, 1.0)
        centre, spread = scaled.mean(axis=0), scaled.std(axis=0)
        varies = spread > 0.5 * DIGITS * np.mean(np.abs(scaled), axis=0)
        scaled, centre, spread = scaled[:, varies], centre[varies], spread[varies]
        tolerance = JITTER + DIGITS * np.abs(scaled) / spread
        return Columns((scaled - centre) / spread, tolerance)

    @property
    def n(self) -> int:
        """How many rows."""
        return len(self.values)

    def at(self, rows: np.ndarray) -> Columns:
        """The same for some of the rows."""
        return Columns(self.values[rows], self.tolerance[rows])

    @property
    def tell_copies(self) -> bool:
        """Whether there are enough columns of many values (`ENOUGH`) to tell changed copies from neighbours."""
        return int(np.sum(_different(self.values) >= MANY * min(self.n, SOME))) >= ENOUGH

    @property
    def snapped(self) -> np.ndarray:
        """Values as whole numbers, equal where they are nearly equal, but for a few that straddle a boundary."""
        cell = 64.0 * np.mean(self.tolerance, axis=0)
        return np.asarray(np.floor(self.values / cell + 0.3819660112501051))


def _most_values(table: np.ndarray) -> np.ndarray:
    """The columns with the most different values, in their order."""
    if table.shape[1] <= MOST_COLUMNS:
        return np.arange(table.shape[1])
    return np.sort(np.argsort(-_different(table), kind="stable")[:MOST_COLUMNS])


def _different(table: np.ndarray) -> np.ndarray:
    """How many different values each column has among at most `SOME` rows."""
    n = len(table)
    some = np.sort(table if n <= SOME else table[np.random.default_rng(0).choice(n, SOME, replace=False)], axis=0)
    return 1 + np.sum(some[1:] != some[:-1], axis=0)


def _dense(X: Any) -> np.ndarray:
    """Rows as numbers; of a sparse table the columns with the most entries."""
    if sparse.issparse(X):
        stored = sparse.csc_array(X)
        filled = np.argsort(-np.diff(stored.indptr), kind="stable")[: 4 * MOST_COLUMNS]
        return _block(stored[:, np.sort(filled)].toarray())
    return _block(np.asarray(X, dtype=object) if hasattr(X, "columns") else np.asarray(X))


def _block(values: np.ndarray) -> np.ndarray:
    """Finite doubles; words become numbers in the order of the alphabet, and what is missing zero."""
    block = values.reshape(len(values), -1)
    try:
        numbers = block.astype(np.float64)
    except (TypeError, ValueError):
        numbers = np.column_stack([_column(column) for column in block.T])
    return np.nan_to_num(numbers, nan=0.0)


def _column(column: np.ndarray) -> np.ndarray:
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):
        return np.unique([str(one) for one in column], return_inverse=True)[1].astype(np.float64)
