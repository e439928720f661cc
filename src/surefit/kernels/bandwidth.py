"""Layer kernels: the rule of thumb for a bandwidth: the median distance between rows.

In: rows, dense or sparse.  Out: a length ``> 0``.  Refused: fewer than two rows, and rows of which too many are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import pdist

from surefit.kernels.distance import distances, times_power_of_two

CONSTANT = 2.0**-50
"""Share of its largest entry below which the spread of a column is rounding."""

ENTRIES = 1_000_000
"""Numbers of a table that are copied at a time."""


def median_distance(X: Any, quantile: float = 0.5, *, max_rows: int = 2000) -> float:
    """``Med{||x_i - x_j|| : i < j}``, a bandwidth that fits the scale of the data; or another quantile.

    Pairs ``i = j`` are left out: their zeros would pull the median down (Catalogue E-055).  Beyond ``max_rows`` rows,
    the pairs of a seeded random sample of that many rows stand for all.  Catalogue K-19.

    >>> median_distance([[0.0], [1.0], [3.0]])
    2.0
    """
    if not 0 < quantile < 1:
        raise ValueError(f"quantile must lie between 0 and 1, got {quantile!r}; 0.5 is the median")
    X = X.tocsr() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[0] < 2:
        raise ValueError(f"distances need at least two rows, got shape {X.shape}; give the bandwidth as a number")
    if X.shape[0] > max_rows:
        X = X[np.sort(np.random.default_rng(0).choice(X.shape[0], max_rows, replace=False))]
    return _positive_quantile(X, quantile)


def dominant_column(X: Any) -> tuple[int, float] | None:
    """The column that makes up most of all squared distances between rows, and its share; None if less than two vary.

    The share is its variance over the sum of all columns' variances, whatever their units and origins.

    >>> column, share = dominant_column(np.array([[0.0, 1.0], [3.0, 1.0], [0.0, 2.0], [3.0, 2.0]]))
    >>> column, round(share, 9)
    (0, 0.9)
    >>> dominant_column(np.array([[0.0, 1.0], [3.0, 1.0]])) is None
    True
    """
    if sparse.issparse(X):
        spread, square = _sparse_spreads(X)
    else:
        step = max(1, ENTRIES // X.shape[0])
        blocks = [_dense_spreads(X[:, first : first + step]) for first in range(0, X.shape[1], step)]
        spread, square = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    varies = np.flatnonzero(spread > 0)
    if len(varies) < 2:
        return None
    size = 2.0 * np.log(spread[varies]) + np.log(square[varies])  # squares of extreme units leave the range of numbers
    share = np.exp(size - size.max())
    best = int(np.argmax(share))
    return int(varies[best]), float(share[best] / share.sum())


def _dense_spreads(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Half the largest distance of each column from its first entry, 0 for constants; its variance in that unit."""
    away = 0.5 * X - 0.5 * X[:1]  # halves do not overflow, and what is near is subtracted without rounding
    spread = np.max(np.abs(away), axis=0)
    spread[spread <= CONSTANT * np.max(np.abs(X), axis=0)] = 0.0
    return spread, np.var(away / np.where(spread > 0, spread, 1.0), axis=0)


def _sparse_spreads(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """The same without storing zeros; a column that has some is measured from zero."""
    columns = X.tocsc(copy=True)
    columns.sum_duplicates()
    n, d = columns.shape
    stored = np.diff(columns.indptr)
    member, full = np.repeat(np.arange(d), stored), stored == n
    origin, spread, size = np.zeros(d), np.zeros(d), np.zeros(d)
    origin[full] = columns.data[columns.indptr[:-1][full]]
    away = 0.5 * columns.data - 0.5 * origin[member]
    np.maximum.at(spread, member, np.abs(away))
    np.maximum.at(size, member, np.abs(columns.data))
    spread[spread <= CONSTANT * size] = 0.0
    away = away / np.where(spread > 0, spread, 1.0)[member]
    mean = np.bincount(member, away, minlength=d) / n
    squares = np.bincount(member, (away - mean[member]) ** 2, minlength=d)
    return spread, (squares + (n - stored) * mean**2) / n


def _positive_quantile(X: Any, quantile: float) -> float:
    values = X.data if sparse.issparse(X) else X
    if not np.isfinite(values).all():
        raise ValueError("X contains NaN or infinity; clean or impute it first")
    _, exponent = np.frexp(np.max(np.abs(values), initial=0.0))
    X = times_power_of_two(X, -int(exponent))  # entries up to 1: squares neither overflow nor vanish
    pairs = distances(X, X)[np.triu_indices(X.shape[0], 1)] if sparse.issparse(X) else pdist(X)
    with np.errstate(over="ignore"):
        found = float(np.ldexp(np.quantile(pairs, quantile), exponent))
    if found == np.inf:
        raise ValueError("distances between these rows exceed the largest number; rescale X")
    if found == 0:
        raise ValueError(
            f"the {quantile:g}-quantile of the distances is 0: too many rows are equal; give the bandwidth as a number"
        )
    return found
