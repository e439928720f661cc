"""Layer guarantee: training rows that come back with other last digits, as from a file with fewer of them.

In: training rows and rows said to be held out.  Out: how many of the latter equal a training row in single precision
(seven digits), and whether that can be chance.  If held-out rows are independent draws of the same population, one of
them agrees with a training row as easily as two training rows do, whatever the columns: the training rows themselves
say how often that is, and data of low precision or of few values are not refused for it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import poisson

from surefit.guarantee.seen.prints import row_prints, smallest_prints

ENTRIES_AT_ONCE = 1 << 22
SURE = 1e-4
"""Probability at which so many agreements by chance are ruled out."""
MOST_STORED = 128
"""Prints in single precision that travel with a stored model, beside those in full precision."""
NO_SIZE = 2.0**-40
"""Entries below count as zero: what is left of two equal numbers after a subtraction differs between processors."""
UNSEEN = 3.0  # pairs that may be expected, with 95 % confidence, where none was seen


@dataclass(frozen=True)
class NearRows:
    """Prints of training rows in single precision, and how many pairs of them agree so but not exactly."""

    prints: np.ndarray
    n: int
    merged: float

    @staticmethod
    def of(X: Any, y: Any, exact: np.ndarray) -> NearRows:
        """Of the training rows; ``exact`` are their prints in full precision.

        >>> X = np.array([[1.0], [1.0 + 1e-12], [2.0]])
        >>> NearRows.of(X, [0, 0, 0], row_prints(X, [0, 0, 0])).merged
        1.0
        """
        return NearRows.of_prints(single_prints(X, y), exact)

    @staticmethod
    def of_prints(prints: np.ndarray, exact: np.ndarray) -> NearRows:
        """Of training rows whose prints in single and in full precision are known."""
        return NearRows(prints, len(prints), max(_pairs(prints) - _pairs(exact), 0.0))

    def to_store(self) -> NearRows:
        """With few prints."""
        return replace(self, prints=smallest_prints(self.prints, MOST_STORED))

    def refuse(self, X: Any, y: Any) -> None:
        """Raise ``ValueError`` if more of these rows equal training rows to seven digits than chance explains.

        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> NearRows.of(X, X[:, 0], row_prints(X, X[:, 0])).refuse(X * (1 + 1e-12), X[:, 0])
        Traceback (most recent call last):
            ...
        ValueError: 50 of the 50 held-out rows equal training rows to seven digits, which is no chance: rows that were
        used in fit and have changed in their last digits are no new rows; use rows that the model has never seen
        """
        prints = single_prints(X, y)
        shared, m = int(np.isin(prints, self.prints).sum()), len(prints)
        if shared <= self._by_chance(m):
            return
        partly = "at least " if len(self.prints) < self.n else ""
        raise ValueError(
            f"{partly}{shared:,} of the {m:,} held-out rows equal training rows to seven digits, which is no chance: "
            "rows that were used in fit and have changed in their last digits are no new rows; use rows that the model "
            "has never seen"
        )

    def _by_chance(self, m: int) -> float:
        """The most agreements of ``m`` held-out rows with the training rows here that chance explains."""
        rate = (self.merged + UNSEEN) / (0.5 * self.n * self.n)  # of a pair
        return float(poisson.isf(SURE, rate * m * len(self.prints)))


def single_prints(X: Any, y: Any) -> np.ndarray:
    """Prints of rows and targets in single precision: the same for rows that differ from the tenth digit on.

    Numbers below `NO_SIZE` in absolute value count as zero.

    >>> x = np.array([[0.1, 2.0]])
    >>> bool(single_prints(x, [1.0])[0] == single_prints(x * (1 + 1e-13), [1.0])[0])
    True
    """
    targets = _single(np.asarray(y))
    if sparse.issparse(X):
        stored = sparse.csr_array(X)
        if not stored.has_canonical_format:  # entries stored twice are rounded as their sum
            stored = stored.copy()
            stored.sum_duplicates()
        rounded = (_single(stored.data), stored.indices, stored.indptr)
        return row_prints(sparse.csr_array(rounded, shape=stored.shape), targets)
    try:
        rows = np.asarray(X)
        rows = rows if rows.dtype.kind in "biuf" else np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return row_prints(_single_words(np.asarray(X, dtype=object)), targets)
    rows = rows[:, None] if rows.ndim == 1 else rows  # it is for the model to refuse a vector
    step = max(1, ENTRIES_AT_ONCE // max(rows.shape[1], 1))
    starts = range(0, len(rows), step)
    parts = [row_prints(_single(rows[k : k + step]), targets[k : k + step]) for k in starts]
    return np.concatenate(parts) if parts else np.zeros(0, np.uint64)


def _single(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind not in "biuf":
        return values
    with np.errstate(over="ignore"):
        rounded = values.astype(np.float32)
    return np.where(np.abs(rounded) < NO_SIZE, np.float32(0.0), rounded)


def _single_words(values: np.ndarray) -> np.ndarray:
    """Floats among words in single precision, all else as it is."""
    with np.errstate(over="ignore"):
        rounded = [float(np.float32(one)) if isinstance(one, float) else one for one in values.ravel()]
    rounded = [0.0 if isinstance(one, float) and abs(one) < NO_SIZE else one for one in rounded]
    found = np.empty(values.size, dtype=object)
    found[:] = rounded
    return found.reshape(values.shape)


def _pairs(prints: np.ndarray) -> float:
    sizes = np.unique(prints, return_counts=True)[1].astype(np.float64)
    return float(np.sum(sizes * (sizes - 1)) / 2)
