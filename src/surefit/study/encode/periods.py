"""Layer study: months, quarters and weeks as people write them; each is the date of its first day.

In: a text, and which of the three it is.  Out: a date, or None.  Years alone are numbers and stay so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

MONTH, QUARTER, WEEK = "months", "quarters", "weeks"
PERIODS_WRITTEN = (MONTH, QUARTER, WEEK)

NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
FULL_NAMES = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
              "november", "december")  # fmt: skip

FIRST_YEAR, LAST_YEAR = 1500, 2199
"""Years of such texts; ``4711-02`` is rather the second line of an order than a month."""

_WAYS = {
    MONTH: (
        r"(?P<y>\d{4})([-/]|-?M)(?P<m>\d{2})",
        r"(?P<m>\d{1,2})[-/.](?P<y>\d{4})",
        r"(?P<m>[A-Za-z]{3,9})\.?[-/ ]?(?P<y>\d{4})",
        r"(?P<y>\d{4})[-/ ](?P<m>[A-Za-z]{3,9})",
    ),
    QUARTER: (r"(?P<y>\d{4})[-/ ]?[Qq](?P<q>[1-4])", r"[Qq](?P<q>[1-4])[-/ ]?(?P<y>\d{4})"),
    WEEK: (
        r"(?P<y>\d{4})-?W(?P<w>\d{2})(-?(?P<d>[1-7]))?",
        r"(?P<start>\d{4}-\d{2}-\d{2})/\d{4}-\d{2}-\d{2}",
    ),
}
_COMPILED = {form: tuple(map(re.compile, ways)) for form, ways in _WAYS.items()}
_PAIR = re.compile(r"(\d{4})[-/](\d{2})")
_WITH_POINT = re.compile(r"(0?[1-9]|1[0-2])\.(19|20)\d\d")


def period(text: str, form: str) -> datetime | None:
    """The first day of a month, a quarter or a week; of a week with the number of a day, that day.

    >>> period("2021-Q3", QUARTER), period("Mar 2021", MONTH), period("2021-W05", WEEK)
    (datetime.datetime(2021, 7, 1, 0, 0), datetime.datetime(2021, 3, 1, 0, 0), datetime.datetime(2021, 2, 1, 0, 0))
    """
    found = next((one for one in (way.fullmatch(text) for way in _COMPILED.get(form, ())) if one), None)
    try:
        return None if found is None else _first_day(found.groupdict())
    except ValueError:
        return None


def _first_day(parts: dict[str, str | None]) -> datetime:
    """What the parts of a text say; ``ValueError`` if there is no such day."""
    if start := parts.get("start"):
        return datetime.fromisoformat(start)
    year = int(parts["y"] or 0)
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise ValueError("no usual year")
    if week := parts.get("w"):
        return datetime.fromisocalendar(year, int(week), int(parts["d"] or 1))
    if quarter := parts.get("q"):
        return datetime(year, 3 * int(quarter) - 2, 1)
    month = (parts["m"] or "").lower()
    if month.isdigit():
        return datetime(year, int(month), 1)
    names = NAMES if len(month) == 3 else FULL_NAMES
    return datetime(year, names.index(month) + 1, 1)


def are_pairs_of_years(texts: Sequence[str]) -> bool:
    """Whether texts such as ``2004/05`` name a year and the one after it, all of them, and are no months.

    >>> are_pairs_of_years(["2004/05", "2005/06"]), are_pairs_of_years(["2004/05", "2004/06"])
    (True, False)
    """
    found = [_PAIR.fullmatch(text) for text in texts]
    return bool(found) and all(one is not None and (int(one[1]) + 1) % 100 == int(one[2]) for one in found)


def are_months_with_point(texts: Sequence[str], fewest: int) -> bool:
    """Whether texts such as ``03.2021``, which are numbers too, are months: all of them, with years that are usual.

    Numbers with two digits at most, no zero in front and four behind the point would be such by chance in one of fifty.

    >>> are_months_with_point(["03.2021", "12.2021"], 6), are_months_with_point(["3.2021", "12.2021"], 6)
    (True, False)
    """
    if not texts or not all(map(_WITH_POINT.fullmatch, texts)):
        return False
    return len(texts) >= fewest or any(text.startswith("0") for text in texts)
