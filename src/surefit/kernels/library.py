"""Layer kernels: the kernels themselves, each a formula with a closed form for whole blocks.

In: rows as in `surefit.kernels.kernel`.  Out: kernels to use as they are or to combine.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from surefit.kernels.definite import is_psd, smallest_eigenvalue
from surefit.kernels.distance import whole_power
from surefit.kernels.inputs import checked_rows, checked_weights
from surefit.kernels.kernel import Kernel
from surefit.kernels.radial import Gaussian, Laplace, Matern
from surefit.parameters import non_negative, whole

__all__ = [
    "FeatureMap",
    "FiniteDomain",
    "FromFunction",
    "Gaussian",
    "Laplace",
    "Linear",
    "Matern",
    "Mercer",
    "Min",
    "Polynomial",
    "kernel_named",
]


def _inner_products(X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
    products = X.astype(dtype, copy=False) @ Z.astype(dtype, copy=False).T
    return products.toarray() if sparse.issparse(products) else products


def _squared_norms(X: Any) -> np.ndarray:
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


class Linear(Kernel):
    """``x'z``: the inner product of the rows themselves.  Catalogue K-01, K-02.

    >>> Linear()([1.0, 1.0], [2.0, 3.0])
    5.0
    """

    takes_sparse = True

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        return _inner_products(X, Z, dtype)

    def self_pairs(self, X: Any) -> np.ndarray:
        return _squared_norms(X)

    def _times(self, X: Any, Z: Any, V: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return X @ (Z.T @ V)


class Polynomial(Kernel):
    """``(x'z + constant)**degree`` for a whole ``degree >= 1`` and ``constant >= 0``.  Catalogue K-03, K-04, E-053.

    >>> Polynomial(degree=2, constant=1.0)([1.0, 1.0], [2.0, 3.0])
    36.0
    """

    takes_sparse = True

    def __init__(self, degree: int = 2, constant: float = 1.0):
        whole("degree", degree, "other powers need not be kernels")
        non_negative("constant", constant, "with a negative constant this is not a kernel")
        self.degree = degree
        self.constant = constant

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        products = _inner_products(X, Z, dtype)
        products += float(self.constant)
        return whole_power(products, int(self.degree))

    def self_pairs(self, X: Any) -> np.ndarray:
        return whole_power(_squared_norms(X) + float(self.constant), int(self.degree))


class Min(Kernel):
    """``min(x, z)`` on ``x, z >= 0``: the covariance of Brownian motion.  Catalogue K-05.

    Defined for one column without negative entries; on negative numbers it is no kernel (Catalogue E-052).  For
    several columns combine ``Min().on([0])``, ``Min().on([1])`` and so on.

    >>> Min()(0.3, 0.7)
    0.3
    """

    def domain(self, X: Any) -> None:
        if X.shape[1] != 1:
            raise ValueError(f"Min() is defined on one column, X has {X.shape[1]}; write Min().on([0]) * Min().on([1])")
        if X.min(initial=0.0) < 0:
            raise ValueError(f"Min() is a kernel on numbers >= 0, X has {X.min():g}; shift X or choose another kernel")

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        return np.minimum(X, Z.T)

    def self_pairs(self, X: Any) -> np.ndarray:
        return X[:, 0]


class _InnerProduct(Kernel):
    """``<features(x), features(z)>``: what kernels with explicit features share."""

    @abstractmethod
    def features(self, X: Any) -> np.ndarray:
        """Features of every row, shape ``(n, D)``."""

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        return _inner_products(self.features(X), self.features(Z), dtype)

    def self_pairs(self, X: Any) -> np.ndarray:
        return _squared_norms(self.features(X))

    def _block(self, X: Any, Z: Any, dtype: np.dtype) -> np.ndarray:
        return Linear()._block(self.features(X), self.features(Z), dtype)

    def _gram(self, X: Any, dtype: np.dtype) -> np.ndarray:
        return Linear()._gram(self.features(X), dtype)

    def _times(self, X: Any, Z: Any, V: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return self.features(X) @ (self.features(Z).T @ V)


class FeatureMap(_InnerProduct):
    """``<Phi(x), Phi(z)>`` for a function ``Phi`` that maps rows ``(n, d)`` to ``(n, D)``.  Catalogue K-08.

    Pickles if the function does (a lambda does not).

    >>> def powers(X):
    ...     return np.hstack([np.ones_like(X), X, X**2])
    >>> FeatureMap(powers)(2.0, 3.0)
    43.0
    """

    def __init__(self, function: Callable[[np.ndarray], np.ndarray]):
        self.function = _checked_function(function, "of rows, (n, d) -> (n, D)")

    def features(self, X: Any) -> np.ndarray:
        """``Phi`` of every row, shape ``(n, D)``."""
        return _evaluated(self.function, checked_rows(X, self))


class Mercer(_InnerProduct):
    """``sum_j weights[j] phi_j(x) phi_j(z)``, ``weights >= 0``; ``function`` maps rows to all ``phi_j(x_i)``, (n, J).

    Functions ``sum_j c_j phi_j`` have the inner product ``sum_j c_j e_j / weights[j]``, if the ``phi_j`` are linearly
    independent.  Catalogue K-17, T-71, P-05.

    >>> def sines(X):                                        # the first terms of Min on [0, 1]
    ...     return np.sqrt(2) * np.sin(X * np.pi * (np.arange(2000) + 0.5))
    >>> brownian = Mercer(1 / (np.pi * (np.arange(2000) + 0.5)) ** 2, sines)
    >>> round(brownian(0.3, 0.7), 4)
    0.3
    """

    def __init__(self, weights: Sequence[float] | np.ndarray, function: Callable[[np.ndarray], np.ndarray]):
        values = np.asarray(weights, dtype=np.float64)
        if values.ndim != 1 or not (np.isfinite(values).all() and (values >= 0).all()):
            raise ValueError("weights must be a list of finite numbers >= 0; with a negative one this is not a kernel")
        self.weights = weights
        self.function = _checked_function(function, "of rows, (n, d) -> (n, J)")

    def features(self, X: Any) -> np.ndarray:
        """``sqrt(weights[j]) phi_j(x_i)``: the kernel is their inner product.  Catalogue P-05."""
        return self._phi(X) * np.sqrt(self.weights)

    def coefficients(self, points: Any, weights: Any) -> np.ndarray:
        """``c`` with ``sum_i weights[i] k(points[i], .) = sum_j c_j phi_j``."""
        phi = self._phi(points)
        return np.asarray(self.weights) * (checked_weights(weights, len(phi)) @ phi)

    def inner(self, c: Any, e: Any) -> float:
        """``<sum_j c_j phi_j, sum_j e_j phi_j> = sum_j c_j e_j / weights[j]``; ``c_j = 0`` where ``weights[j] = 0``.

        >>> Mercer([1.0, 0.25], lambda X: np.hstack([np.ones_like(X), X])).inner([1.0, 2.0], [1.0, 2.0])
        17.0
        """
        c, e, a = (np.asarray(one, dtype=np.float64) for one in (c, e, self.weights))
        if c.shape != a.shape or e.shape != a.shape:
            raise ValueError(f"coefficients need shape {a.shape}, got {c.shape} and {e.shape}; give one per function")
        if ((a == 0) & ((c != 0) | (e != 0))).any():
            raise ValueError("a function whose weight is 0 is not in the space; its coefficient must be 0")
        return float(np.sum(c * np.divide(e, a, out=np.zeros_like(a), where=a > 0)))

    def _phi(self, X: Any) -> np.ndarray:
        phi = _evaluated(self.function, checked_rows(X, self))
        if phi.shape[1] != len(self.weights):
            raise ValueError(f"function gave {phi.shape[1]} columns for {len(self.weights)} weights; give one each")
        return phi


class FromFunction(Kernel):
    """A kernel from one NumPy function of two tables of rows, ``(n, d), (m, d) -> (n, m)``.

    Nothing is known of the function: let ``surefit.testing.check_kernel`` look at it.  Pickles if the function does (a
    lambda does not).  Catalogue K-09.

    >>> def cauchy(X, Z):
    ...     return 1 / (1 + ((X[:, None] - Z) ** 2).sum(axis=2))
    >>> FromFunction(cauchy)([0.0, 0.0], [1.0, 1.0])
    0.3333333333333333
    """

    def __init__(self, function: Callable[[np.ndarray, np.ndarray], np.ndarray]):
        self.function = _checked_function(function, "of two tables of rows, (n, d), (m, d) -> (n, m)")

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        return self.function(X, Z)


class FiniteDomain(Kernel):
    """``matrix[x, z]`` on the points ``0, 1, ..., N-1``, given as one column of whole numbers.  Catalogue K-10, T-61.

    >>> FiniteDomain([[2.0, 1.0], [1.0, 2.0]])(0, 1)
    1.0
    """

    def __init__(self, matrix: Any):
        if not is_psd(matrix):
            raise ValueError(
                f"matrix has the eigenvalue {smallest_eigenvalue(matrix):g}; the matrix of a kernel has no negative one"
            )
        self.matrix = matrix

    def domain(self, X: Any) -> None:
        size = len(self.matrix)
        if X.shape[1] != 1 or not np.isin(X, np.arange(size)).all():
            raise ValueError(f"the points of this kernel are 0 to {size - 1}, in one column; X has others")

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        return np.asarray(self.matrix, dtype=np.float64)[X.astype(int), Z.astype(int).T]


def _checked_function(function: Any, shapes: str) -> Any:
    if not callable(function):
        raise TypeError(f"function must be a function {shapes}, got {function!r}")
    return function


def _evaluated(function: Callable[[np.ndarray], np.ndarray], X: np.ndarray) -> np.ndarray:
    values = np.asarray(function(X), dtype=np.float64)
    if values.ndim != 2 or len(values) != len(X):
        raise ValueError(f"function gave shape {values.shape} for {len(X)} rows; return one row of features each")
    return values


_WORDS: dict[str, Callable[[], Kernel]] = {
    "gaussian": lambda: Gaussian("median"),
    "rbf": lambda: Gaussian("median"),
    "laplace": lambda: Laplace("median"),
    "laplacian": lambda: Laplace("median"),
    "matern": lambda: Matern("median"),
    "linear": Linear,
    "polynomial": Polynomial,
    "poly": Polynomial,
}


def kernel_named(kernel: Any) -> Kernel:
    """``kernel`` if it is one, or the kernel that a word stands for, with the median distance as its bandwidth.

    >>> kernel_named("rbf"), kernel_named("poly")
    (Gaussian(bandwidth='median'), Polynomial(degree=2, constant=1.0))
    >>> kernel_named("sigmoid")
    Traceback (most recent call last):
        ...
    ValueError: no kernel is called 'sigmoid'; use one of 'gaussian', 'rbf', 'laplace', 'laplacian', 'matern', 'linear',
    'polynomial', 'poly', or a Kernel such as Gaussian(1.0) of surefit.kernels
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str) and kernel.lower() in _WORDS:
        return _WORDS[kernel.lower()]()
    if isinstance(kernel, str):
        listed = ", ".join(map(repr, _WORDS))
        kernels = "a Kernel such as Gaussian(1.0) of surefit.kernels"
        raise ValueError(f"no kernel is called {kernel!r}; use one of {listed}, or {kernels}")
    if isinstance(kernel, type) and issubclass(kernel, Kernel):
        raise ValueError(f"kernel must be a Kernel, got the class {kernel.__name__}; write {kernel.__name__}()")
    if callable(kernel):
        raise ValueError(
            f"kernel must be a Kernel, got the function {getattr(kernel, '__name__', kernel)!r}; write "
            "FromFunction(...) with FromFunction from surefit.kernels"
        )
    raise ValueError(f"kernel must be a Kernel such as Gaussian(1.0), got {kernel!r}; surefit.kernels has them all")
