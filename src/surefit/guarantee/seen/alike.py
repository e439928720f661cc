"""Layer guarantee: one comparison for all: which rows equal others, nearly equal them, or were mixed from them?

In: a table, of held-out and training rows or of training rows alone, with fingerprints.  Out: `Alike`: the kind of each
row, from which `Equalities` of held-out rows come, and how many rows of a training table are copies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.guarantee.seen.between import SMALL as FEW_MIXED
from surefit.guarantee.seen.between import segments
from surefit.guarantee.seen.coarse import explained
from surefit.guarantee.seen.columns import Columns
from surefit.guarantee.seen.equal import SMALL, Equalities, equalities
from surefit.guarantee.seen.near import near_kinds


@dataclass(frozen=True)
class Alike:
    """What is alike in a table: the ``kinds`` of its rows (near copies are of one kind), and which are ``draws``.

    ``nearly`` marks rows that are of one kind with a row they do not equal exactly.  ``mixed`` (t, 3) are rows between
    two others, of ``looked_at`` rows.  ``near_seen``: whether changed copies can be seen in this table.
    """

    kinds: np.ndarray
    nearly: np.ndarray
    draws: np.ndarray
    mixed: np.ndarray
    looked_at: int
    near_seen: bool

    @staticmethod
    def of(X: Any, y: Any, prints: np.ndarray) -> Alike:
        """Of the rows of a table, with their fingerprints.

        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.normal(size=(60, 5)), rng.integers(0, 2, 60)
        >>> both = np.vstack([X, X[:20].astype(np.float32)]), np.r_[y, y[:20]]
        >>> Alike.of(*both, np.arange(80)).copies()
        '20 of 80 rows equal another, nearly or exactly'
        """
        columns = Columns.of(X, y)
        kinds = near_kinds(columns, prints)
        exact = np.unique(prints, return_inverse=True)[1]
        sizes = np.bincount(exact)[exact], np.bincount(kinds)[kinds]
        nearly = sizes[0] < sizes[1]
        if nearly.any():
            draws = explained(columns.snapped, np.zeros(len(kinds)), kinds)
        elif np.any(sizes[0] > 1):
            draws = explained(X, y, kinds)
        else:
            draws = np.ones(len(kinds), dtype=bool)
        return Alike(kinds, nearly, draws, *segments(columns), columns.tell_copies)

    def held_out(self, m: int, draws: bool = False) -> Equalities:
        """Of the first ``m`` rows, if the others, as far as known, were trained on; what coarseness explains are draws.

        ``draws``: every equal row is declared to be one, so that no coarseness is asked for.
        """
        kinds = self.kinds
        found = equalities(kinds[:m], kinds[m:])
        nearly = int(np.sum(self.nearly[:m] & (found.known | ~found.first) & ~self.draws[:m]))
        found = replace(found, nearly=nearly, near_seen=self.near_seen)
        if found.any and not draws:
            found = found.without(self.draws[:m])
        of_both = np.any(self.mixed < m, axis=1) & (np.any(self.mixed >= m, axis=1) | (m == len(kinds)))
        mixed = len(np.unique(self.mixed[of_both, 0]))
        if mixed <= FEW_MIXED * self.looked_at:
            return found
        every = np.ones(m, dtype=bool)
        return Equalities(every, every, mixed=mixed)

    @property
    def coarse(self) -> int:
        """How many rows equal an earlier one as rows of a coarse table do."""
        found = equalities(self.kinds, self.kinds[:0])
        return int(np.sum(~found.first & self.draws))

    def copies(self) -> str:
        """What copies there are among the rows, in words; nothing if they are few."""
        n, mixed = len(self.kinds), len(np.unique(self.mixed[:, 0]))
        if mixed > FEW_MIXED * self.looked_at:
            return f"{mixed} of {self.looked_at} rows lie exactly between two others, as oversampling makes them"
        repeated = equalities(self.kinds, self.kinds[:0]).without(self.draws).repeated
        if repeated <= SMALL * n:
            return ""
        how = ", nearly or exactly" if np.any(self.nearly & ~self.draws) else ""
        return f"{repeated} of {n} rows equal another{how}"
