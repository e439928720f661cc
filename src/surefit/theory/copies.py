"""Layer theory: rows that equal others: draws that happen to agree, or copies of one draw?

In: fingerprints of rows, and the rows.  Out: which held-out rows are *fresh* (equal to no training row and to no
earlier held-out row), and whether chance explains the others.  Between independent draws of continuous measurements
equality has probability zero; between draws of a few yes-or-no answers it is common.  Nothing tells copies of such
rows from draws, and a certificate has to say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

ROOM = 4.0
"""How many times more often than their columns suggest, taken as independent, rows may agree by chance."""
NEVER = 1e-30  # a probability that no number of rows makes up for
SMALL = 0.01
"""Share of rows that may equal others before a theorem about all of them is given up."""


@dataclass(frozen=True)
class Equalities:
    """What is known of ``n`` held-out rows: which are fresh, how many equal a training row or each other, and why."""

    fresh: np.ndarray
    shared: int
    repeated: int
    explained: bool

    @property
    def doubtful(self) -> bool:
        """Whether some rows equal others more often than chance explains."""
        return not self.explained

    @property
    def many(self) -> bool:
        """Whether these are enough to spoil a statement about all rows."""
        return self.doubtful and self.shared + self.repeated > SMALL * len(self.fresh)


def equalities(
    held_out: np.ndarray, training: np.ndarray, rows: tuple[Any, Any], n_training: int | None = None
) -> Equalities:
    """Compare prints of held-out rows with those of training rows and with each other; ``rows`` are ``(X, y)``.

    >>> X = np.repeat(np.arange(4.0), 25)[:, None] + 0.5                     # every row 25 times
    >>> found = equalities(np.arange(100) // 25, np.array([0, 0]), (X, X[:, 0]))
    >>> int(found.fresh.sum()), found.shared, found.repeated
    (3, 25, 72)
    """
    n = len(held_out)
    known = np.isin(held_out, training)
    first = np.zeros(n, dtype=bool)
    first[np.unique(held_out, return_index=True)[1]] = True
    fresh = first & ~known
    shared, repeated = int(known.sum()), int(np.sum(~first & ~known))
    if shared + repeated == 0:
        return Equalities(fresh, 0, 0, True)
    rate = agreement(_plain(rows[0]), _plain(rows[1]), first)
    seen = len(training) if n_training is None else n_training
    likely = shared <= ROOM * n * min(1.0, seen * rate) and repeated <= ROOM * n * min(1.0, n * rate)
    return Equalities(fresh, shared, repeated, likely)


def agreement(X: Any, y: Any, distinct: np.ndarray | None = None) -> float:
    """How likely two of these rows would agree in everything by chance, if their columns were independent.

    A column of words or whole numbers that takes few values counts as often as its values are drawn; any other column
    is judged by the ``distinct`` rows alone (a mask), since copies would make everything look common.

    >>> round(agreement(np.array([[0.0], [0.0], [1.0], [1.0]]), [0, 1, 0, 1]), 4)
    0.1111
    >>> agreement(np.array([[0.1], [0.2], [0.3]]), [0, 0, 0])
    0.0
    """
    columns = [np.asarray(y)[:, k] for k in range(np.shape(y)[1])] if np.ndim(y) == 2 else [np.asarray(y)]
    distinct = np.ones(len(columns[0]), dtype=bool) if distinct is None else distinct
    n = len(distinct)
    table: Any = sparse.csc_array(X) if sparse.issparse(X) else np.asarray(X)
    rate = float(np.prod([_collisions(column, distinct) for column in columns]))
    for k in range(table.shape[1]):
        if rate <= NEVER:
            return 0.0
        if sparse.issparse(table):
            there = slice(table.indptr[k], table.indptr[k + 1])
            mask = distinct[table.indices[there]]
            zeros = np.array([n - len(mask), int(distinct.sum()) - int(mask.sum())])
            rate *= _collisions(table.data[there], mask, zeros)
        else:
            rate *= _collisions(table[:, k], distinct)
    return rate


def _collisions(column: np.ndarray, distinct: np.ndarray, zeros: Any = (0, 0)) -> float:
    """The share of pairs that agree, of these values and so many zeros in all rows and in the distinct ones."""
    values = column.astype(str) if column.dtype == object else column
    kinds, counts = np.unique(values, return_counts=True)
    whole = kinds.dtype.kind not in "fc" or bool(np.all(kinds == np.round(kinds)))
    few = whole and len(kinds) + bool(zeros[0]) <= np.sqrt(len(values) + zeros[0])
    if not few:
        counts = np.unique(values[distinct], return_counts=True)[1]
    sizes = np.append(counts, zeros[0 if few else 1]).astype(np.float64)
    m = sizes.sum()
    return float(np.sum(sizes * (sizes - 1)) / (m * (m - 1))) if m > 1 else 0.0


def _plain(part: Any) -> Any:
    return part if sparse.issparse(part) else np.asarray(part)
