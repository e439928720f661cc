"""Layer kernels: kernels of the distance: Gaussian, Laplace, Matern.

In: rows, dense or CSR.  Out: values of ``shape(||x - z|| / bandwidth)`` by compiled tiles.  Rows that lie ten thousand
bandwidths apart, and sparse rows, are computed more slowly, from their differences, without loss of digits.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from surefit.compiled.door import COMPILED
from surefit.kernels.bandwidth import median_distance
from surefit.kernels.distance import distances, times_power_of_two
from surefit.kernels.fold import Folding
from surefit.kernels.inputs import checked_rows
from surefit.kernels.kernel import Kernel
from surefit.kernels.tiles import radial_block, radial_folding, radial_gram, radial_times
from surefit.parameters import positive

_WIDE = 1e4  # beyond this many bandwidths, centring and scaling the rows would cost more than four digits
_HUGE = 1e280  # means of larger numbers may overflow
_FAR = 1e4  # every shape is zero here
_FEW = 12  # features: a tile of float32 takes as long as reading it at about 10, and twenty passes save its making
_MODEST = 300  # bandwidths up to 2**300 can be squared


class Radial(Kernel):
    """``shape(||x - z|| / bandwidth)``, where ``shape(0) = 1``.

    ``bandwidth`` is a length ``> 0`` in the units of the features, or ``"median"``: the median distance between rows,
    settled by ``for_data(X)`` (Catalogue K-19).  Too small a bandwidth makes the Gram matrix the identity, too large
    a one makes all its entries 1 (Catalogue E-054).
    """

    takes_sparse = True
    bandwidth: float | str

    @abstractmethod
    def shape(self, t: np.ndarray) -> np.ndarray:
        """The kernel as a function of ``t = ||x - z|| / bandwidth``."""

    @abstractmethod
    def _profile(self, width: float) -> tuple[str, float]:
        """The name of the shape in `surefit.kernels.tiles`, and its rate for a bandwidth of ``width``."""

    def pairs(self, X: Any, Z: Any, dtype: DTypeLike) -> np.ndarray:
        X, Z, width = self._in_modest_units(X, Z)
        if _needs_differences(X, Z, width):
            with np.errstate(over="ignore"):
                return self.shape(np.minimum(distances(X, Z) / width, _FAR))
        name, rate = self._profile(width)
        return radial_block(name, X, Z, rate, dtype)

    def self_pairs(self, X: Any) -> np.ndarray:
        return np.ones(X.shape[0])

    def _block(self, X: Any, Z: Any, dtype: np.dtype) -> np.ndarray:
        rows, others, width = self._in_modest_units(X, Z)
        if _needs_differences(rows, others, width):
            return super()._block(X, Z, dtype)
        name, rate = self._profile(width)
        return radial_block(name, rows, others, rate, dtype)

    def _gram(self, X: Any, dtype: np.dtype) -> np.ndarray:
        scaled, _, width = self._in_modest_units(X, X)
        if _needs_differences(scaled, scaled, width):
            return super()._gram(X, dtype)
        name, rate = self._profile(width)
        return radial_gram(name, scaled, rate, dtype)

    def _times(self, X: Any, Z: Any, V: np.ndarray, dtype: np.dtype) -> np.ndarray:
        rows, others, width = self._in_modest_units(X, Z)
        if _needs_differences(rows, others, width):
            return super()._times(X, Z, V, dtype)
        name, rate = self._profile(width)
        return radial_times(name, rows, others, V, rate, dtype)

    def _folding(self, X: Any, Z: Any, dtype: np.dtype) -> Folding:
        rows, others, width = self._in_modest_units(X, Z)
        if _needs_differences(rows, others, width):
            return super()._folding(X, Z, dtype)
        name, rate = self._profile(width)
        return radial_folding(name, rows, others, rate, dtype)

    def recomputes(self, X: Any) -> bool:
        return COMPILED and not sparse.issparse(X) and X.shape[1] <= _FEW

    def for_data(self, X: Any) -> Kernel:
        if not isinstance(self.bandwidth, str):
            return self
        return self._rebuilt({"bandwidth": median_distance(checked_rows(X, self))})

    def _in_modest_units(self, X: Any, Z: Any) -> tuple[Any, Any, float]:
        """The rows and the bandwidth, divided by a power of two (exactly) where the bandwidth's square overflows."""
        if isinstance(self.bandwidth, str):
            raise ValueError("bandwidth='median' needs data; use kernel.for_data(X) first")
        width = float(self.bandwidth)
        mantissa, exponent = np.frexp(width)
        if abs(exponent) <= _MODEST:
            return X, Z, width
        X, Z = (times_power_of_two(rows, -int(exponent)) for rows in (X, Z))
        if not all(np.isfinite(rows.data if sparse.issparse(rows) else rows).all() for rows in (X, Z)):
            raise ValueError("X is more than 1e308 bandwidths from zero; centre X or use a larger bandwidth")
        return X, Z, float(mantissa)


