"""Layer study: what a column is: a number, a category, a date, or nothing that could help.

In: a column with all its rows, and a kind if the user says one.  Out: `Kind`: the kind, why, and how its texts are
written.  Only the column itself is looked at, never the target.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.study.encode.beside import ALONE, Beside
from surefit.study.encode.dates import date_format, dates
from surefit.study.encode.words import COMMA, PLAIN, POINT, Style, is_null, number, numbers, sign_of, style_of
from surefit.study.tables.table import Column, Dates, Numbers, Table, TableError, Words

NUMBER, CATEGORY, DATE, LEFT_OUT = "number", "category", "date", "left out"
KINDS = (NUMBER, CATEGORY, DATE, LEFT_OUT)

MOSTLY = 0.95
"""Share of the rows with a value that must be numbers for the few others to be slips of the pen."""

MANY_NUMBERS = 20
"""Different numbers from which a column with such slips is a column of numbers."""

NUMBERING = 20
"""Rows from which a column that counts them is recognised."""

SHARED = 3
"""Rows that share a text of a column of numbers in mixed notation, if these are to count as words."""

MIXED = "numbers written with commas and with points"
"""Why a column of numbers in mixed notation is none of numbers."""

LOOKED_AT = 2000
"""Different texts by which a column is first judged, before all of them are."""


PLAINLY = Style()


@dataclass(frozen=True)
class Kind:
    """What a column is and why; ``style`` and ``form`` say how its numbers or dates are written."""

    kind: str
    reason: str
    style: Style = PLAINLY
    form: str = ""
    stray: tuple[str, ...] = ()
    """Texts among numbers that are none; they count as missing."""
    doubt: str = ""
    """What could be read in another way; empty where the table leaves no doubt."""


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
        return _varied(Kind(DATE, "dates"), column)
    if isinstance(column, Numbers):
        return _varied(_counted(Kind(NUMBER, "numbers"), column.values), column)
    return _kind_of_words(column, decimal_comma, beside)


def kinds_of(table: Table, asked: dict[str, str], beside: Beside | None = None) -> dict[str, Kind]:
    """The kind of every column of a table, by name; ``beside``: all columns, if these are not all."""
    beside = beside or Beside(table)
    for name in asked:
        table[name]  # an error if there is none
    return {
        name: kind_of(column, asked.get(name), bool(table.decimal_comma), beside)
        for name, column in zip(table.names, table.columns, strict=True)
    }


def as_numbers(column: Column, kind: Kind) -> np.ndarray:
    """A column as numbers, nan where there is none."""
    if isinstance(column, Numbers):
        return column.values
    if isinstance(column, Dates):
        moments = column.values.astype("datetime64[us]").astype(np.float64) / 86_400e6
        return np.where(column.missing, np.nan, moments)
    return np.append(level_numbers(column, kind), np.nan)[column.codes]


def level_numbers(column: Words, kind: Kind) -> np.ndarray:
    """The number of every level, nan where it is none."""
    return np.asarray(column.about(kind.style, lambda levels: numbers(levels, kind.style)))


def as_dates(column: Column, kind: Kind) -> np.ndarray:
    """A column as points in time, NaT where there is none."""
    if isinstance(column, Dates):
        return column.values
    if isinstance(column, Numbers):
        return np.full(len(column.values), np.datetime64("NaT"), dtype="datetime64[us]")
    known = column.about(kind.form, lambda levels: np.append(dates(levels, kind.form), np.datetime64("NaT")))
    return np.asarray(known[column.codes])


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
    style, doubt = beside.style(texts, decimal_comma)
    if style is not None:
        kind = Kind(NUMBER, str(style), style, doubt=doubt)
        return _varied(_counted(kind, as_numbers(column, kind)), column)
    form = date_format(texts[:LOOKED_AT]) and date_format(texts)
    if form:
        form, doubt = beside.form(column, texts, form)
        return _varied(Kind(DATE, f"dates, {form}", form=form, doubt=doubt), column)
    known = np.array([not is_null(text) for text in column.levels])
    if not np.any(counts[known]):
        return Kind(LEFT_OUT, "it has no values")
    mostly = _mostly_numbers(column, counts, decimal_comma, beside)
    if mostly is not None:
        return mostly
    if _in_two_ways(column, counts):
        rare = counts[counts < SHARED].sum() > counts[counts >= SHARED].sum()
        return Kind(LEFT_OUT if rare else CATEGORY, MIXED)
    n = int(counts[known].sum())
    if n >= NUMBERING and counts[known].max() == 1:
        return Kind(LEFT_OUT, "every row has a text of its own")
    return _varied(Kind(CATEGORY, "words"), column)


def _mostly_numbers(column: Words, counts: np.ndarray, decimal_comma: bool, beside: Beside) -> Kind | None:
    """A column of numbers with a few slips of the pen, which count as missing; None if it is none."""
    rows = {text: int(count) for text, count in zip(column.levels, counts, strict=True) if count > 0}
    rows = {text: count for text, count in rows.items() if not is_null(text, among_numbers=True)}
    for is_number in (PLAIN.fullmatch, _is_number):
        used = _most(rows, is_number)
        style, doubt = beside.style(used, decimal_comma) if len(used) >= MANY_NUMBERS else (None, "")
        stray = tuple(text for text in rows if np.isnan(number(text, style))) if style is not None else ()
        if style is not None and stray:  # without any they are codes, or numbers in two notations
            count = sum(rows[text] for text in stray)
            slips = "1 cell is" if count == 1 else f"{count} cells are"
            counted = "counts" if count == 1 else "count"
            reason = f"{style}; {slips} none (such as {stray[0]!r}) and {counted} as missing"
            return Kind(NUMBER, reason, style, stray=stray, doubt=doubt)
    return None


def _is_number(text: str) -> bool:
    return style_of([text]) is not None


def _most(rows: dict[str, int], is_so: Callable[[str], object]) -> list[str]:
    """The texts that are so, if nearly all rows have one of them; else none."""
    used: list[str] = []
    for texts in (list(rows)[:LOOKED_AT], list(rows)):
        used = [text for text in texts if is_so(text)]
        if sum(rows[text] for text in used) < MOSTLY * sum(rows[text] for text in texts):
            return []
    return used


def _in_two_ways(column: Words, counts: np.ndarray) -> bool:
    """Whether nearly all texts are numbers, some with a decimal comma for sure and some with a decimal point."""
    rows = {
        text: int(count)
        for text, count in zip(column.levels, counts, strict=True)
        if count > 0 and not is_null(text, among_numbers=True)
    }
    if not _most(rows, _is_number):
        return False
    return {POINT, COMMA} <= {sign_of(text) for text in rows}


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
        return Kind(LEFT_OUT, "it has the same value in every row", kind.style, kind.form)
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
        odd = np.isnan(numbers(texts, style))
        if np.all(odd):
            raise TableError(f"it is said to hold numbers, and none of its texts, such as {texts[:1]}, is one")
        stray = [text for text, is_odd in zip(texts, odd, strict=True) if is_odd and not is_null(text, True)]
        return Kind(NUMBER, reason, style, stray=tuple(stray), doubt=doubt)
    if asked == DATE and isinstance(column, Words):
        texts = [text for text, count in zip(column.levels, column.counts(), strict=True) if count]
        form = date_format(texts)
        if form is None:
            raise TableError(f"it is said to hold dates, and not all of its texts, such as {texts[:1]}, are dates")
        form, doubt = beside.form(column, texts, form)
        return Kind(DATE, reason, form=form, doubt=doubt)
    if asked == DATE and isinstance(column, Numbers):
        raise TableError("it is said to hold dates, and it holds numbers")
    return Kind(asked, reason)


def _written(value: float) -> str:
    if not np.isfinite(value):
        return str(value)
    return f"{int(value)}" if value == int(value) and abs(value) < 1e15 else repr(value)


def _canonical(text: str) -> str:
    """Numbers in one way of writing, so that a category of numbers is the same from a file and from a frame."""
    if text[:1].isdigit() and PLAIN.fullmatch(text) and not (text[0] == "0" and text[1:2].isdigit()):
        return _written(float(text))
    return text
