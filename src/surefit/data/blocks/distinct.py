"""Layer data: equal rows as one row with their weights added.

In: blocks.  Out: a block of the distinct rows, sorted, whose weights say how often each came.  A weight counts as so
many copies in every loss, so that an objective stays the same.  The order of the rows depends on their values alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from surefit.data.blocks.block import Block, Codes, recut, stacked
from surefit.data.blocks.source import Refilled, Source

MOST_DISTINCT = 200_000
"""Distinct rows beyond which they are not kept: 300 MB of 200 features."""

PAYS = 4
"""Copies of a row on average from which on a pass that counts them pays."""


class TooManyDistinct(Exception):
    """More distinct rows than the sample promised: the pass is given up."""


@dataclass(frozen=True)
class Distinct:
    """Distinct rows with the sum of their weights, and how many rows they stand for."""

    block: Block
    n: int


def distinct(block: Block) -> Distinct:
    """The distinct rows of a block.

    >>> found = distinct(Block(np.array([[2.0], [1.0], [2.0]]), target=np.array([1.0, 0.0, 1.0])))
    >>> found.block.numbers[:, 0], found.block.weight, found.n
    (array([1., 2.]), array([1., 2.]), 3)
    """
    return Distinct(_sorted(block, "quicksort"), len(block))


def _sorted(block: Block, kind: Literal["quicksort", "stable"]) -> Block:
    key = _keys(block)
    order = np.argsort(key, kind=kind)
    key = key[order]
    starts = np.flatnonzero(np.concatenate([np.ones(min(len(key), 1), dtype=bool), key[1:] != key[:-1]]))
    weight = np.ones(len(block)) if block.weight is None else block.weight
    summed = np.add.reduceat(weight[order], starts) if len(starts) else weight
    return replace(block.where(order[starts]), weight=summed)


def merge(left: Distinct, right: Distinct) -> Distinct:
    """The distinct rows of both."""
    found = _sorted(stacked([left.block, right.block]), "stable")  # which merges what is sorted
    if len(found) > MOST_DISTINCT:
        raise TooManyDistinct
    return Distinct(found, left.n + right.n)


def pays(sample: Block, n: int | None) -> bool:
    """Whether so few distinct rows are to be expected among ``n`` that counting them pays.

    ``D`` equally frequent rows leave ``D (1 - exp(-m / D))`` distinct ones among ``m``, which is solved for ``D``; rows
    of unequal frequency are more than that.
    """
    m = len(sample)
    seen = len(np.unique(_keys(sample)))
    if seen >= m * (1 - m / (2 * MOST_DISTINCT + m)):
        return False
    low, high = float(seen), float(MOST_DISTINCT)
    if -high * np.expm1(-m / high) < seen:
        return False
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if -middle * np.expm1(-m / middle) >= seen else (middle, high)
    return n is None or n >= PAYS * high


def _keys(block: Block) -> np.ndarray:
    """A number for each row: equal for equal rows, and in the order of their words, then target, then numbers."""
    key, size = np.zeros(len(block), dtype=np.int64), 1
    for codes, count in _ranks(block):
        if size * count > 2**62:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            size = len(key)
        key, size = key * count + codes, size * count
    return key


def _ranks(block: Block) -> Iterator[tuple[np.ndarray, int]]:
    """Each column as ranks of its values, and how many there are."""
    numbers = [block.numbers[:, j] for j in range(block.numbers.shape[1])]
    for column in (*block.words, block.target, *numbers):
        if isinstance(column, Codes):
            names, rank = np.unique(np.array(column.levels), return_inverse=True)
            yield rank.astype(np.int64)[column.codes], len(names)
        elif column is not None:
            values, codes = np.unique(column, return_inverse=True)
            yield codes, len(values)


class Kept(Refilled):
    """Distinct rows in memory in place of the source they came from."""

    def __init__(self, source: Source, block: Block):
        self.columns, self.rows, self.files, self.block = source.columns, source.rows, source.files, block
        self.n = len(block)

    def batches(self) -> Iterator[Block]:
        return recut([self.block], self.rows)
