"""Do the theorems hold?  Each entry of the catalogue as an experiment that can fail.

`run("T-11")` repeats one claim until it *holds within x %*, is *refuted*, or stays *undecided*; `run_all()` tries them
all.  `surefit lab list` and `surefit lab run` do the same from a terminal.  In reading order:

    claim.py     Claim: statement, assumptions, one experiment, two mistakes to be caught
    verdict.py   from ratios observed / predicted to a verdict, at any time, with its power
    run.py       seeds, repeats, processes, replay
    results.py   outcomes as JSON and arrays, the table, what the catalogue still lacks
    catalogue.py the entries that the lab answers for
    claims/      the claims, one file each
"""

from surefit.lab.claim import Claim, Kind, Sabotage, Verdict
from surefit.lab.claims import every_claim, named
from surefit.lab.run import Outcome, replay, run, run_all

__all__ = ["Claim", "Kind", "Outcome", "Sabotage", "Verdict", "every_claim", "named", "replay", "run", "run_all"]
