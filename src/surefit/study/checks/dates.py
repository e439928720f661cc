"""Layer study: checks of dates that are not read as dates, that lack a time, or are by the clocks of several places.

In: what was prepared.  Out: findings.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from surefit.page import listed
from surefit.study.checks.cells import fate
from surefit.study.checks.finding import issue, tip
from surefit.study.encode.kinds import DATE, NUMBER, UNREAD, ZONES_MIXED, Kind, as_numbers, level_dates
from surefit.study.encode.slips import look_like_dates, rows_of, zones_are_mixed
from surefit.study.prepare import Prepared
from surefit.study.records.noticed import Check
from surefit.study.tables.table import Words
from surefit.study.tables.zones import several_places, zone_in_words

FEWEST, MANY = 6, 20
"""Different numbers, all of them dates, from which on that is no chance; the second where the notation is loose."""

FIRST_YEAR, LAST_YEAR = 1800, 2199
"""Years that such numbers may have."""

AS_DATES = (
    "Write dates as 2024-01-31, months as 2024-01, times of day as hours (13.5 for 13:30), and durations as numbers."
)


def unread(data: Prepared) -> Iterator[Check]:
    """SF120: dates and times in a notation that is not known, and numbers such as 20210131."""
    for name, kind in data.kinds.items():
        column = data.table[name]
        if kind.reason == UNREAD and isinstance(column, Words):
            texts = look_like_dates(rows_of(column, column.counts()))
            yield tip("SF120", f"{name!r} has {UNREAD}, such as {listed(texts[:: max(1, len(texts) - 1)][:2])}, so "
                      f"that {fate(data, name)}.", f"{len(texts):,} different texts", len(texts), AS_DATES,
                      (name,))  # fmt: skip
    for name, values in _numbers(data):
        written = notation(values)
        if written:
            yield tip("SF120", f"{name!r} has numbers that look like dates ({written}), such as "
                      f"{values[np.isfinite(values)][0]:.15g}, and was fitted as a quantity, in which a month or a "
                      "year is no step of equal size.", written, 1.0, AS_DATES, (name,))  # fmt: skip


def _numbers(data: Prepared) -> Iterator[tuple[str, np.ndarray]]:
    """Columns of numbers whose kind was inferred, and a numeric target, by name."""
    kinds: dict[str, Kind] = {part.name: part.kind for part in data.encoder.parts}
    if not data.target.is_classification:
        kinds[data.target.name] = data.target.kind
    for name, kind in kinds.items():
        if kind.kind == NUMBER and kind.reason != "as you say":
            yield name, as_numbers(data.table[name], kind)


def notation(values: np.ndarray) -> str:
    """As what dates all these numbers could be written; empty if they are none.

    >>> notation(np.arange(20210101, 20210132)), notation(np.arange(100.0)), notation(202101.0 + np.arange(12))
    ('YYYYMMDD', '', 'YYYYMM')
    """
    different = np.unique(values[np.isfinite(values)])
    if len(different) < FEWEST or different[0] < 1 or different[-1] > 99_999_999:
        return ""
    ways = {
        "YYYYMMDD": (different // 10**4, different // 100 % 100, different % 100),
        "DDMMYYYY": (different % 10**4, different // 10**4 % 100, different // 10**6),
        "MMDDYYYY": (different % 10**4, different // 10**6, different // 10**4 % 100),
        "YYYYMM": (different // 100, different % 100, np.ones(1)),
    }
    if len(different) >= MANY:
        first, second, third = different // 10_000, different // 100 % 100, different % 100
        ways |= {
            "YYMMDD": (2000 + first, second, third),
            "DDMMYY": (2000 + third, second, first),
            "MMDDYY": (2000 + third, first, second),
        }
    if np.any(different != np.round(different)):
        (before, hundredths), (whole, years) = _parted(different, 100), _parted(different, 10_000)
        several = np.array([len(different) >= MANY])  # prices such as 1999.10 look like months
        ways = {"YYYY.MM": (before, hundredths, 1 * several), "MM.YYYY": (years, whole, np.ones(1))}
    return next((written for written, parts in ways.items() if _are_days(*parts)), "")


def _parted(values: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """The whole part, and how many steps are behind the point; nan where there are no whole steps."""
    times = values * steps
    whole, rest = np.divmod(np.round(times), steps)
    return whole, np.where(np.abs(times - np.round(times)) < 1e-6, rest, np.nan)


def _are_days(years: np.ndarray, months: np.ndarray, days: np.ndarray) -> bool:
    inside = (years >= FIRST_YEAR) & (years <= LAST_YEAR) & (months >= 1) & (months <= 12)
    return bool(np.all(inside & (days >= 1) & (days <= 31)))


def times_of_day(data: Prepared) -> Iterator[Check]:
    """SF122: texts of dates with a time of day beside texts without one."""
    for name, kind in data.kinds.items():
        column = data.table[name]
        if kind.kind != DATE or not isinstance(column, Words):
            continue
        moments, rows = level_dates(column, kind), column.counts()
        days = moments.astype("datetime64[D]")
        timed = np.array([":" in text for text in column.levels])
        bare = ~np.isnat(moments) & ~timed & (rows > 0)
        if np.any(bare) and np.any((moments > days) & (rows > 0)):
            n, example = int(rows[bare].sum()), column.levels[int(np.argmax(bare))]
            have = "row has" if n == 1 else "rows have"
            yield tip("SF122", f"{n:,} {have} a date without a time of day in {name!r}, such as {example!r}, where "
                      "others have one; they were read as midnight.", f"{n} of {int(rows.sum())} rows", n,
                      "Write the time of day everywhere, or nowhere.", (name,))  # fmt: skip


def several_zones(data: Prepared) -> Iterator[Check]:
    """SF121: dates with a time zone beside dates without one, and offsets further apart than clocks are changed."""
    for name, kind in data.kinds.items():
        column = data.table[name]
        if kind.reason == ZONES_MIXED and isinstance(column, Words):
            zoned, bare = zones_are_mixed(rows_of(column, column.counts()))
            yield issue("SF121", f"{name!r} has {ZONES_MIXED}, such as {zoned!r} and {bare!r}: how many hours lie "
                        f"between them is not known, so that {fate(data, name)}.", "both among the dates", 1,
                        "Write all of its dates with a time zone, or all without.", (name,))  # fmt: skip
        if kind.kind == DATE and several_places(kind.zone):
            yield issue("SF121", f"Dates of {name!r} have {zone_in_words(kind.zone)}; each is read as the clock of its "
                        "place showed it, so that the time between two of them may be wrong by hours.", kind.zone,
                        len(kind.zone.split()), "If all clocks were in one place, write all dates in its time zone.",
                        (name,))  # fmt: skip
