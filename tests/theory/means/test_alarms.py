"""Alarms: their two promises by simulation, their delays, and blocks that change nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from surefit.theory.means.alarms import Alarm


def first(alarm, losses):
    found = alarm.update(losses)
    return found[0] if found else len(losses)


@given(st.lists(st.integers(1, 60), max_size=10), st.sampled_from(["ever", "run-length"]))
def test_blocks_change_nothing(cuts, mode):
    losses = (np.random.default_rng(0).random(400) < 0.3).astype(float)
    whole, parts, start, found = Alarm(0.1, mode), Alarm(0.1, mode), 0, []
    expected = whole.update(losses)
    for cut in [*cuts, 400]:
        if start < 400:
            found += parts.update(losses[start : start + cut])
        start += cut
    assert found == expected
    assert parts.rows == whole.rows == 400
    assert parts.evidence == whole.evidence
    np.testing.assert_array_equal(parts.wealth, whole.wealth)


@pytest.mark.parametrize("law", ["coin", "beta", "below"])
def test_an_alarm_that_may_never_be_false_hardly_ever_is(law, plain):
    """400 streams of 5,000 at the level, delta 0.05: more than 39 false alarms have probability below 1e-4."""
    rng, R, n = np.random.default_rng(1), 40 if plain else 400, 5000
    false = 0
    for _ in range(R):
        x = rng.beta(0.2, 1.8, n) if law == "beta" else rng.random(n) < (0.1 if law == "coin" else 0.05)
        false += bool(Alarm(0.1).update(x.astype(float)))
    assert false <= binom.ppf(1 - 1e-4, R, 0.05)


@pytest.mark.compiled
def test_runs_between_false_alarms_are_as_long_as_promised():
    """150 runs at the level with run length 1,000: their mean is at least 1,000, less four standard errors."""
    rng, lengths = np.random.default_rng(2), []
    for _ in range(150):
        lengths.append(1 + first(Alarm(0.1, "run-length", run_length=1000.0), (rng.random(40_000) < 0.1).astype(float)))
    assert np.mean(lengths) + 4 * np.std(lengths) / np.sqrt(150) >= 1000


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("mode", "before", "limits"), [("run-length", 1000, (660, 230, 77)), ("ever", 0, (350, 100, 30))]
)
def test_a_jump_is_met_soon(mode, before, limits):
    """Mean delay over 300 streams after a jump from 0.10 to 0.15, 0.20 and 0.30, and three standard errors below."""
    rng = np.random.default_rng(3)
    for p, limit in zip((0.15, 0.2, 0.3), limits, strict=True):
        delays = []
        for _ in range(300):
            x = np.concatenate([rng.random(before) < 0.1, rng.random(6000) < p]).astype(float)
            after = [row for row in Alarm(0.1, mode).update(x) if row >= before]
            delays.append(after[0] - before + 1 if after else 6000)
        assert np.mean(delays) - 3 * np.std(delays) / np.sqrt(300) <= limit


def test_a_late_jump_is_met_by_an_alarm_that_may_never_be_false():
    """Money that enters row by row: a thousand quiet rows do not blind it."""
    x = np.concatenate([np.zeros(3000), np.tile([1.0, 0.0], 300)])
    assert 3000 <= Alarm(0.1).update(x)[0] < 3040


def test_a_detector_without_the_threshold_is_caught():
    """The sabotaged twin: betting wealth 4 in place of 20 gives far more than one false alarm in twenty."""
    rng = np.random.default_rng(4)
    false = sum(bool(Alarm(0.1, delta=0.25).update((rng.random(2000) < 0.1).astype(float))) for _ in range(200))
    assert false > binom.ppf(1 - 1e-4, 200, 0.05)


def test_it_restarts_itself_or_stays_silent():
    ones = np.ones(50)
    assert len(Alarm(0.1, "run-length", run_length=100.0).update(ones)) > 5
    ever = Alarm(0.1)
    assert len(ever.update(ones)) == 1
    assert ever.update(ones) == []
    assert ever.rows == 100


def test_the_largest_loss_only_sets_the_scale():
    x = np.random.default_rng(5).beta(2, 3, 200)
    assert Alarm(0.1).update(x) == Alarm(30.0, upper=300.0).update(300 * x)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Alarm(0.0), "level must lie between 0 and the largest loss 1, got 0.0"),
        (lambda: Alarm(1.0), "level must lie between"),
        (lambda: Alarm(0.1, "sometimes"), "mode must be 'ever' or 'run-length'"),
        (lambda: Alarm(0.1, delta=5), "delta must lie"),
        (lambda: Alarm(0.1, run_length=1), "run_length must be at least 2"),
        (lambda: Alarm(0.1).update([2.0]), "losses must lie in"),
    ],
)
def test_impossible_alarms_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()
