"""Layer data: a block of rows, and rows cut anew into blocks of one fixed size.

In: batches of any size, in order.  Out: `Block` records of `ROWS` rows, the last one shorter.  Where the batches began
and ended changes nothing, so that an answer depends on the rows and their order alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

ROWS = 65_536
"""Rows of a block: some 10 MB of 20 columns, and a tenth of a second of arithmetic."""


@dataclass(frozen=True)
class Codes:
    """A column of words: ``codes`` (m,) number its ``levels``."""

    codes: np.ndarray
    levels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def words(self) -> np.ndarray:
        """The words themselves."""
        return np.array(self.levels, dtype=object)[self.codes]


@dataclass(frozen=True)
class Block:
    """Rows: ``numbers`` (m, a), ``words`` (columns of levels), ``target`` (numbers or levels), weights.

    Numbers are in float64, or in float32 where all columns of the source are: what is computed from them is not.
    ``target`` is None for rows that are only to be predicted.  ``place`` says in words where the rows come from.
    """

    numbers: np.ndarray
    words: tuple[Codes, ...] = ()
    target: np.ndarray | Codes | None = None
    weight: np.ndarray | None = None
    place: str = ""

    def __len__(self) -> int:
        return len(self.numbers)

    def cut(self, start: int, stop: int) -> Block:
        """The rows from ``start`` up to ``stop``."""
        return self.where(slice(start, stop))

    def where(self, rows: slice | np.ndarray) -> Block:
        """Some of the rows: a slice, or which of them."""
        if isinstance(rows, np.ndarray) and rows.dtype == bool:
            rows = np.flatnonzero(rows)
        target = self.target
        if isinstance(target, Codes):
            target = Codes(target.codes[rows], target.levels)
        elif target is not None:
            target = target[rows]
        words = tuple(Codes(one.codes[rows], one.levels) for one in self.words)
        weight = None if self.weight is None else self.weight[rows]
        numbers = self.numbers
        if isinstance(rows, slice) or not numbers.flags.f_contiguous or not numbers.shape[1]:
            numbers = numbers[rows]
        else:  # a column after the other, as they are in memory
            numbers = np.take(numbers.T, rows, axis=1).T
        return replace(self, numbers=numbers, words=words, target=target, weight=weight)


def stacked(parts: list[Block]) -> Block:
    """Several blocks as one, in order; levels are called by the union of their names."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    target: np.ndarray | Codes | None = None
    if isinstance(first.target, Codes):
        target = _joined([part.target for part in parts])  # type: ignore[misc]
    elif first.target is not None:
        target = np.concatenate([part.target for part in parts])
    weight = None if first.weight is None else np.concatenate([part.weight for part in parts])
    words = tuple(_joined([part.words[k] for part in parts]) for k in range(len(first.words)))
    return Block(np.concatenate([part.numbers for part in parts]), words, target, weight, first.place)


def _joined(columns: list[Codes]) -> Codes:
    if all(column.levels == columns[0].levels for column in columns):
        return Codes(np.concatenate([column.codes for column in columns]), columns[0].levels)
    known: dict[str, int] = {}
    codes = []
    for column in columns:
        places = np.array([known.setdefault(level, len(known)) for level in column.levels], dtype=np.int32)
        codes.append(places[column.codes] if len(places) else column.codes)
    return Codes(np.concatenate(codes), tuple(known))


def recut(batches: Iterable[Block], rows: int = ROWS) -> Iterator[Block]:
    """Blocks of exactly ``rows`` rows, the last one shorter; empty batches vanish.

    >>> [len(block) for block in recut([Block(np.zeros((5, 1))), Block(np.zeros((2, 1)))], rows=3)]
    [3, 3, 1]
    """
    waiting: list[Block] = []
    held = 0
    for batch in batches:
        start = 0
        while start < len(batch):
            stop = min(len(batch), start + rows - held)
            waiting.append(batch.cut(start, stop))
            held, start = held + stop - start, stop
            if held == rows:
                yield stacked(waiting)
                waiting, held = [], 0
    if held:
        yield stacked(waiting)
