"""Layer study: Parquet and Arrow files, by pyarrow, which is imported here alone and only when one is read.

In: a path.  Out: a pyarrow table or, for streams, one batch of rows after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from surefit.study.tables.table import TableError

PARQUET, ARROW = b"PAR1", b"ARROW1"
BLOCK = 50_000
"""Rows that are read at a time."""


def arrow_kind(sample: bytes) -> str | None:
    """``Parquet`` or ``Arrow`` by the first bytes of a file; None for any other.

    >>> arrow_kind(b"PAR1...."), arrow_kind(b"a,b")
    ('Parquet', None)
    """
    if sample.startswith(PARQUET):
        return "Parquet"
    return "Arrow" if sample.startswith(ARROW) else None


def arrow_blocks(path: str, kind: str) -> Iterator[Any]:
    """The rows of a file in pyarrow tables, one after the other; at least one, which may be empty."""
    try:
        import pyarrow
        from pyarrow import ipc, parquet
    except ImportError:
        raise TableError(
            f"{path} is a {kind} file, which needs pyarrow: pip install 'surefit[parquet]'; CSV needs nothing more"
        ) from None
    try:
        if kind == "Parquet":
            with parquet.ParquetFile(path) as file:
                yield file.schema_arrow.empty_table()
                for batch in file.iter_batches(BLOCK):
                    yield pyarrow.Table.from_batches([batch])
        else:
            with ipc.open_file(path) as file:
                yield file.schema.empty_table()
                for number in range(file.num_record_batches):
                    yield pyarrow.Table.from_batches([file.get_batch(number)])
    except (pyarrow.ArrowException, OSError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise TableError(f"{path} is no valid {kind} file ({said}); write it again") from None
