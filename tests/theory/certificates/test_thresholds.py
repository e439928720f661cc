"""Thresholds with a promise: order statistics, exact binomial tests in a fixed order, and what stops the walk."""

import numpy as np
import pytest
from scipy.stats import binom

from surefit.theory.certificates.holdout import error_quantile
from surefit.theory.certificates.thresholds import (
    Shown,
    binomial_p,
    cheapest,
    first_count,
    mean_costs,
    measured,
    shown_for,
    shown_for_cost,
)


def sample(n=600, share=0.5, shift=2.0, seed=0):
    rng = np.random.default_rng(seed)
    event = rng.random(n) < share
    return rng.normal(size=n) + shift * event, event


def test_the_p_value_is_the_binomial_tail():
    hits = np.arange(0, 21)
    np.testing.assert_allclose(binomial_p(hits, 20, 0.8), binom.sf(hits - 1, 20, 0.8), rtol=1e-10)


def test_recall_is_a_quantile_of_positive_scores_and_specificity_of_negative_ones():
    scores, event = sample()
    found = shown_for(scores, event, "recall", 0.9)
    limit = -error_quantile(-scores[event], 0.9)
    assert np.sum(scores[event] >= found.high) == np.sum(scores[event] >= limit)
    mirrored = shown_for(-scores, ~event, "specificity", 0.9)
    assert np.sum(-scores[event] < mirrored.low) == np.sum(scores[event] >= found.high)
    assert (found.low, mirrored.high) == (-np.inf, np.inf)


def test_a_threshold_lies_between_two_held_out_scores():
    scores, event = sample()
    assert shown_for(scores, event, "recall", 0.85).high not in scores
    assert shown_for(scores, event, "specificity", 0.85).low not in scores
    assert shown_for(scores, event, "precision", 0.85).low not in scores


def test_every_threshold_that_is_shown_passes_its_test_and_the_next_does_not():
    """By brute force: counts at every distinct score, from the first count down."""
    scores, event = sample(800, 0.4)
    level, delta = 0.85, 0.05
    found = shown_for(scores, event, "precision", level, delta)
    passed, order = [], np.sort(scores)[::-1]
    for j in range(first_count(800, level, delta), 801):
        above = scores >= order[j - 1]
        passed.append(binom.sf(event[above].sum() - 1, j, level) <= delta)
        if not passed[-1]:
            break
    assert all(passed[:-1])
    assert not passed[-1]
    assert found.n == first_count(800, level, delta) + len(passed) - 2
    assert np.sum(scores >= found.low) == found.n
    assert np.sum(scores >= found.high) == first_count(800, level, delta)


def test_the_first_count_hangs_on_no_label_and_suffices_halfway_to_one():
    m = first_count(10_000, 0.9, 0.05)
    assert binomial_p(m - int(m * 0.05), m, 0.9) <= 0.05
    assert first_count(80, 0.95, 0.05) == 59  # fewer could not show it


def test_ties_are_taken_together():
    scores, event = sample(1000)
    coarse = scores.round(0)
    for measure, end in (("recall", "high"), ("specificity", "low"), ("precision", "low")):
        found = shown_for(coarse, event, measure, 0.8)
        assert getattr(found, end) not in coarse
        assert measured(coarse, event, getattr(found, end))[measure] > 0.8


def test_equal_costs_of_one_are_an_error_rate_with_binomial_tests():
    scores, event = sample(500)
    found = shown_for_cost(scores, event, 0.25, (1.0, 1.0), start=1.0)
    for end in (found.low, found.high):
        wrong = np.sum((scores >= end) != event)
        assert binom.cdf(wrong, 500, 0.25) <= 0.025
    further = np.sort(scores)[np.searchsorted(np.sort(scores), found.high) + 1]
    assert binom.cdf(np.sum((scores >= further) != event), 500, 0.25) > 0.02


def test_costs_are_counted_as_by_hand_and_dear_misses_lower_the_threshold():
    scores, event = sample(3000)
    distinct, mean = mean_costs(scores, event, (1.0, 5.0))
    by_hand = np.mean(((scores >= distinct[700]) & ~event) + 5.0 * ((scores < distinct[700]) & event))
    assert mean[700] == pytest.approx(by_hand, abs=1e-12)
    chosen = [
        cheapest(scores, event, costs, shown_for_cost(scores, event, 0.6, costs, start=start), start)
        for costs, start in (((1.0, 1.0), 1.0), ((1.0, 5.0), 0.3))
    ]
    assert chosen[1] < chosen[0]


def test_two_readings_show_what_both_show():
    assert Shown(0.0, 2.0, 50).common(Shown(1.0, 3.0, 40)) == Shown(1.0, 2.0, 40)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s, e: shown_for(s[:40], np.ones(40, bool), "recall", 0.95), "40 positive rows .* at least 59"),
        (lambda s, e: shown_for(s, e, "precision", 0.99), "no threshold is shown"),
        (lambda s, e: shown_for(s, e, "accuracy", 0.9), "measure must be one of"),
        (lambda s, e: shown_for(s, e[:-1], "recall", 0.9), "600 scores and 599 labels"),
        (lambda s, e: shown_for(s, e, "recall", 95), "recall must lie between 0 and 1"),
        (lambda s, e: shown_for_cost(s, e, 2.0, (1.0, 1.0), start=1.0), "no mistake costs more than 1"),
        (lambda s, e: shown_for_cost(s, e, 0.01, (1.0, 1.0), start=1.0), "not shown for the threshold 1"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_a_remedy(call, words):
    with pytest.raises(ValueError, match=words):
        call(*sample())
