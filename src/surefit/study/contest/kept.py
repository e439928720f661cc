"""Layer study: candidates that are done are kept on disk, so that an interrupted study goes on where it was.

In: a folder, a text that is the same for the same rows and settings, and runs as they end.  Out: the runs of an earlier
attempt, to the last bit.  Every file is written whole or not at all; one that is not what it should be is not used.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from surefit.executors.checkpoint import NO_SUCH_FILE
from surefit.store.atomic import replacing, write_text
from surefit.study.contest.candidates import Entry
from surefit.study.contest.compete import Run
from surefit.study.records.board import Ending

FACTS = ("reason", "n_folds", "seconds", "final", "gap", "lams")
WORTH_KEEPING = (Ending.FINISHED, Ending.FAILED)
"""What was stopped or skipped for want of time is tried again."""


@dataclass(frozen=True)
class Kept:
    """The runs of one study in a folder; without a folder nothing is kept."""

    folder: Path | None
    key: str

    def keep(self, run: Run) -> None:
        """Write a run that has ended."""
        if self.folder is None or run.ending not in WORTH_KEEPING:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        facts = {"key": self.key, "name": run.entry.name, "ending": run.ending.value}
        facts |= {name: getattr(run, name) for name in FACTS}
        with replacing(self._path(run.entry)) as file:
            np.savez(file, facts=np.array(json.dumps(facts)), answers=run.answers)  # type: ignore[arg-type]

    def runs(self, entries: list[Entry]) -> dict[str, Run]:
        """What is kept of these entries, by name."""
        found = {entry.name: self._read(entry) for entry in entries if not entry.refused}
        return {name: run for name, run in found.items() if run is not None}

    def settled(self, name: str, decide: Callable[[], int]) -> int:
        """A number that an earlier attempt decided, or that is decided now."""
        if self.folder is None:
            return decide()
        path = self.folder / f"{name}.json"
        with suppress(*NO_SUCH_FILE):
            found = json.loads(path.read_text("utf-8"))
            if found["key"] == self.key:
                return int(found["value"])
        value = decide()
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps({"key": self.key, "value": value}))
        return value

    def clear(self) -> None:
        """Remove everything: the study has ended."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, entry: Entry) -> Path:
        assert self.folder is not None
        return self.folder / f"{blake2b(entry.name.encode(), digest_size=6).hexdigest()}.npz"

    def _read(self, entry: Entry) -> Run | None:
        if self.folder is None:
            return None
        with suppress(*NO_SUCH_FILE):
            with open(self._path(entry), "rb") as stream, np.load(stream, allow_pickle=False) as file:
                facts: dict[str, Any] = json.loads(str(file["facts"]))
                answers = file["answers"]
            if (facts["key"], facts["name"]) == (self.key, entry.name):
                facts["lams"] = tuple(facts["lams"])
                return Run(entry, Ending(facts["ending"]), answers=answers, **{name: facts[name] for name in FACTS})
        return None


def key_of(*parts: Any) -> str:
    """A text that changes with any of these arrays and texts.

    >>> key_of("a", np.arange(3)) == key_of("a", np.arange(3)), key_of("a") == key_of("b")
    (True, False)
    """
    digest = blake2b(digest_size=16)
    for part in parts:
        content = np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else str(part).encode()
        digest.update(str(len(content)).encode() + b":" + content)
    return digest.hexdigest()
