"""What models answer, and how far off that is; most of it is tested through certificates."""

import numpy as np
import pytest

from surefit import SVC, Ridge
from surefit.guarantee.answers import MOST_VALUES, Answering, distances, one_answer_each

X = np.random.default_rng(0).normal(size=(60, 2))


def test_values_of_labels_are_kept_where_they_make_sense_and_are_not_too_many(monkeypatch):
    machine = Answering.of(SVC(lam=0.1).fit(X, X[:, 0] > 0))
    assert machine.kept_values(X).of.shape == (60, 2)
    assert Answering.of(Ridge(0.1).fit(X, X[:, 0])).kept_values(X) is None
    monkeypatch.setattr("surefit.guarantee.answers.MOST_VALUES", 100)
    assert machine.kept_values(X) is None
    assert MOST_VALUES >= 1e6


def test_one_column_of_answers_is_a_vector():
    assert one_answer_each(np.ones((3, 1)), np.zeros(3)).shape == (3,)
    with pytest.raises(ValueError, match=r"the model answers with shape \(3, 2\) for 3 rows"):
        one_answer_each(np.ones((3, 2)), np.zeros(3))


def test_distances_are_finite():
    with pytest.raises(ValueError, match="held-out errors must be finite"):
        distances(np.array([1.0, np.nan]), np.zeros(2))
