"""Layer data: how the columns of blocks become a matrix: numbers about an origin, an indicator for each level.

In: the first block of a source.  Out: a `Layout`, from which any block is a matrix, a few thousand rows at a time.  The
origin and the units are those of the first block.  A level that it lacks gets a column when it comes; its label says
which, so that matrices of different blocks can be put together (`placed`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from surefit.data.blocks.block import Block, Codes
from surefit.data.blocks.columns import MISSING, MOST_LEVELS, Columns, SourceError
from surefit.data.scale import power_of_two

CHUNK = 2048
"""Rows that are made a matrix at a time: they stay in the cache."""

Label = tuple[str, str | None]
"""The name of a column, and of the level that an indicator stands for."""


class Table(NamedTuple):
    """Rows whose columns are ``numbers * inverse - shift`` and an indicator for each level of the words.

    ``codes`` (words, rows) number the ``levels`` of all columns of words, those of a later column larger; a negative
    one has no indicator.
    """

    numbers: np.ndarray
    inverse: np.ndarray
    shift: np.ndarray
    codes: np.ndarray
    levels: int

    def where(self, rows: slice) -> Table:
        """Some of the rows."""
        return self._replace(numbers=self.numbers[rows], codes=np.ascontiguousarray(self.codes[:, rows]))


class Features(Protocol):
    """What makes a matrix of any block: a `Layout`, or a map on top of one."""

    @property
    def labels(self) -> tuple[Label, ...]:
        """One for each column of the matrix."""

    def covering(self, block: Block) -> Features:
        """The same with columns for what the block has in addition."""

    def chunks(self, block: Block, first: int = 0, *, kind: Any = ...) -> Iterator[tuple[slice, np.ndarray]]:
        """Rows of the matrix behind ``first`` columns for others, a few thousand at a time."""

    def tables(self, block: Block) -> Iterator[tuple[slice, Table]]:
        """The same rows with words as codes."""

    def units(self, labels: Sequence[Label]) -> np.ndarray:
        """What one unit of each column is in the units of the table."""

    def origins(self, labels: Sequence[Label]) -> np.ndarray:
        """What was subtracted from each column, in the units of the table."""


@dataclass(frozen=True)
class Layout:
    """``(x - origin) / scale`` for numbers, indicators for words.

    ``references`` are the levels without an indicator, one for each column of words: the most frequent in the first
    block.  ``levels`` are the others, sorted.
    """

    columns: Columns
    origin: np.ndarray
    scale: np.ndarray
    references: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]

    @staticmethod
    def of(block: Block, columns: Columns, centred: bool = True) -> Layout:
        """Learnt from the first block."""
        values = np.ascontiguousarray(block.numbers, dtype=np.float64)  # the order decides how sums are rounded
        scale = power_of_two(np.abs(values).max(axis=0, initial=0.0))
        origin = (values / scale).mean(axis=0) * scale if centred else np.zeros(values.shape[1])
        found = [_by_frequency(column) for column in block.words]
        return Layout(columns, origin, scale, tuple(one[0] for one in found), tuple(in_order(one[1:]) for one in found))

    @property
    def labels(self) -> tuple[Label, ...]:
        """One for each column of the matrix."""
        words = zip(self.columns.words, self.levels, strict=True)
        return (*((name, None) for name in self.columns.numbers), *((name, one) for name, all in words for one in all))

    def units(self, labels: Sequence[Label]) -> np.ndarray:
        """What one unit of each column of the matrix is in the units of the table."""
        known = dict(zip(self.columns.numbers, self.scale, strict=True))
        return np.array([known[name] if level is None else 1.0 for name, level in labels])

    def origins(self, labels: Sequence[Label]) -> np.ndarray:
        """What was subtracted from each column, in the units of the table."""
        known = dict(zip(self.columns.numbers, self.origin, strict=True))
        return np.array([known[name] if level is None else 0.0 for name, level in labels])

    def covering(self, block: Block) -> Layout:
        """This layout, with the levels that the block has in addition at the end of their columns."""
        levels = []
        for name, column, known, reference in zip(
            self.columns.words, block.words, self.levels, self.references, strict=True
        ):
            seen = np.bincount(column.codes, minlength=len(column.levels)) > 0
            new = {level for level, is_there in zip(column.levels, seen, strict=True) if is_there}
            new -= {reference, *known}
            if len(known) + len(new) > MOST_LEVELS:
                raise SourceError(f"column {name!r} has more than {MOST_LEVELS} levels; leave it out: drop=[{name!r}]")
            levels.append((*known, *in_order(new)))
        return replace(self, levels=tuple(levels))

    def completed(self, labels: Sequence[Label]) -> Layout:
        """This layout with all levels among ``labels``, sorted: what was learnt from a whole pass."""
        found: dict[str, list[str]] = {name: [] for name in self.columns.words}
        for name, level in labels:
            if level is not None:
                found[name].append(level)
        return replace(self, levels=tuple(in_order(found[name]) for name in self.columns.words))

    def chunks(
        self, block: Block, first: int = 0, last: int = 0, raw: bool = False, kind: Any = np.float64
    ) -> Iterator[tuple[slice, np.ndarray]]:
        """Rows of the matrix with ``first`` columns before and ``last`` behind it for others, a few thousand at a time.

        ``raw``: numbers as they are, without origin and scale.  A level that is not known counts as the reference.
        ``kind``: the type of the matrix; numbers are moved to their origin in float64 first.  The columns for
        others are to be written by the caller: what stands in them is arbitrary.  The next rows overwrite the matrix.
        """
        a, start = len(self.columns.numbers), first + len(self.columns.numbers)
        places, none = [], 0 if start else -1  # the reference's ones go where others are written afterwards
        for column, levels in zip(block.words, self.levels, strict=True):
            place = {level: start + k for k, level in enumerate(levels)}
            places.append(np.array([place.get(level, none) for level in column.levels], dtype=np.int64))
            start += len(levels)
        shift, inverse = (self.origin / self.scale)[:, None], (1.0 / self.scale)[:, None]  # powers of two: exact
        size = min(CHUNK, len(block))
        room, moved = np.empty((start + last) * size, dtype=kind), np.empty(a * size)
        for begin in range(0, len(block), CHUNK):
            rows = slice(begin, min(begin + CHUNK, len(block)))
            m = rows.stop - begin
            flat, row = room[: (start + last) * m], np.arange(m)
            columns = flat.reshape(start + last, m)  # a column after the other
            columns[first + a :] = 0.0
            for column, number in zip(block.words, places, strict=True):
                at = (number * m).take(column.codes[rows])
                at += row
                flat[at if none == 0 else at[at >= 0]] = 1.0
            numbers, there = block.numbers[rows].T, columns[first : first + a]
            if raw:
                there[:] = numbers
            else:
                found = moved[: a * m].reshape(a, m)
                found[:] = numbers
                found *= inverse
                found -= shift
                there[:] = found
            yield rows, columns.T

    def tables(self, block: Block) -> Iterator[tuple[slice, Table]]:
        """All rows, with words as codes; a level that is not known counts as the reference."""
        codes, start = np.empty((len(block.words), len(block)), dtype=np.int32), 0
        for row, column, levels in zip(codes, block.words, self.levels, strict=True):
            place = {level: start + k for k, level in enumerate(levels)}
            places = np.array([place.get(level, -1) for level in column.levels], dtype=np.int32)
            np.take(places, column.codes, out=row, mode="clip")
            start += len(levels)
        yield slice(0, len(block)), Table(block.numbers, 1.0 / self.scale, self.origin / self.scale, codes, start)


def in_order(levels: Iterable[str]) -> tuple[str, ...]:
    """Levels sorted by name, the missing one last."""
    return tuple(sorted(levels, key=lambda level: (level == MISSING, level)))


def _by_frequency(column: Codes) -> list[str]:
    """The levels that there are, the most frequent first and by name where they tie."""
    counts = np.bincount(column.codes, minlength=len(column.levels))
    found = [(int(-n), level) for n, level in zip(counts, column.levels, strict=True) if n]
    return [level for _, level in sorted(found)]


def together(left: Sequence[Label], right: Sequence[Label]) -> tuple[Label, ...]:
    """The labels of both, those of the left first.

    >>> together((("a", None), ("b", "x")), (("a", None), ("b", "w")))
    (('a', None), ('b', 'x'), ('b', 'w'))
    """
    return (*left, *sorted(set(right) - set(left), key=list(right).index))


def placed(values: np.ndarray, have: Sequence[Label], want: Sequence[Label], axis: int = 0) -> np.ndarray:
    """``values`` with one entry for each of ``have`` along ``axis``, as entries for ``want``; zero where none is."""
    if tuple(have) == tuple(want):
        return values
    place = {label: k for k, label in enumerate(have)}
    moved = np.moveaxis(values, axis, 0)
    found = np.zeros((len(want), *moved.shape[1:]))
    for k, label in enumerate(want):
        if label in place:
            found[k] = moved[place[label]]
    return np.moveaxis(found, 0, axis)
