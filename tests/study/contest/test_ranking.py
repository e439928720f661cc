"""Ranks tell candidates apart only where chance does not explain the difference."""

import numpy as np

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


def test_rows_of_a_group_count_as_one_draw():
    rng = np.random.default_rng(4)
    once = rng.normal(size=(12, 2))
    assert (
        ranked(np.repeat(once, 50, axis=0), np.repeat(np.arange(12), 50)).p_values
        == ranked(once, np.arange(12)).p_values
    )
