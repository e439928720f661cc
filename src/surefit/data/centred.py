"""Layer data: intercept and sample weights as an invertible change of variables.

In: a `Design` and a target.  Out: a `Centred` design ``A = sqrt(W) (X / scale - shift)``, in which an unpenalised
intercept has disappeared from the problem, and the way back to the user's units.  Sparse designs are never densified:
their centring is carried out on the products.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
from scipy import sparse

from surefit.data.design import Design
from surefit.data.gram import FEWEST_ENTRIES, MOST_CORES, NOTHING, gram_matrix
from surefit.threads import map_in_order

CANCELLATION_ALLOWED = 100.0
"""Largest mean**2 / variance of a column for which the Gram matrix is centred after the product instead of before."""
CACHED = 128_000
"""Entries that stay in the cache while they are looked at twice."""


@dataclass(frozen=True)
class Centred:
    """The rows ``sqrt(w_i) (x_i / scale - shift)`` of a centred, weighted, scaled design.  Catalogue A-05, D-03.

    With ``fit_intercept`` the optimal unpenalised offset is ``b = mean(y) - shift . c`` for coefficients ``c`` of
    ``A``; without it ``shift`` is zero.  ``scale`` holds powers of two, so dividing by it is exact; ``shift_low`` is
    what rounding the shift to one double would lose.

    >>> A = centre(Design.of([[1.0], [3.0]]), fit_intercept=True)
    >>> A.dense().ravel()
    array([-1.,  1.])
    """

    design: Design
    scale: np.ndarray
    shift: np.ndarray
    shift_low: np.ndarray
    fit_intercept: bool
    dwarfed: bool = False
    """Some mean dwarfs its column's spread: products are taken of centred rows, never centred afterwards."""

    @property
    def n(self) -> int:
        return self.design.n

    @property
    def d(self) -> int:
        return self.design.d

    @cached_property
    def root_weight(self) -> np.ndarray:
        return np.sqrt(self.design.weight)

    @cached_property
    def unit_scale(self) -> bool:
        return bool(np.all(self.scale == 1.0))

    @cached_property
    def largest_rank(self) -> int:
        """What the rank cannot exceed, whatever rounding makes of it: centred rows sum to zero."""
        return max(min(self.design.n_counted - self.fit_intercept, self.d), 0)

    @property
    def mean_leverage(self) -> np.ndarray:
        """What the intercept alone contributes to each leverage, ``w_i / sum(w)``, or zero without one."""
        return self.design.weight / self.design.total_weight if self.fit_intercept else np.zeros(self.n)

    def rows(self, rows: slice | np.ndarray) -> np.ndarray:
        """A dense block of rows of ``A``, a slice or a list of them."""
        block = self.design.dense_rows(rows)
        block = block - self.shift if self.unit_scale else block / self.scale - self.shift
        if np.any(self.shift_low):
            block -= self.shift_low
        if not self.design.has_unit_weights:
            block *= self.root_weight[rows, None]
        return block

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """All of ``A``, a block of rows at a time."""
        for rows in self.design.row_slices():
            yield rows, self.rows(rows)

    def dense(self) -> np.ndarray:
        """``A`` as one dense array."""
        return self.rows(slice(0, self.n))

    def target_mean(self, y: np.ndarray) -> np.ndarray:
        """Weighted mean of ``y`` (zero without an intercept), shape ``(k,)`` for ``y`` of shape ``(n, k)``."""
        if not self.fit_intercept:
            return np.zeros(y.shape[1:])
        share = self.design.weight / self.design.total_weight
        first = np.einsum("i,i...->...", share, y)
        return first + np.einsum("i,i...->...", share, y - first)

    def target(self, y: np.ndarray) -> np.ndarray:
        """``sqrt(W) (y - mean)``: what ``A c`` has to match."""
        centred = y - self.target_mean(y)
        return centred if self.design.has_unit_weights else (centred.T * self.root_weight).T

    def matvec(self, coef: np.ndarray) -> np.ndarray:
        """``A @ coef`` without forming ``A``."""
        if self.dwarfed:
            return np.concatenate([block @ coef for _, block in self.blocks()])
        fitted = self.design.matvec((coef.T / self.scale).T) - self.shift @ coef
        return (fitted.T * self.root_weight).T

    def rmatvec(self, dual: np.ndarray) -> np.ndarray:
        """``A.T @ dual`` without forming ``A``."""
        if self.dwarfed:
            return sum(block.T @ dual[rows] for rows, block in self.blocks())
        weighted = (dual.T * self.root_weight).T
        product = (self.design.rmatvec(weighted).T / self.scale).T
        return product - np.multiply.outer(self.shift, weighted.sum(axis=0))

    def gram(self) -> np.ndarray:
        """``A.T @ A``, shape ``(d, d)``."""
        return self.gram_and_moment(NOTHING)[0]

    def gram_and_moment(self, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``A.T @ A`` and ``A.T @ target``, in one pass over dense data; an empty target has no products."""
        if self.design.is_sparse or (self.unit_scale and not self.dwarfed):
            gram, moment = self._raw_gram(target)
            correction = self.design.total_weight * self.shift**2
            left = np.diag(gram) - correction
            if self.design.is_sparse or np.all(correction <= CANCELLATION_ALLOWED * left):
                if self.fit_intercept:
                    gram -= self.design.total_weight * np.multiply.outer(self.shift, self.shift)
                    if len(target):
                        moment -= (self.root_weight @ target) * self.shift
                return gram, moment
        gram = sum(block.T @ block for _, block in self.blocks())
        return gram, self.rmatvec(target) if len(target) else NOTHING

    def _raw_gram(self, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``(X / scale).T W (X / scale)`` and ``(X / scale).T sqrt(W) target``, before any centring."""
        X, weight = self.design.X, self.design.weight
        if not self.design.is_sparse:
            with np.errstate(over="ignore", invalid="ignore"):
                return gram_matrix(X, NOTHING if self.design.has_unit_weights else self.root_weight, target)
        product = (X.multiply(weight[:, None]).T @ X).toarray()
        moment = np.asarray(X.T @ (self.root_weight * target)) / self.scale if len(target) else NOTHING
        return product / self.scale / self.scale[:, None], moment

    def kernel(self) -> np.ndarray:
        """``A @ A.T``, shape ``(n, n)``."""
        if not self.design.is_sparse:
            return gram_matrix(self.dense().T)[0]
        X = self.design.X.multiply(1.0 / self.scale).tocsr()
        product = np.asarray((X @ X.T).toarray())
        cross = np.asarray(X @ self.shift)
        product -= cross[:, None] + cross[None, :] - self.shift @ self.shift
        return product * self.root_weight[:, None] * self.root_weight

    def restore(self, coef: np.ndarray, target_mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercept in the user's units from coefficients ``(d,)`` or ``(d, k)`` of ``A``."""
        raw = (coef.T / self.scale).T
        return raw, self.design.user_intercept(raw, target_mean - self.shift @ coef - self.shift_low @ coef)


def power_of_two(size: np.ndarray) -> np.ndarray:
    """The power of two just below each positive entry, 1 where the entry is zero.

    >>> power_of_two(np.array([0.0, 1.0, 5.0, 1e300])).tolist()[:3]
    [1.0, 1.0, 4.0]
    """
    exponent = np.frexp(size)[1] - 1
    return np.ldexp(1.0, np.where(size > 0, exponent, 0))


def column_sizes(design: Design) -> np.ndarray:
    """Largest absolute value in each column."""
    X = design.X
    if design.is_sparse and X.format == "csr" and X.has_canonical_format:
        sizes = np.zeros(design.d)
        np.maximum.at(sizes, X.indices, np.abs(X.data))
        return sizes
    if design.is_sparse:
        return np.asarray(abs(X).max(axis=0).toarray()).ravel()
    by_rows = not X.flags.f_contiguous
    lines, axis = (X, 0) if by_rows else (X.T, 1)  # as they lie in memory
    parts, size = 1 if X.size < FEWEST_ENTRIES else MOST_CORES, max(CACHED // max(lines.shape[1], 1), 1)

    def together(found: Iterable[np.ndarray]) -> np.ndarray:
        return reduce(np.maximum, found, np.zeros(design.d)) if by_rows else np.concatenate([np.zeros(0), *found])

    def of_part(k: int) -> np.ndarray:
        first, last = len(lines) * k // parts, len(lines) * (k + 1) // parts
        blocks = (lines[start : min(start + size, last)] for start in range(first, last, size))
        return together(np.maximum(block.max(axis), -block.min(axis)) for block in blocks)

    return together(map_in_order(of_part, range(parts)))


CONSTANT = 8 * np.finfo(float).eps
"""A spread below this share of the largest entry is rounding, and the column a constant."""


def column_spreads(design: Design) -> np.ndarray:
    """Weighted standard deviation of each column; of a constant its root mean square, of zeros 1.

    What ``standardise=True`` measures penalties by.  Sparse designs are not densified.

    >>> column_spreads(Design.of([[1.0, 7.0, 0.0], [3.0, 7.0, 0.0]]))
    array([1., 7., 1.])
    """
    size = column_sizes(design)
    unit, share = power_of_two(size), design.weight / design.total_weight
    if design.is_sparse:
        near = design.settled()  # what is left of the mean does not dwarf the spread
        columns = near.X.multiply(1.0 / unit).tocsr()
        mean = np.asarray(columns.T @ share).ravel()
        square = np.asarray(columns.multiply(columns).T @ share).ravel() - mean**2
    else:
        A = centre(design, True, unit)
        blocks = ((rows, design.dense_rows(rows) / unit - A.shift - A.shift_low) for rows in design.row_slices())
        square = np.asarray(sum((share[rows] @ block**2 for rows, block in blocks), np.zeros(design.d)))
    spread = np.sqrt(np.maximum(square, 0.0)) * unit
    spread = np.where(spread <= CONSTANT * size, _root_mean_squares(design, unit, share), spread)
    return np.where(spread > 0, spread, 1.0)


def _root_mean_squares(design: Design, unit: np.ndarray, share: np.ndarray) -> np.ndarray:
    if design.is_sparse:
        scaled = design.X.multiply(1.0 / unit)
        return np.sqrt(np.asarray(scaled.multiply(scaled).T @ share).ravel()) * unit
    parts = (share[rows] @ (design.dense_rows(rows) / unit) ** 2 for rows in design.row_slices())
    return np.sqrt(np.asarray(sum(parts, np.zeros(design.d)))) * unit


@dataclass(frozen=True)
class Units:
    """Columns measured by their standard deviations ``scale``, from an ``origin`` that keeps far columns exact.

    >>> Units.of(Design.of([[1.0], [3.0]]), fit_intercept=True).scale
    array([1.])
    """

    scale: np.ndarray
    origin: np.ndarray

    @staticmethod
    def of(design: Design, fit_intercept: bool, scale: np.ndarray | None = None) -> "Units":
        """The units of these rows, or others; with an intercept, dense columns far from zero begin near it."""
        spreads, origin = column_spreads(design), np.zeros(design.d)
        if fit_intercept and not design.is_sparse:
            first = design.dense_rows(slice(0, 1))[0]
            origin = np.where(np.abs(first) > 10.0 * spreads, first, 0.0)
        return Units(spreads if scale is None else scale, origin)

    def rows(self, X: Any) -> Any:
        """Rows, dense or sparse, in these units."""
        return (
            (X @ sparse.diags_array(1.0 / self.scale)).tocsr() if sparse.issparse(X) else (X - self.origin) / self.scale
        )

    def design(self, design: Design) -> Design:
        """The same for a design, which remembers its origin: intercepts come out for the columns as they were."""
        offset = self.origin / self.scale if np.any(self.origin) else None
        return Design(self.rows(design.X), design.weight, offset)


def centre(design: Design, fit_intercept: bool, scale: np.ndarray | None = None) -> Centred:
    """The change of variables that removes an unpenalised intercept.  Catalogue A-05.

    Where a column's mean dwarfs its spread (timestamps) the mean is taken twice, the second time of what the first
    left over, so that the column is centred to working precision.
    """
    scale = np.ones(design.d) if scale is None else scale
    zero = np.zeros(design.d)
    if not fit_intercept:
        return Centred(design, scale, zero, zero, False)
    share = design.weight / design.total_weight
    first = design.rmatvec(share) / scale
    centred = Centred(design, scale, first, zero, True)
    if design.is_sparse or not _mean_dwarfs_spread(centred):
        return centred
    left = sum(share[rows] @ (design.dense_rows(rows) / scale - first) for rows in design.row_slices())
    return replace(centred, shift_low=np.asarray(left), dwarfed=True)


def _mean_dwarfs_spread(centred: Centred) -> bool:
    """Judged on a few rows, whose spread cannot exceed that of all: a false alarm costs one more pass."""
    design = centred.design
    block = design.dense_rows(slice(0, design.n, max(design.n // 32, 1))) / centred.scale
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.abs(block - centred.shift).max(axis=0)
        return not bool(np.all(np.abs(centred.shift) <= 10.0 * spread))
