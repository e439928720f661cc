"""Layer features: the compiled kernel tiles in plain NumPy, as a lecture would write them.

In and out as in ``native/kernel.hpp``: the answer is written into ``out``; ``threads`` has nothing to say here.
"""

import numpy as np
from scipy.spatial.distance import cdist

ROWS = 256
"""Rows of a tile."""


def radial_block(profile: int, rate: float, X: np.ndarray, Z: np.ndarray, threads: int, out: np.ndarray) -> None:
    """``out[i, j] = k(|x_i - z_j|)``."""
    for rows in range(0, len(X), ROWS):
        out[rows : rows + ROWS] = _values(profile, rate, cdist(X[rows : rows + ROWS], Z, "sqeuclidean"))


def radial_gram(profile: int, rate: float, X: np.ndarray, threads: int, out: np.ndarray) -> None:
    """``out[i, j] = k(|x_i - x_j|)``, symmetric because a difference and its negative have the same square."""
    radial_block(profile, rate, X, X, threads, out)


def radial_times(
    profile: int, rate: float, X: np.ndarray, Z: np.ndarray, V: np.ndarray, threads: int, out: np.ndarray
) -> None:
    """``out = k(X, Z) @ V``, a tile of rows at a time."""
    for rows in range(0, len(X), ROWS):
        out[rows : rows + ROWS] = _values(profile, rate, cdist(X[rows : rows + ROWS], Z, "sqeuclidean")) @ V


def _values(profile: int, rate: float, squared: np.ndarray) -> np.ndarray:
    if profile == 0:
        return np.exp(-rate * squared)
    u = np.minimum(rate * np.sqrt(squared), 1000.0)
    factor = (None, 1.0, 1 + u, 1 + u + u**2 / 3)[profile]
    return factor * np.exp(-u)
