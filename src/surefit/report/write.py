"""Layer report: three files from one record.

In: a `StudyResult` and a folder.  Out: ``report.html``, ``report.md`` and ``report.json`` there, each written whole or
not at all.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from surefit.report.html import page
from surefit.report.markdown import text
from surefit.store.atomic import write_text
from surefit.study.record import StudyResult


@dataclass(frozen=True)
class Written:
    """Where the files are."""

    html: Path
    markdown: Path
    json: Path


def write(result: StudyResult, folder: str | os.PathLike[str]) -> Written:
    """Write the report of a study to ``folder``, which is created if it is not there."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    written = Written(place / "report.html", place / "report.md", place / "report.json")
    contents = {written.html: page(result), written.markdown: text(result), written.json: as_json(result)}
    for path, content in contents.items():
        write_text(path, content)
    return written


def as_json(result: StudyResult) -> str:
    """The record as JSON; ``docs/report.md`` says what each entry is."""
    return json.dumps(result.as_dict(), indent=1, allow_nan=False) + "\n"
