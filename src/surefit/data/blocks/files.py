"""Layer data: files as a source: Parquet, a row group at a time and the next one read ahead, and CSV.

In: names, folders or wild cards.  Out: a `Source` whose files are sorted by name.  Parquet files know their rows
beforehand, so that workers can read parts of them by themselves.
"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from typing import Any

from surefit.data.blocks.block import ROWS, Block, recut
from surefit.data.blocks.columns import Columns, SourceError, label_type
from surefit.data.blocks.source import Part, Refilled
from surefit.threads import Workers

RUN = 16
"""Blocks of a part that a worker reads by itself: a power of two, about a million rows."""

WHOLE = 64 * 2**20
"""Bytes up to which a file is hashed whole; of larger ones samples are."""

SAMPLES, SAMPLE = 64, 65_536
"""How many samples, and the bytes of each; the first and the last of the file are among them."""


def files_source(given: Any, target: str | None, weight: Any, rows: int, drop: tuple[str, ...] = ()) -> Refilled:
    """Files by name or wild card, all Parquet or all CSV, sorted by name."""
    names = found_files(given)
    endings = {Path(name).suffix.lower() for name in names}
    if endings == {".parquet"}:
        return Parquet(names, target, weight, rows, drop)
    if endings <= {".csv", ".gz"}:
        return Csv(names, target, weight, rows, drop)
    raise SourceError(f"files must be all .parquet or all .csv, got {', '.join(sorted(endings))}; choose one kind")


def found_files(given: Any) -> list[str]:
    """Names, folders and wild cards as names of files, sorted."""
    wanted = [given] if isinstance(given, str | os.PathLike) else list(given)
    names: set[str] = set()
    for one in (str(os.fspath(name)) for name in wanted):
        if os.path.isdir(one):
            found = [os.path.join(one, name) for name in os.listdir(one) if name.endswith((".parquet", ".csv"))]
        else:
            found = [one] if os.path.exists(one) else glob.glob(one)
        if not found:
            raise FileNotFoundError(f"there is no file {one!r}; look at its name")
        names.update(found)
    return sorted(names)


def listed_files(names: Sequence[str]) -> tuple[Mapping[str, Any], ...]:
    """Name, bytes and SHA-256 of each file; of a file above 64 MB the hash is of 64 samples, and says so."""
    return tuple(_listed(name) for name in names)


def _listed(name: str) -> Mapping[str, Any]:
    size, found = os.path.getsize(name), hashlib.sha256()
    with open(name, "rb") as file:
        if size <= WHOLE:
            while piece := file.read(2**20):
                found.update(piece)
        else:
            for k in range(SAMPLES):
                file.seek((size - SAMPLE) * k // (SAMPLES - 1))
                found.update(file.read(SAMPLE))
    return {"name": name, "bytes": size, "sha256": found.hexdigest(), "of": "all" if size <= WHOLE else "64 samples"}


@dataclass(frozen=True)
class RowGroups:
    """The rows from ``start`` up to ``stop`` of a file, counted from its beginning, and the groups they are in."""

    name: str
    start: int
    stop: int
    groups: tuple[tuple[int, int, int], ...]
    """Number, first row and row after the last of each group."""


@dataclass(frozen=True)
class Run:
    """Some rows of Parquet files, read by whoever works on them."""

    columns: Columns
    pieces: tuple[RowGroups, ...]
    rows: int

    def blocks(self) -> Iterator[Block]:
        return recut(self.batches(), self.rows)

    def batches(self) -> Iterator[Block]:
        """Batches of row groups in order; the next group is read while one is at work."""
        tasks = [(piece, group) for piece in self.pieces for group in piece.groups]
        files: dict[str, Any] = {}
        with Workers(1) as ahead:
            coming = ahead.submit(self._read, files, *tasks[0]) if tasks else None
            for k in range(len(tasks)):
                assert coming is not None
                batches = coming.result()
                coming = ahead.submit(self._read, files, *tasks[k + 1]) if k + 1 < len(tasks) else None
                yield from batches

    def _read(self, files: dict[str, Any], piece: RowGroups, group: tuple[int, int, int]) -> list[Block]:
        number, first, last = group
        place = f"row group {number} of {piece.name}"
        start, stop = max(piece.start, first), min(piece.stop, last)
        found, at = [], first
        try:
            if piece.name not in files:  # files come one after the other: no more than one is kept open
                files.clear()
                files[piece.name] = opened(piece.name)
                self.columns.check(files[piece.name].schema_arrow, place)
            file = files[piece.name]
            batches = file.iter_batches(
                batch_size=ROWS, row_groups=[number], columns=self.columns.names, use_threads=False
            )
            for batch in batches:
                begin, end = max(start - at, 0), min(stop - at, batch.num_rows)
                if begin < end:
                    found.append(self.columns.block(batch.slice(begin, end - begin), place, at + begin))
                at += batch.num_rows
                if at >= stop:
                    break
        except SourceError:
            raise
        except (OSError, ValueError, KeyError, IndexError) as error:
            raise SourceError(f"{place} cannot be read ({first_line(error)}); write the file again") from error
        return found


def opened(name: str) -> Any:
    """A Parquet file whose pages are checked where they have checksums."""
    return import_module("pyarrow.parquet").ParquetFile(name, page_checksum_verification=True)


def first_line(error: Exception) -> str:
    """What an error says, in one line."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


