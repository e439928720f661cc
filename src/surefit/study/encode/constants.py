"""Layer study: columns with one value in the fit, of which a model therefore knows nothing, and new rows with another.

In: a column and its `Kind`.  Out: a `Constant`, plain data, which counts the rows of a later table that differ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from surefit.study.encode.kinds import DATE, NUMBER, Kind, as_dates, as_numbers, as_words
from surefit.study.encode.outside import OTHER, Outside
from surefit.study.encode.words import known_as
from surefit.study.tables.table import Column

SAME = 2e-7
"""Relative difference up to which fractions are one: a file may hold them in single precision."""


@dataclass(frozen=True)
class Constant:
    """A column and its only value in the fit, as a text."""

    name: str
    kind: Kind
    value: str

    @staticmethod
    def of(name: str, column: Column, kind: Kind) -> Constant | None:
        """The constant of the training rows; None if the column has no value there, or several."""
        kind = replace(kind, kind=kind.was or kind.kind)
        if kind.kind == NUMBER:
            values = as_numbers(column, kind)
            known = [_plain(value) for value in np.unique(values[~np.isnan(values)]).tolist()]
        elif kind.kind == DATE:
            moments = as_dates(column, kind)
            known = [_day(str(moment)) for moment in np.unique(moments[~np.isnat(moments)])]
        else:
            words = as_words(column)
            known = [level for level, count in zip(words.levels, words.counts(), strict=True) if count]
        return Constant(name, kind, known[0]) if len(known) == 1 else None

    def outside(self, column: Column) -> Outside:
        """Rows with another value."""
        if self.kind.kind == NUMBER:
            values, own = as_numbers(column, self.kind), float(self.value)
            same = (values == own) | ((values != np.floor(values)) & np.isclose(values, own, rtol=SAME, atol=0.0))
            found = values[~np.isnan(values) & ~same].tolist()
            other = [_plain(value) if value == np.floor(value) else f"{value:.7g}" for value in found]
        elif self.kind.kind == DATE:
            moments = as_dates(column, self.kind)
            other = [_day(str(one)) for one in moments[~np.isnat(moments) & (moments != np.datetime64(self.value))]]
        else:
            words = as_words(column)
            texts = np.array([*known_as(words.levels, {self.value}), self.value], dtype=object)[words.codes]
            other = texts[texts != self.value].tolist()
        return Outside(OTHER, len(other), len(column.missing), other[0] if other else "", self.value)


def _plain(value: float) -> str:
    return repr(value).removesuffix(".0")


def _day(moment: str) -> str:
    """Without a time of day that says nothing.

    >>> _day("2024-05-01T00:00:00.000000"), _day("2024-05-01T12:30:00.000000")
    ('2024-05-01', '2024-05-01T12:30')
    """
    day, _, time = moment.partition("T")
    time = time.removesuffix(".000000").removesuffix(":00")
    return day if time in ("", "00:00") else f"{day}T{time}"
