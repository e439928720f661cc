"""Layer *features*: tiles of radial kernels, computed from differences of rows."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from surefit.features.walk import gram_in_tiles, times_in_tiles

_PROFILES = {
    "gaussian": lambda d2, rate: np.exp(-rate * d2),
    "laplace": lambda d2, rate: np.exp(-rate * np.sqrt(d2)),
    "matern32": lambda d2, rate: (1 + rate * np.sqrt(d2)) * np.exp(-rate * np.sqrt(d2)),
    "matern52": lambda d2, rate: (1 + rate * np.sqrt(d2) + rate**2 * d2 / 3) * np.exp(-rate * np.sqrt(d2)),
}


def radial_block(profile, X, Z, rate, dtype):
    return _PROFILES[profile](cdist(X, Z, "sqeuclidean"), rate).astype(dtype)


def radial_gram(profile, X, rate, dtype):
    return gram_in_tiles(lambda A, B, t: radial_block(profile, A, B, rate, t), lambda A: np.ones(len(A)), X, dtype)


def radial_times(profile, X, Z, V, rate, dtype):
    return times_in_tiles(lambda A, B, t: radial_block(profile, A, B, rate, t), X, Z, V, dtype)
