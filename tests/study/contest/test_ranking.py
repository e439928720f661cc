"""Ranks tell candidates apart only where chance does not explain the difference."""

import numpy as np
import pytest

from surefit.study.contest.ranking import LEVEL, ranked


def test_candidates_that_are_equally_good_are_rarely_told_apart():
    """300 samples; at 5 % more than 29 false alarms have probability below 1e-3."""
    rng = np.random.default_rng(0)
    alarms = sum(len(set(ranked(rng.normal(size=(80, 5)) ** 2, seed=k).ranks)) > 1 for k in range(300))
    assert alarms <= 29


def test_a_clear_difference_is_found_and_a_shared_noise_does_not_hide_it():
    rng = np.random.default_rng(1)
    noise = 10 * rng.normal(size=(200, 1))
    losses = noise + np.array([0.0, 0.5, 0.5]) + 0.5 * rng.normal(size=(200, 3))
    assert ranked(losses).ranks == (1, 2, 2)


def test_equal_losses_share_a_rank_and_one_candidate_is_first():
    losses = np.random.default_rng(2).random((50, 1))
    assert ranked(np.hstack([losses, losses])).ranks == (1, 1)
    assert ranked(losses).ranks == (1,)


def test_ranks_never_fall_with_the_score():
    rng = np.random.default_rng(3)
    losses = rng.random((100, 6)) * np.array([1.0, 5.0, 1.2, 1.0, 2.0, 9.0])
    found = ranked(losses)
    order = np.argsort(losses.mean(axis=0))
    assert np.all(np.diff(np.array(found.ranks)[order]) >= 0)
    assert found.p_values[order[0]] == 1.0
    assert LEVEL == 0.05


def test_pairs_that_are_told_apart_do_not_hide_the_others():
    """A pair at |t| = 2.3 is told apart beside one at |t| = 60, which takes no further part."""
    rng = np.random.default_rng(5)
    noise = rng.normal(size=(2, 1000))
    noise = (noise - noise.mean(axis=1, keepdims=True)) / noise.std(axis=1, ddof=1, keepdims=True)
    losses = np.stack([np.zeros(1000), 2.3 / np.sqrt(1000) + noise[0], 60 / np.sqrt(1000) + noise[1]], axis=1)
    found = ranked(losses)
    assert found.ranks == (1, 2, 3)
    assert found.behind == pytest.approx((0.0, 2.3, 60.0))
    assert found.p_values[1] == pytest.approx(0.0214, abs=0.012)


def test_stepping_down_keeps_the_error_of_all_pairs_together():
    """Two equal candidates and three far behind: 300 samples; more than 29 false alarms at 5 % have odds below 1e-3."""
    rng = np.random.default_rng(6)
    behind = np.array([0.0, 0.0, 3.0, 6.0, 9.0])
    alarms = sum(ranked(rng.normal(size=(80, 5)) + behind, seed=k).ranks[:2] != (1, 1) for k in range(300))
    assert alarms <= 29


def test_rows_of_a_group_count_as_one_draw():
    rng = np.random.default_rng(4)
    once = rng.normal(size=(12, 2))
    assert (
        ranked(np.repeat(once, 50, axis=0), np.repeat(np.arange(12), 50)).p_values
        == ranked(once, np.arange(12)).p_values
    )