class Gaussian(Radial):
    """``exp(-||x - z||**2 / (2 bandwidth**2))``.  Catalogue K-06.

    >>> round(Gaussian(bandwidth=1.0)([1.0, 1.0], [2.0, 3.0]), 9)
    0.082084999
    """

    def __init__(self, bandwidth: float | str = 1.0):
        self.bandwidth = _checked_bandwidth(bandwidth)

    def shape(self, t: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * t**2)

    def _profile(self, width: float) -> tuple[str, float]:
        return "gaussian", 0.5 / width**2


class Laplace(Radial):
    """``exp(-||x - z|| / bandwidth)``, also called exponential.  Catalogue K-07, E-056.

    Some texts write ``exp(-||x - z|| / (2 nu))``: that is ``bandwidth = 2 nu``.

    >>> round(Laplace(bandwidth=2.0)([1.0, 1.0], [2.0, 3.0]), 9)
    0.326921895
    """

    def __init__(self, bandwidth: float | str = 1.0):
        self.bandwidth = _checked_bandwidth(bandwidth)

    def shape(self, t: np.ndarray) -> np.ndarray:
        return np.exp(-t)

    def _profile(self, width: float) -> tuple[str, float]:
        return "laplace", 1.0 / width


class Matern(Radial):
    """Matern's kernel of ``smoothness`` 0.5, 1.5 or 2.5, with ``u = sqrt(2 smoothness) ||x - z|| / bandwidth``.

    ``exp(-u)``, ``(1 + u) exp(-u)`` or ``(1 + u + u**2 / 3) exp(-u)``: its functions have 0, 1 or 2 derivatives.
    Smoothness 0.5 is `Laplace`; as it grows, the limit is `Gaussian`.

    >>> round(Matern(smoothness=1.5)(0.0, 1.0), 6)
    0.483358
    """

    def __init__(self, bandwidth: float | str = 1.0, smoothness: float = 1.5):
        if smoothness not in _MATERN:
            raise ValueError(f"smoothness must be 0.5, 1.5 or 2.5, got {smoothness!r}; use Gaussian() for the limit")
        self.bandwidth = _checked_bandwidth(bandwidth)
        self.smoothness = smoothness

    def shape(self, t: np.ndarray) -> np.ndarray:
        u = np.sqrt(2 * self.smoothness) * t
        polynomial = {0.5: 1.0, 1.5: 1 + u, 2.5: 1 + u + u**2 / 3}[self.smoothness]
        return polynomial * np.exp(-u)

    def _profile(self, width: float) -> tuple[str, float]:
        return _MATERN[self.smoothness], float(np.sqrt(2 * self.smoothness)) / width


_MATERN = {0.5: "laplace", 1.5: "matern32", 2.5: "matern52"}


def _checked_bandwidth(bandwidth: float | str) -> float | str:
    if not isinstance(bandwidth, str):
        positive("bandwidth", bandwidth, "it is a length in the units of the features")
    elif bandwidth != "median":
        raise ValueError(f"bandwidth {bandwidth!r} is unknown; give a number > 0 or 'median'")
    return bandwidth


def _needs_differences(X: Any, Z: Any, width: float) -> bool:
    """Whether the rows are sparse, or spread so far that centring them would cost digits."""
    if sparse.issparse(X) or sparse.issparse(Z):
        return True
    if X.size == 0 or Z.size == 0:
        return False
    with np.errstate(over="ignore"):
        high, low = np.maximum(X.max(axis=0), Z.max(axis=0)), np.minimum(X.min(axis=0), Z.min(axis=0))
        return not (np.max(high - low) <= _WIDE * width and max(np.max(high), -np.min(low)) <= _HUGE)
