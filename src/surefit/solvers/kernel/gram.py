"""Layer solvers: what a kernel Newton step needs of a Gram matrix: products, and one well-conditioned inverse.

In: the matrix ``K`` (n, n) itself, or features ``Z`` (n, r) with ``K = Z Z'``.  Out: ``K V``, the map
``(I + S K S)^{-1}`` for a diagonal ``S >= 0`` (no eigenvalue of that system is below 1, whatever ``K`` and ``S``), and
the same for some of the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import linalg

from surefit.data.scale import EPS
from surefit.solvers.kernel import limits

Map = Callable[[np.ndarray], np.ndarray]


class Gram(Protocol):
    """What a kernel solver needs to know of ``K``."""

    @property
    def n(self) -> int:
        """Rows of ``K``."""

    def times(self, V: np.ndarray) -> np.ndarray:
        """``K V`` for ``V`` (n,) or (n, k)."""

    def inverse(self, scale: np.ndarray) -> Map:
        """The map ``(I + S K S)^{-1}`` with ``S = diag(scale)``, for right-hand sides (n,) or (n, k)."""

    def part(self, rows: np.ndarray) -> Gram:
        """The Gram matrix of some of the rows."""

    def across(self, rows: np.ndarray, columns: np.ndarray, V: np.ndarray) -> np.ndarray:
        """``K[rows, columns] V``."""

    def mean_diagonal(self, weights: np.ndarray) -> float:
        """``sum_i weights_i K_ii``."""

    def rounding(self, V: np.ndarray) -> np.ndarray:
        """How far rounding may move the entries of ``K V`` at most, that of the values of the kernel included."""


@dataclass(frozen=True, eq=False)
class DenseGram:
    """A stored matrix ``K``, its entries known to ``digits`` times ``sqrt(K_ii K_jj)``.

    >>> gram = DenseGram(np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> gram.inverse(np.array([2.0, 0.0]))(np.array([5.0, 3.0]))
    array([1., 3.])
    """

    K: np.ndarray
    digits: float = 32 * EPS

    @property
    def n(self) -> int:
        return len(self.K)

    def times(self, V: np.ndarray) -> np.ndarray:
        return self.K @ V

    def inverse(self, scale: np.ndarray) -> CholeskyInverse:
        def build() -> np.ndarray:
            system = self.K * scale
            system *= scale[:, None]
            return system

        return cholesky_inverse(build, 1.0)

    def part(self, rows: np.ndarray) -> DenseGram:
        return DenseGram(self.K[np.ix_(rows, rows)], self.digits)

    def across(self, rows: np.ndarray, columns: np.ndarray, V: np.ndarray) -> np.ndarray:
        whole = np.zeros((self.n, *V.shape[1:]))
        whole[columns] = V
        return self.K[rows] @ whole

    def mean_diagonal(self, weights: np.ndarray) -> float:
        return float(weights @ np.diagonal(self.K))

    def rounding(self, V: np.ndarray) -> np.ndarray:
        return _rounding(np.diagonal(self.K), V, self.digits + EPS * self.n)


@dataclass(frozen=True, eq=False)
class LowRankGram:
    """``K = Z Z'``, never formed; systems are solved at the side of ``Z`` (Woodbury).

    >>> Z = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 1.0]])
    >>> scale, b = np.array([1.0, 0.5, 2.0]), np.array([1.0, -1.0, 2.0])
    >>> bool(np.allclose(LowRankGram(Z).inverse(scale)(b), DenseGram(Z @ Z.T).inverse(scale)(b)))
    True
    """

    Z: np.ndarray

    @property
    def n(self) -> int:
        return len(self.Z)

    def times(self, V: np.ndarray) -> np.ndarray:
        return self.Z @ (self.Z.T @ V)

    def small_inverse(self, scale: np.ndarray) -> CholeskyInverse:
        """The map ``(I + Z'S S Z)^{-1}``, at the side of ``Z``."""

        def build() -> np.ndarray:
            small = np.zeros((self.Z.shape[1], self.Z.shape[1]))
            for start in range(0, self.n, limits.FEATURE_ROWS):
                rows = self.Z[start : start + limits.FEATURE_ROWS] * scale[start : start + limits.FEATURE_ROWS, None]
                small += rows.T @ rows
            return small

        return cholesky_inverse(build, 1.0)

    def inverse(self, scale: np.ndarray) -> Map:
        solve = self.small_inverse(scale)

        def apply(rhs: np.ndarray) -> np.ndarray:
            s = scale.reshape(-1, *(1,) * (rhs.ndim - 1))
            return rhs - s * (self.Z @ solve(self.Z.T @ (s * rhs)))

        return apply

    def part(self, rows: np.ndarray) -> LowRankGram:
        return LowRankGram(self.Z[rows])

    def across(self, rows: np.ndarray, columns: np.ndarray, V: np.ndarray) -> np.ndarray:
        return self.Z[rows] @ (self.Z[columns].T @ V)

    def mean_diagonal(self, weights: np.ndarray) -> float:
        return float(weights @ np.einsum("ij,ij->i", self.Z, self.Z))

    def rounding(self, V: np.ndarray) -> np.ndarray:
        return _rounding(np.einsum("ij,ij->i", self.Z, self.Z), V, EPS * (self.n + self.Z.shape[1]))


def _rounding(diagonal: np.ndarray, V: np.ndarray, unit: float) -> np.ndarray:
    """``unit`` times a bound of ``|K| |V|``, by the inequality of Cauchy and Schwarz."""
    reach = np.sqrt(np.maximum(diagonal, 0.0))
    return unit * np.multiply.outer(reach, reach @ np.abs(V))


@dataclass(frozen=True, eq=False)
class CholeskyInverse:
    """The inverse of a matrix that was factorised in place; ``identity`` is how much of one was added to it."""

    factor: np.ndarray
    identity: float

    def __call__(self, rhs: np.ndarray) -> np.ndarray:
        return linalg.cho_solve((self.factor, True), rhs, check_finite=False)

    def lower_triangle(self) -> np.ndarray:
        """The inverse itself on and below its diagonal, for a third of the cost of as many right-hand sides."""
        return linalg.lapack.dpotri(self.factor, lower=1)[0]


def cholesky_inverse(build: Callable[[], np.ndarray], identity: float) -> CholeskyInverse:
    """``(A + identity * I)^{-1}`` for a positive semidefinite ``A = build()``, which is overwritten.

    Rounding can leave an ``A`` of huge entries slightly indefinite; then the identity is enlarged until the factor
    exists.  A Newton step from it is shorter, and still a descent.
    """
    while True:
        system = build()
        largest = float(np.max(np.diagonal(system), initial=0.0))
        system[np.diag_indices_from(system)] += identity
        try:
            factor = linalg.cho_factor(system.T, lower=True, overwrite_a=True, check_finite=False)[0]
            return CholeskyInverse(factor, identity)
        except linalg.LinAlgError:
            identity = max(100.0 * identity, 1e-14 * len(system) * largest)
