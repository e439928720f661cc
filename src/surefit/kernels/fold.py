"""Layer kernels: the gradient of least squares on a block of kernel values, in one pass over its rows (a *fold*).

In: a block ``C`` (n, m), or a function that gives its rows; coefficients ``A`` (m, k), targets ``Y`` (n, k), weights.
Out: with ``left = Y - C A``, the rows of ``C' (w left)``, then the sums of ``w left`` and of ``w left**2``, in float64.
Tiles are fixed by the shape alone, so the results do not depend on the number of cores.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from surefit.compiled.door import block_fold
from surefit.threads import map_in_order

Folding = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""The fold of one matrix: a function of ``A``, ``Y`` and ``weight``."""

_ROWS = 1024  # rows of a tile


def fold(C: np.ndarray, A: np.ndarray, Y: np.ndarray, weight: np.ndarray, threads: int) -> np.ndarray:
    """The fold of an array, float32 or float64, which is read once.

    >>> C, A = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0], [0.0]])
    >>> fold(C, A, np.array([[2.0], [5.0]]), np.ones(2), threads=1).ravel()
    array([ 7., 10.,  3.,  5.])
    """
    out = np.empty((C.shape[1] + 2, A.shape[1]))
    block_fold(C, np.ascontiguousarray(A, C.dtype), np.ascontiguousarray(Y), weight, threads, out)
    return out


def fold_in_tiles(
    rows: Callable[[Any], np.ndarray], X: Any, A: np.ndarray, Y: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """The fold of a matrix whose rows are computed, a tile at a time, by ``rows``."""

    def part(cut: slice) -> np.ndarray:
        return fold(np.ascontiguousarray(rows(X[cut])), A, Y[cut], weight[cut], 1)

    cuts = [slice(start, start + _ROWS) for start in range(0, X.shape[0], _ROWS)]
    return np.asarray(sum(map_in_order(part, cuts), np.zeros((len(A) + 2, A.shape[1]))))
