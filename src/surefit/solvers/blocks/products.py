"""Layer solvers: products of the columns of a block with each other, where words stay codes.

In: rows of numbers ``Z`` (m, q), codes of levels (words, m), weights.  Out: products of ``[Z, indicators]``.  An
indicator is zero in most rows: sums over the rows of a level take a fraction of the arithmetic (catalogue C-01).
"""

from __future__ import annotations

import numpy as np

from surefit.compiled.door import pairs_of_levels, sums_by_level


def gram(Z: np.ndarray, codes: np.ndarray, levels: int, weight: np.ndarray | None = None) -> np.ndarray:
    """``[Z, indicators]' diag(weight) [Z, indicators]`` (q + levels, q + levels); weights may have any sign.

    >>> gram(np.array([[1.0], [2.0], [3.0]]), np.array([[0, 1, -1]], dtype=np.int32), 2)
    array([[14.,  1.,  2.],
           [ 1.,  1.,  0.],
           [ 2.,  0.,  1.]])
    """
    q = Z.shape[1]
    weighted = Z if weight is None else Z * weight[:, None]
    found = np.zeros((q + levels, q + levels))
    dense = Z.T @ weighted
    found[:q, :q] = dense if weight is None else (dense + dense.T) / 2.0
    if levels:
        pairs = np.zeros((levels, levels))
        pairs_of_levels(codes, np.ones(len(Z)) if weight is None else weight, pairs)
        found[q:, q:] = np.triu(pairs, 1).T + pairs  # levels of later columns have larger numbers
        found[q:, :q] = by_level(weighted, codes, levels)
        found[:q, q:] = found[q:, :q].T
    return found


def times(Z: np.ndarray, codes: np.ndarray, V: np.ndarray) -> np.ndarray:
    """``[Z, indicators] V`` (m, k).

    >>> times(np.array([[1.0], [2.0]]), np.array([[0, -1]], dtype=np.int32), np.array([[1.0], [10.0]])).T
    array([[11.,  2.]])
    """
    q = Z.shape[1]
    found = Z @ V[:q]
    of_level = np.vstack([V[q:], np.zeros((1, V.shape[1]))])  # the last row is for the code -1
    for column in codes:
        found += of_level[column]
    return found


def transposed_times(Z: np.ndarray, codes: np.ndarray, levels: int, U: np.ndarray) -> np.ndarray:
    """``[Z, indicators]' U`` (q + levels, k).

    >>> transposed_times(np.array([[1.0], [2.0]]), np.array([[0, -1]], dtype=np.int32), 1, np.array([[3.0], [4.0]])).T
    array([[11.,  3.]])
    """
    return np.vstack([Z.T @ U, by_level(U, codes, levels)])


def by_level(values: np.ndarray, codes: np.ndarray, levels: int) -> np.ndarray:
    """Sums (levels, k) of ``values`` (m, k) over the rows of each level."""
    found = np.zeros((levels, values.shape[1]))
    if levels:
        sums_by_level(np.ascontiguousarray(values), codes, found)
    return found
