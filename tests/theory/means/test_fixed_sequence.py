"""Quantiles of rows that do not count alike: limits in which they are known, and the order of the tests."""

import numpy as np
import pytest

from surefit.theory.certificates.holdout import error_quantile
from surefit.theory.means import fixed_sequence
from surefit.theory.means.betting import betting
from surefit.theory.means.fixed_sequence import share_quantile


def one_each(errors, limit=0.1, delta=0.05, **options):
    n = len(errors)
    return share_quantile(errors, np.arange(n), np.ones(n), limit, delta, **options)


@pytest.mark.parametrize("n", [50, 200, 1000])
def test_rows_that_are_draws_come_close_to_the_order_statistic(n):
    """Bets on zeros and ones lose little against the exact binomial test; by luck of the order they may gain a row."""
    errors = np.random.default_rng(n).exponential(size=n)
    exact, rank = error_quantile(errors), lambda r: int(np.sum(errors <= r))
    assert abs(rank(one_each(errors)) - rank(exact)) <= 0.015 * n + 2


def test_the_answer_is_where_the_bound_on_the_mean_passes_the_limit():
    """With 40 groups of 10: at the answer the betting bound on the mean share above it is within the limit, at the next
    smaller error it is not (up to the grid of candidates that `betting` has)."""
    rng = np.random.default_rng(0)
    group, size = np.repeat(np.arange(40), 10), np.repeat(rng.exponential(size=40), 10)
    errors = size * rng.exponential(size=400)
    r = share_quantile(errors, group, np.full(400, 0.1), 0.3, seed=3)
    place = np.argsort(np.random.default_rng(3).permutation(40))  # the order in which `share_quantile` bets

    def bound(r):
        losses = np.bincount(group, errors > r) / 10
        from surefit.theory.means.betting import star

        return float(star(losses[place]))

    smaller = np.sort(errors)[np.sum(errors < r) - 1]
    assert bound(r) <= 0.3 + 1e-4
    assert bound(smaller) >= 0.3 - 1e-4
    assert betting(np.zeros(40)) < 0.3


def test_few_groups_say_nothing_however_many_rows_they_have():
    errors = np.random.default_rng(0).random(5000)
    assert share_quantile(errors, np.arange(5000) % 5, np.full(5000, 1e-3), 0.1) == np.inf
    assert np.isfinite(share_quantile(errors, np.arange(5000) % 100, np.full(5000, 0.02), 0.1))


def test_many_rows_are_answered_by_a_test_of_the_mean_alone(monkeypatch):
    errors = np.random.default_rng(1).random(2000)
    walked = one_each(errors)
    monkeypatch.setattr(fixed_sequence, "MOST_STEPS", 10)
    searched = one_each(errors)
    assert 0.9 < walked <= searched + 0.01
    assert searched < 0.93


def test_blocks_of_any_length_give_one_answer(monkeypatch):
    errors = np.random.default_rng(2).random(300)
    whole = one_each(errors)
    monkeypatch.setattr(fixed_sequence, "CHUNK", 7 * 300)
    assert one_each(errors) == whole


def test_an_infinite_error_is_an_error_above_everything():
    errors = np.random.default_rng(2).random(100)
    few, many = errors.copy(), errors.copy()
    few[:2], many[:30] = np.inf, np.inf
    assert np.isfinite(one_each(few))
    assert one_each(many) == np.inf
