"""Layer store: a file is written whole or not at all.

In: a path and a function that writes to an open file.  Out: the file under that path.  What was there before stays if
anything fails, and no reader ever sees half of the new one.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A new binary file that takes the place of ``path`` when the block ends, or vanishes if the block fails.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/a.txt") as file:
    ...         _ = file.write(b"all of it")
    ...     Path(folder, "a.txt").read_bytes()
    b'all of it'
    """
    target = Path(os.path.realpath(path))  # a link keeps pointing at what it points at
    if target.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; give the name of a file in it")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(target.parent)!r}; create it first")
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    _settle(target.parent)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write ``text`` in UTF-8, whole or not at all."""
    with replacing(path) as file:
        file.write(text.encode("utf-8"))


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, or those of any new file."""
    with suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _settle(folder: Path) -> None:
    """Ask the disk to remember the new name; not every system can."""
    with suppress(OSError):
        handle: Any = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
