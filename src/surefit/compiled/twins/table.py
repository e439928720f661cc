"""The twins of the loops over tables: products with numbers about an origin and indicators of words (catalogue C-01).

Columns are a constant, ``numbers * inverse - shift``, others ``beside`` them, and an indicator for each level.  Levels
of all columns of words are numbered by ``codes`` (words, rows), those of a later column larger; a negative one has no
indicator.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

PIECE = 4096
"""Rows whose matrix is made at a time."""

FEW = 32
"""Rows whose sums are in the precision of the terms: sums of few lose few digits."""


def table_times(
    numbers: np.ndarray, inverse: np.ndarray, shift: np.ndarray, codes: np.ndarray, V: np.ndarray, out: np.ndarray
) -> None:
    """Write ``[1, numbers, indicators] V`` into ``out`` (rows, width)."""
    q = 1 + numbers.shape[1]
    for rows, A, hot in _pieces(numbers, inverse, shift, codes, np.empty((len(numbers), 0)), len(V) - q):
        out[rows] = A @ V[:q] + hot @ V[q:]


def table_products(  # noqa: PLR0913 - the arguments of the compiled loop
    numbers: np.ndarray,
    inverse: np.ndarray,
    shift: np.ndarray,
    codes: np.ndarray,
    beside: np.ndarray,
    weight: np.ndarray,
    U: np.ndarray,
    gram: np.ndarray,
    cross: np.ndarray,
    squares: np.ndarray,
) -> None:
    """Add products over rows ``A_i = [1, numbers, beside, indicators]`` to three sums.

    ``gram`` (s, s) gains ``weight_i A_i A_i'`` on and above the diagonal, ``cross`` (s, width) gains ``A_i U_i'``, and
    ``squares`` (q,) the last entry of ``U_i`` times the squares of the columns that are no indicators.
    """
    q = len(squares)
    for rows, A, hot in _pieces(numbers, inverse, shift, codes, beside, len(gram) - q):
        weighted = A * weight[rows, None]
        gram[:q, :q] += np.triu(A.T @ weighted)
        gram[:q, q:] += (hot.T @ weighted).T
        gram[q:, q:] += np.triu((hot.T @ sparse.diags_array(weight[rows]) @ hot).toarray())
        cross[:q] += A.T @ U[rows]
        cross[q:] += hot.T @ U[rows]
        squares += U[rows, -1] @ np.square(A)


def table_left_out(  # noqa: PLR0913 - the arguments of the compiled loop
    numbers: np.ndarray,
    inverse: np.ndarray,
    shift: np.ndarray,
    codes: np.ndarray,
    turn: np.ndarray,
    coef: np.ndarray,
    share: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    own: float,
    single: bool,
    out: np.ndarray,
) -> None:
    """Add to ``out`` (2, lams) what leaving rows out adds to the sum of squares, and the sum of fourth powers.

    Rows ``U_i = [1, numbers, indicators] turn`` have residuals ``U_i coef - target_i`` and leverages
    ``weight_i (U_i**2 share + own)`` for each lam; what is added is ``weight_i r**2 (1 / (1 - h)**2 - 1)``.
    """
    kind: Any = np.float32 if single else np.float64
    coef, share, q = coef.astype(kind), share.astype(kind), 1 + numbers.shape[1]
    beside = np.empty((len(numbers), 0))
    for rows, A, hot in _pieces(numbers, inverse, shift, codes, beside, len(turn) - q):
        U = (A @ turn[:q] + hot @ turn[q:]).astype(kind)
        w = weight[rows, None].astype(kind)
        residual = U @ coef - target[rows, None].astype(kind)
        leverage = w * (np.square(U) @ share + kind(own))
        e = leverage / (1 - leverage)  # 1 / (1 - h)^2 = 1 + e (2 + e)
        squares = residual * residual
        gained = squares * e * (2 + e)
        out[0] += np.add.reduceat(w * gained, np.arange(0, len(gained), FEW)).sum(axis=0, dtype=np.float64)
        out[1] += np.sum(w * np.square(squares + gained), axis=0)


def _pieces(
    numbers: np.ndarray, inverse: np.ndarray, shift: np.ndarray, codes: np.ndarray, beside: np.ndarray, levels: int
) -> Iterator[tuple[slice, np.ndarray, sparse.csr_array]]:
    """Some rows at a time: the columns that are no indicators, and the indicators."""
    for start in range(0, len(numbers), PIECE):
        rows = slice(start, min(start + PIECE, len(numbers)))
        m, there = rows.stop - start, codes[:, rows].T >= 0
        A = np.hstack([np.ones((m, 1)), numbers[rows] * inverse - shift, beside[rows]])
        ends = np.append(0, np.cumsum(there.sum(axis=1)))
        columns = codes[:, rows].T[there]
        yield rows, A, sparse.csr_array((np.ones(len(columns)), columns, ends), shape=(m, levels))
