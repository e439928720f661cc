"""Layer solvers: which numbers of a stream would swallow all others of their column.

In: rows in any partition into blocks.  Out: the two largest sizes of every column so far, and a refusal where a number
is beyond ``2**53`` and beyond ``2**53`` times the next smaller one: added to it, the digits of the smaller ones are
lost.  A number that comes first has nothing to be compared with, and is found when the next one comes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from surefit.compiled.twins.online import SWALLOWS


@dataclass(frozen=True)
class Swallowing:
    """Column and size of a number, and the row of the block that holds it; None if it came in an earlier block."""

    column: int
    value: float
    row: int | None


@dataclass(eq=False)
class Extents:
    """The largest size in every column, and the second where the largest is beyond ``2**53``, (2, p).

    >>> extents = Extents()
    >>> extents.take(np.array([[1.0], [2.0]])), extents.take(np.array([[3.0], [1e20]]))
    (None, Swallowing(column=0, value=1e+20, row=1))
    """

    sizes: np.ndarray = field(default_factory=lambda: np.zeros((2, 0)))

    def take(self, rows: np.ndarray) -> Swallowing | None:
        """Take in rows (m, p), unless a number of theirs or an earlier one would swallow all others: that number."""
        before = self.sizes if self.sizes.shape[1] else np.zeros((2, rows.shape[1]))
        after = np.vstack([np.abs(rows).max(axis=0, initial=0.0), np.zeros(rows.shape[1])])
        after[0] = np.maximum(after[0], before[0])
        for column in np.flatnonzero(after[0] > SWALLOWS).tolist():
            size = np.abs(rows[:, column])
            ordered = np.sort(np.append(size[size > 0], before[:, column][before[:, column] > 0]))
            far = np.flatnonzero(ordered[1:] > SWALLOWS * np.maximum(ordered[:-1], 1.0))
            if len(far):
                value = float(ordered[1 + far[0]])
                found = np.flatnonzero(size >= value)
                return Swallowing(column, value, int(found[0]) if len(found) else None)
            after[1, column] = ordered[-2] if len(ordered) > 1 else 0.0
        self.sizes = after
        return None
