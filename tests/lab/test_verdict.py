"""Verdicts: few repeats decide nothing, true claims are kept, false ones are refuted."""

import numpy as np
import pytest

from surefit.lab.claim import Kind, Verdict
from surefit.lab.verdict import judge, log_evidence


def gamma(shape, size, seed=0):
    """Numbers with mean one and variance ``1 / shape``."""
    return np.random.default_rng(seed).gamma(shape, 1 / shape, size=size)


def test_few_experiments_leave_a_mean_undecided_however_alike_they_are():
    assert judge(Kind.MEAN, np.ones(100), 0.05, finished=True, variance=1.0).verdict is Verdict.UNDECIDED
    assert (
        judge(Kind.MEAN, np.ones(100_000), 0.05, finished=True).verdict is Verdict.UNDECIDED
    )  # nothing is known above


@pytest.mark.parametrize("known", [{"variance": 0.2}, {"largest": 10.0}])
def test_a_mean_that_is_off_by_a_tenth_is_refuted_and_one_within_the_tolerance_holds(known):
    values = np.minimum(gamma(5, 60_000), 9.0)
    for off in (1.1, 0.9):
        assert judge(Kind.MEAN, values * off, 0.05, finished=False, **known).verdict is Verdict.REFUTED
    held = judge(Kind.MEAN, values, 0.05, finished=False, **known)
    assert held.verdict is Verdict.HOLDS
    assert held.detectable <= 0.05


@pytest.mark.parametrize("ratios", [[0.5, np.nan], [-0.1, 2.0], [0.5, 3.5]])
def test_what_cannot_be_observed_refutes(ratios):
    assert judge(Kind.MEAN, np.array(ratios), 0.05, finished=False, largest=3.0).verdict is Verdict.REFUTED


def test_even_ranks_hold_and_others_are_refuted():
    ranks = np.random.default_rng(0).uniform(size=20_000)
    held = judge(Kind.RANKS, ranks, 0.05, finished=True)
    assert held.verdict is Verdict.HOLDS
    assert "holds within" in held.sentence
    few = judge(Kind.RANKS, ranks[:500], 0.05, finished=True)
    assert few.verdict is Verdict.UNDECIDED
    assert few.reason.endswith("off an even distribution; to hold it must be within 5.0 %")
    assert judge(Kind.RANKS, ranks**1.1, 0.05, finished=True).verdict is Verdict.REFUTED
    middle = judge(Kind.RANKS, 0.5 + 0.9 * (ranks - 0.5), 0.05, finished=True)  # intervals that are too wide
    assert middle.verdict is Verdict.REFUTED
    assert "off an even distribution" in middle.sentence


def test_the_evidence_of_ranks_is_an_e_value():
    """Its mean under evenness is one: over 2,000 samples of three ranks, within five standard errors."""
    values = np.exp([log_evidence(row) for row in np.random.default_rng(1).uniform(size=(2000, 3))])
    assert abs(values.mean() - 1) < 5 * values.std() / np.sqrt(2000)


def test_rounding_does_not_refute_an_inequality():
    held = judge(Kind.AT_MOST, np.array([1 + 1e-12]), 0.05, finished=True)
    assert held.sentence == "holds, attained (1 repeat; a constant wrong by more than rounding would be caught)"


def test_an_experiment_that_is_no_number_refutes():
    assert judge(Kind.EXACT, np.array([np.nan]), 1e-9, finished=True).verdict is Verdict.REFUTED
