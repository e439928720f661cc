"""Layer solvers: whether hyperplanes separate the classes, at least weakly, so that the likelihood has no maximum.

In: a design and class numbers, two or more.  Out: a `Separation` with a direction that proves it.  The unpenalised
likelihood of logistic regression has no maximum if and only if there is one (E-099).  Linear programmes propose
directions, which are then checked on the rows, up to rounding, so that no verdict rests on the tolerance of a
programme.  Whether two classes are strictly separable, with evidence either way, is the question of
`surefit.solvers.halfspaces.separability`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsmr

from surefit.solvers.logistic import limits
from surefit.solvers.logistic.coordinates import typical_sizes
from surefit.solvers.margin_programme import largest_total, widest_margin

CLEAR = 1e-6
"""Margins larger than this, for directions of size one on rows of size one, are a gain."""

EDGE = 1e-6
"""Margins up to this may be zeros that the tolerance of the linear programme has moved."""

EXACT = 1e-12
"""Margins of at most this size are zeros that rounding has moved."""


@dataclass(frozen=True, eq=False)
class Separation:
    """``"separable"``: every row is on its own side; ``"quasi"``: some lie on the boundary; ``"overlap"``: neither.

    ``coef`` and ``intercept`` (width,) are the direction, zero for ``"overlap"``: along it no row loses and some gain.
    ``coef`` has the shape of the coefficients it belongs to: (d, width) in a `Solution`, (width, d) on an estimator.
    ``reach`` (d,) says how far each column moves the scores between its smallest and its largest entry.
    """

    kind: Literal["separable", "quasi", "overlap"]
    coef: np.ndarray
    intercept: np.ndarray
    reach: np.ndarray

    def __bool__(self) -> bool:
        return self.kind != "overlap"

    @staticmethod
    def of(kind: Any, X: Any, coef: np.ndarray, intercept: np.ndarray) -> Separation:
        """The record for a direction on the rows of ``X``."""
        range_ = _flat(X.max(axis=0)) - _flat(X.min(axis=0))
        contrast = np.abs(coef[:, 0]) if coef.shape[1] == 1 else np.ptp(coef, axis=1)
        return Separation(kind, coef, intercept, range_ * contrast)


def separating_direction(X: Any, codes: np.ndarray, fit_intercept: bool = True) -> Separation:
    """Look for scores that are at least as large for the true class as for any other, in every row.  Catalogue A-29.

    Two linear programmes over directions in a box: the largest smallest margin, and if that is zero the largest sum of
    margins.  Two classes have one column of scores, ``k`` classes ``k``.

    >>> separating_direction(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])).kind
    'separable'
    >>> separating_direction(np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])).kind
    'quasi'
    """
    d, width = X.shape[1], 1 if int(codes.max()) == 1 else int(codes.max()) + 1
    if (X.nnz if sparse.issparse(X) else X.size) * width >= limits.LARGE_PROGRAMME:
        alone = single_column(X, codes, fit_intercept)
        if alone:
            return alone
    A, unit = balanced(X, fit_intercept)
    margins = _margins(A, codes, width)
    for propose in (lambda: widest_margin(margins)[0], lambda: largest_total(margins)):
        direction, least = _proven(margins, propose())
        if direction is not None:
            V = direction.reshape(width, -1).T
            intercept = V[d] if fit_intercept else np.zeros(width)
            kind = "separable" if least > EXACT else "quasi"
            return Separation.of(kind, X, V[:d] / unit[:, None], intercept)
    return _overlap(d, width)


def single_column(X: Any, codes: np.ndarray, fit_intercept: bool = True) -> Separation:
    """One column that by itself never speaks against a class and sometimes for it: its values are compared, no more.

    >>> single_column(np.array([[0.3, 0.0], [0.1, 0.0], [0.2, 1.0]]), np.array([0, 1, 1])).coef.ravel().tolist()
    [0.0, 1.0]
    """
    k, d = int(codes.max()) + 1, X.shape[1]
    parts = [X[codes == c] for c in range(k)]
    low, high = (np.array([_flat(getattr(part, end)(axis=0)) for part in parts]) for end in ("min", "max"))
    for c in range(1 if k == 2 else 0, k):
        other = np.arange(k) != c
        for sign, least, most in ((1.0, low[c], high[other].max(axis=0)), (-1.0, -high[c], -low[other].min(axis=0))):
            apart = (least >= most) if fit_intercept else (least >= 0) & (most <= 0)
            apart &= low.min(axis=0) < high.max(axis=0)
            if np.any(apart):
                j = int(np.argmax(np.where(apart, least - most, -np.inf)))
                level = least[j] / 2 + most[j] / 2 if fit_intercept else 0.0
                coef, intercept = np.zeros((d, 1 if k == 2 else k)), np.zeros(1 if k == 2 else k)
                coef[j, 0 if k == 2 else c], intercept[0 if k == 2 else c] = sign, -level
                strict = k == 2 and min(least[j] - level, level - most[j]) > 0
                return Separation.of("separable" if strict else "quasi", X, coef, intercept)
    return _overlap(d, 1 if k == 2 else k)


def _overlap(d: int, width: int) -> Separation:
    return Separation("overlap", np.zeros((d, width)), np.zeros(width), np.zeros(d))


def balanced(X: Any, fit_intercept: bool) -> tuple[Any, np.ndarray]:
    """The rows (with a one for the intercept) scaled to size one, and the units their columns were divided by before.

    A unit is the median of what is not zero in a column: an outlier changes its own row, not the column of all.

    >>> balanced(np.array([[2.0], [-2.0], [2e9]]), True)[0].tolist()
    [[1.0, 1.0], [-1.0, 1.0], [1.0, 1e-09]]
    """
    unit = typical_sizes(X)
    if sparse.issparse(X):
        A = sparse.csr_array(X @ sparse.diags_array(1 / unit))
        A = sparse.hstack([A, np.ones((X.shape[0], 1))], format="csr") if fit_intercept else A
        size = _flat(abs(A).max(axis=1))
        return sparse.diags_array(1 / np.where(size > 0, size, 1.0)) @ A, unit
    A = X / unit
    A = np.hstack([A, np.ones((X.shape[0], 1))]) if fit_intercept else A
    size = np.abs(A).max(axis=1, initial=0.0)
    A /= np.where(size > 0, size, 1.0)[:, None]
    return A, unit


def _flat(values: Any) -> np.ndarray:
    return np.asarray(values.todense() if sparse.issparse(values) else values).ravel()


def _proven(margins: Any, direction: np.ndarray) -> tuple[np.ndarray | None, float]:
    """``direction``, or what is left of it along the boundary, if no row loses and some gain; and the least margin."""
    reached = np.asarray(margins @ direction)
    if not reached.max(initial=0.0) > CLEAR or reached.min() < -EDGE:
        return None, 0.0
    if reached.min() < -EXACT:
        direction = direction - _across(margins[reached <= EDGE], direction)
        direction = direction / max(float(np.abs(direction).max()), EDGE)
        reached = np.asarray(margins @ direction)
    least = float(reached.min())
    return (direction, least) if least >= -EXACT and reached.max() > CLEAR else (None, least)


def _across(rows: Any, direction: np.ndarray) -> np.ndarray:
    """The part of ``direction`` that changes the products with ``rows``."""
    if sparse.issparse(rows) and rows.shape[0] * rows.shape[1] > limits.DENSE_BOUNDARY:
        return lsmr(rows, rows @ direction, atol=1e-15, btol=1e-15, conlim=0.0)[0]
    dense = rows.toarray() if sparse.issparse(rows) else rows
    _, size, basis = np.linalg.svd(np.linalg.qr(dense, mode="r"), full_matrices=False)
    basis = basis[size > EXACT * size.max(initial=0.0)]
    return basis.T @ (basis @ direction)


def _margins(A: Any, codes: np.ndarray, width: int) -> Any:
    """Rows whose products with a direction (class after class) are scores of the true class less those of another."""
    if width == 1:
        sign = np.where(codes == 1, 1.0, -1.0)
        return sparse.csr_array(sparse.diags_array(sign) @ A) if sparse.issparse(A) else sign[:, None] * A
    A = sparse.csr_array(A)
    blocks = []
    for own in range(width):
        rows = A[codes == own]
        for other in range(width):
            if other != own:
                contrast = np.zeros((1, width))
                contrast[0, own], contrast[0, other] = 1.0, -1.0
                blocks.append(sparse.kron(contrast, rows))
    return sparse.vstack(blocks).tocsr()
