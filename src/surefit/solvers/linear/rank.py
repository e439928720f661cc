"""Layer solvers: how many columns are independent, where the Gram matrix cannot tell.

In: a `Centred` design and its Gram matrix.  Out: which columns are constant, and a rank.  A combination of columns of
unit size that has length ``delta`` has the eigenvalue ``delta**2``, so below ``delta = 1e-7`` the Gram matrix holds
nothing but rounding.  The rows do tell: combinations that the Gram matrix calls zero are measured on them.
"""

import numpy as np

from surefit.data.centred import Centred
from surefit.data.scale import EPS

AT_ONCE = 16
"""Combinations of sparse columns that are measured at a time: each is as long as the table."""


def dead_columns(A: Centred, norms: np.ndarray) -> np.ndarray:
    """Columns that are constant up to rounding once centred: what is left of them is not information."""
    rounding = 8.0 * EPS * np.abs(A.shift) * np.sqrt(A.design.total_weight)
    return norms <= rounding


def unit_free_rank(A: Centred, gram: np.ndarray) -> int:
    """How many columns are independent whatever their units, as far as the rows themselves can tell.  Catalogue A-02.

    >>> from surefit.data.centred import centre
    >>> from surefit.data.design import Design
    >>> A = centre(Design.of([[0.0, 1e-9], [1, 1], [2, 2], [3, 3]]), True)
    >>> unit_free_rank(A, A.gram())
    2
    """
    flat = _flat_combinations(A, gram, 10.0 * EPS * max(A.n, A.d) * len(gram))
    longer = int(np.count_nonzero(_lengths(A, flat) > _rounding(A, flat)))
    return min(len(gram) - flat.shape[1] + longer, A.largest_rank)


def hides_directions(A: Centred, gram: np.ndarray, limit: float) -> bool:
    """Whether combinations of columns with eigenvalues up to ``limit``, at unit size, are more than rounding."""
    flat = _flat_combinations(A, gram, limit)
    return bool(np.any(_lengths(A, flat) > _rounding(A, flat)))


def _flat_combinations(A: Centred, gram: np.ndarray, limit: float) -> np.ndarray:
    """Combinations of columns of unit size whose eigenvalues are at most ``limit``, shape ``(d, k)``."""
    diagonal = np.diag(gram).copy()
    dead = dead_columns(A, np.sqrt(np.maximum(diagonal, 0.0)))
    size = np.sqrt(np.where(dead | (diagonal <= 0), np.inf, diagonal))
    values, vectors = np.linalg.eigh(gram / size / size[:, None])
    return np.asarray(vectors[:, values <= limit] / size[:, None])


def _rounding(A: Centred, combinations: np.ndarray) -> np.ndarray:
    """Lengths that combinations of columns of unit size have by rounding, that of columns beside their means included.

    The last pivot of a QR decomposition with ``d`` columns, which decides there, is up to ``sqrt(d)`` times as long.

    >>> from surefit.data.centred import centre
    >>> from surefit.data.design import Design
    >>> _rounding(centre(Design.of(np.eye(4)), False), np.eye(4)[:, :1]) < 1e-15
    array([ True])
    """
    from_means = 8.0 * EPS * np.sqrt(A.design.total_weight) * (np.abs(A.shift) @ np.abs(combinations))
    return EPS * max(A.n, A.d) / np.sqrt(max(A.d, 1)) + from_means


def _lengths(A: Centred, combinations: np.ndarray) -> np.ndarray:
    """Length of ``A c`` for every column ``c``, computed from the rows."""
    if not A.design.is_sparse:
        squares = (np.sum((block @ combinations) ** 2, axis=0) for _, block in A.blocks())
        return np.asarray(np.sqrt(sum(squares, np.zeros(combinations.shape[1]))))
    starts = range(0, combinations.shape[1], AT_ONCE)
    parts = [np.linalg.norm(A.matvec(combinations[:, start : start + AT_ONCE]), axis=0) for start in starts]
    return np.concatenate([np.zeros(0), *parts])
