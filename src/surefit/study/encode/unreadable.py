"""Layer study: cells of later tables that cannot be read as numbers, or as dates, of the fit.

In: a column and the kind of that of the fit.  Out: `Unreadable`: how many cells, one of them, and what they lack.
Texts that the fit had among its numbers or dates are not counted: they are missing now as they were then.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.data.written import is_null
from surefit.study.encode.dates import parsed
from surefit.study.encode.kinds import DAYS, Kind, as_dates, level_dates, level_numbers
from surefit.study.encode.outside import Unreadable
from surefit.study.tables.table import Column, Dates, Numbers, Words
from surefit.study.tables.zones import shown_by, zone_in_words


def no_numbers(column: Column, kind: Kind) -> Unreadable:
    """Cells that say something which is no number; points in time are none, unless the fit took them for days."""
    if isinstance(column, Dates) and kind.form != DAYS:
        known = column.values[~column.missing]
        return Unreadable(len(known), len(known), _first(np.datetime_as_string(known[:1], "s")))
    if not isinstance(column, Words):
        return Unreadable()
    return _among(column, np.isnan(level_numbers(column, kind)), kind)


def no_dates(column: Column, kind: Kind) -> Unreadable:
    """Cells that say something which is no date as the fit wrote it, nor one with the year first.

    A date with a time zone is none where those of the fit had no zone, and the other way round.
    """
    zone = zone_in_words(kind.zone)
    n_known = int(np.count_nonzero(~column.missing))
    if isinstance(column, Numbers):
        first = column.values[~column.missing][:1]
        return Unreadable(
            n_known, n_known, _first([f"{value:.15g}" for value in first]), True, zone if kind.zone else ""
        )
    if isinstance(column, Words):
        odd = np.isnat(level_dates(column, kind))
        by_zone = odd & ~np.isnat(parsed(column.levels, kind.form)[0]) & (column.counts() > 0)
        return _among(column, odd, kind, True, zone if kind.zone or np.any(by_zone) else "")
    odd = ~column.missing & np.isnat(as_dates(column, kind))
    example = _first(np.datetime_as_string(shown_by(column.take(odd))[0][:1], "s"))
    written = f"{example} {column.zone}" if example and column.zone else example
    return Unreadable(int(np.count_nonzero(odd)), n_known, written, True, zone if np.any(odd) else "")


def _first(texts: Any) -> str:
    return str(texts[0]) if len(texts) else ""


def _among(column: Words, odd: np.ndarray, kind: Kind, dates: bool = False, zone: str = "") -> Unreadable:
    """The levels of a column that are ``odd`` and no nulls, nor what the fit had among its numbers or dates."""
    counts, known = column.counts(), frozenset(kind.stray)
    null = np.array([is_null(text, among_numbers=True) or text in known for text in column.levels], dtype=bool)
    found = np.flatnonzero(odd & ~null & (counts > 0))
    example = column.levels[found[0]] if len(found) else ""
    return Unreadable(int(counts[found].sum()), int(counts[~null].sum()), example, dates, zone)
