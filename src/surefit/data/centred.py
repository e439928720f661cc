"""Layer data: intercept and sample weights as an invertible change of variables.

In: a `Design` and a target.  Out: a `Centred` design ``A = sqrt(W) (X / scale - shift)``, in which an unpenalised
intercept has disappeared from the problem, and the way back to the user's units.  Sparse designs are never densified:
their centring is carried out on the products.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from surefit.data.design import Design
from surefit.data.gram import NOTHING, gram_matrix

CANCELLATION_ALLOWED = 100.0
"""Largest mean**2 / variance of a column for which the Gram matrix is centred after the product instead of before."""


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


def centre(design: Design, fit_intercept: bool, scale: np.ndarray | None = None) -> Centred:
    """The change of variables that removes an unpenalised intercept.  Catalogue A-05.

    Where a column's mean dwarfs its spread (timestamps) the mean is taken twice, the second time of what the first
    left over, so that the column is centred to working precision.  A constant is its own mean, which a sum of shares
    of it misses by rounding: centred, nothing at all is left of it, and nothing can be learned from that.
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
    same, value = _constants(design), design.dense_rows(slice(0, 1))[0]
    first[same], left[same] = value[same] / scale[same], 0.0
    return replace(centred, shift=first, shift_low=np.asarray(left), dwarfed=True)


def _constants(design: Design) -> np.ndarray:
    """Numbers of the columns of which all entries are equal; most others are told by a few rows."""
    some = design.dense_rows(slice(0, design.n, max(design.n // 32, 1)))
    same = np.flatnonzero(np.all(some == some[0], axis=0))
    for rows in design.row_slices():
        if not len(same):
            break
        same = same[np.all(design.dense_rows(rows)[:, same] == some[0, same], axis=0)]
    return same


def _mean_dwarfs_spread(centred: Centred) -> bool:
    """Judged on a few rows, whose spread cannot exceed that of all: a false alarm costs one more pass."""
    design = centred.design
    block = design.dense_rows(slice(0, design.n, max(design.n // 32, 1))) / centred.scale
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.abs(block - centred.shift).max(axis=0)
        return not bool(np.all(np.abs(centred.shift) <= 10.0 * spread))
