"""Every claim comes out as its theorem says, and both of its sabotaged versions are caught.  Seeded: no luck in it.

Catalogue T-01..T-57, T-60..T-62, T-65..T-85, R-01..R-12, S-01..S-12, C-01..C-10, X-02..X-17.
"""

import pytest

from surefit.lab import Sabotage, Verdict, every_claim, run
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
def test_the_corrected_version_of_a_misprint_is_not_refuted(claim):
    outcome = run(claim, sabotage=Sabotage.STRUCTURE, seconds=60)
    assert not outcome.errors
    assert outcome.verdict is not Verdict.REFUTED
