"""Layer data: any object with an Arrow stream as a source: DuckDB relations, Polars frames, tables, cursors.

In: an object with ``__arrow_c_stream__``, a Polars lazy frame, or a pandas frame.  Out: a `Source`.  A reader of record
batches can be read once; a relation runs its query again.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from surefit.data.blocks.block import Block
from surefit.data.blocks.columns import Columns, SourceError, label_type
from surefit.data.blocks.source import Refilled


def stream_source(
    given: Any, target: str | None, weight: str | None, rows: int, drop: tuple[str, ...] = ()
) -> Refilled:
    """An Arrow stream; refuses what has none."""
    named = not hasattr(given, "iloc") or all(isinstance(name, str) for name in given.columns)
    if not any(hasattr(given, name) for name in ("__arrow_c_stream__", "collect_batches", "collect_schema")) and (
        hasattr(given, "iloc")
    ):
        given = import_module("pyarrow").Table.from_pandas(given, preserve_index=False)
    elif not any(hasattr(given, name) for name in ("__arrow_c_stream__", "collect_schema")):
        raise SourceError(
            f"a {type(given).__name__} yields no rows that can be read; give an array, a table, file names, or "
            "anything with __arrow_c_stream__"
        )
    found = ArrowStream(given, target, weight, rows, drop)
    found.named = named
    return found


class ArrowStream(Refilled):
    """Batches as the object gives them."""

    def __init__(self, given: Any, target: str | None, weight: str | None, rows: int, drop: tuple[str, ...] = ()):
        self.given, self.rows = given, rows
        arrow = import_module("pyarrow")
        self.once = isinstance(given, arrow.RecordBatchReader)
        self.place = f"the {type(given).__name__}"
        schema = given.schema if isinstance(given, arrow.RecordBatchReader | arrow.Table) else self._reader().schema
        self.columns = Columns.of(schema, target, weight, self.place, drop)
        self.label_type = label_type(schema, target)

    def _reader(self) -> Any:
        arrow, given = import_module("pyarrow"), self.given
        if isinstance(given, arrow.RecordBatchReader):
            return given
        if not hasattr(given, "__arrow_c_stream__"):  # a lazy frame
            batches = given.collect_batches(maintain_order=True) if hasattr(given, "collect_batches") else None
            if batches is None:
                return arrow.RecordBatchReader.from_stream(given.collect())
            return _Frames(batches, given.limit(0).collect())
        return arrow.RecordBatchReader.from_stream(given)

    def batches(self) -> Iterator[Block]:
        at = 0
        for batch in self._reader():
            yield self.columns.block(batch, self.place, at)
            at += batch.num_rows


class _Frames:
    """Frames that come one by one, as a reader of their batches."""

    def __init__(self, frames: Any, empty: Any):
        self.frames = frames
        self.schema = empty.to_arrow().schema

    def __iter__(self) -> Iterator[Any]:
        for frame in self.frames:
            yield from frame.to_arrow().to_batches()
