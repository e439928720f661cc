"""Layer study: checks of cells that may not mean what they are read as: codes for no value, and mixed notation.

In: what was prepared.  Out: findings; of the target, the training rows are looked at, for codes alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from surefit.page import number
from surefit.study.checks.finding import issue
from surefit.study.encode.kinds import DATE, MIXED, NUMBER, as_dates, as_numbers
from surefit.study.encode.words import COMMA, POINT, sign_of
from surefit.study.prepare import Prepared
from surefit.study.records.noticed import Check
from surefit.study.tables.table import Words

FEWEST_SHARE = 3
"""Rows that share a number before it can be a code."""

LARGEST_SHARE = 0.5
"""Share of the rows that codes may have."""

MANY_VALUES = 20
"""Different numbers beside the codes, without which the distance to them says little."""

APART = 1.000001
"""How often the span of the other numbers lies between them and a code: more than once, whatever the last digits."""

ALONE = 10.0
"""The same for a date that a single row has, such as 9999-12-31: it would stretch the range of time beyond use."""

FIRST_DAY = np.datetime64("0001-01-01", "us")
"""Day from which dates are counted, so that none that is used as a code is day 0."""

MOST_CODES = 2
"""Codes at each end of a column, such as 888 (refused) and 999 (not known)."""

EMPTY_CELLS = "If it is a code, leave these cells empty, so that they count as missing."


@dataclass(frozen=True)
class Codes:
    """Numbers that may stand for no value, how many rows have one, and the ends of all other numbers."""

    values: tuple[float, ...]
    rows: int
    least: float
    greatest: float
    times: float
    """How often the span of the others lies between them and the nearest code."""


def codes_in(values: np.ndarray, fewest: int = FEWEST_SHARE) -> Codes | None:
    """Whole numbers at the ends of a column that several rows share and that lie far from all others.

    The farthest are taken first, and then the others are looked at in the same way: one code does not hide another.

    >>> codes_in(np.r_[np.arange(50), [-999] * 3]).values, codes_in(np.r_[np.arange(50), [-49] * 3])
    ((-999.0,), None)
    """
    found, rest = None, values[np.isfinite(values)]
    while (further := _farthest(rest, len(values), fewest)) is not None:
        rest = rest[(rest >= further.least) & (rest <= further.greatest)]
        if found is not None:
            both = tuple(sorted((*found.values, *further.values)))
            further = replace(further, values=both, rows=found.rows + further.rows)
        low = sum(one < further.least for one in further.values)
        if max(low, len(further.values) - low) > MOST_CODES or further.rows > LARGEST_SHARE * len(values):
            return found
        found = further
    return found


def _farthest(known: np.ndarray, n_rows: int, fewest: int) -> Codes | None:
    """At most so many codes at each end, such that the nearest of them is as far as can be."""
    if len(known) < MANY_VALUES:
        return None
    shared = max(np.count_nonzero(known == end) for end in (known.min(), known.max()))
    if shared < fewest:
        return None
    different, counts = np.unique(known, return_counts=True)
    best = None
    for low, high in product(range(MOST_CODES + 1), repeat=2):
        inner = slice(low, len(different) - high)
        others, apart = different[inner], np.delete(different, inner)
        if len(apart) == 0 or len(others) < MANY_VALUES:
            continue
        n = np.delete(counts, inner)
        with np.errstate(over="ignore", invalid="ignore"):  # numbers near the end of float64 are no codes
            times = float(np.min(np.maximum(others[0] - apart, apart - others[-1])) / (others[-1] - others[0]))
        whole = np.all((apart == np.round(apart)) & (apart != 0))
        several = n.min() >= fewest and n.sum() <= LARGEST_SHARE * n_rows
        apart_by = APART if n.min() >= FEWEST_SHARE else ALONE
        if whole and several and max(apart_by, 0.0 if best is None else best.times) < times < np.inf:
            best = Codes(tuple(map(float, apart)), int(n.sum()), float(others[0]), float(others[-1]), times)
    return best


def codes(data: Prepared) -> Iterator[Check]:
    """SF118: numbers such as -999 and inf, and dates such as 1900-01-01, that may stand for a missing value."""
    for name, values, is_date in _quantities(data):
        infinite = int(np.count_nonzero(np.isinf(values)))
        if infinite:
            rows = "row" if infinite == 1 else "rows"
            yield issue("SF118", f"{name!r} is infinite in {infinite:,} {rows}; it may be a code for a missing value, "
                        "and was fitted as a quantity beyond all others.", f"{infinite:,} of {len(values):,} rows",
                        infinite / len(values), EMPTY_CELLS, (name,))  # fmt: skip
        found = codes_in(values, 1 if is_date else FEWEST_SHARE)
        if found is not None:
            code, end = (_day, _day) if is_date else ("{:.15g}".format, number)
            shown = " or ".join(map(code, found.values))
            others = f"{end(found.least)} to {end(found.greatest)}"
            rows = ("training " if name == data.target.name else "") + ("row" if found.rows == 1 else "rows")
            yield issue("SF118", f"{name!r} is {shown} in {found.rows:,} {rows}, far from all its other values, "
                        f"which are {others}; it may be a code for a missing value, and was fitted as a quantity.",
                        f"{number(found.times, 3)} times the span of the others away from them", found.times,
                        EMPTY_CELLS,
                        (name,))  # fmt: skip


def _quantities(data: Prepared) -> Iterator[tuple[str, np.ndarray, bool]]:
    """Numeric targets of the training rows, and the numbers and dates (as days) of the columns, by name."""
    if not data.target.is_classification:
        yield data.target.name, data.y, False
    for part in data.encoder.parts:
        column = data.table[part.name]
        if part.kind.kind == NUMBER:
            yield part.name, as_numbers(column, part.kind), False
        elif part.kind.kind == DATE:
            moments = as_dates(column, part.kind)
            days = (moments - FIRST_DAY) / np.timedelta64(1, "D")
            yield part.name, np.where(np.isnat(moments), np.nan, days), True


def _day(days: float) -> str:
    """A date of so many days after the first, without its hour."""
    return str(FIRST_DAY.astype("datetime64[D]") + int(days))


def fate(data: Prepared, name: str) -> str:
    """What became of a column whose texts are no numbers or dates."""
    used = [part.name for part in data.encoder.parts]
    special = (data.settings.group, data.settings.time, data.settings.weights)
    return "they count as words" if name in used or name in special else "the column was left out"


def two_ways(data: Prepared) -> Iterator[Check]:
    """SF119: numbers of one column that are written with decimal commas and with decimal points."""
    for name, kind in data.kinds.items():
        column = data.table[name]
        if kind.reason != MIXED or not isinstance(column, Words):
            continue
        rows = np.bincount([sign_of(text) for text in column.levels], column.counts(), minlength=POINT + COMMA)
        comma, point = (next(text for text in column.levels if sign_of(text) == sign) for sign in (COMMA, POINT))
        yield issue("SF119", f"{name!r} has {MIXED}, such as {comma!r} and {point!r}, so that {fate(data, name)}.",
                    f"{int(rows[COMMA])} rows with commas, {int(rows[POINT])} with points",
                    float(min(rows[COMMA], rows[POINT])), "Write all its numbers in one way.", (name,))  # fmt: skip
