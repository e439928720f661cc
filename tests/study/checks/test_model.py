"""Checks of the fit that a table cannot be made to raise at will."""

from types import SimpleNamespace

import numpy as np
import pytest

from surefit.study.checks.model import changing, end_of_grid, no_better
from surefit.theory.certificates.certificate import Certificate, Verdict
from surefit.theory.certificates.in_time import steady
from surefit.theory.means.exchangeability import Evidence


def chosen(end, curve):
    return SimpleNamespace(selection_=SimpleNamespace(end=end, curve=np.array(curve), chosen=1e-6))


@pytest.mark.parametrize(
    ("end", "curve", "heard"),
    [
        ("smallest", [3.0, 2.0, 1.0], True),
        ("largest", [1.0, 2.0, 3.0], False),
        (None, [3.0, 1.0, 2.0], False),
        ("smallest", [1.0, 1.0, 1.0], False),
    ],
    ids=["still falling", "the other end", "inside", "flat"],
)
def test_the_smallest_penalty_is_named_where_the_criterion_still_falls(end, curve, heard):
    """SF108."""
    assert [one.code for one in end_of_grid(chosen(end, curve))] == ["SF108"] * heard


def test_a_model_without_a_choice_is_not_at_an_end():
    assert list(end_of_grid(object())) == []


@pytest.mark.parametrize("verdict", list(Verdict))
def test_only_a_certificate_that_beats_a_constant_is_silent(verdict):
    """SF112."""
    found = list(no_better(Certificate("It errs.", 0.4, 0.3, 0.05, "clopper-pearson", (), verdict)))
    assert [one.code for one in found] == ([] if verdict is Verdict.INFORMATIVE else ["SF112"])


@pytest.mark.parametrize("highest", [2.0, 1e6])
def test_errors_that_change_with_time_are_an_issue_and_no_matter_of_more_rows(highest):
    """SF115."""
    order = steady(Evidence(highest, highest, 50, 90))
    found = Certificate("No guarantee.", 0.4, 0.3, 0.05, "clopper-pearson", (order,), Verdict.VACUOUS)
    drifts = highest > 100
    assert [one.code for one in (*changing(found), *no_better(found))] == (["SF115"] if drifts else ["SF112"])
