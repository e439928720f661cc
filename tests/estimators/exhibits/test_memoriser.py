"""The memoriser knows the past and nothing else."""

import numpy as np
import pytest

from surefit import Memoriser
from surefit.data.simulate import threshold_model


def test_no_error_in_training_and_one_half_in_the_world():
    """X-10, A-41: X ~ N(0, 1), Y = 1[X >= 0]; 1e5 fresh points: 0.5 +- 0.0064 (four standard errors, 6e-5)."""
    sample, fresh = threshold_model(0, 1000), threshold_model(1, 100_000)
    model = Memoriser().fit(sample.x[:, None], sample.y)
    assert model.score(sample.x[:, None], sample.y) == 1
    assert abs((1 - model.score(fresh.x[:, None], fresh.y)) - 0.5) < 0.0064


def test_contradictions_go_to_the_heavier_side_and_ties_to_the_first_class():
    """A-41: conflicting duplicates."""
    X, y = [[1.0], [1.0], [1.0], [2.0], [2.0]], ["a", "b", "b", "b", "a"]
    assert Memoriser().fit(X, y).predict([[1.0], [2.0]]).tolist() == ["b", "a"]
    assert Memoriser().fit(X, y, sample_weight=[5, 1, 1, 2, 1]).predict([[1.0], [2.0]]).tolist() == ["a", "b"]


def test_unseen_rows_get_the_default():
    model = Memoriser(default="b").fit([[1.0], [2.0]], ["a", "b"])
    assert model.predict([[1.0], [1.5]]).tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="default must be one of the classes"):
        Memoriser(default="c").fit([[1.0], [2.0]], ["a", "b"])


def test_minus_zero_is_zero():
    assert Memoriser().fit([[0.0], [1.0]], [1, 0]).predict([[-0.0]]).tolist() == [1]


def test_single_precision_rows_are_recognised():
    X = np.random.default_rng(0).standard_normal((20, 3)).astype(np.float32)
    y = np.arange(20) % 2
    assert Memoriser().fit(X, y).score(X, y) == 1
