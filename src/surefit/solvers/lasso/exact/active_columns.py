"""Layer solvers: a growing and shrinking set of columns with its triangular factor, for walks along supports.

In: a centred design.  Out: solutions of the normal equations on the active columns, each corrected once so that they
are as accurate as those of an orthogonal factorisation.  Refuses a column that depends on the active ones.
"""

import numpy as np
from scipy import linalg
from scipy.linalg import blas

from surefit.data.centred import Centred, centre
from surefit.data.design import Design
from surefit.data.scale import EPS
from surefit.solvers.linear.rank import dead_columns

DEPENDENT = 1e-7
"""A column depends on those in the set if less than this share of its length is left beside them."""


class MeanDesign:
    """``A = sqrt(p) (X - mean)``: rows weighted so that ``||A v||**2`` is a weighted mean; sparse stays sparse."""

    def __init__(self, design: Design, fit_intercept: bool):
        self.centred: Centred = centre(design, fit_intercept)
        self.root_total = np.sqrt(design.total_weight)
        self._sparse = design.X.tocsc() if design.is_sparse else None
        self._dense = None if design.is_sparse else np.asfortranarray(self.centred.dense() / self.root_total)
        self.lengths = self._column_lengths()
        # what products with a column add up: sparse ones are centred only afterwards
        self.sizes = np.hypot(self.lengths, self.centred.shift) if design.is_sparse else self.lengths
        self.dead = dead_columns(self.centred, self.lengths * self.root_total)

    def _column_lengths(self) -> np.ndarray:
        if self._dense is not None:
            return np.sqrt(np.einsum("ij,ij->j", self._dense, self._dense))
        A = self.centred
        share = A.design.weight / A.design.total_weight
        second = np.asarray(self._sparse.multiply(self._sparse).T @ share).ravel()  # type: ignore[union-attr]
        return np.sqrt(np.maximum(second - A.shift**2, 0.0))

    def target(self, y: np.ndarray) -> np.ndarray:
        """``sqrt(p) (y - mean)``, exactly zero for a constant ``y``."""
        t = self.centred.target(y) / self.root_total
        return np.zeros_like(t) if np.linalg.norm(t) <= 8 * EPS * np.max(np.abs(y), initial=0.0) else t

    def column(self, j: int) -> np.ndarray:
        if self._dense is not None:
            return self._dense[:, j]
        A = self.centred
        raw = self._sparse[:, [j]].toarray().ravel()  # type: ignore[index]
        return A.root_weight * (raw - A.shift[j]) / self.root_total

    def matvec(self, coef: np.ndarray) -> np.ndarray:
        """``A @ coef`` for one vector of coefficients ``(d,)`` or several ``(d, k)``."""
        return self.centred.matvec(coef) / self.root_total if self._dense is None else self._dense @ coef

    def rmatvec(self, dual: np.ndarray) -> np.ndarray:
        """``A.T @ dual``; columns that are constant up to rounding give exactly zero."""
        dense = self._dense
        product = self.centred.rmatvec(dual) / self.root_total if dense is None else dense.T @ dual
        product[self.dead] = 0.0
        return product


class ActiveColumns:
    """Columns that are in, and ``R`` upper triangular with ``R' R`` their Gram matrix.

    The triangle is packed by columns, one after the other: a column more is written behind the last, and products
    with the inverse read nothing else.
    """

    def __init__(self, design: MeanDesign):
        self.design = design
        self.indices: list[int] = []
        self._held = np.empty((design.centred.n, 16), order="F")
        self._packed = np.empty(_start(17))

    @property
    def columns(self) -> np.ndarray:
        """The columns that are in, shape ``(n, k)``; a view."""
        return self._held[:, : len(self)]

    def _reserve(self) -> None:
        k = len(self)
        if k == self._held.shape[1]:
            self._held = np.asfortranarray(np.pad(self._held, ((0, 0), (0, k))))
            self._packed = np.pad(self._packed, (0, _start(2 * k + 1) - len(self._packed)))

    def __len__(self) -> int:
        return len(self.indices)

    def append(self, j: int) -> bool:
        """Take column ``j`` in; False, and nothing changed, if it depends on those that are in."""
        column, k = self.design.column(j), len(self)
        half = self._solve_transposed(self.columns.T @ column)
        left = column - self.columns @ self._solve_triangle(half)
        pivot = float(np.linalg.norm(left))
        if not pivot > DEPENDENT * self.design.lengths[j]:
            return False
        self._reserve()
        self._held[:, k] = column
        self._packed[_start(k) : _start(k + 1)] = np.append(half, pivot)
        self.indices.append(j)
        return True

    def remove(self, j: int) -> None:
        """Let column ``j`` go; what is below the gap is made triangular again, by rotations."""
        k, last = self.indices.index(j), len(self) - 1
        self._held[:, k:last] = self._held[:, k + 1 : last + 1].copy()
        below = np.zeros((last - k + 1, last - k + 1))
        for i in range(k, last + 1):
            below[: i - k + 1, i - k] = self._packed[_start(i) + k : _start(i + 1)]
        restored = linalg.qr_delete(np.eye(len(below)), below, 0, which="col", check_finite=False)[1]
        for i in range(k, last):
            self._packed[_start(i) : _start(i) + k] = self._packed[_start(i + 1) : _start(i + 1) + k]
            self._packed[_start(i) + k : _start(i + 1)] = restored[: i - k + 1, i - k]
        del self.indices[k]

    def solve_normal(self, right: np.ndarray) -> np.ndarray:
        """``(A_P' A_P)^{-1} right``, corrected once with a residual from the columns themselves."""
        answer = self._solve(right)
        return answer + self._solve(right - self.columns.T @ (self.columns @ answer))

    def fit(self, target: np.ndarray, corr: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients with ``A_P' (target - A_P w) = corr``, corrected once from ``start``, and that residual."""
        w = start + self._solve(self.columns.T @ (target - self.columns @ start) - corr)
        return w, target - self.columns @ w

    def _solve(self, right: np.ndarray) -> np.ndarray:
        return self._solve_triangle(self._solve_transposed(right))

    def _solve_triangle(self, right: np.ndarray) -> np.ndarray:
        return blas.dtpsv(len(self), self._packed, right) if self.indices else right

    def _solve_transposed(self, right: np.ndarray) -> np.ndarray:
        return blas.dtpsv(len(self), self._packed, right, trans=1) if self.indices else right


def _start(k: int) -> int:
    """Where column ``k`` of a packed triangle starts."""
    return k * (k + 1) // 2
