"""Layer executors: what is kept after every pass, so that a driver that was killed goes on where it was.

In: the merged state of a pass, a record of arrays and plain values.  Out: one file, replaced whole or not at all.  A
file of another fit is refused.  Only the records that the caller names are ever built from a file.
"""

from __future__ import annotations

import json
import os
import tempfile
import tokenize
import zipfile
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

NO_SUCH_FILE = (
    OSError, ValueError, TypeError, LookupError, AttributeError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error,
    tokenize.TokenError,
)  # fmt: skip
"""What reading arrays and texts by numpy and json ends in, where a file is damaged or something else."""


class Checkpoint:
    """The states of the passes that are done, in a file; ``key`` tells fits apart."""

    def __init__(self, path: str | os.PathLike[str], key: str, records: Iterable[type]):
        self.path, self.key = Path(path), key
        self.records = {record.__name__: record for record in records}
        _refuse_folder(self.path.parent)
        self.states: list[Any] = self._read() if self.path.exists() else []

    def _read(self) -> list[Any]:
        try:
            with open(self.path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
                described = json.loads(str(file["described"]))
                arrays = [file[f"array{k}"] for k in range(described["arrays"])]
            ours = bool(described["key"] == self.key)
            states = [self._built(one, arrays) for one in described["states"]] if ours else []
        except NO_SUCH_FILE as error:
            why = getattr(error, "strerror", None) or "damaged, or another kind of file"
            raise ValueError(f"{str(self.path)!r} is no checkpoint ({why}); delete it, or name another") from error
        if not ours:
            raise ValueError(f"the checkpoint {str(self.path)!r} belongs to another fit (other rows, model or settings)"
                             "; delete it, or name another")  # fmt: skip
        return states

    def _built(self, one: Any, arrays: list[np.ndarray]) -> Any:
        if isinstance(one, dict) and "array" in one:
            return arrays[one["array"]]
        if isinstance(one, dict) and "tuple" in one:
            return tuple(self._built(item, arrays) for item in one["tuple"])
        if isinstance(one, dict):
            given = {name: self._built(value, arrays) for name, value in one["fields"].items()}
            return self.records[one["record"]](**given)
        return one

    def add(self, state: Any) -> None:
        """Keep one more state; on an error the file is as it was."""
        arrays: list[np.ndarray] = []
        states = [_described(one, arrays) for one in (*self.states, state)]
        named: dict[str, Any] = {f"array{k}": one for k, one in enumerate(arrays)}
        named["described"] = np.array(json.dumps({"key": self.key, "arrays": len(arrays), "states": states}))
        handle, name = tempfile.mkstemp(prefix=f".{self.path.name}.", suffix=".tmp", dir=self.path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, allow_pickle=False, **named)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self.path)
        except BaseException as error:
            with suppress(OSError):
                os.unlink(name)
            if isinstance(error, OSError):
                raise OSError(f"the checkpoint {str(self.path)!r} could not be written ({error.strerror}); the last "
                              "one stays: make room, then run the same command again") from error  # fmt: skip
            raise
        self.states.append(state)

    def remove(self) -> None:
        """The fit is done."""
        self.path.unlink(missing_ok=True)


def _refuse_folder(folder: Path) -> None:
    """An error before the first pass, if nothing can be kept in this folder after it."""
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {str(folder)!r} for the checkpoint; create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"nothing can be written to {str(folder)!r}; name a checkpoint in another folder")


def _described(value: Any, arrays: list[np.ndarray]) -> Any:
    """A state as texts and numbers, its arrays beside it."""
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, tuple | list):
        return {"tuple": [_described(one, arrays) for one in value]}
    if is_dataclass(value) and not isinstance(value, type):
        given = {one.name: _described(getattr(value, one.name), arrays) for one in fields(value)}
        return {"record": type(value).__name__, "fields": given}
    return value.item() if isinstance(value, np.generic) else value
