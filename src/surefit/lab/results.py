"""Layer lab: outcomes kept as JSON and arrays, so that tables, figures and reports never compute anything again.

In: outcomes of `surefit.lab.run`.  Out: a folder with ``T-11.json`` and ``T-11.npz`` for each claim; a table of
verdicts; the entries of the catalogue that have neither a claim nor a reason.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from surefit.lab.catalogue import ENTRIES, UNTRIED
from surefit.lab.claim import Kind, Sabotage, Verdict
from surefit.lab.claims import every_claim, named
from surefit.lab.run import Outcome
from surefit.lab.verdict import Judgement

FORMAT = 2
"""Version of the files."""


def record(outcome: Outcome) -> dict[str, Any]:
    """An outcome without its arrays, as JSON may hold it: ends that are infinite are None.

    >>> from surefit.lab.run import run
    >>> record(run("T-20", n=11, repeats=50))["judgement"]["high"] is None
    True
    """
    judged = {**asdict(outcome.judgement), "verdict": outcome.judgement.verdict.value}
    return {
        "format": FORMAT,
        "id": outcome.id,
        "judgement": {name: None if value in (-np.inf, np.inf) else value for name, value in judged.items()},
        "settings": dict(outcome.settings),
        "seed": outcome.seed,
        "seconds": outcome.seconds,
        "sabotage": outcome.sabotage.value if outcome.sabotage else None,
        "errors": [list(error) for error in outcome.errors],
        "broken": list(outcome.broken),
    }


def save(outcome: Outcome, folder: str | Path) -> Path:
    """Write an outcome to ``folder``; a file is there whole or not at all.  Returns the path of the JSON file."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    arrays, path = folder / f"{outcome.id}.npz", folder / f"{outcome.id}.json"
    with _whole(arrays) as partial, partial.open("wb") as file:
        np.savez_compressed(file, ratios=outcome.ratios)
    with _whole(path) as partial:
        partial.write_text(json.dumps(record(outcome), indent=1, allow_nan=False))
    return path


def load(path: str | Path) -> Outcome:
    """An outcome that was saved."""
    path = Path(path)
    found = json.loads(path.read_text())
    if found.get("format") != FORMAT:
        raise ValueError(f"{path} has format {found.get('format')!r}, this version reads {FORMAT}; run the claim again")
    judged = {**found["judgement"], "verdict": Verdict(found["judgement"]["verdict"])}
    endless = {"low": -np.inf, "high": np.inf, "detectable": np.inf}
    judgement = Judgement(**judged | {name: end for name, end in endless.items() if judged[name] is None})
    with np.load(path.with_suffix(".npz"), allow_pickle=False) as arrays:
        ratios = arrays["ratios"]
    return Outcome(
        found["id"],
        judgement,
        ratios,
        found["settings"],
        found["seed"],
        found["seconds"],
        Sabotage(found["sabotage"]) if found["sabotage"] else None,
        tuple((int(k), str(said)) for k, said in found["errors"]),
        tuple(found["broken"]),
    )


def table(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Lines of a table, at most 80 columns wide; ``!`` marks what did not come out as its theorem says."""
    yield f"{'claim':7}{'verdict':24}{'repeats':>8}{'catches':>10}  title"
    for outcome in outcomes:
        claim = named(outcome.id)
        verdict = outcome.judgement.words + ("" if as_expected(outcome) else " !")
        title = claim.title if len(claim.title) <= 29 else f"{claim.title[:28]}…"
        yield f"{outcome.id:7}{verdict:24}{outcome.judgement.repeats:>8,}{power(outcome):>10}  {title}"


def power(outcome: Outcome) -> str:
    """The smallest error that would have been caught, for a table."""
    caught = outcome.judgement.detectable
    return "rounding" if caught < 1e-6 else f"{100 * caught:.2g} %" if np.isfinite(caught) else "-"


def as_expected(outcome: Outcome) -> bool:
    """Whether a claim came out as its theorem says: *holds*, or *refuted* for a misprint."""
    return outcome.verdict is named(outcome.id).expected


def summary(outcomes: Mapping[str, Outcome]) -> str:
    """How many claims came out as their theorems say, in one sentence.

    >>> summary({})
    '0 of 0 claims came out as their theorems say.'
    """
    good = sum(as_expected(outcome) for outcome in outcomes.values())
    powers = [o.judgement.detectable for o in outcomes.values() if 1e-6 < o.judgement.detectable < np.inf]
    said = f"{good} of {len(outcomes)} claims came out as their theorems say."
    if not powers:
        return said
    median, worst = 100 * float(np.median(powers)), 100 * max(powers)
    return (
        f"{said} Errors of {median:.2g} % (median) to {worst:.2g} % would have been caught in the {len(powers)} that "
        "are simulated or nearly attained; the others are exact."
    )


def meaning(name: str) -> str:
    """What the number of a repeat is.

    >>> meaning("T-11")
    'observed / predicted ='
    """
    return {Kind.RANKS: "rank", Kind.EXACT: "1 + relative distance ="}.get(named(name).kind, "observed / predicted =")


def missing() -> list[str]:
    """Entries of the catalogue that have neither a claim nor a stated reason."""
    tried = {claim.id.rstrip("b") for claim in every_claim()}  # T-09b is a second claim of T-09
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
