"""Layer kernels: ``Kernel``, an inner product of features, and the algebra that builds new kernels from old ones.

In: rows ``X`` of shape ``(n, d)`` and ``Z`` of shape ``(m, d)``, dense, or sparse where the kernel takes it.  Out:
blocks ``k(x_i, z_j)``, Gram matrices, products with them in tiles.  Closed under ``+``, ``*``, ``c *`` with ``c >= 0``,
whole powers, ``exp``, ``g(x) k(x, y) g(y)`` and restriction to columns (Catalogue T-66).  Refused: NaN, rows outside
the kernel's domain, values that overflow, and operations whose result is no kernel, such as negative factors.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from surefit.kernels.distance import whole_power
from surefit.kernels.fold import Folding, fold_in_tiles
from surefit.kernels.inputs import checked_dtype, checked_rows, checked_weights
from surefit.kernels.parameters import KernelParameters, shown
from surefit.kernels.walk import block_in_tiles, diagonal_in_blocks, gram_in_tiles, times_in_tiles
from surefit.parameters import non_negative, whole

_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4  # how tightly a printed expression binds


class Kernel(KernelParameters):
    """A symmetric function ``k(x, z)`` whose Gram matrices have no negative eigenvalue.

    A kernel of your own needs one method, ``pairs``; three more have defaults:

    - ``pairs(X, Z, dtype)``: ``k(x_i, z_j)`` of shape ``(n, m)`` for checked float64 rows.  Computing in ``dtype`` is
      an offer, not a duty: the answer is cast.
    - ``self_pairs(X)``: ``k(x_i, x_i)`` of shape ``(n,)``.
    - ``domain(X)``: raises ``ValueError`` where a row is outside of what the kernel is defined for.
    - ``takes_sparse``: whether ``pairs`` understands SciPy's CSR rows.

    The constructor stores its parameters under their own names, exactly as given.  ``surefit.testing.check_kernel``
    tries to refute that it is a kernel.  Catalogue K-09, T-65.

    >>> from surefit.kernels.library import Gaussian, Polynomial
    >>> k = Gaussian(bandwidth=1.5) + 0.5 * Polynomial(degree=2, constant=1.0)
    >>> k
    Gaussian(bandwidth=1.5) + 0.5 * Polynomial(degree=2, constant=1.0)
    >>> k.gram([[0.0], [1.0]]).round(4).tolist()
    [[1.5, 1.3007], [1.3007, 3.0]]
    """

    __array_ufunc__ = None  # so that np.float64(2) * kernel asks the kernel
    _binds = _ATOM

    @property
    def takes_sparse(self) -> bool:
        """Whether rows may be sparse; a composite takes them if all its parts do."""
        parts = self._parts()
        return bool(parts) and all(part.takes_sparse for part in parts.values())

    @abstractmethod
    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        """``k(x_i, z_j)`` for rows already checked: float64 arrays, or CSR if ``takes_sparse``."""

    def self_pairs(self, X: Any) -> np.ndarray:
        """``k(x_i, x_i)`` for rows already checked; by default the diagonals of small blocks."""
        return diagonal_in_blocks(self._tile, X)

    def domain(self, X: Any) -> None:
        """Raise ``ValueError`` if a row of the checked ``X`` is outside the domain; by default the parts are asked."""
        for part in self._parts().values():
            part.domain(X)

    def block(self, X: Any, Z: Any, dtype: DTypeLike = np.float64) -> np.ndarray:
        """``k(x_i, z_j)``, shape ``(n, m)``."""
        dtype = checked_dtype(dtype)
        return self._block(*self._two(X, Z), dtype)

    def gram(self, X: Any, dtype: DTypeLike = np.float64) -> np.ndarray:
        """``k(x_i, x_j)``, shape ``(n, n)``: symmetric to the last bit, with ``diag(X)`` on its diagonal."""
        dtype = checked_dtype(dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            return self._gram(self._one(X), dtype)

    def diag(self, X: Any) -> np.ndarray:
        """``k(x_i, x_i)``, shape ``(n,)``."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._finite(np.asarray(self.self_pairs(self._one(X)), dtype=np.float64))

    def times(self, X: Any, Z: Any, V: Any, dtype: DTypeLike = np.float64) -> np.ndarray:
        """``block(X, Z) @ V`` in float64 for ``V`` of shape ``(m,)`` or ``(m, k)``; the block is never stored.

        ``dtype`` is the precision in which tiles of the block are computed.
        """
        dtype = checked_dtype(dtype)
        X, Z = self._two(X, Z)
        V = checked_weights(V, Z.shape[0])
        if V.size == 0:
            return np.zeros((X.shape[0], *V.shape[1:]))
        with np.errstate(over="ignore", invalid="ignore"):
            product = self._times(X, Z, V.reshape(len(V), -1), dtype)
        return self._finite(product).reshape(X.shape[0], *V.shape[1:])

    def folding(self, X: Any, Z: Any, dtype: DTypeLike = np.float64) -> Folding:
        """The fold (`surefit.kernels.fold`) of ``block(X, Z)``, never stored; the rows are checked here, once."""
        fold, m = self._folding(*self._two(X, Z), checked_dtype(dtype)), np.shape(Z)[0]
        return lambda A, Y, weight: self._finite(fold(checked_weights(A, m), Y, weight))

    def recomputes(self, X: Any) -> bool:
        """Whether a block against the rows ``X`` is computed anew about as fast as it is read from memory."""
        return False

    def check(self, X: Any) -> None:
        """Raise ``ValueError`` with the reason if the kernel is not defined on a row of ``X``."""
        self._one(X)

    def for_data(self, X: Any) -> Kernel:
        """The same kernel with everything that depends on data settled from ``X``, such as ``bandwidth="median"``."""
        return self._rebuilt({name: part.for_data(X) for name, part in self._parts().items()})

    def __call__(self, x: Any, z: Any) -> float:
        """``k(x, z)`` for two single points of shape ``(d,)``, or two numbers where ``d = 1``."""
        x, z = np.atleast_1d(x), np.atleast_1d(z)
        if x.ndim != 1 or z.ndim != 1:
            raise ValueError(f"k(x, z) takes two points, got shapes {x.shape} and {z.shape}; use block(X, Z) for rows")
        return float(self.block(x[None], z[None])[0, 0])

    def __add__(self, other: object) -> Kernel:
        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __radd__(self, other: object) -> Kernel:
        return self if isinstance(other, Real) and other == 0 else NotImplemented  # for sum([k1, k2])

    def __mul__(self, other: object) -> Kernel:
        return Product(self, other) if isinstance(other, Kernel) else self.__rmul__(other)

    def __rmul__(self, other: object) -> Kernel:
        return Scaled(other, self) if isinstance(other, Real) else NotImplemented  # type: ignore[arg-type]

    def __pow__(self, power: int) -> Kernel:
        return Power(self, power)

    def exp(self) -> Kernel:
        """``exp(k(x, z))``.  Catalogue K-16."""
        return Exponential(self)

    def conformal(self, g: Callable[[Any], np.ndarray]) -> Kernel:
        """``g(x) k(x, z) g(z)`` for a function ``g`` of rows, ``(n, d) -> (n,)``.  Catalogue K-16."""
        return Conformal(self, g)

    def on(self, columns: Sequence[int]) -> Kernel:
        """The kernel of some columns only.

        Products of such kernels are tensor products, sums are direct sums.  Catalogue K-14, K-15.

        >>> from surefit.kernels.library import Gaussian, Linear
        >>> tensor = Gaussian().on([0]) * Linear().on([1, 2])
        >>> tensor([0.0, 1.0, 2.0], [0.0, 3.0, 4.0])
        11.0
        """
        return OnColumns(self, columns)

    def _one(self, X: Any) -> Any:
        X = checked_rows(X, self)
        self.domain(X)
        return X

    def _two(self, X: Any, Z: Any) -> tuple[Any, Any]:
        same = X is Z
        X = self._one(X)
        Z = X if same else self._one(Z)
        if X.shape[1] != Z.shape[1]:
            raise ValueError(f"X has {X.shape[1]} columns and Z has {Z.shape[1]}; both need the same features")
        return X, Z

    def _tile(self, X: Any, Z: Any, dtype: np.dtype) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            K = np.asarray(self.pairs(X, Z, dtype))
            if K.shape != (X.shape[0], Z.shape[0]):
                raise ValueError(
                    f"{self!r} gave shape {K.shape} for {X.shape[0]} and {Z.shape[0]} rows; return one value per pair"
                )
            return self._finite(K.astype(dtype, copy=False))

    def _finite(self, K: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            fine = np.isfinite(K.sum()) or np.isfinite(K).all()
        if not fine:
            raise ValueError(f"{self!r} overflows {K.dtype} on these rows (infinity or NaN); rescale X")
        return K

    def _block(self, X: Any, Z: Any, dtype: np.dtype) -> np.ndarray:
        return block_in_tiles(self._tile, X, Z, dtype)

    def _gram(self, X: Any, dtype: np.dtype) -> np.ndarray:
        return gram_in_tiles(self._tile, self.self_pairs, X, dtype)

    def _times(self, X: Any, Z: Any, V: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return times_in_tiles(self._tile, X, Z, V, dtype)

    def _folding(self, X: Any, Z: Any, dtype: np.dtype) -> Folding:
        return partial(fold_in_tiles, lambda rows: self._tile(rows, Z, dtype), X)

    def _parts(self) -> dict[str, Kernel]:
        return {name: value for name, value in self._own_params().items() if isinstance(value, Kernel)}

    def _printed(self, at_least: int) -> str:
        return repr(self) if self._binds >= at_least else f"({self!r})"


class Sum(Kernel):
    """``left(x, z) + right(x, z)``, written ``left + right``.  Catalogue K-11, K-15."""

    _binds = _SUM

    def __init__(self, left: Kernel, right: Kernel):
        self.left = left
        self.right = right

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        return self.left.pairs(X, Z, dtype) + self.right.pairs(X, Z, dtype)

    def self_pairs(self, X: Any) -> np.ndarray:
        return self.left.self_pairs(X) + self.right.self_pairs(X)

    def _times(self, X: Any, Z: Any, V: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return self.left._times(X, Z, V, dtype) + self.right._times(X, Z, V, dtype)

    def __repr__(self) -> str:
        return f"{self.left._printed(_SUM)} + {self.right._printed(_PRODUCT)}"


class Product(Kernel):
    """``left(x, z) * right(x, z)``, written ``left * right`` (Schur).  Catalogue K-12, K-14."""

    _binds = _PRODUCT

    def __init__(self, left: Kernel, right: Kernel):
        self.left = left
        self.right = right

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        return self.left.pairs(X, Z, dtype) * self.right.pairs(X, Z, dtype)

    def self_pairs(self, X: Any) -> np.ndarray:
        return self.left.self_pairs(X) * self.right.self_pairs(X)

    def __repr__(self) -> str:
        return f"{self.left._printed(_PRODUCT)} * {self.right._printed(_POWER)}"


class Scaled(Kernel):
    """``factor * k(x, z)`` for a finite ``factor >= 0``.  Catalogue K-11.

    >>> from surefit.kernels.library import Linear
    >>> -1 * Linear()
    Traceback (most recent call last):
        ...
    ValueError: factor must be >= 0, got -1; the negative of a kernel is not a kernel
    """

    _binds = _PRODUCT

    def __init__(self, factor: float, kernel: Kernel):
        non_negative("factor", factor, "the negative of a kernel is not a kernel")
        self.factor = factor
        self.kernel = kernel

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        return float(self.factor) * self.kernel.pairs(X, Z, dtype)

    def self_pairs(self, X: Any) -> np.ndarray:
        return float(self.factor) * self.kernel.self_pairs(X)

    def _times(self, X: Any, Z: Any, V: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return float(self.factor) * self.kernel._times(X, Z, V, dtype)

    def __repr__(self) -> str:
        return f"{shown(self.factor)} * {self.kernel._printed(_POWER)}"


class Power(Kernel):
    """``k(x, z) ** power`` for a whole ``power >= 0``; power 0 is the constant 1.  Catalogue K-12."""

    _binds = _POWER

    def __init__(self, kernel: Kernel, power: int):
        whole("power", power, "other powers of a kernel need not be kernels", least=0)
        self.kernel = kernel
        self.power = power

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        return whole_power(self.kernel.pairs(X, Z, dtype), int(self.power))

    def self_pairs(self, X: Any) -> np.ndarray:
        return whole_power(self.kernel.self_pairs(X), int(self.power))

    def __repr__(self) -> str:
        return f"{self.kernel._printed(_ATOM)} ** {self.power}"


class Exponential(Kernel):
    """``exp(k(x, z))``, the limit of ``sum_j k**j / j!``.  Catalogue K-16, K-13."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        return np.exp(self.kernel.pairs(X, Z, dtype))

    def self_pairs(self, X: Any) -> np.ndarray:
        return np.exp(self.kernel.self_pairs(X))

    def __repr__(self) -> str:
        return f"{self.kernel._printed(_ATOM)}.exp()"


class Conformal(Kernel):
    """``g(x) k(x, z) g(z)`` for a function ``g`` that maps rows ``(n, d)`` to finite numbers ``(n,)``.

    With ``g(x) = 1 / sqrt(k(x, x))`` this is the cosine of ``k``.  Pickles if ``g`` does (a lambda does not).
    Catalogue K-16.

    >>> from surefit.kernels.library import Linear
    >>> def inverse_norm(X):
    ...     return 1 / np.linalg.norm(X, axis=1)
    >>> round(Linear().conformal(inverse_norm)([3.0, 4.0], [4.0, 3.0]), 12)
    0.96
    """

    takes_sparse = False  # g was written for dense rows

    def __init__(self, kernel: Kernel, g: Callable[[Any], np.ndarray]):
        if not callable(g):
            raise TypeError(f"g must be a function of rows, got {g!r}; for a constant factor write c * kernel")
        self.kernel = kernel
        self.g = g

    def _factors(self, X: Any) -> np.ndarray:
        values = np.asarray(self.g(X), dtype=np.float64)
        if values.shape != (X.shape[0],) or not np.isfinite(values).all():
            raise ValueError(f"g gave shape {values.shape} for {X.shape[0]} rows; return one finite number each")
        return values

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        left, right = self._factors(X).astype(dtype), self._factors(Z).astype(dtype)
        return left[:, None] * self.kernel.pairs(X, Z, dtype) * right

    def self_pairs(self, X: Any) -> np.ndarray:
        return self._factors(X) ** 2 * self.kernel.self_pairs(X)

    def _times(self, X: Any, Z: Any, V: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return self._factors(X)[:, None] * self.kernel._times(X, Z, self._factors(Z)[:, None] * V, dtype)

    def __repr__(self) -> str:
        return f"{self.kernel._printed(_ATOM)}.conformal({shown(self.g)})"


class OnColumns(Kernel):
    """``k`` of the given columns, ``k(x[columns], z[columns])``, written ``k.on(columns)``.  Catalogue K-14, K-15."""

    def __init__(self, kernel: Kernel, columns: Sequence[int]):
        wanted = np.asarray(columns)
        if wanted.ndim != 1 or wanted.size == 0 or wanted.dtype.kind not in "iu" or wanted.min() < 0:
            raise ValueError(f"columns must be a list of column numbers >= 0, got {columns!r}; write [0, 2], say")
        self.kernel = kernel
        self.columns = columns

    def _cut(self, X: Any) -> Any:
        needed = int(np.max(self.columns)) + 1
        if X.shape[1] < needed:
            raise ValueError(f"{self!r} needs at least {needed} columns, X has {X.shape[1]}; choose columns that exist")
        return X[:, np.asarray(self.columns)]

    def domain(self, X: Any) -> None:
        self.kernel.domain(self._cut(X))

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        return self.kernel.pairs(self._cut(X), self._cut(Z), dtype)

    def self_pairs(self, X: Any) -> np.ndarray:
        return self.kernel.self_pairs(self._cut(X))

    def for_data(self, X: Any) -> Kernel:
        return self._rebuilt({"kernel": self.kernel.for_data(self._cut(checked_rows(X, self)))})

    def _block(self, X: Any, Z: Any, dtype: np.dtype) -> np.ndarray:
        return self.kernel._block(self._cut(X), self._cut(Z), dtype)

    def _gram(self, X: Any, dtype: np.dtype) -> np.ndarray:
        return self.kernel._gram(self._cut(X), dtype)

    def _times(self, X: Any, Z: Any, V: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return self.kernel._times(self._cut(X), self._cut(Z), V, dtype)

    def __repr__(self) -> str:
        return f"{self.kernel._printed(_ATOM)}.on({shown(self.columns)})"
