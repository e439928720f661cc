"""Layer store: a file is written whole or not at all.

In: a path and a function that writes to an open file.  Out: the file under that path.  What was there before stays if
anything fails, and no reader ever sees half of the new one.  Devices and pipes stay where they are and are written to.
"""

from __future__ import annotations

import io
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any

STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/")
"""Names of streams of this process, which may be regular files."""


@contextmanager
def replacing(path: str | os.PathLike[str], seeks: bool = True) -> Iterator[IO[bytes]]:
    """A new binary file that takes the place of ``path`` when the block ends, or vanishes if the block fails.

    A device or a pipe gets all of it when the block ends; as it is written where the block never ``seeks``.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/a.txt") as file:
    ...         _ = file.write(b"all of it")
    ...     Path(folder, "a.txt").read_bytes()
    b'all of it'
    """
    if _is_open_end(path):
        with open(path, "ab") as end, _at_once(end) if seeks else nullcontext(end) as file:
            yield file
        return
    target = Path(os.path.realpath(path))  # a link keeps pointing at what it points at
    if target.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; give the name of a file in it")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(target.parent)!r}; create it first")
    mode = _mode(target)
    name = target.parent / f".{target.name[:100]}.{secrets.token_hex(6)}.tmp"
    try:
        with open(name, "xb", opener=lambda new, flags: os.open(new, flags, 0o666 if mode is None else mode)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(name, mode)
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


def _is_open_end(path: str | os.PathLike[str]) -> bool:
    """Whether ``path`` is a device, a pipe or a stream of this process, whose place no file may take."""
    if os.path.abspath(path).startswith(STREAMS):
        return True
    with suppress(OSError):
        mode = os.stat(path).st_mode
        return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
    return False


@contextmanager
def _at_once(end: IO[bytes]) -> Iterator[IO[bytes]]:
    """A file in memory that goes to ``end`` when the block ends, and nothing of it if the block fails."""
    file = io.BytesIO()
    yield file
    end.write(file.getbuffer())


def _mode(target: Path) -> int | None:
    """The permissions of the file that is replaced; None: there is none, and the system gives those of any new file."""
    with suppress(OSError):
        return target.stat().st_mode & 0o777
    return None


def _settle(folder: Path) -> None:
    """Ask the disk to remember the new name; not every system can."""
    with suppress(OSError):
        handle: Any = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
