"""Layer study: what a column is: a number, a category, a date, or nothing that could help.

In: a column with all its rows, and a kind if the user says one.  Out: `Kind`: the kind, why, and how its texts are
written.  Only the column itself is looked at, never the target.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.data.whole_numbers import EXACT, merged, told_of_merged
from surefit.data.written import PLAIN, is_null
from surefit.study.encode.beside import ALONE, Beside
from surefit.study.encode.dates import date_format, months_with_point, parsed
from surefit.study.encode.periods import MONTH
from surefit.study.encode.slips import (
    LOOKED_AT,
    MANY,
    MOSTLY,
    look_like_dates,
    most,
    mostly_dates,
    rows_of,
    zones_are_mixed,
)
from surefit.study.encode.words import COMMA, POINT, Style, number, numbers, sign_of, style_of
from surefit.study.tables.table import Column, Dates, Numbers, Table, TableError, Words
from surefit.study.tables.zones import in_universal, on_clock, shown_by, zone_in_words, zone_of

NUMBER, CATEGORY, DATE, LEFT_OUT = "number", "category", "date", "left out"
KINDS = (NUMBER, CATEGORY, DATE, LEFT_OUT)

NUMBERING = 20
"""Rows from which a column that counts them is recognised."""

SHARED = 3
"""Rows that share a text of a column of numbers in mixed notation, if these are to count as words."""

MIXED = "numbers written with commas and with points"
"""Why a column of numbers in mixed notation is none of numbers."""

UNREAD = "texts that look like dates or times and are not read as such"
"""Why a column of dates in a notation that is not known is none of dates."""

ZONES_MIXED = "dates with a time zone and dates without one"
"""Why a column of such dates is none of dates."""

TOO_LONG = "whole numbers beyond 2**53 that floating point numbers cannot tell apart, so that they count as words"
"""Why a column of such numbers, which are mostly identifiers, is none of numbers."""

LONG = 16
"""Digits from which on a whole number may be beyond 2**53."""

_WHOLE = re.compile(r"([+-]?\d{1,300})(\.0*)?")

DAYS = "days since 1970"
"""How a column of dates is written that is asked for as numbers."""

PLAINLY = Style()


@dataclass(frozen=True)
class Kind:
    """What a column is and why; ``style`` and ``form`` say how its numbers or dates are written."""

    kind: str
    reason: str
    style: Style = PLAINLY
    form: str = ""
    stray: tuple[str, ...] = ()
    """Texts among numbers or dates that are none; they count as missing."""
    doubt: str = ""
    """What could be read in another way; empty where the table leaves no doubt."""
    zone: str = ""
    """The clock of dates: none, a name such as Europe/Berlin, or the offsets from UTC that texts had."""
    threes: bool = False
    """Whether signs between thousands were read with no doubt about them."""
    was: str = ""
    """The kind that a column would have which was left out because all of its values are equal."""


def kind_of(column: Column, asked: str | None = None, decimal_comma: bool = False, beside: Beside = ALONE) -> Kind:
    """The kind of a column, or the one that is ``asked`` for where its values allow it.

    ``beside`` are the columns that say how numbers and dates are written where its own texts do not.

    >>> kind_of(Words.of(["1,5", "n/a", "2"])).kind, kind_of(Words.of(["red", "blue", "red"])).kind
    ('number', 'category')
    """
    if asked is not None and asked not in KINDS:
        raise TableError(f"{asked!r} is no kind of column; use one of {', '.join(KINDS)}")
    if asked is not None:
        return _as_asked(column, asked, decimal_comma, beside)
    if np.all(column.missing):
        return Kind(LEFT_OUT, "it has no values")
    if isinstance(column, Dates):
        return _varied(Kind(DATE, f"dates{_with(column.zone)}", zone=column.zone), column)
    if isinstance(column, Numbers):
        return _varied(_counted(Kind(NUMBER, column.unit or "numbers"), column.values), column)
    return _kind_of_words(column, decimal_comma, beside)


def kinds_of(table: Table, asked: dict[str, str], beside: Beside | None = None) -> dict[str, Kind]:
    """The kind of every column of a table, by name; ``beside``: all columns, if these are not all."""
    beside = beside or Beside(table)
    for name in asked:
        table[name]  # an error if there is none
    found = {}
    for name, column in zip(table.names, table.columns, strict=True):
        try:
            found[name] = kind_of(column, asked.get(name), bool(table.decimal_comma), beside)
        except TableError as error:
            raise TableError(f"{name!r}: {error}") from None
    return found


def as_numbers(column: Column, kind: Kind) -> np.ndarray:
    """A column as numbers, nan where there is none."""
    if isinstance(column, Numbers):
        return column.values
    if isinstance(column, Dates):
        return days_of(column.values) if kind.form == DAYS else np.full(len(column.values), np.nan)
    return np.append(level_numbers(column, kind), np.nan)[column.codes]


def level_numbers(column: Words, kind: Kind) -> np.ndarray:
    """The number of every level, nan where it is none."""
    return np.asarray(column.about(kind.style, lambda levels: numbers(levels, kind.style)))


def days_of(moments: np.ndarray) -> np.ndarray:
    """Days since 1970, nan where there is no date."""
    days = moments.astype("datetime64[us]").astype(np.int64) / 86_400e6
    return np.where(np.isnat(moments), np.nan, days)


def as_dates(column: Column, kind: Kind) -> np.ndarray:
    """A column as what the clock of the fit showed; NaT where there is no date, or none by that clock."""
    if isinstance(column, Dates):
        return on_clock(*shown_by(column), kind.zone)
    if isinstance(column, Numbers):
        return np.full(len(column.values), np.datetime64("NaT"), dtype="datetime64[us]")
    return np.append(level_dates(column, kind), np.datetime64("NaT"))[column.codes]


def level_dates(column: Words, kind: Kind) -> np.ndarray:
    """The date of every level by the clock of the fit, NaT where it is none."""
    return on_clock(*_parsed(column, kind.form), kind.zone)


def in_order_of_time(column: Column, kind: Kind) -> np.ndarray:
    """A column of dates as points in time that can be put in order: in UTC where dates have a zone."""
    if isinstance(column, Dates):
        return np.where(np.isnat(as_dates(column, kind)), np.datetime64("NaT", "us"), column.values)
    if isinstance(column, Numbers):
        return as_dates(column, kind)
    known = in_universal(*_parsed(column, kind.form))
    read = np.where(np.isnat(level_dates(column, kind)), np.datetime64("NaT", "us"), known)
    return np.append(read, np.datetime64("NaT"))[column.codes]


def _parsed(column: Words, form: str) -> tuple[np.ndarray, np.ndarray]:
    found: tuple[np.ndarray, np.ndarray] = column.about(form, lambda levels: parsed(levels, form))
    return found


def _with(zone: str) -> str:
    return f" with {zone_in_words(zone)}" if zone else ""


def as_words(column: Column) -> Words:
    """A column as levels of a category; missing values are code -1, and numbers are written in one way.

    >>> as_words(Numbers(np.array([1.0, 2.5, np.nan]))).levels, as_words(Words.of(["1.0", "2.5", "NA"])).levels
    (('1', '2.5'), ('1', '2.5'))
    """
    if isinstance(column, Numbers):
        values, codes = np.unique(column.values, return_inverse=True)
        written = Words.of(None if value != value else _written(value) for value in values.tolist())
        return Words(written.levels, written.codes[codes])
    if isinstance(column, Dates):
        return Words.of(None if text == "NaT" else text for text in np.datetime_as_string(column.values).tolist())
    levels, codes, found = column.about("words", _without_nulls)
    return Words(levels, codes[column.codes], found)


def _without_nulls(texts: tuple[str, ...]) -> tuple[tuple[str, ...], np.ndarray, dict[Any, Any]]:
    """Levels in one way of writing, and the new code of every old one."""
    written = [None if is_null(text) else _canonical(text) for text in texts]
    levels = sorted({text for text in written if text is not None})
    place = {text: code for code, text in enumerate(levels)}
    codes = np.array([-1 if text is None else place[text] for text in written] + [-1], dtype=np.int32)
    return tuple(levels), codes, {}


def _kind_of_words(column: Words, decimal_comma: bool, beside: Beside) -> Kind:
    counts = column.counts()
    texts = [text for text, count in zip(column.levels, counts, strict=True) if count > 0]
    if months_with_point(texts):
        return _varied(Kind(DATE, f"dates, {MONTH}", form=MONTH), column)
    style, doubt = beside.style(texts, decimal_comma)
    too_long = merged(_whole_numbers(texts)) is not None
    if style is not None and not too_long:
        threes = not doubt and any(("." if style.comma else ",") in text for text in texts)
        kind = Kind(NUMBER, str(style), style, doubt=doubt, threes=threes)
        return _varied(_counted(kind, as_numbers(column, kind)), column)
    form = date_format(texts[:LOOKED_AT]) and date_format(texts)
    if form:
        return _varied(_of_dates(column, texts, form, beside), column)
    known = np.array([not is_null(text) for text in column.levels])
    if not np.any(counts[known]):
        return Kind(LEFT_OUT, "it has no values")
    rows = rows_of(column, counts)
    mostly = None if too_long else _mostly_numbers(rows, decimal_comma, beside) or _mostly_dates(column, rows, beside)
    if mostly is not None:
        return _varied(mostly, column)
    if _in_two_ways(rows):
        rare = counts[counts < SHARED].sum() > counts[counts >= SHARED].sum()
        return Kind(LEFT_OUT if rare else CATEGORY, MIXED)
    n = int(counts[known].sum())
    unread = ZONES_MIXED if zones_are_mixed(rows) else UNREAD if look_like_dates(rows) else ""
    unread = TOO_LONG if too_long else unread
    if n >= NUMBERING and counts[known].max() == 1:
        return Kind(LEFT_OUT, unread or "every row has a text of its own")
    return _varied(Kind(CATEGORY, unread or "words"), column)


def _of_dates(column: Words, texts: list[str], form: str, beside: Beside) -> Kind:
    """The kind of a column all of whose texts are dates in a form."""
    form, doubt = beside.form(column, texts, form)
    zone = zone_of(_parsed(column, form)[1][column.counts() > 0])
    return Kind(DATE, f"dates, {form}{_with(zone)}", form=form, doubt=doubt, zone=zone)


def _mostly_dates(
    column: Words, rows: Mapping[str, int], beside: Beside, share: float = MOSTLY, many: int = MANY
) -> Kind | None:
    """A column of dates with a few slips of the pen, which count as missing; None if it is none."""
    found = mostly_dates(rows, share, many)
    if found is None:
        return None
    form, doubt = beside.form(column, found.both, found.form) if found.both else (found.form, "")
    zone = zone_of(_parsed(column, form)[1][column.counts() > 0]) if found.zoned else ""
    kind = Kind(DATE, "", form=form, doubt=doubt, zone=zone)
    read = zip(column.levels, level_dates(column, kind), strict=True)
    stray = tuple(text for text, moment in read if text in rows and np.isnat(moment))
    return replace(kind, reason=f"dates, {form}{_with(zone)}{_none(rows, stray)}", stray=stray)


def _none(rows: Mapping[str, int], stray: tuple[str, ...]) -> str:
    """How many cells are slips of the pen, for the reason of a kind."""
    count = sum(rows[text] for text in stray)
    slips, counted = ("1 cell is", "counts") if count == 1 else (f"{count} cells are", "count")
    return f"; {slips} none (such as {stray[0]!r}) and {counted} as missing" if stray else ""


def _mostly_numbers(rows: Mapping[str, int], decimal_comma: bool, beside: Beside) -> Kind | None:
    """A column of numbers with a few slips of the pen, which count as missing; None if it is none."""
    for is_number in (PLAIN.fullmatch, _is_number):
        used = most(rows, is_number)
        style, doubt = beside.style(used, decimal_comma) if len(used) >= MANY else (None, "")
        stray = tuple(text for text in rows if np.isnan(number(text, style))) if style is not None else ()
        if style is not None and stray:  # without any they are codes, or numbers in two notations
            return Kind(NUMBER, f"{style}{_none(rows, stray)}", style, stray=stray, doubt=doubt)
    return None


def _is_number(text: str) -> bool:
    return style_of([text]) is not None


def _in_two_ways(rows: Mapping[str, int]) -> bool:
    """Whether nearly all texts are numbers, some with a decimal comma for sure and some with a decimal point."""
    return bool(most(rows, _is_number)) and {POINT, COMMA} <= {sign_of(text) for text in rows}


def _counted(kind: Kind, values: np.ndarray) -> Kind:
    """The kind of numbers, left out if they only count the rows from 0 or 1."""
    n = len(values)
    if n < NUMBERING or np.any(np.isnan(values)) or np.min(values) not in (0.0, 1.0):
        return kind
    counts = np.array_equal(np.sort(values), np.min(values) + np.arange(n))
    return Kind(LEFT_OUT, "it numbers the rows") if counts else kind


def _varied(kind: Kind, column: Column) -> Kind:
    """The kind of a column, left out if it has one value."""
    if kind.kind == LEFT_OUT:
        return kind
    if kind.kind == NUMBER:
        values: Any = as_numbers(column, kind)
        values = values[~np.isnan(values)]
    elif kind.kind == DATE:
        values = as_dates(column, kind)
        values = values[~np.isnat(values)]
    else:
        codes = as_words(column).codes
        values = codes[codes >= 0]
    constant = len(values) == 0 or np.all(values == values[0])
    if constant and not np.any(_missing(column, kind)):
        reason = "it has the same value in every row"
        if kind.kind == NUMBER and len(values) and abs(values[0]) >= EXACT:
            reason += ", as far as floating point numbers tell"
        return replace(kind, kind=LEFT_OUT, reason=reason, stray=(), doubt="", was=kind.kind)
    return kind


def missing_cells(column: Column, kind: Kind) -> np.ndarray:
    """Which rows have no value, as the column is read."""
    return _missing(column, kind)


def _missing(column: Column, kind: Kind) -> np.ndarray:
    if kind.kind == NUMBER:
        return np.isnan(as_numbers(column, kind))
    if kind.kind == DATE:
        return np.isnat(as_dates(column, kind))
    return as_words(column).codes < 0


def _as_asked(column: Column, asked: str, decimal_comma: bool, beside: Beside) -> Kind:
    reason = "as you say"
    if asked == NUMBER and isinstance(column, Words):
        texts = [text for text, count in zip(column.levels, column.counts(), strict=True) if count]
        found, doubt = beside.style(texts, decimal_comma)
        style = found or Style(comma=decimal_comma)
        refuse_merged_texts(texts, "it")
        odd = np.isnan(numbers(texts, style))
        if np.all(odd):
            raise TableError(f"it is said to hold numbers, and none of its texts, such as {texts[:1]}, is one")
        stray = [text for text, is_odd in zip(texts, odd, strict=True) if is_odd and not is_null(text, True)]
        return Kind(NUMBER, reason, style, stray=tuple(stray), doubt=doubt)
    if asked == DATE and isinstance(column, Words):
        return replace(_dates_as_asked(column, beside), reason=reason)
    if asked == DATE and isinstance(column, Numbers):
        raise TableError("it is said to hold dates, and it holds numbers; write dates as 2024-01-31")
    if isinstance(column, Dates):
        return Kind(asked, reason, form=DAYS if asked == NUMBER else "", zone=column.zone)
    return Kind(asked, reason)


def _dates_as_asked(column: Words, beside: Beside) -> Kind:
    """The dates of a column, all other texts being slips; refused if there is none."""
    texts = [text for text, count in zip(column.levels, column.counts(), strict=True) if count]
    form = date_format(texts)
    if form is not None:
        return _of_dates(column, texts, form, beside)
    kind = _mostly_dates(column, rows_of(column, column.counts()), beside, share=0.0, many=1)
    if kind is None:
        raise TableError(f"it is said to hold dates, and none of its texts, such as {texts[:1]}, is one")
    return kind


def _written(value: float) -> str:
    if not np.isfinite(value):
        return str(value)
    return f"{int(value)}" if value == int(value) and abs(value) < 1e22 else repr(value)


def _canonical(text: str) -> str:
    """Numbers in one way of writing, so that a category of numbers is the same from a file and from a frame."""
    if text[:1].isdigit() and PLAIN.fullmatch(text) and not (text[0] == "0" and text[1:2].isdigit()):
        whole = _WHOLE.fullmatch(text)
        return str(int(whole[1])) if whole else _written(float(text))
    return text


def refuse_merged_texts(texts: Sequence[str], which: str) -> None:
    """An error where whole numbers that are wanted as quantities would become one."""
    if told := told_of_merged(which, _whole_numbers(texts), target=True):
        raise TableError(told)


def _whole_numbers(texts: Sequence[str]) -> np.ndarray:
    """The whole numbers among texts, exactly; none where all are short."""
    found = [_WHOLE.fullmatch(text) for text in texts] if any(len(text) >= LONG for text in texts) else []
    return np.array([int(one[1]) for one in found if one], dtype=object)
