"""Layer data: Dask arrays and data frames as sources.

In: a ``dask.array`` with its target, or a ``dask.dataframe`` with the name of one.  Out: a `Source` whose parts are
pieces of the graph: under the Dask executor they are computed where they are used, otherwise here, one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from surefit.data.blocks.block import Block, recut
from surefit.data.blocks.columns import Columns, SourceError, label_type
from surefit.data.blocks.source import Part, Refilled, array_block, array_label_type


@dataclass(frozen=True)
class Delayed:
    """A part that Dask computes: ``delayed`` gives the list of its blocks."""

    delayed: Any

    def blocks(self) -> Iterator[Block]:
        return iter(self.delayed.compute(scheduler="threads"))


class _Graph(Refilled):
    """What both kinds share."""

    def first(self) -> Block:
        """The first block, computed here."""
        return next(next(iter(self.parts(False))).blocks())


def dask_source(given: Any, target: str | None, y: Any, weight: Any, rows: int, drop: tuple[str, ...] = ()) -> Refilled:
    """A Dask array with ``y`` beside it, or a Dask data frame with a column ``target``."""
    if y is not None and hasattr(given, "to_dask_array"):
        given = given.to_dask_array(lengths=True)
    if hasattr(y, "to_dask_array"):
        y = y.to_dask_array(lengths=True)
    if hasattr(given, "rechunk"):
        return DaskArray(given, y, weight, rows)
    if hasattr(given, "partitions"):
        return DaskFrame(given, target, weight, rows, drop)
    raise SourceError(f"a Dask {type(given).__name__} is no table; give a dask.array or a dask.dataframe")


class DaskArray(_Graph):
    """Chunks of a Dask array, cut anew by Dask itself."""

    named = False

    def __init__(self, X: Any, y: Any, weight: Any, rows: int):
        if X.ndim != 2 or np.isnan(X.shape[0]):
            raise SourceError("the Dask array needs two dimensions and known chunks; call compute_chunk_sizes() first")
        self.X, self.y, self.weight, self.rows, self.n = X, y, weight, rows, int(X.shape[0])
        for name, column in (("y", y), ("the weights", weight)):
            if column is not None and column.shape != (self.n,):
                raise SourceError(f"X has {self.n} rows and {name} the shape {column.shape}; give one entry a row")
        labels = y is not None and y.dtype.kind in "OUS"
        self.label_type = float if y is None else array_label_type(np.empty(1, y.dtype))
        names = tuple(f"x{j}" for j in range(X.shape[1]))
        self.columns = Columns(names, (), None if y is None else "y", labels)

    def parts(self, apart: bool) -> Iterator[Part]:
        dask, array = import_module("dask"), import_module("dask.array")
        X = self.X.rechunk((self.rows, -1)).to_delayed().ravel()
        beside = [
            [None] * len(X) if one is None else array.asarray(one).rechunk(self.rows).to_delayed().ravel()
            for one in (self.y, self.weight)
        ]
        make = dask.delayed(_one, pure=True)
        starts = range(0, int(self.n or 0), self.rows)
        return (Delayed(make(*columns, start)) for *columns, start in zip(X, *beside, starts, strict=True))


def _one(X: Any, y: Any, weight: Any, start: int) -> list[Block]:
    return [array_block(X, y, weight, start)]


class DaskFrame(_Graph):
    """Partitions of a Dask data frame; a block is made of the partitions that it touches."""

    def __init__(self, frame: Any, target: str | None, weight: str | None, rows: int, drop: tuple[str, ...] = ()):
        self.frame, self.rows, self.named = frame, rows, all(isinstance(name, str) for name in frame.columns)
        arrow = import_module("pyarrow")
        schema = arrow.Schema.from_pandas(frame._meta_nonempty, preserve_index=False)
        self.columns = Columns.of(schema, target, weight, "the source", drop)
        self.label_type = label_type(schema, target)
        self._sizes: list[int] | None = None

    def parts(self, apart: bool) -> Iterator[Part]:
        dask = import_module("dask")
        pieces = self.frame.to_delayed()
        if self._sizes is None:
            self._sizes = [int(size) for size in dask.compute(*map(dask.delayed(len), pieces))]
            self.n = sum(self._sizes)
        make, ends = dask.delayed(_joined_frames, pure=True), np.cumsum(self._sizes)
        for start in range(0, int(self.n or 0), self.rows):
            stop = min(start + self.rows, int(self.n or 0))
            touched = [k for k, end in enumerate(ends) if end > start and end - self._sizes[k] < stop]
            first = int(ends[touched[0]]) - self._sizes[touched[0]]
            yield Delayed(make(self.columns, [pieces[k] for k in touched], start - first, stop - first, touched[0]))


def _joined_frames(columns: Columns, frames: list[Any], start: int, stop: int, first: int) -> list[Block]:
    arrow, found, at = import_module("pyarrow"), [], 0
    for k, frame in enumerate(frames):
        part = frame.iloc[max(start - at, 0) : max(stop - at, 0)]
        table = arrow.Table.from_pandas(part, preserve_index=False)
        columns.check(table.schema, f"partition {first + k}")
        for batch in table.to_batches():
            found.append(columns.block(batch, f"partition {first + k}", max(start - at, 0)))
        at += len(frame)
    return list(recut(found, stop - start))
