"""Layer study: one column becomes features: the state that was learnt from training rows, and what it does to new ones.

In: a column and its `Kind`.  Out: a part of the encoder, a frozen record of plain data, whose ``encode`` turns a column
into ``(n, k)`` numbers in float64, all finite whatever comes in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.study.encode.kinds import CATEGORY, DATE, NUMBER, Kind, as_dates, as_numbers, as_words, days_of
from surefit.study.encode.outside import BEYOND, FAR, MISSING, SEASON, UNKNOWN, Outside, Unreadable
from surefit.study.encode.seasons import HARMONICS, PERIODS, empty_stretch, hardly_varying, waves
from surefit.study.encode.unreadable import no_dates, no_numbers
from surefit.study.encode.words import known_as
from surefit.study.tables.table import Column

WILD = 10.0
"""Robust standard deviations from the median beyond which a column is wild, and is squashed."""

SQUASHED = 4.0
"""The number of robust standard deviations that squashed values stay within."""

FEWEST = 3
"""Training rows that a level needs for a feature of its own; rarer ones share one."""

MOST_LEVELS = 100
"""Levels with a feature of their own, the most frequent ones."""

MOST_RARE = 1000
"""Rare levels that are kept by name, so that new ones can be told from them; of more, none."""

MOSTLY_EMPTY = 0.75
"""Share of a period without a training row from which on nothing is learnt of that period."""

EMPTY = 0.3
"""Share of a period without a training row from which on rows inside it are spoken of."""


@dataclass(frozen=True)
class NumberPart:
    """``(x - centre) / scale``, squashed if the column is wild; missing values become 0, and 1 in an indicator."""

    name: str
    kind: Kind
    centre: float
    scale: float
    squashed: bool
    indicator: bool
    low: float = -np.inf
    high: float = np.inf
    """The range of the training rows, infinite numbers aside."""
    gaps: float = 0.0
    """Share of the training rows without a number."""
    fitted: int = 0
    """Training rows with a number; 0 in older files."""
    infinite: bool = False
    """Whether some of these numbers are infinite; in older files the range was infinite, too."""

    @staticmethod
    def of(name: str, column: Column, kind: Kind) -> NumberPart | None:
        """Learnt from training rows; None if they do not vary and none is missing."""
        values = as_numbers(column, kind)
        known, absent = values[~np.isnan(values)], np.isnan(values)
        indicator = bool(np.any(absent)) and len(known) > 0
        finite = known[np.isfinite(known)]
        gaps = float(np.mean(absent)) if len(absent) else 0.0
        if len(finite) == 0 or np.all(finite == finite[0]):
            centre = float(finite[0]) if len(finite) else 0.0
            if not indicator:
                return None
            ends = float(known.min()), float(known.max())
            return NumberPart(name, kind, centre, 1.0, False, True, *ends, gaps, len(known))
        centre, scale, squashed = _location_and_scale(finite)
        infinite, ends = len(finite) < len(known), (float(finite.min()), float(finite.max()))
        return NumberPart(name, kind, centre, scale, squashed or infinite, indicator, *ends, gaps, len(known), infinite)

    @property
    def features(self) -> tuple[str, ...]:
        shown = f"{self.name} (squashed)" if self.squashed else self.name
        return (shown, f"{self.name} is missing") if self.indicator else (shown,)

    @property
    def units(self) -> tuple[float, ...]:
        """What one unit of each feature is in the units of the column."""
        return (self.scale, 1.0)[: len(self.features)]

    def encode(self, column: Column) -> np.ndarray:
        values = as_numbers(column, self.kind)
        absent = np.isnan(values)
        with np.errstate(over="ignore", invalid="ignore"):
            z = np.where(absent, 0.0, (values / self.scale) - (self.centre / self.scale))
            if self.squashed:
                z = np.clip(z, -1e150, 1e150)
                z = z / np.sqrt(1.0 + (z / SQUASHED) ** 2)
            else:
                z = np.clip(z, -1e6, 1e6)  # what training rows come nowhere near
        return np.column_stack([z, absent]) if self.indicator else z[:, None]

    def strange(self, column: Column) -> dict[str, int]:
        """Values that training rows did not have, and how often; for numbers none."""
        return {}

    def unreadable(self, column: Column) -> Unreadable:
        """Cells that say something which is no number, and did not say the same in the fit."""
        return no_numbers(column, self.kind)

    def outside(self, column: Column) -> tuple[Outside, ...]:
        """Rows without a number where training rows had one, and numbers far from theirs."""
        values = as_numbers(column, self.kind)
        n_absent = int(np.count_nonzero(np.isnan(values))) - self.unreadable(column).count
        told = "as missing ones" if self.indicator else f"as {self.centre:.4g}"
        if self.infinite:
            values = np.where(np.isinf(values), self.centre, values)  # the fit had such numbers
        return (
            Outside(MISSING, n_absent, len(values), "", told, _usual(self.gaps, self.indicator)),
            _far(values, self.low, self.high, lambda value: f"{value:.6g}"),
            self._beyond(values),
        )

    def _beyond(self, values: np.ndarray) -> Outside:
        """Numbers outside the range and not far; many more than chance allows mean that something has changed."""
        below, above = values < self.low, values > self.high
        width = self.high - self.low
        rows = np.flatnonzero((below & (values >= self.low - width)) | (above & (values <= self.high + width)))
        example = f"{values[rows[0]]:.6g}" if len(rows) else ""
        told = f"{self.low:.6g} to {self.high:.6g}" if len(rows) else ""
        return Outside(BEYOND, len(rows), len(values), example, told, fitted=self.fitted)


def _usual(share: float, had: bool) -> float:
    """A share of the training rows; 1 where they had such rows and an older file does not say how many."""
    return 1.0 if had and share == 0.0 else share


def _far(values: np.ndarray, low: float, high: float, written: Callable[[float], str]) -> Outside:
    """Values that lie outside the range by more than its width."""
    width = high - low
    far = np.flatnonzero((values < low - width) | (values > high + width))
    example = written(float(values[far[0]])) if len(far) else ""
    told = f"{written(low)} to {written(high)}" if len(far) else ""
    ends = ""
    if len(far) and 0 < width < np.inf:
        before, after = ("before", "after") if written is _day else ("below", "above")
        ends = f"{before} {written(low - width)} or {after} {written(high + width)}"
    return Outside(FAR, len(far), len(values), example, told, ends=ends)


def _location_and_scale(values: np.ndarray) -> tuple[float, float, bool]:
    """Mean and standard deviation; of a wild column the median and a spread of its middle half."""
    exponent = int(np.frexp(np.max(np.abs(values)))[1])
    x = np.ldexp(values, -exponent)  # nothing overflows
    low, middle, high = np.quantile(x, [0.25, 0.5, 0.75])
    spread = (high - low) / 1.349
    if spread == 0.0:  # more than half of the values are equal
        spread = float(np.std(x))
    wild = np.max(np.abs(x - middle)) > WILD * spread
    centre, scale = (middle, spread) if wild else (np.mean(x), np.std(x))
    return float(np.ldexp(centre, exponent)), float(max(np.ldexp(scale, exponent), 5e-324)), bool(wild)


@dataclass(frozen=True)
class CategoryPart:
    """One indicator for each level but the most frequent, one for all rare levels; unseen ones count as rare.

    ``reference`` is the most frequent level, or an empty text if that is a missing value.
    """

    name: str
    kind: Kind
    reference: str
    levels: tuple[str, ...]
    rare: bool
    missing: bool
    seen: tuple[str, ...] = ()
    """Rare levels of the training rows, unless there are very many."""
    unseen: float = 0.0
    """Share of new rows that may have a level which no training row had: the share of levels that came up once."""
    gaps: float = 0.0
    """Share of the training rows without a value."""

    @staticmethod
    def of(name: str, column: Column, kind: Kind, most: int = MOST_LEVELS) -> CategoryPart | None:
        """Learnt from training rows; None if nothing is left to tell apart."""
        words = as_words(column)
        counts = words.counts()
        order = sorted(range(len(counts)), key=lambda code: (-counts[code], words.levels[code]))
        kept = [words.levels[code] for code in order[:most] if counts[code] >= FEWEST]
        n_absent = int(np.count_nonzero(words.codes < 0))
        n_kept = sum(int(counts[code]) for code in order[:most] if counts[code] >= FEWEST)
        rare = len(words.codes) - n_absent - n_kept > 0
        missing = n_absent >= FEWEST
        if n_absent and not missing:
            rare = True
        if not kept or (len(kept) == 1 and not rare and not missing):
            return None
        others = [words.levels[code] for code in order[len(kept) :] if counts[code]]
        once, n = int(np.count_nonzero(counts == 1)), len(words.codes)
        seen, unseen = tuple(sorted(others)), once / n
        if len(others) > MOST_RARE:
            seen, unseen = (), 1.0 - (n_kept + n_absent) / n
        return CategoryPart(name, kind, kept[0], tuple(sorted(kept[1:])), rare, missing, seen, unseen, n_absent / n)

    @property
    def features(self) -> tuple[str, ...]:
        named = [f"{self.name} = {level}" for level in self.levels]
        more = [f"{self.name} is rare"] * self.rare + [f"{self.name} is missing"] * self.missing
        return (*named, *more)

    @property
    def units(self) -> tuple[float, ...]:
        return (1.0,) * len(self.features)

    def encode(self, column: Column) -> np.ndarray:
        words = as_words(column)
        n, k = len(words.codes), len(self.levels)
        place = {level: number for number, level in enumerate(self.levels)}
        place[self.reference] = -1
        other = k if self.rare else -1
        absent = k + self.rare if self.missing else other
        places = [place.get(text, other) for text in known_as(words.levels, place)]
        target = np.array([*places, absent], dtype=np.int64)[words.codes]
        found = np.zeros((n, len(self.features)))
        rows = np.flatnonzero(target >= 0)
        found[rows, target[rows]] = 1.0
        return found

    def strange(self, column: Column) -> dict[str, int]:
        """Levels that have no feature, and how many rows have them; those that training rows had rarely among them."""
        words = as_words(column)
        counts, known = words.counts(), {self.reference, *self.levels}
        texts = known_as(words.levels, known)
        return {text: int(counts[code]) for code, text in enumerate(texts) if text not in known and counts[code]}

    def outside(self, column: Column) -> tuple[Outside, ...]:
        """Rows with levels that no training row had, or without a value where every training row had one."""
        new = {level: count for level, count in self.strange(column).items() if level not in self.seen}
        codes = as_words(column).codes
        n, n_absent = len(codes), int(np.count_nonzero(codes < 0))
        frequent = f"as {self.reference!r}, the most frequent" if self.reference else "as missing ones"
        few = bool(self.seen or self.unseen)
        other = ("as rare levels" if few else "as missing ones") if self.rare else frequent
        absent = "as missing ones" if self.missing else other
        rare = self.rare and not few and not self.gaps
        return (
            Outside(UNKNOWN, sum(new.values()), n, next(iter(new), ""), other, _usual(self.unseen, rare)),
            Outside(MISSING, n_absent, n, "", absent, _usual(self.gaps, self.missing or not self.reference)),
        )


@dataclass(frozen=True)
class DatePart:
    """Time since ``centre`` in units of ``scale`` days, and sines and cosines of the parts that come round again."""

    name: str
    kind: Kind
    centre: float
    scale: float
    parts: tuple[str, ...]
    indicator: bool
    low: float = -np.inf
    high: float = np.inf
    """First and last of the training rows, in days since 1970."""
    gaps: float = 0.0
    """Share of the training rows without a date."""
    left: tuple[str, ...] = ()
    """Waves that hardly vary in the training rows, and are left out."""
    empty_from: tuple[float, ...] = ()
    empty_to: tuple[float, ...] = ()
    """The largest stretch without a training row, of the year, the week and the day; equal where it is short."""

    @staticmethod
    def of(name: str, column: Column, kind: Kind) -> DatePart | None:
        """Learnt from training rows; None if they do not vary and none is missing."""
        days = days_of(as_dates(column, kind))
        known = days[~np.isnan(days)]
        indicator = bool(np.any(np.isnan(days)))
        if len(known) == 0 or (np.all(known == known[0]) and not indicator):
            return None
        scale = float(np.std(known)) or 1.0
        span = float(known.max() - known.min())
        parts = [part for part in ("year", "week") if span >= PERIODS[part]]
        if np.any(known != np.floor(known)) and len(np.unique(known % 1.0)) > 1:
            parts.append("day")
        low, high, gaps = float(known.min()), float(known.max()), float(np.mean(np.isnan(days)))
        stretches = {part: empty_stretch(known, PERIODS[part]) for part in parts}
        learnt = [part for part in parts if stretches[part][1] - stretches[part][0] <= MOSTLY_EMPTY]
        left = hardly_varying({wave: found for part in learnt for wave, found in waves(known, part)})
        ends = [stretches.get(part, (0.0, 0.0)) for part in PERIODS]
        starts, stops = zip(*(one if one[1] - one[0] > EMPTY else (0.0, 0.0) for one in ends), strict=True)
        return DatePart(
            name, kind, float(np.mean(known)), scale, tuple(learnt), indicator, low, high, gaps, left, starts, stops
        )

    @property
    def features(self) -> tuple[str, ...]:
        numbered = [(part, k) for part in self.parts for k in range(1, HARMONICS[part] + 1)]
        names = [f"{wave} {k} of the {part}" for part, k in numbered for wave in ("sine", "cosine")]
        kept = [f"{self.name}: {wave}" for wave in names if wave not in self.left]
        return (f"{self.name}: time", *kept, *[f"{self.name} is missing"] * self.indicator)

    @property
    def units(self) -> tuple[float, ...]:
        return (self.scale, *(1.0,) * (len(self.features) - 1))

    def encode(self, column: Column) -> np.ndarray:
        days = days_of(as_dates(column, self.kind))
        absent = np.isnan(days)
        days = np.where(absent, self.centre, days)
        found = [np.clip((days - self.centre) / self.scale, -1e3, 1e3)]
        for part in self.parts:
            found += [np.where(absent, 0.0, values) for wave, values in waves(days, part) if wave not in self.left]
        return np.column_stack([*found, absent] if self.indicator else found)

    def strange(self, column: Column) -> dict[str, int]:
        """For dates none."""
        return {}

    def unreadable(self, column: Column) -> Unreadable:
        """Cells that say something which is no date as in the fit."""
        return no_dates(column, self.kind)

    def outside(self, column: Column) -> tuple[Outside, ...]:
        """Rows without a date where training rows had one, and dates far from theirs."""
        days = days_of(as_dates(column, self.kind))
        n_absent = int(np.count_nonzero(np.isnan(days))) - self.unreadable(column).count
        told = "as missing ones" if self.indicator else f"as {_day(self.centre)}"
        return (
            Outside(MISSING, n_absent, len(days), "", told, _usual(self.gaps, self.indicator)),
            _far(days, self.low, self.high, _day),
            self._out_of_season(days),
        )

    def _out_of_season(self, days: np.ndarray) -> Outside:
        """Dates well inside a stretch of the year, the week or the day in which no training row was."""
        parts, found = [], np.zeros(len(days), dtype=bool)
        for (part, period), start, stop in zip(PERIODS.items(), self.empty_from, self.empty_to, strict=False):
            inside = ((days % period) / period - start) % 1.0
            margin = 0.1 * (stop - start)
            held = (inside > margin) & (inside < stop - start - margin)
            parts += [part] * bool(np.any(held))
            found |= held
        rows = np.flatnonzero(found)
        example = str(np.datetime64(int(days[rows[0]] * 86_400), "s")) if len(rows) else ""
        shown = example if "day" in parts else example[:10]
        return Outside(SEASON, len(rows), len(days), shown, f"a part of the {' and of the '.join(parts)}")


def _day(days: float) -> str:
    """A number of days since 1970 as a date."""
    return str(np.datetime64(int(np.floor(days)), "D"))


Part = NumberPart | CategoryPart | DatePart


def part_of(name: str, column: Column, kind: Kind) -> Part | None:
    """The part for a column of that kind, learnt from training rows; None if it has nothing to say."""
    makers: dict[str, Any] = {NUMBER: NumberPart.of, CATEGORY: CategoryPart.of, DATE: DatePart.of}
    return makers[kind.kind](name, column, kind) if kind.kind in makers else None
