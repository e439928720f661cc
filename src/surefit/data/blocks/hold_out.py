"""Layer data: which rows of a block are held out, decided by a hash of each row and of its place.

In: blocks, a share and a seed.  Out: the rows to learn from and those held out.  The hash sees numbers in single
precision and words by their text, so that the carrier does not change it.  It also sees the number of the row within
its block, and all rows of that block together: equal rows are drawn one by one.  Held out together they would make a
false certificate, since a row that is 30 % of all would be held out whole or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from surefit.data.blocks.block import Block, Codes

ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class HoldOut:
    """``share`` of the rows, another draw for another ``seed``; nothing is held out at 0."""

    share: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0.0 <= self.share < 1.0:
            raise ValueError(f"certify must lie in [0, 1), got {self.share}; .01 of a million rows are plenty")

    def mask(self, block: Block) -> np.ndarray:
        """Which rows are held out."""
        return uniform(block, self.seed) < self.share

    def divided(self, block: Block) -> tuple[Block, Block | None]:
        """The rows to learn from, and those held out if any may be."""
        if self.share == 0.0:
            return block, None
        out = self.mask(block)
        return block.where(~out), block.where(out)


def uniform(block: Block, seed: int) -> np.ndarray:
    """A number in [0, 1) for each row (m,), as if drawn: from a hash of the row, its place and its block."""
    with np.errstate(over="ignore"):
        found = np.full(len(block), np.uint64(seed) * ODD + np.uint64(1))
        for column in block.numbers.T:
            found = _mixed(found, column.astype(np.float32).view(np.uint32))
        for words in (*block.words, block.target):
            if isinstance(words, Codes):
                prints = [int.from_bytes(blake2b(one.encode(), digest_size=8).digest()) for one in words.levels]
                found = _mixed(found, np.array(prints, dtype=np.uint64)[words.codes])
            elif words is not None:
                found = _mixed(found, words.astype(np.float32).view(np.uint32))
        found = _mixed(_mixed(found, found.sum()), np.arange(len(block), dtype=np.uint64))
    return (found >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mixed(found: np.ndarray, value: Any) -> np.ndarray:
    """``found`` itself, changed."""
    found ^= value
    found *= ODD
    found ^= found >> np.uint64(32)
    return found
