"""Rows that equal others: which are fresh, and when a hold-out fits into the training rows too closely for chance."""

from itertools import combinations

import numpy as np
import pytest

from surefit.guarantee.seen.equal import chance_of_so_few_strangers, equalities
from surefit.guarantee.seen.prints import row_prints

RNG = np.random.default_rng(0)


def found(X, y, training=None):
    prints = row_prints(X, y)
    return equalities(prints, prints[:0] if training is None else row_prints(*training))


def test_copies_are_counted_once():
    twice = found(np.repeat(RNG.normal(size=(50, 3)), 4, axis=0), np.zeros(200))
    assert twice.many
    assert (int(twice.first.sum()), twice.repeated) == (50, 150)
    words = RNG.choice(np.array(list("abc"), dtype=object), (300, 1))
    assert int(found(words, np.where(words[:, 0] == "a", "warm", "cold")).first.sum()) == 3


def test_one_repeat_among_many_rows_spoils_no_theorem():
    X = RNG.normal(size=(300, 2))
    X[7] = X[9]
    once = found(X, np.zeros(300))
    assert once.any
    assert not once.many


def test_rows_that_were_trained_on_are_known():
    X, y = RNG.normal(size=(40, 2)), RNG.normal(size=40)
    both = found(X, y, training=(X[:10], y[:10]))
    assert (both.shared, both.repeated, int(both.first.sum())) == (10, 0, 40)
    assert both.any


def strangers(rows, held_out):
    held, total = np.bincount(rows[held_out], minlength=9), np.bincount(rows, minlength=9)
    return int(np.maximum(2 * held - total, 0).sum())


@pytest.mark.parametrize("rows", [[0, 0, 1, 1, 2, 2, 3, 3, 4, 5], [0, 0, 0, 0, 1, 1, 2, 3, 4, 5], [0] * 5 + [1] * 5])
@pytest.mark.parametrize("m", [2, 4, 5])
def test_the_chance_bounds_the_share_of_all_divisions(rows, m):
    """Every one of the divisions of ten rows: no more of them have so few strangers than the bound says."""
    rows = np.array(rows)
    divisions = [list(held) for held in combinations(range(10), m)]
    counts = np.array([strangers(rows, held) for held in divisions])
    for k in np.unique(counts):
        held = divisions[int(np.flatnonzero(counts == k)[0])]
        exact = np.mean(counts <= k)
        bound = chance_of_so_few_strangers(np.delete(rows, held), rows[held])
        assert exact <= bound * (1 + 1e-9)
        assert bound <= min(1.0, 8 * exact)  # what counting by a generating function costs


def test_the_training_rows_themselves_are_no_chance_and_independent_rows_are():
    """64 kinds of row, 60 training rows: nothing of the law is known but the rows."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        training = rng.integers(0, 64, 60)
        assert chance_of_so_few_strangers(training, rng.permutation(training)) < 1e-9
        assert chance_of_so_few_strangers(training, rng.integers(0, 64, 60)) > 1e-3
        assert chance_of_so_few_strangers(training, rng.integers(0, 64, 300)) > 1e-3


def test_many_equal_rows_are_counted_without_overflow():
    same = np.zeros(200_000, dtype=int)
    assert chance_of_so_few_strangers(same[:150_000], same[150_000:]) == 1.0
    unlike = np.arange(20_000)
    assert chance_of_so_few_strangers(unlike, unlike) < 1e-300
