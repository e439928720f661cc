"""Layer data: which rows of a block are held out, as if drawn, whoever reads them.

In: blocks, a share and a seed.  Out: the rows to learn from and those held out.  The draw is a hash of the number of a
row within its block and of a digest of that block, which sees numbers in single precision and words by their text, so
that the carrier does not change it.  What is in the row itself does not matter: equal rows are drawn one by one.  Held
out together they would make a false certificate, since a row that is 30 % of all would be held out whole or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from surefit.data.blocks.block import Block, Codes

ODD = np.uint64(0x9E3779B97F4A7C15)
FINAL = ((np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB)))


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
    """A number in [0, 1) for each row (m,), as if drawn."""
    with np.errstate(over="ignore"):
        found = np.arange(len(block), dtype=np.uint64)
        found += np.uint64(seed) * ODD + np.uint64(_digest(block))
        for shift, factor in FINAL:  # the finaliser of SplitMix64
            found ^= found >> shift
            found *= factor
        found ^= found >> np.uint64(31)
    return (found >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _digest(block: Block) -> int:
    """A number for the rows of a block, the same in whatever order its columns and levels are kept in memory."""
    found = blake2b(digest_size=8)
    for column in (*block.numbers.T, *block.words, block.target):
        if isinstance(column, Codes):
            counts = zip(column.levels, np.bincount(column.codes, minlength=len(column.levels)).tolist(), strict=True)
            found.update(repr(sorted(one for one in counts if one[1])).encode())
        elif column is not None:
            bits = column.astype(np.float32).view(np.uint32)
            found.update(np.array([bits.sum(dtype=np.uint64), np.bitwise_xor.reduce(bits)], dtype="<u8").tobytes())
    return int.from_bytes(found.digest())
