"""Draws that agree by chance and copies of one draw: which is which, dense or sparse, numbers or words."""

import numpy as np
import pytest
from scipy import sparse

from surefit.theory.copies import agreement, equalities
from surefit.theory.overlap import row_prints

RNG = np.random.default_rng(0)


def found(X, y, training=None):
    prints = row_prints(X, y)
    return equalities(prints, prints[:0] if training is None else row_prints(*training), (X, y))


def test_sparse_rows_are_judged_as_dense_ones():
    X = RNG.integers(0, 3, (200, 6)) * (RNG.random((200, 6)) < 0.4) * 1.0
    X[:, 5] *= RNG.random(200)
    y, distinct = RNG.integers(0, 2, 200), RNG.random(200) < 0.8
    assert agreement(sparse.csr_array(X), y, distinct) == pytest.approx(agreement(X, y, distinct), rel=1e-12)


def test_few_answers_are_draws_and_measurements_are_copies():
    table, labels = RNG.integers(0, 2, (500, 4)).astype(float), RNG.integers(0, 2, 500)
    assert found(table, labels).explained
    words = RNG.choice(np.array(list("abc"), dtype=object), (300, 1))
    assert found(words, np.where(words[:, 0] == "a", "warm", "cold")).explained
    measured = np.repeat(RNG.normal(size=(50, 3)), 4, axis=0)
    twice = found(measured, np.zeros(200))
    assert twice.doubtful
    assert twice.many
    assert (int(twice.fresh.sum()), twice.repeated) == (50, 150)


def test_one_repeat_among_many_rows_spoils_no_theorem():
    X = RNG.normal(size=(300, 2))
    X[7] = X[9]
    once = found(X, np.zeros(300))
    assert once.doubtful
    assert not once.many


def test_rows_that_were_trained_on_are_not_fresh():
    X, y = RNG.normal(size=(40, 2)), RNG.normal(size=40)
    both = found(X, y, training=(X[:10], y[:10]))
    assert (both.shared, both.repeated, int(both.fresh.sum())) == (10, 0, 30)
    assert both.doubtful
