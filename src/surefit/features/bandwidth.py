"""Layer *features*: the rule of thumb for a bandwidth: the median distance between rows.

In: rows, dense or sparse.  Out: a length ``> 0``.  Refused: fewer than two rows, and rows of which too many are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import pdist

from surefit.features.distance import distances, times_power_of_two


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
