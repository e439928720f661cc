"""The lab answers for every entry of the catalogue, with a claim or with a reason."""

import pytest

from surefit.lab.catalogue import ENTRIES, UNTRIED
from surefit.lab.claims import every_claim, named
from surefit.lab.results import missing


def test_reasons_are_for_entries_without_a_claim():
    assert set(UNTRIED) <= set(ENTRIES)
    assert not set(UNTRIED) & {claim.id for claim in every_claim()}


def test_ids_are_unique():
    ids = [claim.id for claim in every_claim()]
    assert len(ids) == len(set(ids))


def test_no_entry_lacks_both_a_claim_and_a_reason():
    assert missing() == []


def test_every_misprint_of_the_page_that_is_tried_is_an_entry():
    """A misprint that is wrong as printed has a claim that shows it failing, or a reason."""
    assert {claim.id for claim in every_claim() if claim.id.startswith("E-")} | {"E-015"} == {
        entry for entry in ENTRIES if entry.startswith("E-")
    }


def test_an_entry_that_is_not_tried_says_why():
    with pytest.raises(ValueError, match=r"T-58 is not tried: that a problem is NP-complete is proved by a reduction"):
        named("t-58")


def test_claims_rest_on_entries_of_the_catalogue():
    known = {claim.id for claim in every_claim()} | set(ENTRIES)
    assert all(set(claim.uses) <= known for claim in every_claim())
