"""Certificates from groups and from weighted rows: limits in which they are the ordinary ones, and what they refuse."""

import numpy as np
import pytest

from surefit.theory.certificates.certificate import Standing, Verdict
from surefit.theory.certificates.holdout import Baseline, classifier_certificate, error_quantile, mean_certificate
from surefit.theory.certificates.shuffle import Shuffle
from surefit.theory.certificates.unequal import (
    Terms,
    beside,
    by_groups,
    by_weights,
    unequal_classifier,
    unequal_mean,
    unequal_regressor,
)

RNG = np.random.default_rng(0)
ERRORS = 1.0 * (RNG.random(400) < 0.1)
SIZES = RNG.exponential(size=400)
SHUFFLE = Terms(shuffle=Shuffle.of(np.arange(400)))


def test_groups_of_one_row_and_weights_of_one_are_the_ordinary_bound():
    ordinary = mean_certificate(ERRORS, shuffle=SHUFFLE.shuffle).bound
    for counting in (by_groups(np.arange(400)), by_weights(np.ones(400), True)):
        found = unequal_classifier(ERRORS, counting, SHUFFLE)
        assert found.bound == pytest.approx(ordinary, abs=1e-12)
        assert found.empirical == pytest.approx(ERRORS.mean(), abs=1e-12)
        quantile = unequal_regressor(SIZES, counting, SHUFFLE).bound
        assert abs(np.sum(quantile >= SIZES) - np.sum(error_quantile(SIZES) >= SIZES)) <= 6  # of 400 rows


def test_every_row_ten_times_says_no_more_than_once_if_its_copies_are_its_group():
    once = unequal_classifier(ERRORS, by_groups(np.arange(400)), SHUFFLE)
    tenfold = unequal_classifier(np.repeat(ERRORS, 10), by_groups(np.repeat(np.arange(400), 10)), SHUFFLE)
    assert tenfold.bound == pytest.approx(once.bound, abs=1e-12)
    assert unequal_regressor(np.repeat(SIZES, 10), by_groups(np.repeat(np.arange(400), 10)), SHUFFLE).bound == (
        unequal_regressor(SIZES, by_groups(np.arange(400)), SHUFFLE).bound
    )


def test_groups_count_alike_whatever_their_size():
    """One group of 300 rows without an error and 20 groups of five rows with two errors each: 8 / 21 on average."""
    groups = np.concatenate([np.zeros(300), np.repeat(np.arange(1, 21), 5)])
    errors = np.concatenate([np.zeros(300), np.tile([1.0, 1, 0, 0, 0], 20)])
    assert unequal_classifier(errors, by_groups(groups)).empirical == pytest.approx(8 / 21, abs=1e-12)


def test_weights_move_the_risk_to_the_other_law():
    """Errors on a tenth of the rows left of zero and half of those right of it; new rows are right of it in 9 of 10."""
    right = RNG.random(4000) < 0.5
    errors = 1.0 * (RNG.random(4000) < np.where(right, 0.5, 0.1))
    found = unequal_classifier(errors, by_weights(np.where(right, 1.8, 0.2), True))
    assert 0.46 < found.bound < 0.52
    assert found.empirical == pytest.approx(0.46, abs=0.03)


def test_the_sentence_says_whether_weights_are_known_or_estimated():
    known, estimated = (by_weights(np.ones(50), one) for one in (True, False))
    assert known.assumptions[1].standing is Standing.DECLARED
    assert estimated.assumptions[1].standing is Standing.UNVERIFIABLE
    assert "if the estimated weights are right" in unequal_mean(np.zeros(50), estimated).statement
    assert "estimated" not in unequal_mean(np.zeros(50), known).statement


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.full(300, 2.0), "mean of the weights is 2"),
        (np.full(300, 0.3), "mean of the weights is 0.3"),
        (np.array([1.0, -1.0]), "not negative"),
        (np.array([1.0, np.nan]), "finite"),
        (np.zeros(3), "not all zero"),
    ],
)
def test_weights_that_are_no_density_ratios_are_refused(weights, words):
    with pytest.raises(ValueError, match=words):
        by_weights(weights, True)


@pytest.mark.parametrize(("constant", "status"), [(0.5, Verdict.INFORMATIVE), (0.1, Verdict.NO_BETTER)])
def test_the_status_comes_from_a_comparison_draw_by_draw(constant, status):
    groups, others = np.arange(400) // 4, 1.0 * (np.random.default_rng(5).random(400) < constant)
    found = unequal_classifier(ERRORS, by_groups(groups), SHUFFLE, Baseline(others, constant="no"))
    assert found.status is status
    assert ("do not show that" in found.further[0].statement) == (status is Verdict.NO_BETTER)
    numbers = unequal_regressor(SIZES, by_groups(groups), SHUFFLE, Baseline(SIZES * (1 + 4 * constant), 25.0, 1.5))
    assert numbers.status is Verdict.INFORMATIVE
    equal = unequal_regressor(SIZES, by_groups(groups), SHUFFLE, Baseline(SIZES, 25.0, 1.5))
    assert equal.status is Verdict.NO_BETTER


def test_few_groups_give_no_bound_on_a_quantile_and_say_so():
    found = unequal_regressor(SIZES, by_groups(np.arange(400) % 4))
    assert found.vacuous
    assert "4 held-out groups are too few" in found.statement


def test_the_bound_for_the_same_groups_stands_beside_that_for_new_ones():
    found = unequal_classifier(ERRORS, by_groups(np.arange(400) // 10), SHUFFLE)
    both = beside(found, classifier_certificate(ERRORS), 40)
    assert both.further[-1].bound < both.bound
    assert both.further[-1].statement.startswith("If new rows come from these same 40 held-out groups")


def test_one_group_is_too_few_and_two_are():
    for groups, words in (
        (np.zeros(30), "one held-out group is too few"),
        (np.arange(30) % 2, "2 held-out groups are"),
    ):
        assert words in unequal_regressor(np.ones(30), by_groups(groups)).statement
