"""Layer solvers: Gram matrices of the active points of a dual problem, in 16-bit integers or in floats.

In: a kernel and points.  Out: an array and the unit of its entries.  16-bit integers halve the memory that the steps
must read; they resolve 1/32767 of the largest kernel value, so they are for kernels whose diagonal is balanced.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefit.compiled.door import store_rounded
from surefit.kernels.kernel import Kernel
from surefit.solvers.support_vectors import limits
from surefit.solvers.support_vectors.problem import power_above
from surefit.threads import cores

STEPS = np.iinfo(np.int16).max
"""Multiples of the unit in the largest kernel value."""


FINER: dict[type, type] = {np.int16: np.float32, np.float32: np.float64, np.float64: np.float64}
"""The next storage, where one was too coarse to make progress."""


@dataclass
class GramStore:
    """Gram matrices over ``largest``, not below any ``k(x, x)``; with ``padded``, a last row and column of zeros.

    The zeros belong to a variable that takes up whatever the sum of the others leaves: that is how a dual problem
    without an offset becomes one with.
    """

    kernel: Kernel
    largest: float
    padded: bool = False
    _buffer: np.ndarray = field(default_factory=lambda: np.empty(0, np.int16), repr=False)

    @staticmethod
    def of(kernel: Kernel, X: Any, padded: bool) -> tuple[GramStore, type]:
        """A store for the points ``X``, and the coarsest storage that suits the kernel.

        Values are divided by a power of two, which costs no digit; those that single precision cannot hold stay double.
        """
        diagonal = kernel.diag(X)
        largest = float(np.max(diagonal)) or 1.0
        store = GramStore(kernel, power_above(largest), padded)
        if not limits.SINGLE[0] <= largest <= limits.SINGLE[1]:
            return store, np.float64
        return store, np.int16 if diagonal.min() >= limits.BALANCED * largest else np.float32

    def gram(self, X: Any, storage: type) -> tuple[np.ndarray, float]:
        """``K / largest = unit * array`` for the points ``X``; the next call may overwrite a 16-bit array."""
        if storage is not np.int16:
            K = self.kernel.gram(X, dtype=storage)
            return (np.pad(K, (0, 1)) if self.padded else K), 1 / self.largest
        n = X.shape[0]
        side = n + self.padded
        if self._buffer.size < side * side:  # the buffer is kept: fresh memory costs more than the entries
            self._buffer = np.empty(side * side, np.int16)
        stored = self._buffer[: side * side].reshape(side, side)
        for first in range(0, n, limits.STRIP):
            last = min(n, first + limits.STRIP)
            block = self.kernel.block(X[first:last], X[:last], dtype=np.float32)
            store_rounded(block, first, self.largest / STEPS, cores(), stored)
        stored[n:], stored[:, n:] = 0, 0
        return stored, 1 / STEPS

    def times(self, X: Any, Z: Any, beta: np.ndarray, dtype: type = np.float64) -> np.ndarray:
        """``k(X, Z) beta / largest``, in tiles of the given precision."""
        return self.kernel.times(X, Z, beta, dtype=dtype) / self.largest
