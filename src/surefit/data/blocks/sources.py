"""Layer data: rows that come from files, frames or standard input, in blocks.

In: a path (CSV, Parquet, Arrow, JSON lines), an open text file, a data frame or Arrow table, or blocks as they are.
Out: pairs ``(X, y)``: a data frame or a list of dictionaries, and the targets.  No more than one block is in memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from surefit.parameters import whole

FORMATS = {".csv": "csv", ".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow", ".jsonl": "jsonl",
           ".ndjson": "jsonl"}  # fmt: skip

Pair = tuple[Any, Any]


def row_blocks(source: Any, target: str = "y", *, rows: int = 1000, format: str | None = None) -> Iterator[Pair]:
    """Blocks ``(X, y)`` of at most ``rows`` rows from ``source``, in its order; ``target`` names the column ``y``.

    ``format``: ``"csv"``, ``"parquet"``, ``"arrow"`` or ``"jsonl"``, where the end of the path does not say it.

    >>> import io
    >>> events = io.StringIO('{"a": 1.0, "y": 2.0}\\n{"a": 3.0, "y": 4.0}\\n')
    >>> list(row_blocks(events, format="jsonl"))
    [([{'a': 1.0}, {'a': 3.0}], [2.0, 4.0])]
    """
    rows = whole("rows", rows, "it is the number of rows in a block")
    if isinstance(source, str | os.PathLike):
        kind = format or FORMATS.get(Path(source).suffix.lower())
        if kind is None:
            raise ValueError(f"the format of {str(source)!r} is not known by its name; give format='csv' or another")
        if not Path(source).exists():
            raise FileNotFoundError(f"there is no file {str(source)!r}; look at its name")
        yield from _READERS[_known(kind)](source, target, rows)
    elif hasattr(source, "readline"):
        if format is None:
            raise ValueError("an open file does not say what it holds; give format='csv' or 'jsonl'")
        yield from _READERS[_known(format)](source, target, rows)
    elif hasattr(source, "columns") or hasattr(source, "column_names"):
        yield from _from_frame(source, target, rows)
    else:
        yield from source


def _known(kind: str) -> str:
    if kind not in _READERS:
        raise ValueError(f"format must be one of {', '.join(map(repr, _READERS))}, got {kind!r}")
    return kind


def _divided(frame: Any, target: str) -> Pair:
    """A pandas frame without its target, and the target."""
    if target not in frame.columns:
        raise ValueError(f"there is no column {target!r}; the columns are {', '.join(map(str, frame.columns))}")
    return frame.drop(columns=target), frame[target].to_numpy()


def _from_frame(source: Any, target: str, rows: int) -> Iterator[Pair]:
    count = source.num_rows if hasattr(source, "num_rows") else source.shape[0]
    for start in range(0, count, rows):
        rows_at = slice(start, start + rows)
        part = source.iloc[rows_at] if hasattr(source, "iloc") else source.slice(start, rows).to_pandas()
        yield _divided(part, target)


def _csv(source: Any, target: str, rows: int) -> Iterator[Pair]:
    pandas = import_module("pandas")
    for frame in pandas.read_csv(source, chunksize=rows):
        yield _divided(frame, target)


def _parquet(source: Any, target: str, rows: int) -> Iterator[Pair]:
    file = import_module("pyarrow.parquet").ParquetFile(source)
    for batch in file.iter_batches(batch_size=rows):
        yield _divided(batch.to_pandas(), target)


def _arrow(source: Any, target: str, rows: int) -> Iterator[Pair]:
    file = import_module("pyarrow.ipc").open_file(os.fspath(source))
    for k in range(file.num_record_batches):
        batch = file.get_batch(k)
        for start in range(0, batch.num_rows, rows):
            yield _divided(batch.slice(start, rows).to_pandas(), target)


def _json_lines(source: Any, target: str, rows: int) -> Iterator[Pair]:
    if isinstance(source, str | os.PathLike):
        with open(source, encoding="utf-8") as file:
            yield from _json_lines(file, target, rows)
        return
    events = _events(source, target)
    while block := list(islice(events, rows)):
        yield [row for row, _ in block], [label for _, label in block]


def _events(lines: Iterable[str], target: str) -> Iterator[tuple[dict[str, Any], Any]]:
    for k, line in enumerate(lines):
        if not line.strip():
            continue
        try:
            event = json.loads(line)
        except ValueError as error:
            raise ValueError(f"line {k + 1} is not JSON ({error}); give one object a line") from None
        if not isinstance(event, dict) or target not in event:
            raise ValueError(
                f"line {k + 1} is no object with the target {target!r}; name the target, one object a line"
            )
        yield event, event.pop(target)


_READERS = {"csv": _csv, "parquet": _parquet, "arrow": _arrow, "jsonl": _json_lines}
