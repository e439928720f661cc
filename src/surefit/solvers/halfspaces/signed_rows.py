"""Layer solvers: two classes as one cloud of rows ``z_i = t_i (x_i, 1)``, which a separator has on its positive side.

In: a dense matrix and labels -1 or +1.  Out: the rows in units in which their numbers can be compared, and the way back
to the user's coefficients.  Refused: other labels, NaN, shapes that do not fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse


def checked_signs(X: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    """``X`` (n, d) and labels (n,) in {-1, +1} as float64; an error that says what is wrong with them otherwise."""
    if sparse.issparse(X):
        raise ValueError("X is sparse, and exact geometry needs dense rows; pass X.toarray() if that fits into memory")
    X, t = np.asarray(X, dtype=np.float64), np.asarray(labels)
    if X.ndim != 2 or t.shape != X.shape[:1] or X.size == 0:
        raise ValueError(f"need X (n, d) and one label per row, got shapes {X.shape} and {t.shape}; reshape them")
    if not np.isin(t, (-1, 1)).all():
        raise ValueError("labels must be -1 or +1; write np.where(y == positive, 1, -1)")
    if not np.all(np.isfinite(X)):
        raise ValueError("X contains NaN or infinity; drop or impute the rows concerned")
    return X, t.astype(np.float64)


@dataclass(frozen=True, eq=False)
class SignedRows:
    """Rows ``t_i ((x_i - shift) / scale, 1)``, each divided by its length: who separates them separates the data.

    Rows that vanish stay zero; nothing separates them.  Without an intercept nothing is shifted and no 1 is appended.

    >>> cloud = SignedRows.of([[1.0], [5.0]], [-1, 1], fit_intercept=True)
    >>> cloud.separator(np.array([1.0, 0.0]))
    (array([0.5]), -1.5)
    """

    rows: np.ndarray
    shift: np.ndarray
    scale: np.ndarray
    fit_intercept: bool

    @staticmethod
    def of(X: Any, labels: Any, fit_intercept: bool) -> SignedRows:
        X, t = checked_signs(X, labels)
        shift = 0.5 * X.min(axis=0) + 0.5 * X.max(axis=0) if fit_intercept else np.zeros(X.shape[1])
        rows = X - shift
        scale = np.max(np.abs(rows), axis=0)
        scale[scale == 0] = 1.0
        rows /= scale
        if fit_intercept:
            rows = np.column_stack([rows, np.ones(len(rows))])
        length = np.linalg.norm(rows, axis=1)
        length[length == 0] = 1.0
        return SignedRows(rows * (t / length)[:, None], shift, scale, fit_intercept)

    def separator(self, direction: np.ndarray) -> tuple[np.ndarray, float]:
        """The user's coefficients and intercept of a direction in the space of these rows."""
        slopes = direction[: len(self.scale)]
        if not self.fit_intercept:
            return slopes / self.scale, 0.0
        coef = slopes / self.scale
        return coef, float(direction[-1] - coef @ self.shift)
