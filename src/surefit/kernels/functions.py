"""Layer kernels: the functions of a kernel's own Hilbert space, ``f = sum_i weights[i] k(points[i], .)``.

In: a kernel, points, weights.  Out: values, inner products, norms, and the bounds on values and on differences of
values that follow from a norm.  Refused: arithmetic between functions of different kernels.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from surefit.kernels.definite import gram_features
from surefit.kernels.inputs import checked_rows, checked_weights
from surefit.kernels.kernel import Kernel
from surefit.kernels.library import Mercer


def kernel_distances(kernel: Kernel, X: Any, Z: Any) -> np.ndarray:
    """``sqrt(k(x_i, x_i) - 2 k(x_i, z_j) + k(z_j, z_j))``, shape ``(n, m)``: distances between the points' features.

    Distances below ``1e-8 * sqrt(k(x, x))`` drown in rounding; what would be negative is set to 0.  Points at distance
    0 need not be equal.  Catalogue K-18.

    >>> from surefit.kernels.library import Polynomial
    >>> kernel_distances(Polynomial(degree=2, constant=1.0), [[1.0, 1.0]], [[2.0, 3.0]]).round(9).tolist()
    [[11.532562595]]
    """
    squares = np.add.outer(kernel.diag(X), kernel.diag(Z)) - 2 * kernel.block(X, Z)
    return np.sqrt(np.maximum(squares, 0.0))


class RKHSFunction:
    """``f = sum_i weights[i] k(points[i], .)`` with ``<f, g> = weights' K weights_g``.  Catalogue T-62, T-65, P-04.

    The inner product belongs to the function, not to the way it is written.  It reproduces: ``<f, k(x, .)> = f(x)``,
    and no other kernel does so in this space (T-64).  Evaluation ``f -> f(x)`` is linear by definition; that it is
    continuous, by `value_bound`, is what makes the space one with a kernel (T-63, E-057).  The gradient of
    ``||f||**2`` is ``2 * f``, with weights ``2 * weights``.

    >>> from surefit.kernels.library import Linear
    >>> f = RKHSFunction(Linear(), [[1.0, 0.0], [0.0, 1.0]], [3.0, 4.0])         # x -> 3 x_0 + 4 x_1
    >>> f([[1.0, 1.0]]).tolist(), f.norm()
    ([7.0], 5.0)
    >>> (2 * f - f).distance(f)
    0.0
    """

    def __init__(self, kernel: Kernel, points: Any, weights: Any):
        self.kernel = kernel
        kernel.check(points)
        self.points = checked_rows(points, kernel)
        self.weights = checked_weights(weights, self.points.shape[0])
        if self.weights.ndim != 1:
            raise ValueError(f"weights must have shape (n,), got {self.weights.shape}; make one function per column")

    def __call__(self, X: Any) -> np.ndarray:
        """``f(x_i)`` for every row, shape ``(n,)``."""
        return self.kernel.times(X, self.points, self.weights)

    def inner(self, other: RKHSFunction) -> float:
        """``<f, g>``, for two functions of one kernel."""
        self._same_space(other)
        return float(self.weights @ self.kernel.times(self.points, other.points, other.weights))

    def squared_norm(self) -> float:
        """``||f||**2 = weights' K weights``, never below zero.  Catalogue P-04."""
        return max(self.inner(self), 0.0)

    def norm(self) -> float:
        """``||f||``."""
        return float(np.sqrt(self.squared_norm()))

    def distance(self, other: RKHSFunction) -> float:
        """``||f - g||``."""
        return (self - other).norm()

    def value_bound(self, X: Any) -> np.ndarray:
        """``||f|| sqrt(k(x_i, x_i)) >= |f(x_i)|``, shape ``(n,)``.  Catalogue T-62, T-63."""
        return self.norm() * np.sqrt(self.kernel.diag(X))

    def variation_bound(self, X: Any, Z: Any) -> np.ndarray:
        """``||f|| d(x_i, z_j) >= |f(x_i) - f(z_j)|``, shape ``(n, m)``, with `kernel_distances`.  Catalogue T-67."""
        return self.norm() * kernel_distances(self.kernel, X, Z)

    def __add__(self, other: object) -> RKHSFunction:
        if not isinstance(other, RKHSFunction):
            return NotImplemented
        self._same_space(other)
        if _same_points(self.points, other.points):
            return RKHSFunction(self.kernel, self.points, self.weights + other.weights)
        points = _stacked(self.points, other.points)
        return RKHSFunction(self.kernel, points, np.concatenate([self.weights, other.weights]))

    def __sub__(self, other: object) -> RKHSFunction:
        return self + -1.0 * other if isinstance(other, RKHSFunction) else NotImplemented

    def __mul__(self, factor: object) -> RKHSFunction:
        if not isinstance(factor, Real):
            return NotImplemented
        return RKHSFunction(self.kernel, self.points, float(factor) * self.weights)

    __rmul__ = __mul__
    __array_ufunc__ = None  # so that np.float64(2) * f asks the function

    def __repr__(self) -> str:
        return f"RKHSFunction({self.kernel!r}, {self.points.shape[0]} points)"

    def _same_space(self, other: RKHSFunction) -> None:
        if self.kernel != other.kernel:
            raise ValueError(f"functions of {self.kernel!r} and of {other.kernel!r} share no inner product")
        if self.points.shape[1] != other.points.shape[1]:
            raise ValueError(
                f"the functions take {self.points.shape[1]} and {other.points.shape[1]} features; both need the same"
            )


