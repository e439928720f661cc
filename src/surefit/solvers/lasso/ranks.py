"""Layer solvers: how many columns of a support are independent of each other.

In: a `Design` and one support per model.  Out: the rank of each.  Most supports have full rank, and a Cholesky factor
on some of the rows is enough to prove it; only the other supports are factorised.
"""

from typing import Any

import numpy as np

from surefit.data.centred import Centred, centre
from surefit.data.design import Design
from surefit.data.scale import column_sizes, power_of_two
from surefit.solvers.lasso import limits
from surefit.solvers.linear.factor import TriangularFactor, qr_factor, triangle_of
from surefit.solvers.linear.rank import dead_columns

INDEPENDENT = 1e-10
"""A column of unit length is independent if its squared distance from those before it is more: rounding is less."""
INVOLVED = 1e-12
"""Coefficient in a dependence of columns of unit length from which a column counts as part of it."""


def support_ranks(design: Design, supports: np.ndarray, fit_intercept: bool) -> np.ndarray:
    """The rank of ``X[:, support]``, centred with an intercept, for each row of the boolean table ``supports``.

    Shape ``(L,)`` for supports ``(L, d)``.  Columns independent in the union of all supports are independent in each,
    so one factorisation usually serves them all.  Supports of more than 4000 columns together are not looked into:
    their columns are counted.

    >>> X = np.array([[1.0, 0, 1], [0, 1, 1], [2, 1, 3], [0, 0, 0]])
    >>> support_ranks(Design.of(X), np.array([[True, False, True], [True, True, True]]), True)
    array([2, 2])
    """
    counts, union = np.count_nonzero(supports, axis=1), np.flatnonzero(supports.any(axis=0))
    X = design.counted().X
    if not 0 < len(union) <= limits.LARGEST_UNION or _surely_independent(X, union, fit_intercept):
        return counts
    triangle, A = _triangle(X, union, fit_intercept)
    factor = _rank_factor(triangle, A)
    shares = np.abs(factor.null_basis()) * factor.size[:, None]
    tied = np.any(shares > INVOLVED, axis=1)
    return counts - _missing(triangle[:, tied], A, supports[:, union[tied]])


def _missing(triangle: np.ndarray, A: Centred, supports: np.ndarray) -> np.ndarray:
    """How far each support falls short of full rank; halves of the path are looked at until one settles it.

    Columns of the ``triangle`` of ``A`` depend on each other as those of ``A`` do, and are short.
    """
    columns = triangle[:, supports.any(axis=0)]
    size = columns.shape[1]
    if not size or (size <= A.largest_rank and _positive(columns.T @ columns, 1.0)):
        return np.zeros(len(supports), dtype=np.intp)
    if np.all(supports == supports[0]):
        return np.full(len(supports), size - _rank_factor(triangle_of(columns), A).rank)
    half = len(supports) // 2
    return np.concatenate([_missing(triangle, A, part) for part in (supports[:half], supports[half:])])


def _surely_independent(X: Any, columns: np.ndarray, fit_intercept: bool) -> bool:
    """Whether a Cholesky factor proves full rank, on some of the rows (which is enough) or on all."""
    if len(columns) > X.shape[0] - fit_intercept:
        return False
    step = max(X.shape[0] // (limits.ENOUGH_ROWS * len(columns) + 1), 1)
    return _proven(X[::step], columns, fit_intercept) or (step > 1 and _proven(X, columns, fit_intercept))


def _proven(X: Any, columns: np.ndarray, fit_intercept: bool) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        A = _unit_sized(X, columns, fit_intercept)
        gram = A.gram()
        lengths = np.sqrt(np.maximum(np.diag(gram), 0.0))
        if not np.all(lengths > 0) or np.any(dead_columns(A, lengths)):
            return False
        cancelled = float(np.max(A.n * A.shift**2 / lengths**2)) if A.design.is_sparse else 1.0
        return _positive(gram, max(cancelled, 1.0))


def _positive(gram: np.ndarray, cancelled: float) -> bool:
    """Whether the columns of this Gram matrix are surely independent of each other."""
    lengths = np.sqrt(np.maximum(np.diag(gram), 0.0))
    if not np.all(lengths > 0):
        return False
    try:
        triangle = np.linalg.cholesky(gram / lengths / lengths[:, None])
    except np.linalg.LinAlgError:
        return False
    return bool(np.min(np.diag(triangle)) ** 2 > INDEPENDENT * cancelled)


def _triangle(X: Any, columns: np.ndarray, fit_intercept: bool) -> tuple[np.ndarray, Centred]:
    """QR of the centred columns near unit size, a block of rows at a time; a constant beside an intercept is zero."""
    A = _unit_sized(X, columns, fit_intercept)
    triangle = np.zeros((0, A.d))
    for _, block in A.blocks():
        triangle = triangle_of(block, triangle)
    triangle[:, dead_columns(A, np.linalg.norm(triangle, axis=0))] = 0.0
    return triangle, A


def _rank_factor(triangle: np.ndarray, A: Centred) -> TriangularFactor:
    empty = np.linalg.norm(triangle, axis=0) == 0
    return qr_factor(triangle, triangle.shape[1], A.n, empty, A.largest_rank)[0]


def _unit_sized(X: Any, columns: np.ndarray, fit_intercept: bool) -> Centred:
    """The columns without weights, which no rank depends on, each divided by a power of two near its size."""
    chosen = Design(X[:, columns], np.ones(X.shape[0]))
    return centre(chosen, fit_intercept, power_of_two(column_sizes(chosen)))
