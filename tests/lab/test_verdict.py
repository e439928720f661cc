"""Verdicts: few repeats decide nothing, true claims are kept, false ones are refuted."""

import numpy as np
import pytest

from surefit.lab.claim import Kind, Verdict
from surefit.lab.verdict import BINS, FALSE_ALARM, FEWEST, judge, log_evidence, mean_sequence


def test_few_experiments_leave_a_mean_undecided():
    assert judge(Kind.MEAN, np.ones(FEWEST - 1), 0.05, finished=True).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("shape", [1, 5, 20])
def test_a_true_mean_of_skewed_experiments_holds_at_every_look(shape):
    """200 streams of gamma variables, looked at 20 times each: a false alarm has probability below 1e-5."""
    values = np.random.default_rng(shape).gamma(shape, 1 / shape, size=(200, 8000))
    for stop in np.geomspace(FEWEST, 8000, 20).astype(int):
        ends = np.array([mean_sequence(row[:stop]) for row in values])
        assert np.all((ends[:, 0] <= 1) & (ends[:, 1] >= 1))


def test_a_mean_that_is_off_by_a_tenth_is_refuted_and_one_within_the_tolerance_holds():
    values = np.random.default_rng(0).gamma(5, 1 / 5, size=20_000)
    assert judge(Kind.MEAN, values * 1.1, 0.05, finished=False).verdict is Verdict.REFUTED
    held = judge(Kind.MEAN, values, 0.05, finished=False)
    assert held.verdict is Verdict.HOLDS
    assert held.detectable <= 0.05


def test_an_inequality_of_means_says_how_far_it_could_be_tightened():
    values = 0.97 + 0.01 * np.random.default_rng(0).normal(size=2000)
    judged = judge(Kind.MEAN_AT_MOST, values, 0.05, finished=True)
    assert judged.verdict is Verdict.HOLDS
    assert 0.02 < judged.detectable < 0.04
    assert judge(Kind.MEAN_AT_MOST, values / 0.9, 0.05, finished=True).verdict is Verdict.REFUTED


def test_even_ranks_hold_and_the_evidence_is_an_e_value():
    """The mean of the e-value under evenness is one: exactly, over all histograms of three draws in two bins."""
    counts = [(3, 0), (2, 1), (2, 1), (2, 1), (1, 2), (1, 2), (1, 2), (0, 3)]
    assert np.mean([np.exp(log_evidence(np.array(c))) for c in counts]) == pytest.approx(1)
    ranks = np.random.default_rng(0).uniform(size=50_000)
    assert judge(Kind.RANKS, ranks, 0.05, finished=True).verdict is Verdict.HOLDS
    assert judge(Kind.RANKS, ranks**1.1, 0.05, finished=True).verdict is Verdict.REFUTED
    assert log_evidence(np.full(BINS, 100)) < np.log(1 / FALSE_ALARM)


def test_rounding_does_not_refute_an_inequality():
    assert judge(Kind.AT_MOST, np.array([1 + 1e-12]), 0.05, finished=True).verdict is Verdict.HOLDS


def test_an_experiment_that_is_no_number_refutes():
    assert judge(Kind.EXACT, np.array([np.nan]), 1e-9, finished=True).verdict is Verdict.REFUTED
