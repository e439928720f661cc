"""Layer data: rows told apart by 64-bit fingerprints of their exact numbers, dense or sparse.

In: rows, and columns of targets beside them where those count too.  Out: one number per row; which rows are equal.
"""

from hashlib import blake2b
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from surefit.compiled.door import dense_prints, sparse_prints
from surefit.compiled.splitmix import scrambled
from surefit.data.design import Design
from surefit.data.plain import plain
from surefit.threads import cores

ENTRIES_PER_THREAD = 200_000
"""Entries below which one more thread costs more than it saves."""


def fingerprints(X: Any, y: Any = None) -> np.ndarray:
    """One 64-bit number per row of ``X`` (and ``y``): equal rows get equal numbers, dense or sparse, in any precision.

    A sum over columns of scrambled bits times a random odd number of the column; zeros, of either sign, add nothing.
    Targets that are words count by what they spell; a sparse row with entries stored twice counts by their sum.

    >>> prints = fingerprints(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -0.0]]))
    >>> bool(prints[0] == prints[2]), bool(prints[0] == prints[1])
    (True, False)
    """
    rows: Any = _compressed(X) if sparse.issparse(X) else _numbers(X)
    n, d = rows.shape
    beside = np.zeros((n, 0)) if y is None else plain(_targets(y).reshape(n, -1))
    with np.errstate(over="ignore"):
        odd = scrambled(np.arange(1, d + beside.shape[1] + 1, dtype=np.uint64)) | np.uint64(1)
    total = np.zeros(n, dtype=np.uint64)
    dense_prints(beside, odd[d:], 1, total)
    if sparse.issparse(rows):
        sparse_prints(rows.data, rows.indices, rows.indptr, odd[:d], _crew(rows.nnz), total)
    else:
        dense_prints(rows, odd[:d], _crew(n * d), total)
    return total


def n_distinct(prints: np.ndarray) -> int:
    """How many different fingerprints there are, by sorting: `np.unique` hashes them, which takes ten times as long.

    >>> n_distinct(np.array([3, 1, 3], dtype=np.uint64)), n_distinct(np.zeros(0, dtype=np.uint64))
    (2, 0)
    """
    ordered = np.sort(prints)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + min(len(ordered), 1)


def distinct_rows(X: Any, weight: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """One row number for each distinct row that counts, in an order that is not that of ``X``; and total weights.

    >>> rows, mass = distinct_rows(np.array([[1.0], [2.0], [1.0], [5.0]]), weight=[1.0, 2.0, 1.0, 0.0])
    >>> sorted(rows.tolist()), mass.tolist()
    ([0, 1], [2.0, 2.0])
    """
    weight = np.ones(X.shape[0]) if weight is None else np.asarray(weight, dtype=np.float64)
    counted = np.flatnonzero(weight > 0)
    _, first, member = np.unique(fingerprints(X)[counted], return_index=True, return_inverse=True)
    return counted[first], np.bincount(member, weight[counted], minlength=len(first))


def copies(X: Any, y: Any = None, prints: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The first of each set of rows equal in ``X`` (and ``y``), in order, and for every row the number of its set.

    ``prints`` are their fingerprints, where these are known.

    >>> first, member = copies(np.array([[2.0], [1.0], [2.0]]))
    >>> first.tolist(), member.tolist()
    ([0, 1], [0, 1, 0])
    """
    prints = fingerprints(X, y) if prints is None else prints
    _, first, member = np.unique(prints, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.sort(first), rank[member]


def without_copies(design: Design, targets: np.ndarray, prints: np.ndarray | None = None) -> tuple[Design, np.ndarray]:
    """Rows with equal features and targets as one of their total weight, in the order of the first of each.

    Minimisers of weighted sums stay the same, and leave-one-out then leaves a row out with all its copies.

    >>> design, targets = without_copies(Design.of([[1.0], [2.0], [1.0]]), np.array([3.0, 4.0, 3.0]))
    >>> design.X.tolist(), design.weight.tolist(), targets.tolist()
    ([[1.0], [2.0]], [2.0, 1.0], [3.0, 4.0])
    """
    first, member = copies(design.X, targets, prints)
    if len(first) == design.n:
        return design, targets
    return Design(design.X[first], np.bincount(member, design.weight), design.offset), targets[first]


def _crew(entries: int) -> int:
    return max(1, min(cores(), entries // ENTRIES_PER_THREAD))


def _numbers(X: Any) -> np.ndarray:
    """``X`` as it is in single or double precision, everything else as doubles."""
    rows = plain(np.asarray(X))
    return rows if rows.dtype in (np.float32, np.float64) and rows.dtype.isnative else np.asarray(X, dtype=np.float64)


def _compressed(X: Any) -> Any:
    rows: Any = plain(sparse.csr_array(X))
    if rows.indices.dtype != rows.indptr.dtype:
        rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    return rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float64)


def _targets(y: Any) -> np.ndarray:
    """Targets as doubles: numbers as they are, any other label by a number made of what it spells."""
    values = np.asarray(y)
    if values.dtype.kind in "biuf":
        return values.astype(np.float64, copy=False)
    labels = values.astype(object).ravel()
    known = {label: _spelt(label) for label in set(labels.tolist())}
    return np.array([known[label] for label in labels.tolist()]).reshape(values.shape)


def _spelt(label: Any) -> float:
    """A number below one for a word, so that no word is a whole number; numbers stay what they are."""
    if isinstance(label, Real):
        return float(label)
    return int.from_bytes(blake2b(str(label).encode(), digest_size=6).digest()) / 2.0**48
