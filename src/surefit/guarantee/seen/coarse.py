"""Layer guarantee: does the coarseness of a table explain that some of its rows are equal?

In: rows and targets, and which rows equal others.  Out: for each of these, how many equal rows are to be expected of
independent draws of such a table.

Two draws of continuous measurements are never equal; two draws of a few answers often are.  What tells is the company
of a row.  If it came back because columns take few values, then other rows agree with it in all but a few columns, and
the values that it has in those are frequent ones.  A copy of a continuous row has no such company.  For row ``i``

    lambda_i = sum over other rows k of  prod over columns j in which k differs from i of  p_ij,

where ``p_ij`` is the share of other rows with the value of row ``i`` in column ``j``: each row ``k``, put right column
by column, is a chance of an equal row.  For independent columns its mean is at least the expected number of equal rows,
and where columns depend on each other the rows that agree in many of them carry that into the sum.  Rows equal to ``i``
are left out of both, so that copies cannot explain themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import _safe_indexing

COMPANY = 1000
"""Rows that the company of a row is looked for among; drawn with a fixed seed."""
JUDGED = 1000
"""Kinds of equal rows that are judged one by one; beyond, so many of them stand for all."""
MOST_COLUMNS = 400
"""Columns that are compared, drawn with a fixed seed: enough to tell rows apart."""
EXPECTED = 1e-3
"""Expected equal rows from which on one that occurs is no surprise, in a table with thousands of chances for it."""
NEVER = -100.0  # logarithm of a share that stands for none
ENTRIES = 1 << 22  # comparisons held in memory at a time


def expected_equals(X: Any, y: Any, prints: np.ndarray, judged: np.ndarray) -> np.ndarray:
    """``lambda_i`` for the rows numbered ``judged``, of the table ``(X, y)`` with these fingerprints.

    >>> rng = np.random.default_rng(0)
    >>> bits, reals = rng.integers(0, 2, (200, 3)), rng.normal(size=(200, 3))
    >>> y = np.zeros(200)
    >>> bool(expected_equals(bits, y, np.arange(200), np.arange(5)).min() > 10)
    True
    >>> float(expected_equals(reals, y, np.arange(200), np.arange(5)).max())
    0.0
    """
    n, rng = len(prints), np.random.default_rng(0)
    company = np.arange(n) if n <= COMPANY else np.sort(rng.choice(n, COMPANY, replace=False))
    both = np.concatenate([judged, company])
    codes = _codes(_safe_indexing(X, both), np.asarray(_safe_indexing(y, both)))
    mine, others, same = codes[: len(judged)], codes[len(judged) :], prints[company]
    found = np.zeros(len(judged))
    step = max(1, ENTRIES // max(others.size, 1))
    for start in range(0, len(judged), step):
        rows = slice(start, start + step)
        apart = prints[judged[rows]][:, None] != same[None, :]
        differs = (mine[rows][:, None, :] != others[None, :, :]).astype(np.float32)
        known = np.maximum(apart.sum(axis=1), 1)
        share = np.einsum("ikj,ik->ij", 1.0 - differs, apart.astype(np.float32)) / known[:, None]
        logs = np.log(np.maximum(share, np.exp(NEVER)))
        chance = np.exp(np.einsum("ikj,ij->ik", differs, logs))
        chance[chance <= np.exp(NEVER / 2)] = 0.0
        found[rows] = n / len(company) * np.sum(chance * apart, axis=1)
    return found


def explained(X: Any, y: Any, prints: np.ndarray, equal: np.ndarray | None = None) -> np.ndarray:
    """Which rows of a table may be equal to others because the table is coarse; true for rows that equal none.

    ``equal`` (a mask) names rows that equal some which are not in the table.

    >>> twice = np.repeat(np.random.default_rng(0).normal(size=(50, 3)), 2, axis=0)
    >>> bool(explained(twice, np.zeros(100), np.arange(100) // 2).any())
    False
    """
    _, first, kind, times = np.unique(prints, return_index=True, return_inverse=True, return_counts=True)
    known = np.zeros(len(prints), dtype=bool) if equal is None else equal
    several = np.flatnonzero((times > 1) | (np.bincount(kind, known) > 0))
    verdict = np.ones(len(first), dtype=bool)
    if len(several) == 0:
        return verdict[kind]
    some = several
    if len(several) > JUDGED:
        some = np.sort(np.random.default_rng(1).choice(several, JUDGED, replace=False))
    plausible = expected_equals(X, y, prints, first[some]) >= EXPECTED
    verdict[several] = np.mean(plausible) > 0.5
    verdict[some] = plausible
    return verdict[kind]


def stacked(one: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, np.ndarray]:
    """Two tables of rows and targets, one above the other."""
    y = np.concatenate([np.asarray(one[1]), np.asarray(other[1])])
    if sparse.issparse(one[0]) or sparse.issparse(other[0]):
        return sparse.vstack([sparse.csr_array(one[0]), sparse.csr_array(other[0])]).tocsr(), y
    return np.concatenate([np.asarray(one[0]), np.asarray(other[0])]), y


def _codes(X: Any, y: np.ndarray) -> np.ndarray:
    """Columns of rows and targets as whole numbers: equal where the values are."""
    if sparse.issparse(X):
        used = np.unique(X.tocoo().col)
        X = X.tocsr()[:, _some(used)].toarray()
    table = np.asarray(X) if not hasattr(X, "columns") else np.asarray(X, dtype=object)
    table = table.reshape(len(table), -1)
    table = table[:, _some(np.arange(table.shape[1]))]
    targets = y.reshape(len(y), -1)
    columns = [*table.T, *targets.T]
    return np.stack([_code(column) for column in columns], axis=1)


def _some(columns: np.ndarray) -> np.ndarray:
    if len(columns) <= MOST_COLUMNS:
        return columns
    return np.sort(np.random.default_rng(2).choice(columns, MOST_COLUMNS, replace=False))


def _code(column: np.ndarray) -> np.ndarray:
    try:
        return np.unique(column, return_inverse=True)[1].astype(np.int32)
    except TypeError:  # words and numbers side by side
        return np.unique(np.array([repr(one) for one in column]), return_inverse=True)[1].astype(np.int32)
