"""Layer features: a stand-in for low-rank maps of kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.features.kernel import Kernel


@dataclass(frozen=True)
class LowRankMap:
    """``transform(X) @ transform(Z).T`` is close to ``kernel.block(X, Z)``."""

    kernel: Kernel
    landmarks: Any
    whitener: np.ndarray

    def transform(self, X: Any) -> np.ndarray:
        """Features (n, r)."""
        return self.kernel.block(X, self.landmarks) @ self.whitener


def nystroem_map(kernel: Kernel, X: Any, n_landmarks: int, random_state: Any, weight: Any = None) -> LowRankMap:
    """Landmarks drawn uniformly without replacement."""
    rng = np.random.default_rng(random_state)
    chosen = np.sort(rng.choice(X.shape[0], min(n_landmarks, X.shape[0]), replace=False))
    values, vectors = np.linalg.eigh(kernel.gram(X[chosen]))
    kept = values > 1e-12 * values[-1]
    return LowRankMap(kernel, X[chosen], vectors[:, kept] / np.sqrt(values[kept]))
