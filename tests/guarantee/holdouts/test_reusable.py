"""Rows that are asked again and again, and what that costs."""

from itertools import product
from math import comb, prod

import numpy as np
import pytest

from surefit import LogisticRegression, ReusableHoldOut, Ridge, certify
from surefit.guarantee.holdouts.reusable import Told
from surefit.testing import check_certificate

RNG = np.random.default_rng(0)
X = RNG.normal(size=(900, 4))
Y = X[:, 0] + 0.3 * RNG.normal(size=900)
LABELS = (Y > 0).astype(int)
GOOD = LogisticRegression(1e-2).fit(X[:300], LABELS[:300])


def spent(answers, most=40):
    """What all lists of answers before the last model are judged at, "better" by any number of steps up to ``most``."""
    rows, total = ReusableHoldOut(X[300:], LABELS[300:]), 0.0
    for better in product([False, True], repeat=answers):
        for steps in product(range(1, most + 1), repeat=sum(better)):
            fallen = iter(steps)
            rows._told = [Told(0, next(fallen)) if one else Told(None) for one in better]
            total += rows.next_delta * 2 ** sum(better)  # a constant is beaten, or not
    return total


@pytest.mark.parametrize("answers", [0, 1, 2])
def test_all_that_could_be_answered_is_paid_for(answers):
    """Over all lists of ``k - 1`` answers the shares of delta sum to at most ``delta / (k (k + 1))``."""
    k = answers + 1
    assert 0.9 * 0.05 / (k * (k + 1)) < spent(answers) <= 0.05 / (k * (k + 1)) * (1 + 1e-12)


def test_the_price_is_that_of_the_formula():
    rows = ReusableHoldOut(X[300:], LABELS[300:], delta=0.1)
    rows._told = [Told(-9, 9), Told(None), Told(-12, 3), Told(None)]
    paid = 5 * comb(4, 2) * prod(2 * s * (s + 1) for s in (9, 3)) * 5 * 6
    assert rows.next_delta == pytest.approx(0.1 / paid)


def test_a_better_model_gets_a_bound_on_the_grid_and_another_nothing():
    rows = ReusableHoldOut(X[300:], LABELS[300:])
    first, again = rows.certify(GOOD), rows.certify(GOOD)
    sharp = certify(GOOD, X[300:], LABELS[300:], delta=0.05 / 4)
    assert sharp.bound <= first.bound < 2 ** (1 / 10) * sharp.bound
    assert np.log2(first.bound) * 10 == pytest.approx(round(np.log2(first.bound) * 10))
    assert again.vacuous
    assert "not certified to be better than the best so far" in again.statement
    assert first.empirical == first.bound  # what was observed is not told
    check_certificate(first)
    check_certificate(again)


def test_numbers_have_a_grid_at_any_scale():
    for scale in (1e-6, 1.0, 1e6):
        rows = ReusableHoldOut(X[300:], scale * Y[300:], coverage=0.8)
        found = rows.certify(Ridge(0.01).fit(X[:300], scale * Y[:300]))
        assert 0.3 < found.bound / scale < 0.8
        assert "on at least 80 % of future rows" in found.statement


def test_training_rows_kinds_of_answers_and_rows_that_are_used_up_are_refused():
    with pytest.raises(ValueError, match="used in fit"):
        ReusableHoldOut(X[:300], LABELS[:300]).certify(GOOD)
    rows = ReusableHoldOut(X[300:], LABELS[300:])
    rows.certify(GOOD)
    with pytest.raises(ValueError, match="answers the other kind"):
        rows.certify(Ridge(0.01).fit(X[:300], Y[:300]))
    rows._told = [Told(-k, 10**9) for k in range(30)]
    with pytest.raises(ValueError, match="hold out new ones"):
        rows.certify(GOOD)
    with pytest.raises(TypeError, match="n_models_fixed"):
        certify(GOOD, X[300:], LABELS[300:], n_models_tried=3)
