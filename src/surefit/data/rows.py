"""Layer data: rows told apart by 64-bit fingerprints of their exact numbers, dense or sparse.

In: rows, and columns of targets beside them where those count too.  Out: one number per row; which rows are equal.
"""

from typing import Any

import numpy as np
from scipy import sparse


def fingerprints(X: Any, y: Any = None) -> np.ndarray:
    """One 64-bit number per row of ``X`` (and ``y``): equal rows get equal numbers, dense or sparse, in any precision.

    A sum over columns of scrambled bits times a random odd number of the column; zeros, of either sign, add nothing.

    >>> prints = fingerprints(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -0.0]]))
    >>> bool(prints[0] == prints[2]), bool(prints[0] == prints[1])
    (True, False)
    """
    rows: Any = sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    n, d = rows.shape
    beside = np.zeros((n, 0)) if y is None else np.asarray(y, dtype=np.float64).reshape(n, -1)
    with np.errstate(over="ignore"):
        odd = _scrambled(np.arange(1, d + beside.shape[1] + 1, dtype=np.uint64)) | np.uint64(1)
        total = _bits(beside) @ odd[d:]
        if sparse.issparse(rows):
            entries = _bits(rows.data.astype(np.float64)) * odd[rows.indices]
            np.add.at(total, np.repeat(np.arange(n), np.diff(rows.indptr)), entries)
            return total
        for j in range(d):
            total += _bits(rows[:, j]) * odd[j]
    return total


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


def copies(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """The first of each set of equal rows, in the order of ``X``, and for every row the number of its set.

    >>> first, member = copies(np.array([[2.0], [1.0], [2.0]]))
    >>> first.tolist(), member.tolist()
    ([0, 1], [0, 1, 0])
    """
    _, first, member = np.unique(fingerprints(X), return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.sort(first), rank[member]


def _bits(values: np.ndarray) -> np.ndarray:
    return _scrambled(np.ascontiguousarray(values + 0.0).view(np.uint64))  # + 0.0: one zero, not two


def _scrambled(z: np.ndarray) -> np.ndarray:
    """A permutation of the 64-bit numbers that leaves zero alone (the finaliser of splitmix64)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
