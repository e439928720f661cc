"""Every claim comes out as its theorem says, and both of its sabotaged versions are caught.  Seeded: no luck in it.

Catalogue T-01..T-57, T-60..T-62, T-65..T-85, R-01..R-12, S-01..S-12, C-01..C-10, X-02..X-17.
"""

import numpy as np
import pytest

from surefit.lab import Kind, Sabotage, Verdict, every_claim, run
from surefit.lab.results import as_expected

CLAIMS = every_claim()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_comes_out_as_its_theorem_says(claim):
    outcome = run(claim, seconds=60)
    assert not outcome.errors
    assert as_expected(outcome), outcome.judgement.sentence


@pytest.mark.parametrize("sabotage", Sabotage)
@pytest.mark.parametrize(
    "claim", [claim for claim in CLAIMS if claim.expected is Verdict.HOLDS], ids=lambda claim: claim.id
)
def test_a_sabotaged_claim_is_caught(claim, sabotage):
    outcome = run(claim, sabotage=sabotage, seconds=60)
    assert not outcome.errors
    assert outcome.verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "claim", [claim for claim in CLAIMS if claim.expected is Verdict.REFUTED], ids=lambda claim: claim.id
)
def test_the_corrected_version_of_a_misprint_holds(claim):
    outcome = run(claim, sabotage=Sabotage.STRUCTURE, seconds=60)
    assert outcome.verdict is Verdict.HOLDS, outcome.judgement.sentence


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim.kind is Kind.MEAN], ids=lambda claim: claim.id)
def test_a_structural_mistake_cannot_hold_on_average(claim):
    """Too large in some draws and too small in others, a mistake would cancel: it must be off to one side in 16 of 20.

    A mistake that is off to either side at random passes with probability 1.2 %, so it is found in time; those that are
    here are off to one side by construction.
    """
    draws = [claim.experiment(np.random.default_rng([7, k]), Sabotage.STRUCTURE, claim.settings) for k in range(20)]
    means = np.array([draw.mean() for draw in draws])
    impossible = min(draw.min() for draw in draws) < 0 or max(draw.max() for draw in draws) > claim.largest
    off = np.median(means) - 1
    assert impossible or (abs(off) > 2 * claim.tolerance and np.mean(np.sign(means - 1) == np.sign(off)) >= 0.8)
