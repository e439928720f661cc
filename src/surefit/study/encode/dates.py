"""Layer study: dates and times as people write them.

In: the different texts of a column.  Out: how they are written, as a format that can be stored, or None if they are no
dates; what the clock showed, and how far it was from UTC where that is written.  Dates with a time zone and dates
without one are not read together (`tables/zones.py`); months, quarters and weeks are in `periods.py`.  Where day and
month could be either way round, a value above 12 decides for the whole column, and then the order in which the dates
are regular (`favoured`); without either the month comes first after slashes and the day after points and dashes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import numpy as np

from surefit.data.written import is_null
from surefit.study.encode.periods import (
    FULL_NAMES,
    NAMES,
    PERIODS_WRITTEN,
    are_months_with_point,
    are_pairs_of_years,
    period,
)
from surefit.study.tables.zones import NO_OFFSET, on_clock

ISO = "ISO 8601"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?( ?(Z|UTC|[+-]\d{2}(:?\d{2})?))?)?")
_PARTS = re.compile(r"(\d{1,4})([./-])(\d{1,2}|[A-Za-z]{3})\2(\d{2,4})( (\d{1,2}):(\d{2})(:(\d{2}))?( ?[AaPp][Mm])?)?")
_NUMBER = r"(\d{1,2})(?:st|nd|rd|th)?"
_MONTH = "|".join(f"{short}(?:{full[3:]})?" for short, full in zip(NAMES, FULL_NAMES, strict=True)) + "|sept"
_IN_WORDS = re.compile(
    rf"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?[.,]{{0,2}} )?"
    rf"(?:{_NUMBER}\.?[ -]({_MONTH})\b[.,]?[ -](\d{{4}}|\d\d)|({_MONTH})\b\.? {_NUMBER},? (\d{{4}}))(?P<time>,? .*)?",
    re.IGNORECASE,
)
ORDERS = ("dmy", "mdy", "ymd")
DAY_OR_MONTH = ("dmy", "mdy")
"""Orders that are mistaken for each other."""

FEWEST = 6
"""Different dates from which on it is no chance that they are regular."""


def date_format(texts: Sequence[str]) -> str | None:
    """`ISO`, the order of day, month and year, or ``months``, ``quarters`` or ``weeks``.

    None unless all texts, nulls aside, are dates written in one way, all with a time zone or all without.

    >>> date_format(["2024-01-31", "NA"]), date_format(["31.01.2024"]), date_format(["1/2/24"]), date_format(["2021Q3"])
    ('ISO 8601', 'dmy', 'mdy', 'quarters')
    """
    known = [text for text in texts if not is_null(text, among_numbers=True)]
    if not known:
        return None
    if all(map(_DATE.fullmatch, known)):
        read = [_iso(text) for text in known]
        return ISO if len({one is None or one.tzinfo is None for one in read}) == 1 and None not in read else None
    if _parts(known[0]):
        return next((order for order in orders_for(known[0]) if _all_are(known, order)), None)
    if are_pairs_of_years(known):
        return None
    return next((form for form in PERIODS_WRITTEN if all(period(text, form) for text in known)), None)


def orders_for(text: str) -> tuple[str, ...]:
    """The orders of day, month and year, the usual one for a date with such signs first."""
    return ("mdy", "dmy", "ymd") if separator_of([text]) == "/" else ORDERS


def months_with_point(texts: Sequence[str]) -> bool:
    """Whether texts such as ``03.2021``, which are numbers too, are months, nulls aside."""
    return are_months_with_point([text for text in texts if not is_null(text, among_numbers=True)], FEWEST)


def is_doubtful(texts: Sequence[str], form: str) -> bool:
    """Whether day and month could be the other way round, too; after points the day comes first.

    >>> is_doubtful(["1/2/24"], "mdy"), is_doubtful(["1/2/24", "1/13/24"], "mdy"), is_doubtful(["01.02.24"], "dmy")
    (True, False, False)
    """
    if form not in DAY_OR_MONTH or separator_of(texts) == ".":
        return False
    known = [text for text in texts if not is_null(text, among_numbers=True)]
    other = _other(form)
    return _all_are(known, other) and any(_ordered(text, form) != _ordered(text, other) for text in known)


def separator_of(texts: Sequence[str]) -> str:
    """The sign between the parts of dates; empty if there is none."""
    return next((found[2] for found in map(_parts, texts) if found), "")


def favoured(moments: Mapping[str, np.ndarray], by_text: bool = False) -> str | None:
    """The only order by which dates (of all rows, in turn) are regular; None if all orders are, or none is.

    Regular are equal steps in days or in months; else one day of the month throughout more than one year; else rows in
    the order of time, unless they are in that of their texts (``by_text``).

    >>> days = np.arange("2024-01", "2024-09", dtype="datetime64[M]").astype("datetime64[D]")
    >>> favoured({"dmy": days, "mdy": np.sort(np.random.default_rng(0).integers(0, 99, 8)).astype("datetime64[D]")})
    'dmy'
    """
    for is_so in (_in_steps, _on_one_day, *(() if by_text else (_in_order,))):
        found = [order for order, one in moments.items() if is_so(one[~np.isnat(one)].astype("datetime64[D]"))]
        if len(found) == 1:
            return found[0]
    return None


def _in_steps(days: np.ndarray) -> bool:
    days = np.unique(days)
    months = days.astype("datetime64[M]")
    one_day = len(np.unique(days - months.astype("datetime64[D]"))) == 1
    steps = [np.unique(np.diff(days)), np.unique(np.diff(months)) if one_day else days]
    return len(days) >= FEWEST and any(len(one) == 1 for one in steps)


def _on_one_day(days: np.ndarray) -> bool:
    days = np.unique(days)
    months, years = days.astype("datetime64[M]"), np.unique(days.astype("datetime64[Y]"))
    return len(days) >= FEWEST and len(years) > 1 and len(np.unique(days - months.astype("datetime64[D]"))) == 1


def _in_order(days: np.ndarray) -> bool:
    steps = np.diff(days).astype(np.int64)
    return len(np.unique(days)) >= FEWEST and bool(np.all(steps >= 0) or np.all(steps <= 0))


def _all_are(texts: Sequence[str], order: str) -> bool:
    return all(_ordered(text, order) is not None for text in texts)


def _other(order: str) -> str:
    return DAY_OR_MONTH[1 - DAY_OR_MONTH.index(order)]


def dates(texts: Sequence[str], form: str, zone: str = "") -> np.ndarray:
    """What the clock showed (``datetime64[us]``), NaT where a text is no date in that format and of that zone.

    Dates with four digits of the year in front, or with a word for the month, leave no doubt, and are read whatever the
    format.

    >>> dates(["31.01.2024", "?"], "dmy")
    array(['2024-01-31T00:00:00.000000',                        'NaT'],
          dtype='datetime64[us]')
    """
    return on_clock(*parsed(texts, form), zone)


def parsed(texts: Sequence[str], form: str) -> tuple[np.ndarray, np.ndarray]:
    """What the clock showed, and how many seconds it was ahead of UTC; `NO_OFFSET` where that is not written."""
    read = [_read(text, form) for text in texts]
    offsets = np.full(len(read), NO_OFFSET, dtype=np.int64)
    for k, moment in enumerate(read):
        if moment is not None and moment.tzinfo is not None:
            read[k], offsets[k] = moment.replace(tzinfo=None), (moment.utcoffset() or timedelta(0)).total_seconds()
    return np.array(read, dtype="datetime64[us]"), offsets


def _read(text: str, form: str) -> datetime | None:
    if text[:4].isdigit():
        return _iso(text) or _ordered(text, "ymd") or period(text, form)
    if _in_short(text):
        return _ordered(text, form)
    return None if form in ("", ISO) else period(text, form) if form in PERIODS_WRITTEN else _ordered(text, form)


def _iso(text: str) -> datetime | None:
    """A date as ISO 8601 writes it, with its offset from UTC if it has one."""
    if not _DATE.fullmatch(text):
        return None
    text = text.replace(" UTC", "Z").replace("UTC", "Z").replace(",", ".")
    head, tail = text[:11].replace(" ", "T"), text[11:].replace(" ", "")
    try:
        return datetime.fromisoformat(head + tail)
    except ValueError:
        return None


def _parts(text: str) -> re.Match[str] | None:
    return _PARTS.fullmatch(text) or _PARTS.fullmatch(_in_short(text) or "")


def _in_short(text: str) -> str | None:
    """A date whose month is a word as 31-jan-2024; None if it is no such date.

    >>> _in_short("Wed, 31. January 2024"), _in_short("Jan 31st, 2024 12:30"), _in_short("31 Jam 2024")
    ('31-jan-2024', '31-jan-2024 12:30', None)
    """
    found = _IN_WORDS.fullmatch(text)
    if found is None:
        return None
    day, month, year = (found[1], found[2], found[3]) if found[1] else (found[5], found[4], found[6])
    return f"{day}-{month[:3].lower()}-{year}{(found['time'] or '').removeprefix(',')}"


def _ordered(text: str, order: str) -> datetime | None:
    found = _PARTS.fullmatch(text)
    if found and found[3].isalpha() and len(found[1]) < 4:
        order = "dmy"
    if found is None and (short := _in_short(text)):
        found, order = _PARTS.fullmatch(short), "dmy"
    if found is None:
        return None
    parts = {letter: found[group].lower() for letter, group in zip(order, (1, 3, 4), strict=True)}
    month = str(NAMES.index(parts["m"]) + 1) if parts["m"] in NAMES else parts["m"]
    if not all(map(str.isdigit, (parts["d"], month, parts["y"]))) or len(parts["y"]) not in (2, 4):
        return None
    year = int(parts["y"]) + (0 if len(parts["y"]) == 4 else 2000 if int(parts["y"]) < 70 else 1900)
    hour, half = int(found[6] or 0), (found[10] or "").strip().lower()
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    try:
        return datetime(year, int(month), int(parts["d"]), hour, int(found[7] or 0), int(found[9] or 0))
    except ValueError:
        return None
