"""Layer study: what groups or times of the hold-out leave of a promise.

In: the group of each score of the hold-out, or when its rows were and whether errors changed with time.  Out: the score
that new rows stay below, and the `Promise` that comes with it; a `TableError` where nothing can be promised.  The model
of a study keeps it, so that its intervals and sets promise what its certificate does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from surefit.study.division import groups_of, times_of
from surefit.study.encode.kinds import Kind
from surefit.study.tables.table import Table, TableError
from surefit.theory.certificates.certificate import Certificate, Standing
from surefit.theory.certificates.in_time import STEADY

if TYPE_CHECKING:
    from surefit.theory.intervals.conformal import Covered, Promise

ONLY_IF = "These rows are the latest, from {} to {}: it holds for later rows only if nothing has changed since."
REMEDY = "fit to later rows, or add columns that explain the change"


@dataclass(frozen=True, eq=False)
class Declared:
    """How the rows of the hold-out came about, where a study was told."""

    groups: np.ndarray | None = None
    """The group of each score, a number; None where every row is a draw."""
    later: str = ""
    """A sentence for every promise of rows in time: when it holds for later ones."""
    refused: str = ""
    """Why nothing is promised; empty where something may be."""
    group: str = ""
    """Name of the column of groups."""
    time: str = ""
    """Name of the column of times."""
    kind: Kind | None = None
    """How the column of times is written."""

    def promised(self, scores: np.ndarray, asked: tuple[float, str, float], words: Covered) -> tuple[float, Promise]:
        """The score that new rows stay below, and what is promised of it; ``asked``: coverage, method, delta."""
        from surefit.guarantee.sampling import Sampling  # slow to import
        from surefit.guarantee.scores import HeldOutScores

        if self.refused:
            raise TableError(f"no {words.what} can be promised: {self.refused}")
        held_out = HeldOutScores(scores, sampling=Sampling(groups=self.groups))
        request = held_out.request(1, asked, None, None)
        found, promise = float(held_out.quantiles(request)[0]), held_out.promise(request, words)
        if self.later:
            statement, assumptions = f"{promise.statement}  {self.later}", (*promise.assumptions, STEADY)
            promise = replace(promise, statement=statement, assumptions=assumptions)
        return found, promise

    def of_rows(self, table: Table) -> dict[str, Any]:
        """What a certificate from other rows has to know of them: their groups or their times, by keyword."""
        name = self.group or self.time
        if name and name not in table:
            raise TableError(
                f"the table lacks {name!r}, the column of {'groups' if self.group else 'times'} of the study, without "
                "which its rows cannot be counted; add it"
            )
        if self.group:
            return {"groups": groups_of(table, self.group)}
        if self.time and self.kind is not None:
            return {"time": times_of(table, self.time, self.kind)}
        return {}


ORDINARY = Declared()
"""Every row is a draw."""


def drift_in(certificate: Certificate) -> str:
    """What the test of order found where errors change with time; empty where it found nothing or there was none."""
    broken = (one for one in certificate.assumptions if one.standing is Standing.VIOLATED)
    return next((one.evidence for one in broken if one.text == STEADY), "")
