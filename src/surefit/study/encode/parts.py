"""Layer study: one column becomes features: the state that was learnt from training rows, and what it does to new ones.

In: a column and its `Kind`.  Out: a part of the encoder, a frozen record of plain data, whose ``encode`` turns a column
into ``(n, k)`` numbers in float64, all finite whatever comes in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.study.encode.kinds import CATEGORY, DATE, NUMBER, Kind, as_dates, as_numbers, as_words, level_numbers
from surefit.study.encode.words import is_null
from surefit.study.tables.table import Column, Words

WILD = 10.0
"""Robust standard deviations from the median beyond which a column is wild, and is squashed."""

SQUASHED = 4.0
"""The number of robust standard deviations that squashed values stay within."""

FEWEST = 3
"""Training rows that a level needs for a feature of its own; rarer ones share one."""

MOST_LEVELS = 100
"""Levels with a feature of their own, the most frequent ones."""

PERIODS = {"year": 365.2425, "week": 7.0, "day": 1.0}
"""Days after which the parts of a date come round again."""

HARMONICS = {"year": 3, "week": 3, "day": 4}
"""Sines and cosines of each part: three of a week tell its seven days apart."""


@dataclass(frozen=True)
class Unreadable:
    """Cells of a column of numbers with a text that is no number: how many, of how many with a value, and one."""

    count: int = 0
    known: int = 0
    example: str = ""

    def __add__(self, other: Unreadable) -> Unreadable:
        return Unreadable(self.count + other.count, self.known + other.known, self.example or other.example)

    @property
    def all(self) -> bool:
        return 0 < self.count == self.known

    def sentence(self, name: str) -> str:
        """What happened to these cells."""
        if self.all:
            return (
                f"column {name!r}: no cell is a number, such as {self.example!r}, so that all count as missing; write "
                "them as in the table of the fit"
            )
        cells = "1 cell is no number" if self.count == 1 else f"{self.count:,} cells are no numbers"
        return f"column {name!r}: {cells}, such as {self.example!r}, and count as missing; mend them"


@dataclass(frozen=True)
class NumberPart:
    """``(x - centre) / scale``, squashed if the column is wild; missing values become 0, and 1 in an indicator."""

    name: str
    kind: Kind
    centre: float
    scale: float
    squashed: bool
    indicator: bool

    @staticmethod
    def of(name: str, column: Column, kind: Kind) -> NumberPart | None:
        """Learnt from training rows; None if they do not vary and none is missing."""
        values = as_numbers(column, kind)
        known, absent = values[~np.isnan(values)], np.isnan(values)
        indicator = bool(np.any(absent)) and len(known) > 0
        finite = known[np.isfinite(known)]
        if len(finite) == 0 or np.all(finite == finite[0]):
            centre = float(finite[0]) if len(finite) else 0.0
            return NumberPart(name, kind, centre, 1.0, False, True) if indicator else None
        centre, scale, squashed = _location_and_scale(finite)
        return NumberPart(name, kind, centre, scale, squashed or len(finite) < len(known), indicator)

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
        """Cells that say something which is no number."""
        if not isinstance(column, Words):
            return Unreadable()
        counts = column.counts()
        null = np.array([is_null(text, among_numbers=True) for text in column.levels], dtype=bool)
        odd = np.flatnonzero(np.isnan(level_numbers(column, self.kind)) & ~null & (counts > 0))
        example = column.levels[odd[0]] if len(odd) else ""
        return Unreadable(int(counts[odd].sum()), int(counts[~null].sum()), example)


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
        return CategoryPart(name, kind, kept[0], tuple(sorted(kept[1:])), rare, missing)

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
        target = np.array([*(place.get(text, other) for text in words.levels), absent], dtype=np.int64)[words.codes]
        found = np.zeros((n, len(self.features)))
        rows = np.flatnonzero(target >= 0)
        found[rows, target[rows]] = 1.0
        return found

    def strange(self, column: Column) -> dict[str, int]:
        """Levels that have no feature, and how many rows have them; those that training rows had rarely among them."""
        words = as_words(column)
        counts, known = words.counts(), {self.reference, *self.levels}
        return {text: int(counts[code]) for code, text in enumerate(words.levels) if text not in known and counts[code]}


@dataclass(frozen=True)
class DatePart:
    """Time since ``centre`` in units of ``scale`` days, and sines and cosines of the parts that come round again."""

    name: str
    kind: Kind
    centre: float
    scale: float
    parts: tuple[str, ...]
    indicator: bool

    @staticmethod
    def of(name: str, column: Column, kind: Kind) -> DatePart | None:
        """Learnt from training rows; None if they do not vary and none is missing."""
        days = _days(as_dates(column, kind))
        known = days[~np.isnan(days)]
        indicator = bool(np.any(np.isnan(days)))
        if len(known) == 0 or (np.all(known == known[0]) and not indicator):
            return None
        scale = float(np.std(known)) or 1.0
        span = float(known.max() - known.min())
        parts = [part for part in ("year", "week") if span >= PERIODS[part]]
        if np.any(known != np.floor(known)) and len(np.unique(known % 1.0)) > 1:
            parts.append("day")
        return DatePart(name, kind, float(np.mean(known)), scale, tuple(parts), indicator)

    @property
    def features(self) -> tuple[str, ...]:
        numbered = [(part, k) for part in self.parts for k in range(1, HARMONICS[part] + 1)]
        waves = [f"{self.name}: {wave} {k} of the {part}" for part, k in numbered for wave in ("sine", "cosine")]
        return (f"{self.name}: time", *waves, *[f"{self.name} is missing"] * self.indicator)

    @property
    def units(self) -> tuple[float, ...]:
        return (self.scale, *(1.0,) * (len(self.features) - 1))

    def encode(self, column: Column) -> np.ndarray:
        days = _days(as_dates(column, self.kind))
        absent = np.isnan(days)
        days = np.where(absent, self.centre, days)
        found = [np.clip((days - self.centre) / self.scale, -1e3, 1e3)]
        for part in self.parts:
            phase = 2 * np.pi * (days % PERIODS[part]) / PERIODS[part]
            for k in range(1, HARMONICS[part] + 1):
                found += [np.where(absent, 0.0, np.sin(k * phase)), np.where(absent, 0.0, np.cos(k * phase))]
        return np.column_stack([*found, absent] if self.indicator else found)

    def strange(self, column: Column) -> dict[str, int]:
        """For dates none."""
        return {}


def _days(moments: np.ndarray) -> np.ndarray:
    """Days since 1970, nan where there is no date."""
    days = moments.astype("datetime64[us]").astype(np.int64) / 86_400e6
    return np.where(np.isnat(moments), np.nan, days)


Part = NumberPart | CategoryPart | DatePart


def part_of(name: str, column: Column, kind: Kind) -> Part | None:
    """The part for a column of that kind, learnt from training rows; None if it has nothing to say."""
    makers: dict[str, Any] = {NUMBER: NumberPart.of, CATEGORY: CategoryPart.of, DATE: DatePart.of}
    return makers[kind.kind](name, column, kind) if kind.kind in makers else None
