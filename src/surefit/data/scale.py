"""Layer data: sizes of numbers: the unit of rounding, powers of two, the largest entries of columns, medians.

In: arrays, or a `Design`.  Out: the numbers by which solvers divide so that nothing overflows and nothing is rounded.
"""

from collections.abc import Iterable
from functools import reduce

import numpy as np

from surefit.data.design import Design
from surefit.data.gram import FEWEST_ENTRIES, MOST_CORES
from surefit.threads import map_in_order

EPS = float(np.finfo(np.float64).eps)
"""The distance from 1 to the next larger double: twice the largest relative error of one rounding."""
CONSTANT = 8 * EPS
"""A spread below this share of the largest entry is rounding, and the column a constant."""
CACHED = 128_000
"""Entries that stay in the cache while they are looked at twice."""


def power_of_two(size: np.ndarray) -> np.ndarray:
    """The power of two just below each positive entry, 1 where the entry is zero.

    >>> power_of_two(np.array([0.0, 1.0, 5.0, 1e300])).tolist()[:3]
    [1.0, 1.0, 4.0]
    """
    exponent = np.frexp(size)[1] - 1
    return np.ldexp(1.0, np.where(size > 0, exponent, 0))


def column_sizes(design: Design) -> np.ndarray:
    """Largest absolute value in each column."""
    X = design.X
    if design.is_sparse and X.format == "csr" and X.has_canonical_format:
        sizes = np.zeros(design.d)
        np.maximum.at(sizes, X.indices, np.abs(X.data))
        return sizes
    if design.is_sparse:
        return np.asarray(abs(X).max(axis=0).toarray()).ravel()
    by_rows = not X.flags.f_contiguous
    lines, axis = (X, 0) if by_rows else (X.T, 1)  # as they lie in memory
    parts, size = 1 if X.size < FEWEST_ENTRIES else MOST_CORES, max(CACHED // max(lines.shape[1], 1), 1)

    def together(found: Iterable[np.ndarray]) -> np.ndarray:
        return reduce(np.maximum, found, np.zeros(design.d)) if by_rows else np.concatenate([np.zeros(0), *found])

    def of_part(k: int) -> np.ndarray:
        first, last = len(lines) * k // parts, len(lines) * (k + 1) // parts
        blocks = (lines[start : min(start + size, last)] for start in range(first, last, size))
        return together(np.maximum(block.max(axis), -block.min(axis)) for block in blocks)

    return together(map_in_order(of_part, range(parts)))


def weighted_median(values: np.ndarray, weights: np.ndarray) -> float:
    """The smallest value with at least half of the weight at or below it; equal to repeating entries.

    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 5.0]))
    2.0
    """
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    half = np.searchsorted(below, 0.5 * below[-1] * (1 - 1e-12))
    return float(values[order[half]])
