"""Layer study: a table in memory, column by column.

In: columns of words, numbers or dates under different names.  Out: `Table`, which gives columns by name and rows by
number.  Words are kept once each, with a code per row: what a column means is decided on its different words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from hashlib import blake2b
from typing import Any

import numpy as np

from surefit.page import listed


class TableError(ValueError):
    """A table that cannot be read, or lacks what a study needs; the message says what to do."""


@dataclass(frozen=True)
class Words:
    """A column of texts: ``levels``, every text once and in order, and the ``codes`` of the rows; -1 is none."""

    levels: tuple[str, ...]
    codes: np.ndarray
    found: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """What was found out about the levels, shared by all parts of a column."""

    @staticmethod
    def of(texts: Iterable[str | None]) -> Words:
        """From one text per row; None is no value.

        >>> Words.of(["b", "a", None, " b "])
        Words(levels=('a', 'b'), codes=array([ 1,  0, -1,  1], dtype=int32))
        """
        book = CodeBook()
        book.add(list(texts))
        return book.words()

    def take(self, rows: Any) -> Words:
        return Words(self.levels, self.codes[rows], self.found)

    def about(self, what: Any, find: Callable[[tuple[str, ...]], Any]) -> Any:
        """Something about the levels, found out once."""
        if what not in self.found:
            self.found[what] = find(self.levels)
        return self.found[what]

    @property
    def missing(self) -> np.ndarray:
        """Rows without any text."""
        return self.codes < 0

    def counts(self) -> np.ndarray:
        """How many rows have each level."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))

    def prints(self) -> np.ndarray:
        """One 64-bit number per row, the same for the same text in any table."""
        return np.asarray(self.about("prints", _prints)[self.codes])


def _prints(levels: tuple[str, ...]) -> np.ndarray:
    each = [int.from_bytes(blake2b(one.encode("utf-8", "replace"), digest_size=8).digest()) for one in levels]
    return np.array([*each, 0], dtype=np.uint64)


class CodeBook:
    """Collects texts block by block and numbers the different ones."""

    def __init__(self) -> None:
        self._known: dict[str | None, int] = {}
        self._codes: list[np.ndarray] = []

    def add(self, texts: Sequence[str | None]) -> None:
        known = self._known
        for text in set(texts).difference(known):
            known[text] = len(known)
        self._codes.append(np.fromiter(map(known.__getitem__, texts), np.int32, len(texts)))

    def words(self) -> Words:
        """All texts so far, without the blanks around them."""
        stripped = [None if text is None else text.strip() for text in self._known]
        levels = sorted({text for text in stripped if text is not None})
        place = {text: code for code, text in enumerate(levels)}
        renumbered = np.array([-1 if text is None else place[text] for text in stripped], dtype=np.int32)
        codes = np.concatenate(self._codes) if self._codes else np.zeros(0, np.int32)
        return Words(tuple(levels), renumbered[codes] if len(renumbered) else codes)


@dataclass(frozen=True)
class Numbers:
    """A column of numbers, nan where there is none; ``unit`` says what they were, and what their unit is."""

    values: np.ndarray
    unit: str = ""

    def take(self, rows: Any) -> Numbers:
        return Numbers(self.values[rows], self.unit)

    @property
    def missing(self) -> np.ndarray:
        """Rows without a number."""
        return np.isnan(self.values)

    def prints(self) -> np.ndarray:
        """One 64-bit number per row, of its number in single precision."""
        with np.errstate(over="ignore"):
            return (self.values.astype(np.float32) + np.float32(0.0)).view(np.uint32).astype(np.uint64)


@dataclass(frozen=True)
class Dates:
    """A column of points in time (``datetime64[us]``), NaT where there is none.

    They are in UTC if the clock that showed them has a ``zone``, such as ``Europe/Berlin``.
    """

    values: np.ndarray
    zone: str = ""

    def take(self, rows: Any) -> Dates:
        return Dates(self.values[rows], self.zone)

    @property
    def missing(self) -> np.ndarray:
        """Rows without a date."""
        return np.isnat(self.values)

    def prints(self) -> np.ndarray:
        """One 64-bit number per row."""
        return self.values.astype("datetime64[us]").astype(np.int64).astype(np.uint64)


Column = Words | Numbers | Dates


@dataclass(frozen=True)
class Table:
    """Columns of equal length under different names; where they come from and how they were read, in words."""

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    n_rows: int
    source: str = "a table in memory"
    reading: str = ""
    decimal_comma: bool | None = None
    """Whether the file is of a kind in which ``1,234`` more likely means one and a bit: one separated by semicolons;
    None: the table says nothing about that."""
    doubts: Mapping[str, str] | None = None
    """By column, a sentence on numbers that could be read in another way; None unless they are written as in a fit."""

    def __getitem__(self, name: str) -> Column:
        try:
            return self.columns[self.names.index(name)]
        except ValueError:
            raise TableError(self._unknown(name)) from None

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def _unknown(self, name: str) -> str:
        near = [one for one in self.names if one.casefold() == name.strip().casefold()]
        if near:
            return f"the table has no column {name!r}, but {near[0]!r}; write the name as the header has it"
        close = get_close_matches(name, self.names, n=1)
        meant = f"did you mean {close[0]!r}? Its" if close else "its"
        return f"the table has no column {name!r}; {meant} columns are {listed(self.names)}"

    def take(self, rows: Any) -> Table:
        """Some of the rows, by number or mask."""
        columns = tuple(column.take(rows) for column in self.columns)
        size = int(np.count_nonzero(rows)) if np.asarray(rows).dtype == bool else len(rows)
        return replace(self, columns=columns, n_rows=size)

    def without(self, names: Iterable[str]) -> Table:
        """The other columns."""
        gone = set(names)
        kept = [(name, column) for name, column in zip(self.names, self.columns, strict=True) if name not in gone]
        return replace(self, names=tuple(name for name, _ in kept), columns=tuple(column for _, column in kept))


def different_names(names: Sequence[str]) -> tuple[str, ...]:
    """Headers without the blanks around them; those that are empty are called by their position.

    >>> different_names(["", " price "])
    ('column 1', 'price')
    >>> different_names(["a", "b", "a"])
    Traceback (most recent call last):
        ...
    surefit.study.tables.table.TableError: 2 columns are called 'a'; give every column a name of its own
    """
    found = [name.strip() or f"column {place}" for place, name in enumerate(names, 1)]
    name, count = Counter(found).most_common(1)[0]
    if count > 1:
        raise TableError(f"{count} columns are called {name!r}; give every column a name of its own")
    return tuple(found)
