"""Certificates from the latest rows: they speak of that time, and of no later one where the rows change."""

import pytest

from surefit.theory.certificates.certificate import Certificate, Standing, Verdict
from surefit.theory.certificates.in_time import of_that_time, steady
from surefit.theory.means.exchangeability import Evidence

ONE = Certificate("With 95 % confidence, it errs on at most 9 %.", 0.09, 0.05, 0.05, "x", (), Verdict.INFORMATIVE)
CALM, CHANGED = Evidence(0.71, 3.0, 40, 200), Evidence(80.0, 540.0, 150, 200)


def test_steady_rows_keep_their_certificate_and_name_their_time():
    found = of_that_time(ONE, CALM, "May", "June")
    assert (found.bound, found.status) == (ONE.bound, Verdict.INFORMATIVE)
    assert "from May to June" in found.statement
    assert found.assumptions[-1].standing is Standing.TESTED
    assert "e = 0.71" in str(found.assumptions[-1])


def test_rows_that_change_say_nothing_of_a_later_time():
    found = of_that_time(ONE, CHANGED, "May", "June")
    assert found.vacuous
    assert found.statement.startswith("No guarantee for a later time")
    assert "540-fold by row 150 of 200" in found.assumptions[-1].evidence
    assert found.assumptions[-1].standing is Standing.VIOLATED


@pytest.mark.parametrize("evidence", [CALM, CHANGED])
def test_they_can_be_stored(evidence):
    found = of_that_time(ONE, evidence, "May", "June")
    assert Certificate.from_json(found.to_json()) == found
    assert str(steady(evidence)) in str(found).replace("\n  ", " ")
