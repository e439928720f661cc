"""`ThresholdClassifier` finds the best of all columns, directions and thresholds."""

import numpy as np
import pytest

from surefit import ThresholdClassifier


def test_the_samples_of_the_lecture():
    """X-06, X-07, A-40."""
    x = np.array([[-4.0], [-1], [3], [4]])
    separable = ThresholdClassifier().fit(x, [0, 0, 1, 1])
    assert (separable.risk_, separable.intervals_, separable.rising_) == (0, ((-1.0, 3.0),), True)
    noisy = ThresholdClassifier().fit(x, [0, 1, 0, 1])
    assert (noisy.risk_, noisy.intervals_) == (0.25, ((-4.0, -1.0), (3.0, 4.0)))
    assert separable.predict([[-1.0], [3.0]]).tolist() == [0, 1]


@pytest.mark.parametrize("seed", range(20))
def test_no_other_column_direction_or_threshold_makes_fewer_mistakes(seed):
    rng = np.random.default_rng(seed)
    X, y, weight = rng.integers(0, 5, (12, 3)).astype(float), rng.integers(0, 2, 12), rng.integers(0, 3, 12)
    y[:2], weight[:2] = (0, 1), 1
    model = ThresholdClassifier().fit(X, y, weight)
    tried = [
        np.average(((X[:, j] >= a) == rising) != y, weights=weight)
        for j in range(3)
        for a in np.arange(-0.5, 5.5)
        for rising in (True, False)
    ]
    assert model.risk_ == pytest.approx(min(tried), abs=1e-12)
    assert np.average(model.predict(X) != y, weights=weight) == pytest.approx(model.risk_, abs=1e-12)


def test_falling_rules_answer_the_second_class_below_the_threshold():
    model = ThresholdClassifier().fit([[0.0, 9], [1, 9], [2, 9]], ["b", "b", "a"])
    assert (model.feature_, model.rising_, model.threshold_) == (0, False, 1.5)
    assert model.predict([[1.5, 0], [1.4, 0]]).tolist() == ["a", "b"]


@pytest.mark.parametrize("y", [[0, 0, 1, 0, 0], [1, 1, 0, 1, 1], [0, 1, 0, 1, 1]])
@pytest.mark.parametrize("spread", [1.0, 1e-7])
def test_the_risk_is_that_of_the_predictions_in_single_precision_too(y, spread):
    """A threshold next to a row, or between two neighbours, is none of the numbers of single precision."""
    X = (1.0 + spread * np.arange(5)).astype(np.float32)[:, None]
    model = ThresholdClassifier().fit(X, y)
    assert 1 - model.score(X, y) == pytest.approx(model.risk_, abs=1e-12)
    assert model.decision_function(X).dtype == np.float32
    assert np.all(model.decision_function(X) != 0)
