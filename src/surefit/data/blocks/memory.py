"""Layer data: rows that arrive block by block.

In: arrays or memory maps, or any re-iterable of ``(X, y)`` or ``(X, y, weight)`` blocks.  Out: checked float64 blocks.
Boundaries are fixed by the caller, so results do not depend on how many workers read them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

Block = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class RowBlocks:
    """Arrays (or memory maps) seen as blocks of ``rows`` rows; can be walked any number of times.

    >>> blocks = RowBlocks(np.arange(6.0).reshape(3, 2), np.arange(3.0), rows=2)
    >>> [X.shape for X, y in blocks]
    [(2, 2), (1, 2)]
    """

    X: Any
    y: Any
    rows: int
    weight: Any = None

    def __post_init__(self) -> None:
        if self.rows < 1:
            raise ValueError(f"rows must be at least 1, got {self.rows}; it is the number of rows in a block")
        for name, column in (("y", self.y), ("weight", self.weight)):
            if column is not None and len(column) != self.X.shape[0]:
                raise ValueError(f"X has {self.X.shape[0]} rows and {name} has {len(column)}; give one entry per row")

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for start in range(0, self.X.shape[0], self.rows):
            rows = slice(start, start + self.rows)
            yield (self.X[rows], self.y[rows]) + (() if self.weight is None else (self.weight[rows],))


def checked_blocks(blocks: Iterable[Any]) -> Iterator[Block]:
    """Every block as float64 ``(X, y, weight)`` with ``y`` of shape ``(m,)``; refuses what cannot be fitted."""
    width = None
    for number, block in enumerate(blocks):
        X = block[0].toarray() if sparse.issparse(block[0]) else block[0]
        X, y = np.asarray(X, dtype=np.float64), np.asarray(block[1], dtype=np.float64)
        weight = np.ones(len(X)) if len(block) < 3 else np.asarray(block[2], dtype=np.float64)
        if X.ndim != 2 or y.shape != (len(X),) or weight.shape != (len(X),):
            raise ValueError(
                f"block {number} has X of shape {X.shape}, y of shape {y.shape} and weights of shape {weight.shape}; "
                "each block needs X (m, d), y (m,) and optionally weights (m,)"
            )
        width = X.shape[1] if width is None else width
        if X.shape[1] != width:
            raise ValueError(f"block {number} has {X.shape[1]} columns, the first had {width}; all blocks must agree")
        if not (np.all(np.isfinite(X)) and np.all(np.isfinite(y))):
            raise ValueError(f"block {number} contains NaN or infinity; clean or impute it first")
        if not np.all(np.isfinite(weight)) or np.any(weight < 0):
            raise ValueError(f"block {number} has a negative or non-finite weight; weights must be >= 0")
        yield X, y, weight
