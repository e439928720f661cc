"""``make lab``: every claim of the lab under many seeds, true and sabotaged twice; prints what was caught and how soon.

A true claim must never be refuted, a sabotaged one always.  The table has, for each claim, the smallest error that it
would have caught, and the largest number of experiments that it took to catch each mistake.
"""

import sys
from collections import defaultdict

import numpy as np

from surefit.lab import Sabotage, Verdict, named, run_all
from surefit.lab.results import as_expected


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
    print(f"{'claim':8}{'error caught':>14}{'constant after':>16}{'structure after':>17}")
    for name, caught in power.items():
        constant, structure = (max(needed[name, sabotage.name]) for sabotage in Sabotage)
        print(f"{name:8}{100 * max(caught):>12.2g} %{constant:>16,}{structure:>17,}")
    true = [max(caught) for name, caught in power.items() if named(name).expected is Verdict.HOLDS]
    median, worst = 100 * float(np.median(true)), 100 * max(true)
    print(f"{len(power)} claims, {seeds} seeds: errors of {median:.2g} % (median) to {worst:.2g} % are caught")
    print("\n".join(wrong) or "no true claim was refuted, no sabotaged claim passed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
