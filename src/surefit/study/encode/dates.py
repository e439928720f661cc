"""Layer study: dates and times as people write them.

In: the different texts of a column.  Out: how they are written, as a format that can be stored, or None if they are no
dates; and points in time.  Where day and month could be either way round, a value above 12 decides for the whole
column; without one the month comes first after slashes and the day after points and dashes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from surefit.study.encode.words import is_null

ISO = "ISO 8601"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?( ?(Z|UTC|[+-]\d{2}:?\d{2}))?)?")
_PARTS = re.compile(r"(\d{1,4})([./-])(\d{1,2}|[A-Za-z]{3})\2(\d{2,4})( (\d{1,2}):(\d{2})(:(\d{2}))?( ?[AaPp][Mm])?)?")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
ORDERS = ("dmy", "mdy", "ymd")


def date_format(texts: Sequence[str]) -> str | None:
    """`ISO`, or the order of day, month and year; None unless all texts, nulls aside, are dates.

    >>> date_format(["2024-01-31", "NA"]), date_format(["31.01.2024"]), date_format(["1/2/24"]), date_format(["soon"])
    ('ISO 8601', 'dmy', 'mdy', None)
    """
    known = [text for text in texts if not is_null(text, among_numbers=True)]
    if not known:
        return None
    if all(map(_DATE.fullmatch, known)):
        return ISO if all(_iso(text) is not None for text in known) else None
    found = _PARTS.fullmatch(known[0])
    if found is None:
        return None
    first = ("mdy", "dmy", "ymd") if found[2] == "/" else ORDERS
    return next((order for order in first if all(_ordered(text, order) is not None for text in known)), None)


def dates(texts: Sequence[str], form: str) -> np.ndarray:
    """Points in time (``datetime64[us]``, in UTC where a zone is written), NaT where a text is none in that format.

    Dates with four digits of the year in front leave no doubt, and are read whatever the format.

    >>> dates(["31.01.2024", "?"], "dmy")
    array(['2024-01-31T00:00:00.000000',                        'NaT'],
          dtype='datetime64[us]')
    """
    return np.array([_read(text, form) for text in texts], dtype="datetime64[us]")


def _read(text: str, form: str) -> datetime | None:
    if text[:4].isdigit():
        return _iso(text) or _ordered(text, "ymd")
    return None if form in ("", ISO) else _ordered(text, form)


def _iso(text: str) -> datetime | None:
    if not _DATE.fullmatch(text):
        return None
    text = text.replace(" UTC", "Z").replace("UTC", "Z").replace(",", ".")
    head, tail = text[:11].replace(" ", "T"), text[11:].replace(" ", "")
    try:
        moment = datetime.fromisoformat(head + tail)
    except ValueError:
        return None
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _ordered(text: str, order: str) -> datetime | None:
    found = _PARTS.fullmatch(text)
    if found is None:
        return None
    parts = {letter: found[group].lower() for letter, group in zip(order, (1, 3, 4), strict=True)}
    month = str(MONTHS.index(parts["m"]) + 1) if parts["m"] in MONTHS else parts["m"]
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
