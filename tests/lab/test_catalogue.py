"""The lab answers for every entry of the catalogue, with a claim or with a reason."""

from surefit.lab.catalogue import ENTRIES, UNTRIED
from surefit.lab.claims import every_claim
from surefit.lab.results import missing


def test_reasons_are_for_entries_without_a_claim():
    assert set(UNTRIED) <= set(ENTRIES)
    assert not set(UNTRIED) & {claim.id for claim in every_claim()}


def test_ids_are_unique():
    ids = [claim.id for claim in every_claim()]
    assert len(ids) == len(set(ids))


def test_no_entry_lacks_both_a_claim_and_a_reason():
    assert missing() == []


def test_claims_rest_on_entries_of_the_catalogue():
    known = {claim.id for claim in every_claim()} | set(ENTRIES)
    assert all(set(claim.uses) <= known for claim in every_claim())
