"""Thresholds with a promise: order statistics, exact binomial tests in a fixed order, and what stops the walk."""

import numpy as np
import pytest
from scipy.stats import binom

from surefit.theory.certificates.holdout import error_quantile
from surefit.theory.certificates.thresholds import (
    binomial_p,
    cost_threshold,
    first_count,
    precision_threshold,
    share_threshold,
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
    found = share_threshold(scores, event, "recall", 0.9)
    limit = -error_quantile(-scores[event], 0.9)
    assert np.sum(scores[event] >= found.value) == np.sum(scores[event] >= limit)
    mirrored = share_threshold(-scores, ~event, "specificity", 0.9)
    assert np.sum(-scores[event] < mirrored.value) == np.sum(scores[event] >= found.value)
    assert mirrored.observed == found.observed


def test_a_threshold_lies_between_two_held_out_scores():
    scores, event = sample()
    for measure in ("recall", "specificity", "precision"):
        value = share_threshold(scores, event, measure, 0.85).value
        assert value not in scores


def test_every_threshold_up_to_the_one_chosen_passes_its_test_and_the_next_does_not():
    """By brute force: counts at every distinct score, from the first count down."""
    scores, event = sample(800, 0.4)
    level, delta = 0.85, 0.05
    found = precision_threshold(scores, event, level, delta)
    passed, order = [], np.sort(scores)[::-1]
    for j in range(first_count(800, level, delta), 801):
        above = scores >= order[j - 1]
        passed.append(binom.sf(event[above].sum() - 1, j, level) <= delta)
        if not passed[-1]:
            break
    assert all(passed[:-1])
    assert not passed[-1]
    assert found.n == first_count(800, level, delta) + len(passed) - 2
    assert np.sum(scores >= found.value) == found.n


def test_the_first_count_hangs_on_no_label_and_suffices_halfway_to_one():
    m = first_count(10_000, 0.9, 0.05)
    assert binomial_p(m - int(m * 0.05), m, 0.9) <= 0.05
    assert first_count(80, 0.95, 0.05) == 59  # fewer could not show it


def test_ties_are_taken_together():
    scores, event = sample(1000)
    coarse = scores.round(0)
    for measure in ("recall", "specificity", "precision"):
        found = share_threshold(coarse, event, measure, 0.8)
        assert found.value not in coarse
        chosen = coarse >= found.value
        observed = {
            "recall": chosen[event].mean(),
            "specificity": (~chosen[~event]).mean(),
            "precision": event[chosen].mean(),
        }
        assert found.observed == pytest.approx(observed[measure], abs=1e-12)


def test_equal_costs_of_one_are_an_error_rate_with_binomial_tests():
    scores, event = sample(500)
    found = cost_threshold(scores, event, 0.25, (1.0, 1.0), start=1.0)
    assert found.observed == pytest.approx(np.mean((scores >= found.value) != event), abs=1e-12)
    assert binom.cdf(round(found.observed * 500), 500, 0.25) <= 0.025


def test_dear_misses_lower_the_threshold():
    scores, event = sample(3000)
    even = cost_threshold(scores, event, 0.6, (1.0, 1.0), start=1.0)
    dear = cost_threshold(scores, event, 0.6, (1.0, 5.0), start=0.3)
    assert dear.value < even.value
    cost = np.mean(((scores >= dear.value) & ~event) + 5.0 * ((scores < dear.value) & event))
    assert dear.observed == pytest.approx(cost, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s, e: share_threshold(s[:40], np.ones(40, bool), "recall", 0.95), "40 positive rows .* at least 59"),
        (lambda s, e: share_threshold(s, e, "precision", 0.99), "no threshold is shown"),
        (lambda s, e: share_threshold(s, e, "accuracy", 0.9), "measure must be one of"),
        (lambda s, e: share_threshold(s, e[:-1], "recall", 0.9), "600 scores and 599 labels"),
        (lambda s, e: share_threshold(s, e, "recall", 95), "coverage must lie between 0 and 1"),
        (lambda s, e: cost_threshold(s, e, 2.0, (1.0, 1.0), start=1.0), "no mistake costs more than 1"),
        (lambda s, e: cost_threshold(s, e, 0.01, (1.0, 1.0), start=1.0), "not shown for the threshold 1"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_a_remedy(call, words):
    with pytest.raises(ValueError, match=words):
        call(*sample())
