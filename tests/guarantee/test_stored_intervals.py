"""What a stored model keeps for its intervals, and what it says if it keeps nothing."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from surefit import LeastSquares
from surefit.guarantee.stored_intervals import MOST_NUMBERS, StoredIntervals

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X @ [1.0, -2.0, 0.5] + RNG.normal(size=60)


def test_intervals_of_a_stored_model_contain_those_of_the_fitted_one():
    model = LeastSquares().fit(X, Y)
    stored = pickle.loads(pickle.dumps(model))
    new = RNG.normal(size=(20, 3))
    before, after = model.predict_interval(new, coverage=0.8), stored.predict_interval(new, coverage=0.8)
    assert after.guaranteed == before.guaranteed
    room = 1e-9 * np.abs(before.upper - before.lower)
    assert np.all(after.lower <= before.lower + room)
    assert np.all(after.upper >= before.upper - room)


@pytest.mark.parametrize("size", [(2, MOST_NUMBERS), (10**5, 10**4)])
def test_too_large_a_fit_is_stored_with_the_reason(size):
    found = StoredIntervals.of(SimpleNamespace(size=size), (), ())
    assert found.reach is None
    with pytest.raises(ValueError, match=r"stored without intervals: its rows and columns are too many.*calibrate"):
        found.intervals(X, (0.9, "jackknife+", False))


def test_what_needs_the_rows_is_refused_with_what_does_not():
    stored = pickle.loads(pickle.dumps(LeastSquares().fit(X, Y)))
    with pytest.raises(ValueError, match=r"needs the training rows.*use method='jackknife\+'"):
        stored.predict_interval(X[:2], method="full")


def test_copies_break_the_promise_of_a_stored_model_unless_they_are_declared_to_be_draws():
    twice = LeastSquares().fit(np.repeat(X, 2, axis=0), np.repeat(Y, 2))
    stored = pickle.loads(pickle.dumps(twice))
    assert stored.predict_interval(X[:2], coverage=0.8).guaranteed == 0.0
    assert stored.predict_interval(X[:2], coverage=0.8, equal_rows_are_draws=True).guaranteed > 0.0
