"""Layer data: how often each of some known rows comes, by looking every row up in a table.

In: distinct rows of a few blocks, then all blocks.  Out: `Counted`: the weight of each known row, and the distinct rows
that were not known.  Looking a row up takes a few steps, where sorting it into its block takes many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from surefit.data.blocks.block import Block, Codes, stacked
from surefit.data.blocks.distinct import Distinct, distinct
from surefit.data.blocks.distinct import merge as merge_distinct

PROBES = 4
"""Places in the table at which a row may be; one that finds all taken counts as not known."""

ROOM = 8
"""Places of the table for each known row, at the least."""

FACTORS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93)
"""Odd numbers, one for each probe."""

Values = tuple[str, ...] | np.ndarray
"""The levels of a column of words, or the sorted values of one of numbers."""


@dataclass(frozen=True)
class Known:
    """Distinct rows with their keys (m,) and the table (PROBES share it) that leads from a key to its row."""

    block: Block
    values: tuple[Values, ...]
    keys: np.ndarray
    table: np.ndarray

    @staticmethod
    def of(found: Distinct) -> Known | None:
        """None where keys would not fit into 64 bits."""
        block = replace(found.block, weight=None)
        values = tuple(c.levels if isinstance(c, Codes) else np.unique(c) for c in _columns(block))
        if sum(np.log2(len(one) + 1.0) for one in values) > 62:
            return None
        keys = _keys(block, values)
        bits = int(np.ceil(np.log2(max(ROOM * len(keys), 2))))
        table, left = np.full(2**bits, -1, dtype=np.int32), np.arange(len(keys), dtype=np.int32)
        for probe in range(PROBES):
            place = _places(keys[left], probe, bits)
            free = table[place] < 0
            table[place[free]] = left[free]  # of several rows at one place the last stays
            left = left[table[place] != left]
        return Known(block, values, keys, table)

    def rows(self, block: Block) -> np.ndarray:
        """For each row of a block the number of the known row that it equals, or -1."""
        keys = _keys(block, self.values)
        bits = len(self.table).bit_length() - 1
        found = self.table[_places(keys, 0, bits)]
        wrong = np.flatnonzero(self.keys[found] != keys)  # -1 is the last row, which the key tells apart
        for probe in range(1, PROBES):
            there = self.table[_places(keys[wrong], probe, bits)]
            right = self.keys[there] == keys[wrong]
            found[wrong[right]], wrong = there[right], wrong[~right]
        found[wrong] = -1
        return found


def _places(keys: np.ndarray, probe: int, bits: int) -> np.ndarray:
    with np.errstate(over="ignore"):
        return ((keys.view(np.uint64) * np.uint64(FACTORS[probe])) >> np.uint64(64 - bits)).view(np.int64)


def _columns(block: Block) -> Iterator[Codes | np.ndarray]:
    for column in (*block.words, block.target, *block.numbers.T):
        if column is not None:
            yield column


def _keys(block: Block, values: tuple[Values, ...]) -> np.ndarray:
    """A number for each row, the same for equal rows only as long as all its values are known."""
    key, part = np.zeros(len(block), dtype=np.int64), np.empty(len(block), dtype=np.int64)
    size = 1
    for column, known in zip(_columns(block), values, strict=True):
        if isinstance(column, Codes):
            place = {level: k for k, level in enumerate(known)}
            worth = np.array([size * place.get(level, len(known)) for level in column.levels], dtype=np.int64)
            key += np.take(worth, column.codes, out=part, mode="clip")  # which need not look for codes out of range
        else:
            at = np.minimum(np.searchsorted(known, column), len(known) - 1)
            key += size * np.where(np.asarray(known)[at] == column, at, len(known))
        size *= len(known) + 1
    return key


@dataclass(frozen=True)
class Counted:
    """The weights (m,) of the known rows, the rows that are none of them, and how many rows there were."""

    weights: np.ndarray
    others: Distinct | None
    n: int


@dataclass(frozen=True)
class Count:
    """The `Counted` of a block."""

    known: Known

    def __call__(self, block: Block) -> Counted:
        found = self.known.rows(block)
        here, weight, others = found >= 0, block.weight, None
        if not here.all():
            others = distinct(block.where(~here))
            found, weight = found[here], None if weight is None else weight[here]
        return Counted(np.bincount(found, weight, minlength=len(self.known.keys)).astype(float), others, len(block))


def merge(left: Counted, right: Counted) -> Counted:
    """The counts of both."""
    others = left.others or right.others
    if left.others is not None and right.others is not None:
        others = merge_distinct(left.others, right.others)
    return Counted(left.weights + right.weights, others, left.n + right.n)


def as_distinct(found: Counted, known: Known) -> Distinct:
    """All distinct rows with their weights."""
    there = found.weights > 0
    rows = replace(known.block.where(there), weight=found.weights[there])
    if found.others is not None:
        rows = distinct(stacked([rows, found.others.block])).block
    return Distinct(rows, found.n)
