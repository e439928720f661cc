"""Layer kernels: a kernel matrix computed tile by tile, on all cores, for kernels without compiled tiles.

In: a function that computes one tile, and rows.  Out: Gram matrices, diagonals, products.  Tiles are fixed by the shape
alone, so the results do not depend on the number of cores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from surefit.progress import Task
from surefit.threads import map_in_order

_ROW_BYTES = 2048  # 256 x 256 tiles in float64, 512 x 512 in float32: larger ones cost several times as much
_DIAGONAL_ROWS = 32

Tile = Callable[[Any, Any, np.dtype], np.ndarray]


def block_in_tiles(tile: Tile, X: Any, Z: Any, dtype: np.dtype) -> np.ndarray:
    """The matrix of pairs, tile by tile."""
    rows, columns = _tiles(X, dtype), _tiles(Z, dtype)
    if len(rows) * len(columns) <= 1:
        return tile(X, Z, dtype)
    K = np.empty((X.shape[0], Z.shape[0]), dtype)

    def fill(corner: tuple[slice, slice]) -> None:
        K[corner] = tile(X[corner[0]], Z[corner[1]], dtype)

    _walk(fill, [(a, b) for a in rows for b in columns])
    return K


def gram_in_tiles(tile: Tile, self_pairs: Callable[[Any], np.ndarray], X: Any, dtype: np.dtype) -> np.ndarray:
    """The matrix of all pairs of rows: tiles above the diagonal computed, tiles below copied."""
    n = X.shape[0]
    K = np.empty((n, n), dtype)
    cuts = _tiles(X, dtype)

    def fill(corner: tuple[slice, slice]) -> None:
        rows, columns = corner
        values = tile(X[rows], X[columns], dtype)
        if rows == columns:
            values = np.triu(values) + np.triu(values, 1).T
        K[rows, columns] = values
        K[columns, rows] = values.T

    _walk(fill, [(a, b) for i, a in enumerate(cuts) for b in cuts[i:]])
    np.fill_diagonal(K, self_pairs(X))
    return K


def times_in_tiles(tile: Tile, X: Any, Z: Any, V: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The matrix of pairs times ``V``, summed in float64 over tiles of the matrix."""
    product = np.zeros((X.shape[0], V.shape[1]))
    size = float(np.max(np.abs(V), initial=0.0)) or 1.0  # weights beyond float32 must not overflow in it
    narrow = (V / size).astype(dtype, copy=False)
    cuts = _tiles(Z, dtype)

    def fill(rows: slice) -> None:
        for columns in cuts:
            product[rows] += tile(X[rows], Z[columns], dtype) @ narrow[columns]

    _walk(fill, _tiles(X, dtype))
    return product * size


def diagonal_in_blocks(tile: Tile, X: Any) -> np.ndarray:
    """The diagonal of the matrix of pairs, from the small blocks along it."""
    cuts = _cuts(X.shape[0], _DIAGONAL_ROWS)
    return np.concatenate([np.zeros(0), *(np.diagonal(tile(X[rows], X[rows], np.dtype(np.float64))) for rows in cuts)])


def _walk(fill: Callable[[Any], None], corners: list[Any]) -> None:
    tell = Task("kernel values", len(corners), "block")
    for step, _ in enumerate(map_in_order(fill, corners), start=1):
        tell(step, 1 - step / len(corners))  # the error left is the share of tiles still to come


def _tiles(X: Any, dtype: np.dtype) -> list[slice]:
    return _cuts(X.shape[0], _ROW_BYTES // dtype.itemsize)


def _cuts(n: int, rows: int) -> list[slice]:
    return [slice(start, min(start + rows, n)) for start in range(0, n, rows)]
