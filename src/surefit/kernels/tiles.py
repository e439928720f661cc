"""Layer kernels: values of radial kernels in tiles: blocks, Gram matrices, products with a vector.

In: points as rows, a profile and a rate.  Out: arrays.  A profile is a function of the distance ``t``:

    gaussian  exp(-rate t^2)          laplace   exp(-rate t)
    matern32  (1 + u) exp(-u)         matern52  (1 + u + u^2 / 3) exp(-u),   u = rate t

Distances come from differences of rows that were centred first, so neither a large offset nor a duplicate can spoil
them.  Tiles are in float32 where that resolves the data, and in float64 otherwise.
"""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from surefit.compiled import door
from surefit.kernels.fold import Folding
from surefit.threads import cores

PROFILES = {"gaussian": 0, "laplace": 1, "matern32": 2, "matern52": 3}

RESOLVED = 1e3
"""Largest coordinate, in units of the kernel's own length, whose float32 rounding (6e-5) is still harmless."""

REPRESENTABLE = 1e150
"""Largest coordinate in those units whose square is still a number."""


def radial_block(profile: str, X: np.ndarray, Z: np.ndarray, rate: float, dtype: DTypeLike = np.float64) -> np.ndarray:
    """Kernel values of every row of ``X`` (n, d) with every row of ``Z`` (m, d), shape ``(n, m)``.

    >>> radial_block("gaussian", np.array([[1.0, 1.0]]), np.array([[2.0, 3.0]]), 0.5).round(9)
    array([[0.082085]])
    """
    x, z = _in_kernel_units(profile, rate, dtype, X, Z)
    out = np.empty((len(x), len(z)), dtype=x.dtype)
    door.radial_block(PROFILES[profile], 1.0, x, z, cores(), out)
    return out.astype(dtype, copy=False)


def radial_gram(profile: str, X: np.ndarray, rate: float, dtype: DTypeLike = np.float64) -> np.ndarray:
    """Kernel values of all pairs of rows of ``X``: exactly symmetric, ones on the diagonal."""
    (x,) = _in_kernel_units(profile, rate, dtype, X)
    out = np.empty((len(x), len(x)), dtype=x.dtype)
    door.radial_gram(PROFILES[profile], 1.0, x, cores(), out)
    return out.astype(dtype, copy=False)


def radial_times(
    profile: str, X: np.ndarray, Z: np.ndarray, V: np.ndarray, rate: float, dtype: DTypeLike = np.float64
) -> np.ndarray:
    """``radial_block(X, Z) @ V`` for ``V`` (m,) or (m, k), in float64, without ever holding the block.

    ``dtype`` is the precision of the tiles; their sums are added in float64.  If ``X`` and ``Z`` are the same object,
    each pair is computed once.
    """
    points: Any = _in_kernel_units(profile, rate, dtype, *((X,) if X is Z else (X, Z)))
    columns = np.asarray(V, dtype=np.float64).reshape(len(points[-1]), -1)
    size = float(np.max(np.abs(columns), initial=0.0)) or 1.0
    weights = np.ascontiguousarray(columns / size, dtype=points[0].dtype)
    out = np.empty((len(points[0]), columns.shape[1]))
    fill: Any = door.radial_symmetric_times if X is Z else door.radial_times
    fill(PROFILES[profile], 1.0, *points, weights, cores(), out)
    return (out * size).reshape((len(out), *np.shape(V)[1:]))


def radial_folding(profile: str, X: np.ndarray, Z: np.ndarray, rate: float, dtype: DTypeLike) -> Folding:
    """The fold (`surefit.kernels.fold`) of ``radial_block(X, Z)``, never held, as a function of ``A, Y, weight``."""
    x, z = _in_kernel_units(profile, rate, dtype, X, Z)

    def fold(A: np.ndarray, Y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        out = np.empty((len(z) + 2, A.shape[1]))
        A = np.ascontiguousarray(A, x.dtype)
        door.radial_fold(PROFILES[profile], 1.0, x, z, A, np.ascontiguousarray(Y), weight, cores(), out)
        return out

    return fold


def _in_kernel_units(profile: str, rate: float, dtype: DTypeLike, *points: Any) -> list[np.ndarray]:
    """The points, centred and scaled to rate one, in the precision that resolves them."""
    scale = np.sqrt(rate) if profile == "gaussian" else rate
    centre = points[-1].mean(axis=0, dtype=np.float64) if len(points[-1]) else 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = [(np.asarray(one, dtype=np.float64) - centre) * scale for one in points]
        largest = max((float(np.max(np.abs(one), initial=0.0)) for one in scaled), default=0.0)
    if not largest <= REPRESENTABLE:
        raise ValueError(
            "the bandwidth is too small for these data: points lie more than 1e150 bandwidths apart; "
            "use a larger bandwidth, or bandwidth='median'"
        )
    precision = np.float64 if largest > RESOLVED else dtype
    return [np.ascontiguousarray(one, dtype=precision) for one in scaled]
