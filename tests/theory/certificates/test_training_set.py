"""What a theorem on the training rows lets a certificate say: bound, verdict, and advice."""

from dataclasses import replace

import numpy as np
import pytest

from surefit.theory.certificates.certificate import Assumption, Standing, Verdict
from surefit.theory.certificates.training_set import Designated, plain_remedy, quantile_remedy, training_certificate
from surefit.theory.means.concentration import clopper_pearson

GOOD = Designated(
    "the share of future rows on which this model errs", 0.2, 0.05, 400, "some theorem", "a book", (), constant=0.4,
    constant_seen=0.4, at=lambda n: 0.05 + 3 / n**0.5, remedy="Hold rows out.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("value", "verdict", "bound"),
    [(0.2, Verdict.INFORMATIVE, 0.2), (0.4, Verdict.NO_BETTER, 0.4), (1.7, Verdict.VACUOUS, 1.0)],
)
def test_a_bound_is_held_against_the_constant_and_the_trivial_bound(value, verdict, bound):
    found = training_certificate(replace(GOOD, value=value), 0.05)
    assert (found.status, found.bound) == (verdict, bound)
    assert ("Hold rows out." in found.statement) is (verdict is not Verdict.INFORMATIVE)


def test_a_violated_assumption_leaves_the_trivial_bound_and_is_named():
    broken = Assumption("lam was fixed before", Standing.VIOLATED, "lam was chosen on these rows")
    found = training_certificate(replace(GOOD, assumptions=(broken,)), 0.05)
    assert (found.status, found.bound) == (Verdict.VACUOUS, 1.0)
    assert found.statement.startswith("No guarantee from the training rows alone: lam was chosen on these rows.")


def test_the_rows_that_are_needed_are_those_at_which_the_bound_falls_below_the_constant():
    """0.05 + 3 / sqrt(n) < 0.4 from n = 74 on; said to two digits, and never fewer than there are."""
    few = replace(GOOD, n=20, value=0.72)
    assert "About 74 rows would be needed" in training_certificate(few, 0.05).statement
    hopeless = replace(few, empirical=0.5)
    assert "No number of rows would be enough" in training_certificate(hopeless, 0.05).statement
    slow = replace(few, at=lambda n: 0.41)
    assert "More than a billion rows" in training_certificate(slow, 0.05).statement


def test_several_models_fixed_before_are_said():
    assert "allows for 3 models that were fixed before" in training_certificate(GOOD, 0.05, 3).statement


def test_remedies_promise_what_a_hold_out_would_certify():
    share = clopper_pearson(np.zeros(100), 0.05)
    assert f"certify {100 * share:.1f} % if none of them is wrong" in plain_remedy(500, 0.05, labels=True)
    for text in (plain_remedy(30, 0.05, labels=False), quantile_remedy(np.ones(30), 0.05)):
        assert "would keep 6, and a 90 % quantile of the errors takes 39; 195 rows in all would do" in text
