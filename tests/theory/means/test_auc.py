"""The area under the ROC curve: by all pairs, and its bounds."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from surefit.theory.means.auc import auc, auc_lower, auc_u_statistic
from surefit.theory.means.concentration import chernoff


@pytest.mark.parametrize("digits", [1, 12], ids=["ties", "no ties"])
def test_the_area_is_the_share_of_pairs_in_order(digits):
    rng = np.random.default_rng(0)
    positive, negative = (rng.normal(size=40) + 1).round(digits), rng.normal(size=70).round(digits)
    by_pairs = np.mean([(p > q) + 0.5 * (p == q) for p in positive for q in negative])
    both, label = np.concatenate([positive, negative]), np.arange(110) < 40
    assert auc(positive, negative) == pytest.approx(by_pairs, abs=1e-12)
    assert auc(positive, negative) == pytest.approx(roc_auc_score(label, both), abs=1e-12)


def test_bounds_are_below_the_area_and_bets_on_blocks_are_sharper_with_many_negatives():
    rng = np.random.default_rng(1)
    positive, negative = rng.normal(size=100) + 1.5, rng.normal(size=900)
    seen = auc(positive, negative)
    assert auc_u_statistic(positive, negative) < auc_lower(positive, negative) < seen


def test_classes_change_roles_with_the_sign_of_the_scores():
    rng = np.random.default_rng(2)
    positive, negative = rng.normal(size=30) + 1, rng.normal(size=80)
    assert auc(positive, negative) == pytest.approx(auc(-negative, -positive), abs=1e-12)
    assert auc_u_statistic(positive, negative) == pytest.approx(auc_u_statistic(-negative, -positive), abs=1e-12)


def test_the_classical_bound_is_that_of_as_many_independent_pairs():
    positive, negative = np.arange(10.0), np.arange(50.0) - 30
    lost = 1 - auc(positive, negative)
    assert auc_u_statistic(positive, negative) == pytest.approx(1 - float(chernoff(np.full(10, lost))), abs=1e-12)


def test_perfect_order_is_bounded_by_the_number_of_rows():
    assert 1 - auc_lower(np.ones(60), np.zeros(500)) == pytest.approx(-np.log(0.05) / 60, rel=0.1)


def test_a_class_without_rows_is_refused():
    with pytest.raises(ValueError, match="at least one row of each class"):
        auc([], [1.0])
