"""Layer compiled: the compiled fingerprint loops in plain NumPy: their specification, their test, their replacement.

In: entries and one odd number per column.  Out: added into ``total``, one 64-bit number per row, modulo ``2**64``.
"""

from typing import Any

import numpy as np

from surefit.compiled.splitmix import scrambled


def dense_prints(X: Any, odd: np.ndarray, threads: int, total: np.ndarray) -> None:
    """Add ``sum_j scrambled(bits of X[i, j]) * odd[j]`` to ``total[i]``; ``threads`` is the compiled loop's business.

    >>> total = np.zeros(2, np.uint64)
    >>> dense_prints(np.array([[0.0, -0.0], [1.0, 0.0]]), np.array([1, 3], np.uint64), 1, total)
    >>> total[0] == 0, total[1] == scrambled(np.array([1.0]).view(np.uint64))[0]
    (np.True_, np.True_)
    """
    with np.errstate(over="ignore"):
        for j in range(X.shape[1]):
            total += scrambled(_bits(X[:, j])) * odd[j]


def sparse_prints(
    entries: np.ndarray, columns: np.ndarray, starts: np.ndarray, odd: np.ndarray, threads: int, total: np.ndarray
) -> None:
    """The same for the stored ``entries`` of compressed rows, in ``columns``, row ``i`` from ``starts[i]``."""
    with np.errstate(over="ignore"):
        terms = scrambled(_bits(entries)) * odd[columns]
        np.add.at(total, np.repeat(np.arange(len(total)), np.diff(starts)), terms)


def _bits(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values.astype(np.float64) + 0.0).view(np.uint64)  # + 0.0: one zero, not two
