"""Layer study: the clock by which a date is read: time zones, and dates without one.

In: what a clock showed and how far it was from UTC.  Out: what the clock of the fit shows at that moment, and nothing
where that is not known.  Hours and days of the week are those of people's clocks, not of UTC.

A zone is a text: empty for dates without one; a name such as ``Europe/Berlin``, or ``UTC``, whose clock is known for
every moment; or the offsets that texts had, such as ``+01:00 +02:00``.  Offsets do not say when clocks are changed, so
that dates with other offsets are not turned into these.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np

from surefit.study.tables.table import Dates, TableError

NO_OFFSET = -(2**31)
"""In place of the seconds by which a clock is ahead of UTC, where a date has no time zone."""

UNIVERSAL = "UTC"
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)")
_FIXED = re.compile(r"pytz\.FixedOffset\((-?\d+)\)")
QUARTER = 900
"""Seconds; clocks are changed on a full quarter of an hour."""

FIRST, LAST = np.datetime64("0001-01-02", "s").astype(np.int64), np.datetime64("9999-12-30", "s").astype(np.int64)
"""Seconds since 1970 between which Python knows the offset of a zone."""

SHOWN = 4
"""Offsets that are told before the others are counted."""

CHANGE = 3600
"""Seconds by which clocks are changed; offsets further apart are those of several places."""


def zone_of(offsets: np.ndarray) -> str:
    """The zone of dates that all have an offset, or all have none.

    >>> zone_of(np.array([7200, 3600, 7200])), zone_of(np.array([0])), zone_of(np.array([NO_OFFSET]))
    ('+01:00 +02:00', 'UTC', '')
    """
    found = [int(one) for one in np.unique(offsets) if one != NO_OFFSET]
    return UNIVERSAL if found == [0] else " ".join(map(_written, found))


def zone_named(name: str) -> str:
    """The zone that a data frame calls by a name, offsets among them.

    >>> zone_named("UTC+02:00"), zone_named("+00:00"), zone_named("Europe/Berlin")
    ('+02:00', 'UTC', 'Europe/Berlin')
    """
    fixed, offset = _FIXED.fullmatch(name), name.removeprefix(UNIVERSAL)
    if fixed is not None:
        return zone_of(np.array([60 * int(fixed[1])]))
    if _OFFSET.fullmatch(offset):
        return zone_of(np.array([_seconds(offset)]))
    _clock(name)  # an error if there is none
    return name


def offsets_in(zone: str) -> list[int] | None:
    """The offsets that a zone consists of, in seconds; None for one with a name."""
    texts = zone.split()
    return [_seconds(text) for text in texts] if all(map(_OFFSET.fullmatch, texts)) else None


def several_places(zone: str) -> bool:
    """Whether offsets are further apart than clocks are changed.

    >>> several_places("+01:00 +02:00"), several_places("-08:00 +01:00"), several_places("Europe/Berlin")
    (False, True, False)
    """
    found = offsets_in(zone)
    return bool(found) and max(found or [0]) - min(found or [0]) > CHANGE


def zone_in_words(zone: str) -> str:
    """The zone as what dates have.

    >>> zone_in_words(""), zone_in_words("UTC"), zone_in_words("+01:00 +02:00")
    ('no time zone', 'the time zone UTC', 'the offsets +01:00, +02:00 from UTC')
    """
    if not zone:
        return "no time zone"
    if offsets_in(zone) is None:
        return f"the time zone {zone}"
    texts = zone.split()
    more = f" and {len(texts) - SHOWN} more" * (len(texts) > SHOWN)
    return f"the offset{'s' * (len(texts) > 1)} {', '.join(texts[:SHOWN])}{more} from UTC"


def on_clock(shown: np.ndarray, offsets: np.ndarray, zone: str) -> np.ndarray:
    """What the clock of ``zone`` shows; NaT where the date has no zone and the clock has, or the other way round."""
    never = np.datetime64("NaT", "us")
    own = [NO_OFFSET] if not zone else offsets_in(zone)
    if own is not None:
        return np.where(np.isin(offsets, own), shown, never)
    moments = in_universal(np.where(offsets == NO_OFFSET, never, shown), offsets)
    return moments + _ahead(moments, zone).astype("timedelta64[s]")


def in_universal(shown: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Points in time in UTC; dates without a zone as they are."""
    return shown - np.where(offsets == NO_OFFSET, 0, offsets).astype("timedelta64[s]")


def shown_by(column: Dates) -> tuple[np.ndarray, np.ndarray]:
    """What the clock of a column with types shows, and its offsets."""
    values = column.values.astype("datetime64[us]")
    if not column.zone:
        return values, np.full(len(values), NO_OFFSET)
    ahead = _ahead(values, column.zone)
    return values + ahead.astype("timedelta64[s]"), ahead


def _ahead(moments: np.ndarray, zone: str) -> np.ndarray:
    """Seconds by which the clock of a zone is ahead of UTC at each of these moments; 0 for none."""
    own = offsets_in(zone)
    if own is not None or zone == UNIVERSAL:
        return np.full(len(moments), (own or [0])[0])
    known = ~np.isnat(moments)
    seconds = np.clip(moments[known].astype("datetime64[s]").astype(np.int64), FIRST, LAST)
    quarters, place = np.unique(seconds // QUARTER, return_inverse=True)
    clock, start = _clock(zone), datetime(1970, 1, 1, tzinfo=UTC)
    each = [
        (start + timedelta(seconds=int(one) * QUARTER)).astimezone(clock).utcoffset() or timedelta(0)
        for one in quarters
    ]
    found = np.zeros(len(moments), dtype=np.int64)
    found[known] = np.array([round(one.total_seconds()) for one in each], dtype=np.int64)[place]
    return found


@cache
def _clock(zone: str) -> tzinfo:
    if zone == UNIVERSAL:
        return timezone.utc  # noqa: UP017 - needs no table of zones
    try:
        return ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        raise TableError(
            f"the time zone {zone!r} is not known here; turn these dates into UTC, or install the table of zones: "
            "pip install tzdata"
        ) from None


def _seconds(offset: str) -> int:
    digits = offset[1:].replace(":", "")
    return (-1 if offset[0] == "-" else 1) * (3600 * int(digits[:2]) + 60 * int(digits[2:]))


def _written(seconds: int) -> str:
    minutes = abs(seconds) // 60
    return f"{'-' if seconds < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"
