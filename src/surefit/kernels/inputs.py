"""Layer kernels: what a kernel accepts as rows, weights and precision.

In: anything array-like.  Out: finite float64 rows ``(n, d)`` or CSR, or an error that says what to do.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse


class TakesRows(Protocol):
    """The part of a kernel that decides which rows it accepts."""

    @property
    def takes_sparse(self) -> bool: ...


def checked_rows(X: Any, kernel: TakesRows) -> Any:
    """``X`` as finite float64 rows, CSR if it was sparse and ``kernel`` takes that."""
    if sparse.issparse(X):
        if not kernel.takes_sparse:
            raise ValueError(f"{kernel!r} takes dense rows only; use X.toarray()")
        X = X.tocsr().astype(np.float64, copy=False)
        values = X.data
    else:
        X = np.asarray(X)
        if np.iscomplexobj(X):
            raise ValueError("X is complex; kernels here take real rows, split it into real and imaginary columns")
        X = values = np.ascontiguousarray(X, dtype=np.float64) if X.ndim else np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(f"X must have shape (n, d), got {X.shape}; use X.reshape(-1, 1) for one feature")
    if not np.isfinite(values).all():
        raise ValueError("X contains NaN or infinity; clean or impute it first")
    return X


def checked_weights(V: Any, rows: int) -> np.ndarray:
    """``V`` as float64 of shape ``(rows,)`` or ``(rows, k)``."""
    V = np.asarray(V, dtype=np.float64)
    if V.ndim not in (1, 2) or len(V) != rows:
        raise ValueError(f"V must have one row for each of the {rows} rows of Z, got shape {V.shape}")
    if not np.isfinite(V).all():
        raise ValueError("V contains NaN or infinity; weights must be finite")
    return V


def checked_dtype(dtype: DTypeLike) -> np.dtype:
    """float32 or float64."""
    dtype = np.dtype(dtype)
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64, got {dtype}; it is the precision of the kernel's values")
    return dtype
