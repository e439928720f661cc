"""``make lab``: every claim of the lab under many seeds, true and sabotaged twice; prints what was caught and how soon.

A true claim must never be refuted, a sabotaged one always.  The table, kept in ``results/lab.md``, has for each claim the smallest error that it would have caught, and the largest number of experiments, over all seeds, that it took
to catch each mistake.
"""

import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from benchmarks.report import markdown_table
from surefit.lab import Sabotage, Verdict, named, run_all
from surefit.lab.results import as_expected

RESULTS = Path(__file__).parent / "results" / "lab.md"


def main(seeds: int) -> int:
    wrong: list[str] = []
    power: dict[str, list[float]] = defaultdict(list)
    needed: dict[tuple[str, str], list[int]] = defaultdict(list)
    for seed in range(1, seeds + 1):
        for outcome in run_all(seed=seed):
            power[outcome.id].append(outcome.judgement.detectable)
            if not as_expected(outcome):
                wrong.append(f"{outcome.id}, seed {seed}: {outcome.judgement.sentence}")
        for sabotage in Sabotage:
            for outcome in run_all(seed=seed, sabotage=sabotage):
                needed[outcome.id, sabotage.name].append(outcome.judgement.repeats)
                holds = named(outcome.id).expected is Verdict.HOLDS
                if holds and outcome.verdict is not Verdict.REFUTED:
                    wrong.append(f"{outcome.id}, seed {seed}, {sabotage.value} was not caught")
                if not holds and sabotage is Sabotage.STRUCTURE and outcome.verdict is Verdict.REFUTED:
                    wrong.append(f"{outcome.id}, seed {seed}: the corrected version was refuted")
    table = []
    for name, caught in power.items():
        constant, structure = (max(needed[name, sabotage.name]) for sabotage in Sabotage)
        error = "rounding" if max(caught) < 1e-6 else f"{100 * max(caught):.2g} %"
        table.append((name, error, f"{constant:,}", named(name).mistake, f"{structure:,}"))
    heads = ("claim", "error caught", "10 % in a constant after", "structural mistake", "caught after")
    print(page := markdown_table(heads, sorted(table)))
    true = [max(caught) for name, caught in power.items() if named(name).expected is Verdict.HOLDS]
    median, worst = 100 * float(np.median(true)), 100 * max(true)
    said = f"{len(power)} claims, {seeds} seeds: errors of {median:.2g} % (median) to {worst:.2g} % are caught; "
    said += f"{len(wrong)} true claims were refuted or sabotaged claims passed."
    print("\n".join([said, *wrong]))
    RESULTS.write_text(f"# Power of the lab\n\n{said}\n\n{page}\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
