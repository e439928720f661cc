"""Layer study: columns nearly all of whose cells are numbers, or dates; and texts that look like dates and are none.

In: the different texts of a column, with how many rows have each.  Out: those that are numbers or dates, if the others
are so few that they are slips of the pen; how such dates are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from surefit.data.written import is_null
from surefit.study.encode.dates import DAY_OR_MONTH, ISO, ORDERS, orders_for, parsed
from surefit.study.encode.periods import PERIODS_WRITTEN, are_pairs_of_years, period
from surefit.study.tables.table import Words
from surefit.study.tables.zones import NO_OFFSET

MOSTLY = 0.95
"""Share of the rows with a value that must be numbers, or dates, for the few others to be slips of the pen."""

MANY = 20
"""Different numbers or dates from which a column with such slips is a column of numbers or dates."""

LOOKED_AT = 2000
"""Different texts by which a column is first judged, before all of them are."""

LOOK_ALIKE = 0.5
"""Share of the rows from which on texts that look like dates, and are not read as such, are spoken of."""

_NAME = (
    r"(jan(uary|uar)?|feb(ruary|ruar)?|mar(ch)?|m\u00e4rz|apr(il)?|may|mai|june?|juni|july?|juli|aug(ust)?|sept?(ember)?"
    r"|o[ck]t(ober)?|nov(ember)?|de[cz](ember)?)\.?"
)
_YEAR, _MONTH, _DAY = r"(1[5-9]|2[01])\d\d", r"(0?[1-9]|1[0-2])", r"(0?[1-9]|[12]\d|3[01])"
_TWO, _THREE = rf"({_DAY}[-/. ]{_MONTH}|{_MONTH}[-/. ]{_DAY})", rf"({_DAY}[-/]{_MONTH}|{_MONTH}[-/]{_DAY})[-/]\d\d"
_TWO_DIGITS = r"((0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])|(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))"
_LIKE_DATES = re.compile(
    "|".join((
        rf"(.*\W)?{_NAME}\W+\d.*", rf".*\d\W+{_NAME}(\W.*)?",  # 20. Juli 2021, July 20, Jul-21
        rf"{_YEAR}[-/. ]{_MONTH}([-/. ]{_DAY}(\D.*)?)?", rf"{_TWO}[-/. ]{_YEAR}(\D.*)?",
        rf"{_THREE}(\D.*)?", rf"{_YEAR}-[0-3]\d\d", rf"{_TWO_DIGITS}{_YEAR}",
        rf"{_YEAR}{_TWO_DIGITS}", r"(?=.*\d{4})(.*\W)?(Q[1-4]|K?W ?\d\d)(\W.*)?",
        r"[-+]?\d+ days?\b.*", r"\d{1,3}:\d\d(:\d\d([.,]\d+)?)?( ?[ap]\.?m\.?)?",
    )),
    re.IGNORECASE,
)  # fmt: skip
"""Dates and times in notations beside those that are read, and in these too: a column may have two of them."""


def rows_of(column: Words, counts: np.ndarray) -> dict[str, int]:
    """How many rows have each text, without those that mean no value among numbers and dates."""
    rows = {text: int(count) for text, count in zip(column.levels, counts, strict=True) if count > 0}
    return {text: count for text, count in rows.items() if not is_null(text, among_numbers=True)}


def most(rows: Mapping[str, int], is_so: Callable[[str], object]) -> list[str]:
    """The texts that are so, if nearly all rows have one of them; else none."""
    used: list[str] = []
    for texts in (list(rows)[:LOOKED_AT], list(rows)):
        used = [text for text in texts if is_so(text)]
        if sum(rows[text] for text in used) < MOSTLY * sum(rows[text] for text in texts):
            return []
    return used


@dataclass(frozen=True)
class ReadAsDates:
    """How nearly all texts are read as dates, those that are, and those that another order of day and month reads."""

    form: str
    zoned: bool
    used: tuple[str, ...]
    both: tuple[str, ...] = ()
    """Of these, texts that the other order reads too, where it reads nearly all and no cell above 12 decides."""


def mostly_dates(rows: Mapping[str, int], share: float = MOSTLY, many: int = MANY) -> ReadAsDates | None:
    """How nearly all texts are dates, written in one way, all with a time zone or all without; None if they are not.

    ``share``: of the rows that must be such dates, ``many``: so many of them must be different.
    """
    texts = list(rows)
    sample = {text: rows[text] for text in texts[:: max(1, len(texts) // LOOKED_AT)]}
    usual = next((orders_for(text) for text in sample if orders_for(text) != ORDERS), ORDERS)
    shares = {form: _share(sample, form) for form in (ISO, *usual, *PERIODS_WRITTEN)}
    forms = [form for form, one in shares.items() if one >= share and (form == ISO or one > shares[ISO])]
    found: dict[str, tuple[int, np.ndarray, bool]] = {}
    for form in forms:
        shown, offsets = parsed(texts, form)
        size, zoned = np.array(list(rows.values())), offsets != NO_OFFSET
        with_zone = bool(np.sum(size[zoned]) > np.sum(size[~np.isnat(shown) & ~zoned]))
        read = ~np.isnat(shown) & (zoned == with_zone)
        if form in PERIODS_WRITTEN:  # days beside months would be more exact than these
            read &= np.array([period(text, form) is not None for text in texts])
        if np.sum(size[read]) >= share * np.sum(size) and np.count_nonzero(read) >= many:
            found[form] = int(np.sum(size[read])), read, with_zone
    if not found:
        return None
    form = max(found, key=lambda one: found[one][0])  # the first of those that read as many rows
    _, read, with_zone = found[form]
    used = tuple(text for text, is_read in zip(texts, read, strict=True) if is_read)
    if are_pairs_of_years(used):
        return None
    return ReadAsDates(form, with_zone, used, _in_both(rows, form, {one: found[one][1] for one in found}))


def _in_both(rows: Mapping[str, int], form: str, read: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """Texts that both orders of day and month read, if hardly more cells need the one order than need the other."""
    if form not in DAY_OR_MONTH or not set(DAY_OR_MONTH) <= set(read):
        return ()
    (other,) = set(DAY_OR_MONTH) - {form}
    size = np.array(list(rows.values()))
    own, its = int(np.sum(size[read[form] & ~read[other]])), int(np.sum(size[read[other] & ~read[form]]))
    if own > 0 and own >= MOSTLY * (own + its):
        return ()
    return tuple(text for text, held in zip(rows, read[form] & read[other], strict=True) if held)


def _share(rows: Mapping[str, int], form: str) -> float:
    shown, _ = parsed(list(rows), form)
    size = np.array(list(rows.values()))
    return float(np.sum(size[~np.isnat(shown)]) / max(1, np.sum(size)))


def zones_are_mixed(rows: Mapping[str, int]) -> tuple[str, ...]:
    """A date with a time zone and one without, if nearly all texts are dates as ISO 8601 writes them, of both kinds."""
    texts = list(rows)
    if _share({text: rows[text] for text in texts[:LOOKED_AT]}, ISO) < MOSTLY:
        return ()
    shown, offsets = parsed(texts, ISO)
    size = np.array(list(rows.values()))
    if np.sum(size[~np.isnat(shown)]) < MOSTLY * np.sum(size):
        return ()
    zoned, bare = np.flatnonzero(offsets != NO_OFFSET), np.flatnonzero(~np.isnat(shown) & (offsets == NO_OFFSET))
    return (texts[zoned[0]], texts[bare[0]]) if len(zoned) and len(bare) else ()


def look_like_dates(rows: Mapping[str, int]) -> tuple[str, ...]:
    """Texts that look like dates or times, if half of the rows or more have one."""
    texts = list(rows)[:: max(1, len(rows) // LOOKED_AT)]
    found = tuple(text for text in texts if _LIKE_DATES.fullmatch(text))
    enough = sum(rows[text] for text in found) >= LOOK_ALIKE * sum(rows[text] for text in texts)
    return found if enough and not are_pairs_of_years(found) else ()
