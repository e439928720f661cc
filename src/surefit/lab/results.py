"""Layer lab: outcomes kept as JSON and arrays, so that tables, figures and reports never compute anything again.

In: outcomes of `surefit.lab.run`.  Out: a folder with ``T-11.json`` and ``T-11.npz`` for each claim; a table of
verdicts; the entries of the catalogue that have neither a claim nor a reason.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from surefit.lab.catalogue import ENTRIES, UNTRIED
from surefit.lab.claim import Sabotage, Verdict
from surefit.lab.claims import every_claim, named
from surefit.lab.run import Outcome
from surefit.lab.verdict import Judgement

FORMAT = 1
"""Version of the files."""


def save(outcome: Outcome, folder: str | Path) -> Path:
    """Write an outcome to ``folder``; a file is there whole or not at all.  Returns the path of the JSON file."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "format": FORMAT,
        "id": outcome.id,
        "judgement": {**asdict(outcome.judgement), "verdict": outcome.judgement.verdict.value},
        "settings": dict(outcome.settings),
        "seed": outcome.seed,
        "seconds": outcome.seconds,
        "sabotage": outcome.sabotage.value if outcome.sabotage else None,
        "errors": [list(error) for error in outcome.errors],
        "broken": list(outcome.broken),
    }
    arrays, path = folder / f"{outcome.id}.npz", folder / f"{outcome.id}.json"
    with _whole(arrays) as partial, partial.open("wb") as file:
        np.savez_compressed(file, ratios=outcome.ratios)
    with _whole(path) as partial:
        partial.write_text(json.dumps(record, indent=1))
    return path


def load(path: str | Path) -> Outcome:
    """An outcome that was saved."""
    path = Path(path)
    record = json.loads(path.read_text())
    if record.get("format") != FORMAT:
        raise ValueError(
            f"{path} has format {record.get('format')!r}, this version reads {FORMAT}; run the claim again"
        )
    judgement = Judgement(**{**record["judgement"], "verdict": Verdict(record["judgement"]["verdict"])})
    with np.load(path.with_suffix(".npz"), allow_pickle=False) as arrays:
        ratios = arrays["ratios"]
    return Outcome(
        record["id"],
        judgement,
        ratios,
        record["settings"],
        record["seed"],
        record["seconds"],
        Sabotage(record["sabotage"]) if record["sabotage"] else None,
        tuple((int(k), str(said)) for k, said in record["errors"]),
        tuple(record["broken"]),
    )


def table(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Lines of a table, at most 80 columns wide: id, verdict as expected or not, experiments, power, title."""
    yield f"{'claim':8}{'verdict':11}{'repeats':>9}{'catches':>10}{'seconds':>9}  title"
    for outcome in outcomes:
        claim = named(outcome.id)
        mark = "" if outcome.verdict is claim.expected else " !"
        caught = outcome.judgement.detectable
        power = "rounding" if caught < 1e-6 else f"{100 * caught:.2g} %" if np.isfinite(caught) else "-"
        yield (
            f"{outcome.id:8}{outcome.verdict.value + mark:11}{outcome.judgement.repeats:>9,}{power:>10}"
            f"{outcome.seconds:>9.1f}  {claim.title[:31]}"
        )


def as_expected(outcome: Outcome) -> bool:
    """Whether a claim came out as its theorem says: *holds*, or *refuted* for a misprint."""
    return outcome.verdict is named(outcome.id).expected


def missing() -> list[str]:
    """Entries of the catalogue that have neither a claim nor a stated reason."""
    tried = {claim.id[:4] for claim in every_claim()}  # T-09b is a second claim of T-09
    return [entry for entry in ENTRIES if entry not in tried and entry not in UNTRIED]


class _whole:
    """A file that is written beside its place and moved there when it is complete."""

    def __init__(self, path: Path) -> None:
        self.path, self.partial = path, path.with_name(path.name + ".part")

    def __enter__(self) -> Path:
        return self.partial

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:
            os.replace(self.partial, self.path)
        else:
            self.partial.unlink(missing_ok=True)
