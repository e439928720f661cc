"""Layer study: the door for tables: a path, standard input or a data frame in, a `Table` out, whole or in blocks.

In: ``houses.csv``, ``houses.tsv.gz``, ``houses.parquet``, ``-`` for standard input, or a frame.  Files are told apart
by what is in them, not by their names.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from surefit.study.tables.arrow_file import arrow_blocks, arrow_kind
from surefit.study.tables.frames import table_of_frame
from surefit.study.tables.table import CodeBook, Table, TableError, Words
from surefit.study.tables.text_file import SAMPLE, TextLayout, text_blocks

FALLBACK = "cp1252"
"""Encoding of texts that are not UTF-8: what spreadsheets write on Windows."""


def read_table(
    source: Any, *, encoding: str | None = None, separator: str | None = None, otherwise: str = ","
) -> Table:
    """A whole table, from a path, a data frame or a `Table`.

    ``encoding`` and ``separator`` are found out unless they are given; ``otherwise`` separates the fields of a file
    whose header shows no separator.
    """
    if isinstance(source, Table):
        return source
    if not isinstance(source, str | PathLike):
        return table_of_frame(source)
    path = fspath(source)
    kind = _kind_of(path)
    if kind is not None:
        import pyarrow

        whole = pyarrow.concat_tables(list(arrow_blocks(path, kind)))
        return table_of_frame(whole, path, f"{kind} file")
    if encoding is not None:
        return _read_text(path, encoding, separator, otherwise)
    try:
        return _read_text(path, None, separator, otherwise)
    except UnicodeError:
        pass
    try:
        return _read_text(path, FALLBACK, separator, otherwise)
    except UnicodeError:
        raise TableError(f"{path} is neither UTF-8 nor Windows-1252 text; say its encoding") from None


def table_blocks(
    source: Any, *, encoding: str | None = None, separator: str | None = None, otherwise: str = ","
) -> Iterator[Table]:
    """The same in blocks of rows, so that predictions can stream; ``-`` reads standard input.

    Texts that turn out not to be in ``encoding`` (UTF-8 unless given) are an error here: earlier blocks are gone.
    """
    if not isinstance(source, str | PathLike):
        yield read_table(source)
        return
    path = fspath(source)
    kind = None if path == "-" else _kind_of(path)
    if kind is not None:
        for block in arrow_blocks(path, kind):
            yield table_of_frame(block, path, f"{kind} file")
        return
    name = "standard input" if path == "-" else path
    try:
        with _opened(path) as stream:
            for layout, names, columns in text_blocks(stream, name, encoding, separator, otherwise):
                words = tuple(Words.of(column) for column in columns)
                yield _table(path, layout, names, words)
    except UnicodeError as error:
        raise TableError(f"{name} is not {encoding or 'UTF-8'} text ({error.reason}); say its encoding") from None  # type: ignore[attr-defined]
    except LookupError:
        raise TableError(f"{encoding!r} is no encoding; use utf-8 or latin-1, for example") from None


def _read_text(path: str, encoding: str | None, separator: str | None, otherwise: str) -> Table:
    books: list[CodeBook] = []
    try:
        with _opened(path) as stream:
            found = text_blocks(stream, path, encoding, separator, otherwise)
            for layout, names, columns in found:  # noqa: B007 - the last ones
                books = books or [CodeBook() for _ in names]
                for book, texts in zip(books, columns, strict=True):
                    book.add(texts)
    except LookupError:
        raise TableError(f"{encoding!r} is no encoding; use utf-8 or latin-1, for example") from None
    return _table(path, layout, names, tuple(book.words() for book in books))


def _table(path: str, layout: TextLayout, names: tuple[str, ...], columns: tuple[Words, ...]) -> Table:
    size = len(columns[0].codes)
    return Table(names, columns, size, path, str(layout), decimal_comma=layout.separator == ";")


def _opened(path: str) -> Any:
    if path == "-":
        if sys.stdin is None:
            raise TableError("there is no standard input; give a file")
        return io.BufferedReader(sys.stdin.buffer, SAMPLE)
    if Path(path).is_dir():
        raise TableError(f"{path} is a folder; give a file")
    try:
        return open(path, "rb", buffering=SAMPLE)
    except FileNotFoundError:
        raise TableError(f"there is no file {path}; check the path") from None
    except OSError as error:
        raise TableError(f"{path} cannot be opened: {error.strerror}") from None


def _kind_of(path: str) -> str | None:
    with _opened(path) as stream:
        return arrow_kind(stream.read(8))
