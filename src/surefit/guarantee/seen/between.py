"""Layer guarantee: rows that lie exactly between two others, as oversampling makes them (SMOTE and its kind).

In: rows and targets as `Columns`.  Out: for some of the rows, two neighbours on whose segment they lie.

A row that was mixed from two others, ``a + u (b - a)``, lies on their segment to the last digits, in every column.
Between measurements that happens where columns take few values, or where all rows lie on one line.  So a row counts
only if both are ruled out: among the values of a column between those of ``a`` and ``b``, the row has the one that the
segment asks for; the chance of that is one over their number, for each column after the first.  The product has to be
below `CHANCE`, and most neighbours on opposite sides of the row must not be on a line with it.
"""

from __future__ import annotations

import numpy as np

from surefit.guarantee.seen.columns import Columns
from surefit.threads import one_blas_thread

NEIGHBOURS = 16
"""Neighbours of a row that may be the ends of its segment.

On 28 tables oversampled before the division (`make copies`) it is seen in 83 and 76 % of divisions, with SMOTE in the
table's own units and in standard deviations; with 8 neighbours in 69 and 69 %, with 24 in 86 and 80 % for a third more
time, with 32 in 88 and 81 % for nearly twice the time.  What is missed are tables of few columns or few values.
"""
STRAIGHT = 1e-9
"""How far the cosine of an angle may be from that of a straight one."""
CHANCE = 1e-4
"""Chance at which one segment is none."""
RARE = 0.25
"""Share of its neighbours on opposite sides from which on a row is taken to be one of many on a line."""
DISTANCES = 40_000_000
"""Distances that are computed; in larger tables some of the rows are looked at, drawn with a fixed seed."""
TOGETHER = 1_000_000
"""Distances that are held at a time, so few that they stay in the cache."""
SMALL = 0.01
"""Share of rows between two others up to which they are a whim of the table."""
FEWEST_ROWS = 300
"""Rows that are looked at in any table that has so many."""


def segments(columns: Columns) -> tuple[np.ndarray, int]:
    """Triples ``(t, 3)`` of rows, the first of them between the two others; and how many rows were looked at.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5))
    >>> mixed = np.vstack([X, 0.3 * X[:1] + 0.7 * X[1:2]])
    >>> found, looked_at = segments(Columns.of(mixed, np.zeros(101)))
    >>> found.tolist(), looked_at
    ([[100, 1, 0]], 101)
    >>> len(segments(Columns.of(X, np.zeros(100)))[0])
    0
    """
    Z = columns.values
    n = len(Z)
    if n < 8 or Z.shape[1] < 2:
        return np.zeros((0, 3), np.intp), 0
    wanted = min(n, max(FEWEST_ROWS, DISTANCES // n))
    rows = np.arange(n) if wanted == n else np.sort(np.random.default_rng(3).choice(n, wanted, replace=False))
    sizes, ordered = np.einsum("ij,ij->i", Z, Z), np.sort(Z, axis=0)
    step = max(1, TOGETHER // n)
    chunks = [rows[start : start + step] for start in range(0, wanted, step)]
    with one_blas_thread():
        found = [_straight(Z, chunk, _nearest(Z, sizes, chunk)) for chunk in chunks]
    triples = np.concatenate(found)
    return triples[_chances(Z, ordered, triples) < CHANCE], wanted


def _nearest(Z: np.ndarray, sizes: np.ndarray, chunk: np.ndarray) -> np.ndarray:
    """The nearest other rows of each row of the chunk, in any order."""
    distances = (-2.0 * Z[chunk]) @ Z.T
    distances += sizes
    distances[np.arange(len(chunk)), chunk] = np.inf
    return _smallest(distances, min(NEIGHBOURS, len(Z) - 1))


def _smallest(distances: np.ndarray, count: int) -> np.ndarray:
    """Columns of the smallest numbers of each row, in any order.

    Columns fall into groups.  The smallest numbers lie in the groups with the smallest minima, so that it is enough to
    select among the minima, and then within those groups.

    >>> np.sort(_smallest(np.array([[5.0, 1, 7, 3, 8, 2, 9, 4]]), 2)).tolist()
    [[1, 5]]
    """
    rows, n = distances.shape
    size = int(np.sqrt(n / count))
    if size < 2:
        return np.argpartition(distances, count - 1, axis=1)[:, :count]
    groups = n // size
    minima = distances[:, : groups * size].reshape(rows, size, groups).min(axis=1)
    smallest = np.argpartition(minima, count - 1, axis=1)[:, :count]
    members = (smallest[:, None, :] + groups * np.arange(size)[:, None]).reshape(rows, -1)
    rest = np.broadcast_to(np.arange(groups * size, n), (rows, n - groups * size))
    columns = np.hstack([members, rest])
    among = np.take_along_axis(distances, columns, axis=1)
    return np.take_along_axis(columns, np.argpartition(among, count - 1, axis=1)[:, :count], axis=1)


def _straight(Z: np.ndarray, chunk: np.ndarray, nearest: np.ndarray) -> np.ndarray:
    """Rows with two neighbours in exactly opposite directions, unless that is so of most that are about opposite."""
    away = Z[nearest] - Z[chunk][:, None, :]
    length = np.sqrt(np.einsum("ikj,ikj->ik", away, away))
    directions = away / np.where(length > 0, length, 1.0)[:, :, None]
    cosine = directions @ directions.transpose(0, 2, 1)
    straight = cosine < -1.0 + STRAIGHT
    straight &= (straight.sum(axis=(1, 2)) <= RARE * np.sum(cosine < -0.5, axis=(1, 2)))[:, None, None]
    row, one, other = np.nonzero(straight)
    kept = one < other
    row, one, other = row[kept], one[kept], other[kept]
    ends = np.sort(np.column_stack([nearest[row, one], nearest[row, other]]), axis=1)[:, ::-1]
    return np.column_stack([chunk[row], ends])


def _chances(Z: np.ndarray, ordered: np.ndarray, triples: np.ndarray) -> np.ndarray:
    """For each triple, the chance that values between those of the ends put the row on their segment."""
    _, one, other = triples.T
    logs = np.zeros((len(triples), Z.shape[1]))
    for j in range(Z.shape[1]):
        low, high = np.minimum(Z[one, j], Z[other, j]), np.maximum(Z[one, j], Z[other, j])
        values = np.unique(ordered[:, j])
        between = np.searchsorted(values, high, "left") - np.searchsorted(values, low, "right")
        logs[:, j] = np.log(np.maximum(between, 1))
    return np.asarray(np.exp(-(logs.sum(axis=1) - logs.max(axis=1, initial=0.0))))