class _Eigenfunctions:
    """``phi_j(x) = sum_i mixing[i, j] k(x, points[i])``; equal by value, so that its kernel can be cloned."""

    def __init__(self, kernel: Kernel, points: Any, mixing: np.ndarray):
        self.kernel = kernel
        self.points = points
        self.mixing = mixing

    def __call__(self, X: Any) -> np.ndarray:
        return self.kernel.times(X, self.points, self.mixing)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Eigenfunctions)
            and self.kernel == other.kernel
            and np.array_equal(self.mixing, other.mixing)
            and _same_points(self.points, other.points)
        )

    def __hash__(self) -> int:
        return hash((self.kernel, self.mixing.shape))

    def __repr__(self) -> str:
        return f"<eigenfunctions of {self.kernel!r} on {self.points.shape[0]} rows>"


def empirical_expansion(kernel: Kernel, X: Any) -> Mercer:
    """The kernel's expansion in eigenfunctions of the sample: equal to ``kernel`` on the rows of ``X``.

    With ``K / n = U diag(a) U'``, ``weights = a`` and ``phi_j(x) = sum_i U_ij k(x, x_i) / (sqrt(n) a_j)``, which are
    orthonormal over the sample: ``mean_i phi_j(x_i) phi_l(x_i) = [j = l]``.  Off the sample it is the projection of the
    kernel on the span of the rows (Nystroem).  Eigenvalues that are zero up to rounding are left out.  Catalogue K-17.

    >>> from surefit.kernels.library import Linear
    >>> empirical_expansion(Linear(), [[1.0], [-1.0], [2.0]]).weights.round(12).tolist()
    [2.0]
    """
    X = checked_rows(X, kernel)
    n = X.shape[0]
    F = gram_features(kernel.gram(X))
    sizes = np.einsum("ij,ij->j", F, F)  # eigenvalues of K; the columns of F are sqrt(sizes) * U
    return Mercer(sizes / n, _Eigenfunctions(kernel, X, F * np.sqrt(n) / sizes**1.5))


def _same_points(A: Any, B: Any) -> bool:
    if sparse.issparse(A) or sparse.issparse(B):
        return A.shape == B.shape and sparse.issparse(A) and sparse.issparse(B) and (A != B).nnz == 0
    return np.array_equal(A, B)


def _stacked(A: Any, B: Any) -> Any:
    return sparse.vstack([A, B]).tocsr() if sparse.issparse(A) or sparse.issparse(B) else np.vstack([A, B])
