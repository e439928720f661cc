"""Layer study: CSV and TSV files, also compressed by gzip, in blocks of rows of texts.

In: a binary stream.  Out: the header and blocks of columns of texts; nothing is guessed from the first block, since
what a column means is decided when all of it is known.  Refused, with the line: rows with more or fewer fields than the
header, quotes that are never closed, bytes that are no text.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from surefit.study.tables.table import TableError, different_names

BLOCK = 20_000
"""Rows that are read at a time."""

SAMPLE = 1 << 16
"""Bytes at the beginning of a file by which separator and kind are judged."""

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

LONGEST_FIELD = 1 << 24
"""Characters of the longest field; a longer one is a quote that was never closed."""

GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class TextLayout:
    """How the texts of a file are separated and encoded."""

    separator: str
    encoding: str
    compressed: bool

    def __str__(self) -> str:
        packed = "gzip-compressed " if self.compressed else ""
        return f"{packed}text separated by {SEPARATORS.get(self.separator, repr(self.separator))}, {self.encoding}"


def unpacked(stream: Any) -> tuple[Any, bool]:
    """A stream with what is inside it if it is compressed by gzip, and whether it was."""
    if stream.peek(2)[:2] != GZIP:
        return stream, False
    return io.BufferedReader(gzip.GzipFile(fileobj=stream), SAMPLE), True


def encoding_of(sample: bytes) -> str:
    """The encoding that the first bytes of a file give away; UTF-8 unless they do.

    >>> encoding_of(b"\\xef\\xbb\\xbfa,b"), encoding_of("a,b".encode("utf-16")), encoding_of(b"a,b")
    ('utf-8-sig', 'utf-16', 'utf-8')
    """
    if sample.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    return "utf-16" if sample.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"


def separator_of(sample: str, otherwise: str = ",") -> str:
    """The separator by which the first lines have most fields, and all equally many; ``otherwise`` if there is none.

    >>> separator_of("a;b\\n1,5;2\\n"), separator_of("only\\n1,5\\n"), separator_of("only\\n1,5\\n", ";")
    (';', ',', ';')
    """
    lines, whole = sample.splitlines(keepends=True), sample.endswith(("\n", "\r"))
    text = "".join(lines if whole or len(lines) < 2 else lines[:-1])
    best, most = otherwise, (0, 0)
    for separator in SEPARATORS:
        try:
            sizes = [len(row) for row in islice(csv.reader(io.StringIO(text), delimiter=separator), 100) if row]
        except csv.Error:
            continue
        if sizes and sizes[0] > 1:
            score = (sum(size == sizes[0] for size in sizes) * (sizes[0] > 1), sizes[0])
            if score > most:
                best, most = separator, score
    return best


def text_blocks(
    stream: Any, name: str, encoding: str | None = None, separator: str | None = None, otherwise: str = ","
) -> Iterator[tuple[TextLayout, tuple[str, ...], list[tuple[str, ...]]]]:
    """Layout, header and columns of one block of rows after the other; a table without rows gives one empty block."""
    try:
        stream, compressed = unpacked(stream)
        sample = stream.peek(SAMPLE)[:SAMPLE]
        encoding = encoding or encoding_of(sample)
        _refuse_binary(sample, encoding, name)
        separator = separator or separator_of(sample.decode(encoding, "replace"), otherwise)
        layout = TextLayout(separator, {"utf-8-sig": "UTF-8"}.get(encoding, encoding.upper()), compressed)
        yield from _texts(stream, layout, encoding, name)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise TableError(f"{name} is a damaged gzip file ({error}); compress it again") from None


def _texts(stream: Any, layout: TextLayout, encoding: str, name: str) -> Iterator[tuple[TextLayout, Any, Any]]:
    text = io.TextIOWrapper(stream, encoding=encoding, newline="")
    csv.field_size_limit(LONGEST_FIELD)
    rows = csv.reader(text, delimiter=layout.separator, strict=True)
    try:
        yield from _blocks(rows, layout, name)
    except csv.Error as error:
        remedy = "close its quotes, and write a quote inside a quoted field twice"
        raise TableError(f"{name}, line {rows.line_num}: {error}; {remedy}") from None
    finally:
        with suppress(ValueError):  # after an interrupt it has done so
            text.detach()  # whoever opened the stream closes it


def _blocks(rows: Any, layout: TextLayout, name: str) -> Iterator[tuple[TextLayout, Any, Any]]:
    header = next(rows, None)
    while header is not None and not any(field.strip() for field in header):  # blank lines before it
        header = next(rows, None)
    if header is None:
        raise TableError(f"{name} is empty; give a file with a header and rows")
    names, empty = different_names(header), True
    filled = filter(None, rows)
    while block := list(islice(filled, BLOCK)):
        if set(map(len, block)) != {len(names)}:
            block = _even(block, names, rows.line_num, name)
        if block:
            yield layout, names, list(zip(*block, strict=True))
            empty = False
    if empty:
        yield layout, names, [() for _ in names]


def _even(block: list[list[str]], names: tuple[str, ...], last: int, name: str) -> list[list[str]]:
    """The rows of a block without lines of blanks; an error if one has another number of fields than the header."""
    kept = [row for row in block if any(field.strip() for field in row)]
    for place, row in enumerate(block):
        if len(row) != len(names) and any(field.strip() for field in row):
            line = last - len(block) + 1 + place
            fields = "1 field" if len(row) == 1 else f"{len(row)} fields"
            raise TableError(
                f"{name}, about line {line:,}: {fields} where the header has {len(names)}; every line needs as many as "
                "the header: put quotes around fields that contain the separator"
            )
    return kept


def _refuse_binary(sample: bytes, encoding: str, name: str) -> None:
    kinds = {
        b"PK\x03\x04": "a zip file or an Excel workbook",
        b"\xd0\xcf\x11\xe0": "an Excel workbook",
        b"%PDF": "a PDF",
    }
    for mark, kind in kinds.items():
        if sample.startswith(mark):
            raise TableError(f"{name} is {kind}; save the table as CSV and give that")
    if b"\0" in sample and not encoding.startswith(("utf-16", "utf-32", "UTF-16", "UTF-32")):
        raise TableError(f"{name} is not a text file; give CSV, TSV, Parquet or Arrow, or say its encoding")
