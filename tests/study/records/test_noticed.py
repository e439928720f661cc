"""What was noticed is what it declares."""

from surefit.store.declared import check_declared
from surefit.study.checks.finding import TITLES, tip
from surefit.study.records.noticed import Check, Checks
from tests.study.samples import records_of, refuse_misfits


def test_records_of_a_study_are_what_they_declare():
    refuse_misfits(Checks)
    check_declared(Check, vars(tip("SF109", "2 % are rare.", "share 0.02", 0.02, "Look.", ("y",))))


def test_every_check_has_found_something_or_nothing():
    for checks in records_of(Checks):
        loud, silent = {one.code for one in checks.found}, {code for code, _ in checks.passed}
        assert loud | silent == set(TITLES)
        assert not loud & silent
        assert [one.kind for one in checks.found] == sorted(one.kind for one in checks.found)
