"""Layer kernels: distances between rows, dense or sparse, without cancellation.

In: checked rows.  Out: Euclidean distances.  Refused: sparse rows whose squares overflow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

CLOSE = 1e-3
"""Squared distances below this fraction of the squared norms are computed again from differences."""

_LARGEST = 1e150  # squares must stay finite
_PAIRS = 4096


def distances(X: Any, Z: Any) -> np.ndarray:
    """``||x_i - z_j||`` for rows of which either may be CSR, shape ``(n, m)``."""
    if not (sparse.issparse(X) or sparse.issparse(Z)):
        return cdist(X, Z)
    return np.sqrt(_sparse_squares(sparse.csr_array(X), sparse.csr_array(Z)))


def times_power_of_two(X: Any, exponent: int) -> Any:
    """``X * 2**exponent`` in two exact steps, since ``2**exponent`` alone may overflow."""
    half = exponent // 2
    with np.errstate(over="ignore"):
        return X * 2.0**half * 2.0 ** (exponent - half)


def _sparse_squares(X: Any, Z: Any) -> np.ndarray:
    """``||x||**2 + ||z||**2 - 2 x'z``, and from differences where that cancels: duplicates are at distance zero."""
    if max(np.max(np.abs(X.data), initial=0.0), np.max(np.abs(Z.data), initial=0.0)) > _LARGEST:
        raise ValueError(f"sparse rows hold numbers beyond {_LARGEST:.0e}, whose squares overflow; rescale X")
    norms = np.add.outer(X.multiply(X).sum(axis=1), Z.multiply(Z).sum(axis=1))
    squares = norms - 2 * (X @ Z.T).toarray()
    left, right = np.nonzero(squares <= CLOSE * norms)
    for start in range(0, len(left), _PAIRS):
        i, j = left[start : start + _PAIRS], right[start : start + _PAIRS]
        difference = X[i] - Z[j]
        squares[i, j] = difference.multiply(difference).sum(axis=1)
    return squares


def whole_power(K: np.ndarray, power: int) -> np.ndarray:
    """``K ** power`` by squaring, several times faster than NumPy's for powers above 2."""
    result = None
    while power:
        if power & 1:
            result = K if result is None else result * K
        power >>= 1
        if power:
            K = K * K
    return np.ones_like(K) if result is None else result
