"""``make lab``: every claim of the lab under many seeds, true and sabotaged twice; prints what was caught and how soon.

A true claim must never be refuted, a sabotaged one always.  A misprint must be refuted as it is printed, and hold as it
is corrected; its constants are not sabotaged, because it fails anyway.  The table, kept in ``results/lab.md``, has for
each true claim the smallest error that it would have caught, and the largest number of repeats, over all seeds, that it
took to catch each mistake.
"""

import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.report import markdown_table
from surefit.lab import Sabotage, Verdict, every_claim, named, run

RESULTS = Path(__file__).parent / "results" / "lab.md"


class Tried(NamedTuple):
    """One claim under one seed."""

    id: str
    seed: int
    sabotage: str | None
    verdict: str
    repeats: int
    detectable: float
    sentence: str


def tried(name: str, seed: int, sabotage: Sabotage | None) -> Tried:
    outcome = run(name, seed=seed, sabotage=sabotage)
    judged = outcome.judgement
    word = sabotage.name if sabotage else None
    return Tried(name, seed, word, outcome.verdict.value, judged.repeats, judged.detectable, judged.sentence)


def try_all(seeds: Iterable[int], workers: int = 2) -> Iterator[Tried]:
    """Every claim, true and sabotaged twice, under every seed."""
    tasks = [
        (claim.id, seed, how)
        for seed in seeds
        for how in (None, *Sabotage)
        for claim in every_claim()
        if how is not Sabotage.CONSTANT or claim.expected is Verdict.HOLDS
    ]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(tried, *zip(*tasks, strict=True), chunksize=8)


def wrong(one: Tried) -> str | None:
    """What a claim should not have come to, as a sentence."""
    expected = named(one.id).expected
    if one.sabotage is None:
        return None if one.verdict == expected.value else f"{one.id}, seed {one.seed}: {one.sentence}"
    if expected is Verdict.HOLDS:
        caught = one.verdict == Verdict.REFUTED.value
        return None if caught else f"{one.id}, seed {one.seed}, {Sabotage[one.sabotage].value} was not caught"
    held = one.sabotage == Sabotage.CONSTANT.name or one.verdict == Verdict.HOLDS.value
    return None if held else f"{one.id}, seed {one.seed}: the corrected version is {one.verdict}"


def page(found: list[Tried]) -> str:
    """The sentence, what went wrong, and the table."""
    table, powers = [], []
    for claim in every_claim():
        mine = [one for one in found if one.id == claim.id]
        if claim.expected is Verdict.HOLDS and mine:
            caught = max(one.detectable for one in mine if one.sabotage is None)
            needed = [max(one.repeats for one in mine if one.sabotage == how.name) for how in Sabotage]
            powers.append(caught)
            error = "rounding" if caught < 1e-6 else f"{100 * caught:.2g} %"
            table.append((claim.id, error, f"{needed[0]:,}", claim.mistake, f"{needed[1]:,}"))
    failed = [said for one in found if (said := wrong(one))]
    seeds, inexact = len({one.seed for one in found}), [caught for caught in powers if caught > 1e-6]
    median, worst = 100 * float(np.median(inexact)), 100 * max(inexact)
    said = (
        f"{len({one.id for one in found})} claims, {seeds} seeds: {len(failed)} trials came out as they should not. "
        f"Of the {len(powers)} true claims {len(powers) - len(inexact)} are exact. The other {len(inexact)}, simulated "
        f"or nearly attained, catch errors of {median:.2g} % (median) to {worst:.2g} %."
    )
    heads = ("claim", "smallest error caught", "10 % in a constant after", "structural mistake", "caught after")
    return "\n\n".join([said, *failed, markdown_table(heads, table)])


def main(seeds: int) -> int:
    found = list(try_all(range(1, seeds + 1)))
    print(text := page(found))
    RESULTS.write_text(f"# Power of the lab\n\n{text}\n", encoding="utf-8")
    return int(any(map(wrong, found)))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
