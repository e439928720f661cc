"""``python -m benchmarks.run [--quick] [--only NAME]``: run the cases, print the tables, write ``results/<level>/``.

``--quick`` runs tiny sizes once, to see that everything works; its numbers mean nothing and are not written.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.case import Case, Outcome, as_json, run_case
from benchmarks.cases import all_cases
from benchmarks.measure import RESULTS, describe_machine, write_results
from benchmarks.report import case_report, contender_table, target_table

MOST_LOAD = 0.5
"""Processes that may want to run beside ours, on average over the last minute."""


def chosen_cases(only: str | None) -> tuple[Case, ...]:
    """The cases whose name starts with ``only``; all of them without it."""
    cases = all_cases()
    chosen = tuple(case for case in cases if only is None or case.name.startswith(only))
    if not chosen:
        raise SystemExit(f"no case starts with {only!r}; choose among {', '.join(case.name for case in cases)}")
    return chosen


def run_cases(cases: Sequence[Case], quick: bool = False, folder: Path = RESULTS) -> list[Outcome]:
    """Run, print and (unless quick) write one case after the other, in a folder for the level of the compiled loops."""
    outcomes = []
    for case in cases:
        print(f"## {case.name}: {case.title}\n", flush=True)
        machine = describe_machine()
        outcome = run_case(case, quick)
        print(contender_table(outcome) + "\n", flush=True)
        if not quick:
            level = folder / machine["level"].split()[0]
            write_results(case.name, as_json(outcome) | {"machine": machine}, case_report(outcome, machine), level)
        outcomes.append(outcome)
    print(target_table(outcomes))
    if quick:
        print("\nQuick sizes: a smoke test, the seconds mean nothing and nothing was written.")
    return outcomes


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; 0 if every measured target is met, or if quick."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="tiny sizes, one repeat, nothing written")
    parser.add_argument("--busy", action="store_true", help="run although others work on this machine; it is recorded")
    parser.add_argument("--only", metavar="NAME", help="cases whose name starts with NAME")
    options = parser.parse_args(arguments)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    if load > MOST_LOAD and not (options.quick or options.busy):
        raise SystemExit(f"the load is {load:.1f}, above {MOST_LOAD}: wait until nothing else runs, or pass --busy")
    outcomes = run_cases(chosen_cases(options.only), options.quick)
    missed = [target for outcome in outcomes for target in outcome.case.targets if target.met(outcome) is False]
    return 1 if missed and not options.quick else 0


if __name__ == "__main__":
    sys.exit(main())
