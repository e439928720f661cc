"""The lab answers for every entry of the catalogue, with a claim or with a reason."""

from surefit.lab.catalogue import ENTRIES, UNTRIED
from surefit.lab.claims import every_claim


def test_reasons_are_for_entries_without_a_claim():
    assert set(UNTRIED) <= set(ENTRIES)
    assert not set(UNTRIED) & {claim.id for claim in every_claim()}


def test_ids_are_unique():
    ids = [claim.id for claim in every_claim()]
    assert len(ids) == len(set(ids))
