"""Layer compiled: the compiled kernel tiles in plain NumPy, as a lecture would write them.

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


def radial_symmetric_times(
    profile: int, rate: float, X: np.ndarray, V: np.ndarray, threads: int, out: np.ndarray
) -> None:
    """``out = k(X, X) @ V``."""
    radial_times(profile, rate, X, X, V, threads, out)


def _values(profile: int, rate: float, squared: np.ndarray) -> np.ndarray:
    if profile == 0:
        return np.exp(-rate * squared)
    u = np.minimum(rate * np.sqrt(squared), 1000.0)
    factor = (None, 1.0, 1 + u, 1 + u + u**2 / 3)[profile]
    return factor * np.exp(-u)


SIDE = 64


def triangle_store(block: np.ndarray, first_row: int, step: float, threads: int, tiles: np.ndarray) -> None:
    """Store the rows from ``first_row`` on, given in all columns up to the last of them, as tiles of the triangle."""
    padded = np.zeros((-(-len(block) // SIDE) * SIDE, -(-block.shape[1] // SIDE) * SIDE))
    padded[: len(block), : block.shape[1]] = block / step
    if tiles.dtype == np.int16:
        padded = np.rint(padded)
    for row in range(0, len(block), SIDE):
        number = (first_row + row) // SIDE
        for column in range(number + 1):
            start = (number * (number + 1) // 2 + column) * SIDE**2
            tile = padded[row : row + SIDE, column * SIDE : (column + 1) * SIDE]
            tiles[start : start + SIDE**2] = tile.ravel()


def triangle_times(tiles: np.ndarray, step: float, V: np.ndarray, threads: int, out: np.ndarray) -> None:
    """``out = step * M @ V``: every tile of the triangle serves its rows and, mirrored, its columns."""
    count = -(-len(V) // SIDE)
    padded, total = np.zeros((2, count * SIDE, V.shape[1]))
    padded[: len(V)] = V
    for i in range(count):
        for j in range(i + 1):
            start = (i * (i + 1) // 2 + j) * SIDE**2
            tile = tiles[start : start + SIDE**2].reshape(SIDE, SIDE).astype(np.float64)
            total[i * SIDE : (i + 1) * SIDE] += tile @ padded[j * SIDE : (j + 1) * SIDE]
            if i != j:
                total[j * SIDE : (j + 1) * SIDE] += tile.T @ padded[i * SIDE : (i + 1) * SIDE]
    out[:] = step * total[: len(V)]


def block_fold(C: np.ndarray, A: np.ndarray, Y: np.ndarray, weight: np.ndarray, threads: int, out: np.ndarray) -> None:
    """With ``left = Y - C A``: ``out`` is ``C' (w left)``, then the sums of ``w left`` and of ``w left**2``."""
    left = Y - C @ A
    weighed = weight[:, None] * left
    out[:-2], out[-2], out[-1] = C.T @ weighed.astype(C.dtype), weighed.sum(axis=0), (weighed * left).sum(axis=0)


def radial_fold(  # noqa: PLR0913  as the compiled one
    profile: int, rate: float, X: np.ndarray, Z: np.ndarray, A: np.ndarray, Y: np.ndarray, weight: np.ndarray,
    threads: int, out: np.ndarray,
) -> None:  # fmt: skip
    """The fold of ``k(X, Z)``, a tile of rows at a time."""
    total, part = np.zeros_like(out), np.empty_like(out)
    for first in range(0, len(X), ROWS):
        rows = slice(first, first + ROWS)
        block = _values(profile, rate, cdist(X[rows], Z, "sqeuclidean")).astype(X.dtype)
        block_fold(block, A, Y[rows], weight[rows], threads, part)
        total += part
    out[:] = total