@dataclass
class Parquet(Refilled):
    """Parquet files, whose rows are known beforehand."""

    names: list[str]
    target: str | None
    weight: str | None
    rows: int
    drop: tuple[str, ...] = ()
    groups: list[tuple[str, tuple[int, ...]]] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self.files = listed_files(self.names)
        first: Columns | None = None
        for name in self.names:
            try:
                file = opened(name)
            except (OSError, ValueError) as error:
                raise SourceError(f"{name} is no whole Parquet file ({first_line(error)}); write it again") from error
            if first is None:
                first = Columns.of(file.schema_arrow, self.target, self.weight, name, self.drop)
                self.label_type = label_type(file.schema_arrow, self.target)
            first.check(file.schema_arrow, name)
            meta = file.metadata
            self.groups.append((name, tuple(meta.row_group(g).num_rows for g in range(meta.num_row_groups))))
        assert first is not None
        self.columns = first
        self.n = sum(sum(sizes) for _, sizes in self.groups)

    def batches(self) -> Iterator[Block]:
        return self._run(0, int(self.n or 0)).batches()

    def parts(self, apart: bool) -> Iterator[Part]:
        if not apart:
            return super().parts(apart)
        size = RUN * self.rows
        return (self._run(start, start + size) for start in range(0, int(self.n or 0), size))

    def _run(self, start: int, stop: int) -> Run:
        """The rows from ``start`` up to ``stop`` of all files together."""
        pieces, offset = [], 0
        for name, sizes in self.groups:
            ends = list(accumulate(sizes))
            total = ends[-1] if ends else 0
            begin, end = max(start - offset, 0), min(stop - offset, total)
            if begin < end:
                groups = tuple(
                    (g, last - size, last)
                    for g, (size, last) in enumerate(zip(sizes, ends, strict=True))
                    if last > begin and last - size < end
                )
                pieces.append(RowGroups(name, begin, end, groups))
            offset += total
        return Run(self.columns, tuple(pieces), self.rows)


@dataclass
class Csv(Refilled):
    """CSV files with a header; the types of columns are those of the first file."""

    names: list[str]
    target: str | None
    weight: str | None
    rows: int
    drop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.files = listed_files(self.names)
        with open_csv(self.names[0], None) as reader:
            self._schema = reader.schema
        self.columns = Columns.of(self._schema, self.target, self.weight, self.names[0], self.drop)
        self.label_type = label_type(self._schema, self.target)

    def batches(self) -> Iterator[Block]:
        for name in self.names:
            at = 0
            try:
                with open_csv(name, self._schema) as reader:
                    self.columns.check(reader.schema, name)
                    for batch in reader:
                        yield self.columns.block(batch, name, at)
                        at += batch.num_rows
            except SourceError:
                raise
            except (OSError, ValueError, KeyError) as error:
                raise SourceError(f"{name} cannot be read after row {at} ({first_line(error)}); mend it") from error


def open_csv(name: str, schema: Any) -> Any:
    """A CSV file as a reader of batches; the types of its columns are those of ``schema`` where that is given."""
    csv = import_module("pyarrow.csv")
    types = None if schema is None else {field.name: field.type for field in schema}
    try:
        return csv.open_csv(name, convert_options=csv.ConvertOptions(column_types=types))
    except (OSError, ValueError) as error:
        raise SourceError(f"{name} cannot be read as CSV ({first_line(error)}); mend it") from error
