"""Do the theorems hold?  Each entry of the catalogue as an experiment that can fail.

In: the number of an entry, a seed.  Out: an `Outcome`: the claim *holds within x %*, is *refuted*, or stays
*undecided*.  Doors: `run("T-11")` and `run_all()`; `surefit lab` from a terminal.  In reading order:

    claim.py     Claim: statement, assumptions, one experiment, two mistakes to be caught
    verdict.py   from ratios observed / predicted to a verdict, at any time, with its power
    run.py       seeds, repeats, processes, replay
    results.py   outcomes as JSON and arrays, the table, what the catalogue still lacks
    catalogue.py the entries that the lab answers for
    claims/      the claims, a folder for each part of the theory; coin.py and counting.py help them
    figures/     the figures of the catalogue
    page.py      the report as one HTML page; map.py draws what rests on what, sliders.py stores simulations for it
"""

from surefit.lab.claim import Claim, Kind, Sabotage, Verdict
from surefit.lab.claims import every_claim, named
from surefit.lab.run import Outcome, replay, run, run_all

__all__ = ["Claim", "Kind", "Outcome", "Sabotage", "Verdict", "every_claim", "named", "replay", "run", "run_all"]
