"""Layer data: anything that yields rows, as a `Source`: parts in order, each of which yields blocks.

In: arrays, a data frame, file names with wild cards (Parquet, CSV), any object that offers an Arrow stream (DuckDB
relations, Polars frames, database cursors), Dask arrays and data frames.  Out: a `Source`.  It says whether it can be
read again (``once``), and lists its files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

import numpy as np

from surefit.data.blocks.block import ROWS, Block, Codes, recut
from surefit.data.blocks.columns import Columns, SourceError
from surefit.data.whole_numbers import refuse_merged


class Part(Protocol):
    """Rows that one task reads: blocks in order.  It can be sent to another process."""

    def blocks(self) -> Iterator[Block]:
        """Its blocks."""


@dataclass(frozen=True)
class Held:
    """A part whose one block is in memory already."""

    block: Block

    def blocks(self) -> Iterator[Block]:
        yield self.block


class Source(Protocol):
    """Rows in a fixed order.

    ``columns`` names them, ``once`` is true if they can be read only once, ``rows`` is the size of a block, ``n`` the
    number of rows where that is known beforehand, ``files`` lists what is read with sizes and hashes.  ``named`` is
    false if the names of the columns are not those that its user gave, ``label_type`` is what numbers of the target
    are: bool, int or float.
    """

    columns: Columns
    named: bool
    label_type: type
    once: bool
    rows: int
    n: int | None
    files: tuple[Mapping[str, Any], ...]

    def first(self) -> Block:
        """The first block."""

    def parts(self, apart: bool) -> Iterator[Part]:
        """Parts in order, each of a power of two of blocks but the last; ``apart``: workers may read them."""


class Refilled:
    """A source that is walked from its batches by whoever asks; subclasses give `batches`."""

    columns: Columns
    named = True
    label_type: type = float
    once = False
    rows = ROWS
    n: int | None = None
    files: tuple[Mapping[str, Any], ...] = ()
    _waiting: tuple[Block, Iterator[Block]] | None = None
    _walked = False

    def batches(self) -> Iterator[Block]:
        """Batches of any size, in order."""
        raise NotImplementedError

    def parts(self, apart: bool) -> Iterator[Part]:
        """One block a part, read here."""
        if self.once and self._walked:
            raise SourceError(
                "this source can be read only once, and a second pass was asked for; give files, a table or a relation "
                "that can be read again, or a model that needs one pass: LeastSquares, or Ridge and Lasso with lam"
            )
        self._walked = True
        if self._waiting is not None:
            (first, rest), self._waiting = self._waiting, None
            return (Held(block) for block in chain([first], rest))
        return (Held(block) for block in recut(self.batches(), self.rows))

    def first(self) -> Block:
        """The first block, looked at before any pass; a source that can be read once still has it then."""
        blocks = iter(()) if self.once and self._walked else recut(self.batches(), self.rows)
        found = next(blocks, None)
        if found is None:
            raise SourceError("the source has no rows, or none that are left; give at least one")
        if self.once:
            self._waiting = (found, blocks)
        return found


@dataclass
class Arrays(Refilled):
    """Arrays or memory maps in the memory of this process."""

    X: Any
    y: Any = None
    weight: Any = None
    rows: int = ROWS
    named = False

    def __post_init__(self) -> None:
        if np.ndim(self.X) != 2:
            raise SourceError(f"X must have two dimensions, got {np.ndim(self.X)}; give rows of numbers")
        self.n = int(self.X.shape[0])
        for name, column in (("y", self.y), ("the weights", self.weight)):
            if column is not None and np.shape(column) != (self.n,):
                raise SourceError(f"X has {self.n} rows and {name} the shape {np.shape(column)}; give one entry a row")
        labels = self.y is not None and np.asarray(self.y[:1]).dtype.kind in "OUS"
        self.label_type = array_label_type(self.y)
        names = tuple(f"x{j}" for j in range(self.X.shape[1]))
        self.columns = Columns(names, (), None if self.y is None else "y", labels)

    def batches(self) -> Iterator[Block]:
        for start in range(0, int(self.n or 0), self.rows):
            cut = slice(start, start + self.rows)
            y, weight = (None if one is None else one[cut] for one in (self.y, self.weight))
            yield array_block(self.X[cut], y, weight, start)


def array_label_type(y: Any) -> type:
    """What the classes of an array of numbers are: bool, int or float."""
    kind = "f" if y is None else np.asarray(y[:1]).dtype.kind
    return bool if kind == "b" else int if kind in "iu" else float


def array_block(X: Any, y: Any, weight: Any, start: int) -> Block:
    """Rows of arrays as a block; refuses what is no number."""
    place = f"rows {start} to {start + len(X) - 1}"
    target: Any = None
    words = y is not None and np.asarray(y).dtype.kind in "OUS"
    refuse_merged(X, None if words else y)
    numbers = np.ascontiguousarray(X, dtype=np.float64)
    checked = [("X", numbers)]
    if words:
        levels, codes = np.unique(np.asarray(y, dtype=str), return_inverse=True)
        target = Codes(codes.astype(np.int32), tuple(levels.tolist()))
    elif y is not None:
        target = np.asarray(y, dtype=np.float64)
        checked.append(("y", target))
    if weight is not None:
        weight = np.asarray(weight, dtype=np.float64)
        checked.append(("a weight", weight))
        if np.any(weight < 0):
            raise SourceError(f"a weight in {place} is negative; weights must be >= 0")
    for name, values in checked:
        if not np.all(np.isfinite(values)):
            raise SourceError(f"{name} holds NaN or infinity in {place}; drop or impute such rows first")
    return Block(numbers, (), target, weight, place)


def source_of(
    given: Any,
    target: str | None = None,
    *,
    y: Any = None,
    weight: Any = None,
    rows: int = ROWS,
    drop: Iterable[str] = (),
) -> Source:
    """``given`` as a `Source`: see the top of this page.

    ``target`` names the column of a table, ``weight`` that of its weights, ``drop`` those that are left out; ``y`` and
    ``weight`` are arrays beside an array.

    >>> source = source_of(np.arange(6.0).reshape(3, 2), y=np.arange(3.0))
    >>> source.columns.numbers, source.n, source.once
    (('x0', 'x1'), 3, False)
    """
    if hasattr(given, "parts") and hasattr(given, "columns") and hasattr(given, "once"):
        found: Source = given
        return found
    drop = (drop,) if isinstance(drop, str) else tuple(drop)
    if rows < 1:
        raise ValueError(f"rows must be at least 1, got {rows}; it is the number of rows in a block")
    if isinstance(given, str | os.PathLike) or (
        isinstance(given, list | tuple) and given and all(isinstance(one, str | os.PathLike) for one in given)
    ):
        from surefit.data.blocks.files import files_source

        return files_source(given, target, weight, rows, drop)
    if type(given).__module__.split(".")[0] in ("dask", "dask_expr"):
        from surefit.data.blocks.dask import dask_source

        return dask_source(given, target, y, weight, rows, drop)
    if isinstance(given, np.ndarray):
        if drop:
            raise SourceError("columns of an array have no names to drop; leave them out of the array")
        return Arrays(given, y, weight, rows)
    from surefit.data.blocks.arrow import stream_source

    return stream_source(given, target, weight, rows, drop)
