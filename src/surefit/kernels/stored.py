"""Layer kernels: a Gram matrix kept for many products, as the tiles of its lower triangle.

In: a kernel and points.  Out: products with vectors that read every entry once.  16-bit fixed point takes ``n**2``
bytes (a quarter of float32 in full), with entries to ``k_max / 65534``; float32 twice that.  Both serve
iterative solvers that judge their answer by a residual in float64.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from surefit.compiled.door import triangle_store, triangle_times
from surefit.kernels.kernel import Kernel
from surefit.threads import cores

SIDE = 64
"""Rows and columns of a tile."""
STRIP = 8 * SIDE
"""Rows that are computed together before they are stored."""


@dataclass(frozen=True)
class StoredGram:
    """``k(x_i, x_j)`` for all pairs of ``n`` points, rounded to multiples of ``step`` (or to float32)."""

    tiles: np.ndarray
    step: float
    n: int

    @staticmethod
    def of(kernel: Kernel, X: Any, dtype: DTypeLike = np.int16) -> "StoredGram":
        """Evaluate each pair once; ``dtype`` is ``int16`` or ``float32``."""
        n, largest = X.shape[0], float(np.max(kernel.diag(X), initial=0.0)) or 1.0
        step = largest / np.iinfo(np.int16).max if np.dtype(dtype) == np.int16 else largest
        tiles = np.empty(entries(n), dtype=dtype)
        for first in range(0, n, STRIP):
            last = min(n, first + STRIP)
            block = kernel.block(X[first:last], X[:last], np.float32)
            triangle_store(np.ascontiguousarray(block), first, step, cores(), tiles)
        return StoredGram(tiles, step, n)

    def times(self, V: np.ndarray) -> np.ndarray:
        """The product with ``V`` (n, k), in float64; ``V`` is rounded to float32.

        >>> from surefit.kernels.library import Linear
        >>> X = np.array([[1.0], [2.0]])
        >>> StoredGram.of(Linear(), X, np.float32).times(np.array([[1.0], [1.0]])).ravel()
        array([3., 6.])
        """
        out = np.empty(V.shape)
        length = float(np.max(np.abs(V), initial=0.0)) or 1.0
        triangle_times(self.tiles, self.step, np.ascontiguousarray(V / length, dtype=np.float32), cores(), out)
        out *= length
        return out


def entries(n: int) -> int:
    """Numbers stored for ``n`` points, padding included."""
    count = -(-n // SIDE)
    return count * (count + 1) // 2 * SIDE * SIDE


def rounding(n: int, largest: float, dtype: DTypeLike) -> float:
    """About how far the stored matrix is from the true one, in the spectral norm: independent errors of each entry."""
    entry = largest / np.iinfo(np.int16).max / np.sqrt(12) if np.dtype(dtype) == np.int16 else 6e-8 * largest
    return float(2.0 * np.sqrt(n) * entry)
