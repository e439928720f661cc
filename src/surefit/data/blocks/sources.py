"""Layer data: rows that come from files, frames or standard input, in blocks.

In: a path (CSV, Parquet, Arrow, JSON lines), an open text file, a data frame or Arrow table, or blocks as they are.
Out: pairs ``(X, y)``: a data frame or a list of dictionaries, and the targets.  No more than one block is in memory.
"""

from __future__ import annotations

import csv
import io
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
_RIGHT_NAME = "give the right name as target='...'"
_OR_SKIP = "or skip and count such lines with bad_rows='skip'"


def row_blocks(
    source: Any, target: str = "y", *, rows: int = 1000, format: str | None = None, skip: bool = False
) -> Iterator[Pair]:
    """Blocks ``(X, y)`` of at most ``rows`` rows from ``source``, in its order; ``target`` names the column ``y``.

    ``format``: ``"csv"``, ``"parquet"``, ``"arrow"`` or ``"jsonl"``, where the end of the path does not say it.
    ``skip``: a line that cannot be read is no error but a row without features and target, which no model learns from.

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
        yield from _READERS[_known(kind)](source, target, rows, skip)
    elif hasattr(source, "readline"):
        if format is None:
            raise ValueError("an open file does not say what it holds; give format='csv' or 'jsonl'")
        yield from _READERS[_known(format)](source, target, rows, skip)
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
        raise ValueError(
            f"there is no column {target!r}; the columns are {', '.join(map(str, frame.columns))}; {_RIGHT_NAME}"
        )
    return frame.drop(columns=target), frame[target].to_numpy()


def _from_frame(source: Any, target: str, rows: int) -> Iterator[Pair]:
    count = source.num_rows if hasattr(source, "num_rows") else source.shape[0]
    for start in range(0, count, rows):
        rows_at = slice(start, start + rows)
        part = source.iloc[rows_at] if hasattr(source, "iloc") else source.slice(start, rows).to_pandas()
        yield _divided(part, target)


def _csv(source: Any, target: str, rows: int, skip: bool) -> Iterator[Pair]:
    if isinstance(source, str | os.PathLike):
        with open(source, encoding="utf-8-sig", newline="") as file:
            yield from _csv(file, target, rows, skip)
        return
    head, pandas = "", import_module("pandas")
    for lines in _csv_blocks(source, rows, skip):
        if not head:
            head = lines[0]
        elif not lines:
            yield [{}], [None]
        else:
            frame = pandas.read_csv(io.StringIO(head + "".join(lines)))
            yield _divided(_numeric(frame), target)


def _csv_blocks(source: Iterable[str], rows: int, skip: bool) -> Iterator[list[str]]:
    """The line of names, then lines of at most ``rows`` rows each; nothing for a row that cannot be read."""
    raw: list[str] = []
    stopped: list[KeyboardInterrupt] = []
    reader = csv.reader(_noted(source, raw, stopped))
    names = next(reader, [])
    if not names:
        raise ValueError("there is nothing to read; give a line of column names, then one line a row")
    if names[0].startswith("{"):
        raise ValueError("the first line is an object, not names of columns; give format='jsonl'")
    yield [raw[0] if raw[0].endswith("\n") else raw[0] + "\n"]
    raw.clear()
    block: list[str] = []
    count = 0
    for row in reader:
        if row and len(row) != len(names):
            if not skip:
                yield from [block] if block else []
                found = f"line {reader.line_num} has {len(row)} fields, and the first line {len(names)}"
                raise ValueError(f"{found}; mend it, {_OR_SKIP}")
            yield from [block, []] if block else [[]]
            block, count = [], 0
        elif row:
            block, count = block + raw, count + 1
        raw.clear()
        if count == rows:
            yield block
            block, count = [], 0
    if block:
        yield block
    if stopped:
        raise stopped[0]


def _noted(source: Iterable[str], lines: list[str], stopped: list[KeyboardInterrupt]) -> Iterator[str]:
    """The lines of ``source``, each put down as it is read; Ctrl-C ends them, so that those that came are given out."""
    try:
        for line in source:
            lines.append(line)
            yield line
    except KeyboardInterrupt as interrupt:
        stopped.append(interrupt)


def _numeric(frame: Any) -> Any:
    """Cells that are numbers as numbers, also beside words in the same column."""
    pandas = import_module("pandas")
    for name in frame.columns:
        column = frame[name]
        if getattr(column.dtype, "kind", "O") == "O":
            found = pandas.to_numeric(column, errors="coerce").astype(object)
            frame[name] = found.where(found.notna() | column.isna(), column)
    return frame


def _parquet(source: Any, target: str, rows: int, skip: bool) -> Iterator[Pair]:
    file = import_module("pyarrow.parquet").ParquetFile(source)
    for batch in file.iter_batches(batch_size=rows):
        yield _divided(batch.to_pandas(), target)


def _arrow(source: Any, target: str, rows: int, skip: bool) -> Iterator[Pair]:
    file = import_module("pyarrow.ipc").open_file(os.fspath(source))
    for k in range(file.num_record_batches):
        batch = file.get_batch(k)
        for start in range(0, batch.num_rows, rows):
            yield _divided(batch.slice(start, rows).to_pandas(), target)


def _json_lines(source: Any, target: str, rows: int, skip: bool) -> Iterator[Pair]:
    if isinstance(source, str | os.PathLike):
        with open(source, encoding="utf-8") as file:
            yield from _json_lines(file, target, rows, skip)
        return
    events = _events(source, target, skip)
    while block := list(islice(events, rows)):
        yield [row for row, _ in block], [label for _, label in block]


def _events(lines: Iterable[str], target: str, skip: bool) -> Iterator[tuple[dict[str, Any], Any]]:
    for k, line in enumerate(lines):
        if not line.strip():
            continue
        try:
            event = json_object(line, k)
        except ValueError as error:
            if k == 0 and names_columns(line):
                raise ValueError("the first line is not JSON, but looks like column names; give format='csv'") from None
            if not skip:
                raise ValueError(f"{error}, {_OR_SKIP}") from None
            yield {}, None
            continue
        if target not in event and (k == 0 or not skip):  # in the first line: the name is wrong, and in all others
            names = ", ".join(map(repr, event)) or "none"
            remedy = _RIGHT_NAME if k == 0 else f"add it, {_OR_SKIP}"
            raise ValueError(f"line {k + 1} has no target {target!r}, its names are {names}; {remedy}")
        yield event, event.pop(target, None)


def names_columns(line: str) -> bool:
    """Whether a line looks like the first of a CSV file, not like JSON."""
    return "," in line and "{" not in line


def json_object(line: str, k: int) -> dict[str, Any]:
    """Line ``k`` of a file of JSON lines."""
    try:
        event = json.loads(line)
    except ValueError as error:
        raise ValueError(f"line {k + 1} is not JSON ({error}); give one object a line") from None
    if not isinstance(event, dict):
        raise ValueError(f"line {k + 1} is not an object; give features and target by name")
    return event


_READERS = {"csv": _csv, "parquet": _parquet, "arrow": _arrow, "jsonl": _json_lines}
