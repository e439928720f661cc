"""Layer solvers: kernels over blocks: rows drawn from all of them, and the features that these landmarks give.

In: blocks.  Out: `Drawn`, by one pass, from which a `LowRankMap` follows; `Landmarks`, which makes its features of any
block, so that the sums for linear models serve kernels, too (catalogue A-14); and a `Small` from sums of products.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from surefit.data.blocks.block import Block, stacked
from surefit.data.blocks.hold_out import uniform
from surefit.data.blocks.layout import Label, Layout, Table, together
from surefit.kernels.low_rank import LowRankMap
from surefit.solvers.blocks.newton import Sums
from surefit.solvers.blocks.small import Small

OTHER = 0x5EED
"""Added to the seed, so that landmarks are drawn independently of the rows held out."""


@dataclass(frozen=True)
class Drawn:
    """The rows with the smallest ``keys`` (m,) so far, in the order of these, and the labels of all columns."""

    block: Block
    keys: np.ndarray
    labels: tuple[Label, ...]
    n: int
    count: int


@dataclass(frozen=True)
class Draw:
    """The `Drawn` of a block: ``count`` rows in proportion to their weights, without replacement."""

    layout: Layout
    count: int
    seed: int

    def __call__(self, block: Block) -> Drawn:
        keys = uniform(block, self.seed + OTHER)
        if block.weight is not None:  # exponential waiting times: the first to come are such a draw
            keys = -np.log1p(-keys) / block.weight
        return _first(block, keys, self.layout.covering(block).labels, len(block), self.count)


def merge(left: Drawn, right: Drawn) -> Drawn:
    """The rows with the smallest keys of both."""
    labels, n = together(left.labels, right.labels), left.n + right.n
    return _first(stacked([left.block, right.block]), np.append(left.keys, right.keys), labels, n, left.count)


def _first(block: Block, keys: np.ndarray, labels: tuple[Label, ...], n: int, count: int) -> Drawn:
    order = np.argsort(keys, kind="stable")
    order = order[np.isfinite(keys[order])][:count]
    return Drawn(block.where(order), keys[order], labels, n, count)


@dataclass(frozen=True)
class Landmarks:
    """The features of a kernel as a matrix of any block; ``layout`` makes the rows that the kernel compares."""

    layout: Layout
    features: LowRankMap

    @property
    def labels(self) -> tuple[Label, ...]:
        """One for each feature."""
        return tuple(("landmark", str(k)) for k in range(self.features.rank))

    def covering(self, block: Block) -> Landmarks:
        """The layout knows all levels since the landmarks were drawn."""
        return self

    def chunks(self, block: Block, first: int = 0, *, kind: Any = np.float64) -> Iterator[tuple[slice, np.ndarray]]:
        """Rows of features behind ``first`` columns for others, a few thousand at a time."""
        for rows, X in self.layout.chunks(block, raw=True):
            A = np.empty((len(X), first + self.features.rank), dtype=kind)
            values = self.features.kernel.block(X, self.features.landmarks)
            A[:, first:] = linalg.solve_triangular(
                self.features.lower, values.T, lower=True, overwrite_b=True, check_finite=False
            ).T
            yield rows, A

    def tables(self, block: Block) -> Iterator[tuple[slice, Table]]:
        """The same rows; there are no words."""
        ones, zeros = np.ones(self.features.rank), np.zeros(self.features.rank)
        for rows, A in self.chunks(block):
            yield rows, Table(A, ones, zeros, np.empty((0, len(A)), dtype=np.int32), 0)

    def units(self, labels: Sequence[Label]) -> np.ndarray:
        """Features have no unit."""
        return np.ones(len(labels))

    def origins(self, labels: Sequence[Label]) -> np.ndarray:
        """Nothing is subtracted."""
        return np.zeros(len(labels))


def small_of_products(sums: Sums, fit_intercept: bool, scale: float, origin: float) -> Small:
    """A `Small` from sums of squared losses at zero coefficients, of targets ``(y - origin) / scale``.

    The square root of the products by their eigenvalues; it knows directions whose eigenvalue is above rounding.
    """
    W, G, b = sums.weight, sums.hessian[0, :, 0] / 2.0, -sums.gradient[:, 0] / 2.0
    mean, means = (float(b[0] / W), G[0, 1:] / W) if fit_intercept else (0.0, np.zeros(len(b) - 1))
    gram, cross = G[1:, 1:] - W * np.multiply.outer(means, means), b[1:] - W * mean * means
    values, vectors = np.linalg.eigh(gram)
    kept = values > len(values) * np.finfo(float).eps * max(float(values[-1]), 0.0)
    root = np.sqrt(values[kept])
    t = (vectors[:, kept].T @ cross) / root
    rest = np.sqrt(max(sums.loss - W * mean**2 - float(t @ t), 0.0))
    R = np.vstack([root[:, None] * vectors[:, kept].T, np.zeros((1, len(gram)))])
    return Small(R, np.append(t, rest) * scale, means, mean * scale + origin, W, sums.n, fit_intercept)
