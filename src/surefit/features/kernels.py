"""Layer *features*: the kernels themselves, each a formula with a closed form for whole blocks.

In: rows as in `surefit.features.kernel`.  Out: kernels to use as they are or to combine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from surefit.features.kernel import Kernel
from surefit.features.kernel_parameters import whole
from surefit.features.tiles import radial_block, radial_gram, radial_times
from surefit.parameters import non_negative, positive


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
        whole("degree", degree, 1, "other powers need not be kernels")
        non_negative("constant", constant, "with a negative constant this is not a kernel")
        self.degree = degree
        self.constant = constant

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        products = _inner_products(X, Z, dtype)
        products += float(self.constant)
        return products ** int(self.degree)

    def self_pairs(self, X: Any) -> np.ndarray:
        return (_squared_norms(X) + float(self.constant)) ** int(self.degree)


class Gaussian(Kernel):
    """``exp(-||x - z||**2 / (2 bandwidth**2))``.  Catalogue K-06, E-054.

    >>> round(Gaussian(bandwidth=1.0)([1.0, 1.0], [2.0, 3.0]), 9)
    0.082084999
    """

    def __init__(self, bandwidth: float | str = 1.0):
        if isinstance(bandwidth, str):
            if bandwidth != "median":
                raise ValueError(f"bandwidth {bandwidth!r} is unknown; give a number > 0 or 'median'")
        else:
            positive("bandwidth", bandwidth, "it is a length in the units of the features")
        self.bandwidth = bandwidth

    @property
    def _rate(self) -> float:
        if isinstance(self.bandwidth, str):
            raise ValueError("bandwidth='median' needs data; use kernel.for_data(X) first")
        return 0.5 / float(self.bandwidth) ** 2

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        return radial_block("gaussian", X, Z, self._rate, dtype)

    def self_pairs(self, X: Any) -> np.ndarray:
        return np.ones(X.shape[0])

    def _gram(self, X: Any, dtype: np.dtype) -> np.ndarray:
        return radial_gram("gaussian", X, self._rate, dtype)

    def _times(self, X: Any, Z: Any, V: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return radial_times("gaussian", X, Z, V, self._rate, dtype)

    def for_data(self, X: Any) -> Kernel:
        if not isinstance(self.bandwidth, str):
            return self
        from scipy.spatial.distance import pdist

        return Gaussian(float(np.median(pdist(np.asarray(X)))))
