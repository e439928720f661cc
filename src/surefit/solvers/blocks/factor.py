"""Layer solvers: the triangular factor of all rows, by one pass over blocks, for least squares, ridge and lasso.

In: blocks.  Out: a `Factor`: the triangle ``R`` with ``R' R = [1, X, y]' W [1, X, y]``.  A block's triangle is the
Cholesky factor of its products where their condition number costs no more than four digits, and a QR decomposition
otherwise.  Two triangles are merged by a QR decomposition of one above the other (catalogue A-02).  Rows are dealt to
``folds`` by their number, each with a triangle of its own, for cross-validation without another pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from surefit.data.blocks.block import Block, Codes
from surefit.data.blocks.columns import SourceError
from surefit.data.blocks.layout import Label, Layout, placed, together
from surefit.data.scale import power_of_two
from surefit.solvers.blocks.products import products
from surefit.solvers.linear.factor import triangle_of

CONDITION = 1e5
"""Largest condition number of the products of a block, columns at unit size, for which they are factorised: what is
lost is below 1e-10."""

ONE: Label = ("", "1")
TARGET: Label = ("", "y")


@dataclass(frozen=True)
class Target:
    """``(y - origin) / scale``, learnt from the first block."""

    origin: float
    scale: float

    @staticmethod
    def of(block: Block, centred: bool) -> Target:
        """From the first block."""
        y = numbers_of(block)
        scale = float(power_of_two(np.asarray(np.abs(y).max(initial=0.0))))
        return Target(float((y / scale).mean() * scale) if centred else 0.0, scale)


def numbers_of(block: Block) -> np.ndarray:
    """The target as numbers."""
    if block.target is None or isinstance(block.target, Codes):
        raise SourceError(f"the target in {block.place} holds words, and this model predicts numbers; use a classifier")
    return block.target


@dataclass(frozen=True)
class Factor:
    """Triangles (rows, columns) of ``sqrt(w) [1, features, y]``, one for each fold; ``labels`` name the columns."""

    labels: tuple[Label, ...]
    triangles: tuple[np.ndarray, ...]
    n: int
    weights: tuple[float, ...]
    by_qr: int

    @property
    def weight(self) -> float:
        """The sum of all weights."""
        return float(sum(self.weights))

    @property
    def features(self) -> tuple[Label, ...]:
        """The labels of the features."""
        return tuple(one for one in self.labels if one not in (ONE, TARGET))

    def triangle(self, labels: tuple[Label, ...], without: int | None = None) -> np.ndarray:
        """The triangle of all rows, or of all but those of one fold, with the columns in the order of ``labels``."""
        used = [T for k, T in enumerate(self.triangles) if k != without and len(T)]
        return triangle_of(np.vstack([placed(T, self.labels, labels, axis=1) for T in used]))


@dataclass(frozen=True)
class Factorise:
    """The `Factor` of a block."""

    layout: Layout
    target: Target
    fit_intercept: bool = True
    folds: int = 1

    def __call__(self, block: Block) -> Factor:
        layout = self.layout.covering(block)
        ones = (ONE,) if self.fit_intercept else ()
        labels = (*ones, *layout.labels, TARGET)
        y = numbers_of(block) / self.target.scale - self.target.origin / self.target.scale
        rows = _Rows(layout, block, y, self.fit_intercept)
        found = [_triangle(rows, k, self.folds) for k in range(self.folds)]
        counted = len(block) if block.weight is None else int(np.count_nonzero(block.weight))
        weights = tuple(float(rows.weight[k :: self.folds].sum()) for k in range(self.folds))
        return Factor(labels, tuple(T for T, _ in found), counted, weights, sum(by_qr for _, by_qr in found))


@dataclass(frozen=True)
class _Rows:
    layout: Layout
    block: Block
    y: np.ndarray
    fit_intercept: bool

    @property
    def weight(self) -> np.ndarray:
        return np.ones(len(self.block)) if self.block.weight is None else self.block.weight

    def chunks(self, fold: int, folds: int) -> Iterator[np.ndarray]:
        """``sqrt(w) [1, features, y]`` of one fold."""
        first = int(self.fit_intercept)
        for rows, A in self.layout.chunks(self.block, first, 1):
            A[:, :first] = 1.0
            A[:, -1] = self.y[rows]
            if self.block.weight is not None:
                A *= np.sqrt(self.block.weight[rows])[:, None]
            yield A if folds == 1 else A[(fold - rows.start) % folds :: folds]

    def gram(self, fold: int, folds: int) -> tuple[np.ndarray, int]:
        """The products of ``sqrt(w) [1, features, y]`` of one fold, and the number of its rows."""
        mine = slice(fold, None, folds)
        ((_, table),) = self.layout.tables(self.block)
        found = products(table.where(mine), self.weight[mine], beside=self.y[mine, None]).gram
        q = 1 + len(self.layout.columns.numbers)
        order = np.r_[1 - int(self.fit_intercept) : q, q + 1 : len(found), q]  # the target comes last
        return found[np.ix_(order, order)], len(self.y[mine])


def _triangle(rows: _Rows, fold: int, folds: int) -> tuple[np.ndarray, bool]:
    """The triangle of one fold of a block, and whether a QR decomposition was needed."""
    gram, count = rows.gram(fold, folds)
    found = _root(gram) if count > len(gram) else None
    if found is not None:
        return found, False
    T = None
    for A in rows.chunks(fold, folds):
        T = triangle_of(A, T)
    assert T is not None
    return T, True


def _root(gram: np.ndarray) -> np.ndarray | None:
    """The Cholesky factor of products, zero columns left as they are; None where it would cost digits."""
    diagonal = np.diag(gram)
    there = np.flatnonzero(diagonal > 0)
    if not np.all(np.isfinite(diagonal)) or np.any(diagonal[there] < 1e-200) or np.any(diagonal > 1e200):
        return None
    size = np.sqrt(diagonal[there])
    unit = gram[np.ix_(there, there)] / size / size[:, None]
    try:
        R = np.linalg.cholesky(unit, upper=True)
    except np.linalg.LinAlgError:
        return None
    reciprocal, _ = lapack.dpocon(R, np.abs(unit).sum(axis=0).max())
    if not reciprocal * CONDITION >= 1.0:
        return None
    found = np.zeros((len(there), len(gram)))
    found[:, there] = R * size
    return found


def merge(left: Factor, right: Factor) -> Factor:
    """The factor of the rows of both."""
    labels = together(left.labels, right.labels)
    stacked = tuple(
        triangle_of(placed(b, right.labels, labels, axis=1), placed(a, left.labels, labels, axis=1))
        for a, b in zip(left.triangles, right.triangles, strict=True)
    )
    weights = tuple(a + b for a, b in zip(left.weights, right.weights, strict=True))
    return Factor(labels, stacked, left.n + right.n, weights, left.by_qr + right.by_qr)
