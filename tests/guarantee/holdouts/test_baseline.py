"""The constant that a model has to beat."""

import numpy as np
import pytest

from surefit import Ridge
from surefit.guarantee.holdouts.baseline import MOST_LABELS, as_copies, cap_and_reach, of_labels, of_loss, of_numbers
from surefit.guarantee.seen.equal import equalities
from surefit.theory.certificates.shuffle import Shuffle

RNG = np.random.default_rng(0)
Y = RNG.normal(size=100)
SHUFFLE = Shuffle.of(Y / 10 + 0.5)


def test_without_training_rows_every_label_is_a_constant_and_one_stands_for_the_rest():
    y = np.repeat(np.arange(30), np.arange(30, 0, -1))
    found = of_labels(y, None)
    assert found.constant_errors.shape == (MOST_LABELS + 1, len(y))
    assert found.constant == 0
    np.testing.assert_array_equal(found.constant_errors[0], y != 0)
    np.testing.assert_array_equal(found.constant_errors[-1], y < MOST_LABELS)


def test_numbers_have_the_mean_of_training_rows_or_of_half_of_the_others():
    record = Ridge(0.1).fit(RNG.normal(size=(60, 2)), Y[:60])._fit_record
    assert of_numbers(Y, Y, record, SHUFFLE).constant == pytest.approx(Y[:60].mean())
    half = of_numbers(Y, Y + 1, None, SHUFFLE)
    assert half.rows.sum() == 50
    assert half.constant == pytest.approx(Y[~half.rows].mean())
    assert of_numbers(Y[:3], Y[:3], None, SHUFFLE) is None


def test_whole_groups_choose_the_constant():
    groups = np.arange(100) // 10
    rows = of_numbers(Y, Y, None, SHUFFLE, groups).rows
    assert all(len(set(rows[groups == g])) == 1 for g in range(10))


def test_a_loss_is_asked_at_constants_or_nothing_is_compared():
    labels = np.array([0, 1, 1, 0])
    found = of_loss(lambda y, f: 1.0 * (y != f), labels, labels, of_labels(labels, None), True)
    np.testing.assert_array_equal(found.constant_errors, [[0, 1, 1, 0], [1, 0, 0, 1]])

    def refuses(y, f):
        raise ValueError

    assert of_loss(refuses, labels, labels, of_labels(labels, None), True) is None


def test_copies_count_once_and_known_rows_in_favour_of_the_constant():
    equal = equalities(np.array([5, 5, 6, 7]), np.array([7]))
    found = as_copies(of_labels(np.array(["a", "a", "b", "b"]), None), equal)
    np.testing.assert_array_equal(found.constant_errors, [[0, 1, 0], [1, 0, 0], [1, 1, 0]])


def test_the_reach_is_the_usual_distance_and_the_cap_lies_beyond_most_errors():
    distance = np.arange(1.0, 101.0)
    cap, reach = cap_and_reach(distance, distance)
    assert (cap, reach) == (4 * 99.0**2, 90.0)
    assert cap_and_reach(np.ones(10), np.zeros(10))[1] == 2.0
