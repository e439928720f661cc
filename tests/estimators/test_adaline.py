"""`Adaline` publishes the run of its solver and refuses to answer once it has blown up."""

import numpy as np
import pytest

from surefit import Adaline

X = np.array([[0.0], [1], [2], [3]])
LABELS = ["low", "high", "low", "high"]  # sorted: "high" is -1, "low" is +1


def test_one_pass_over_the_printed_sample():
    """A-35: (b, w) = (0.0391, 0.3203); the order of the names decides the sign."""
    model = Adaline(step=0.1, weights="last", epochs=1).fit(X, LABELS)
    np.testing.assert_allclose([*model.intercept_, *model.coef_[0]], [-0.0391, -0.3203], rtol=1e-12)
    assert model.step_ == 0.1


def test_the_mean_of_small_steps_is_least_squares_on_the_labels():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 2))
    y = (X.sum(axis=1) + rng.standard_normal(100) > 0).astype(int)
    exact = np.linalg.lstsq(np.column_stack([X, np.ones(100)]), 2.0 * y - 1, rcond=None)[0]
    model = Adaline(step=1e-3, epochs=400).fit(X, y)
    np.testing.assert_allclose([*model.coef_[0], *model.intercept_], exact, atol=2e-3)


def test_steps_beyond_stability_are_named():
    with pytest.raises(ValueError, match="grew beyond all bounds with step=10; lower it"):
        Adaline(step=10.0, epochs=1000).fit(X, LABELS)


def test_epochs_must_be_positive():
    with pytest.raises(ValueError, match="epochs must be a whole number >= 1"):
        Adaline(epochs=0).fit(X, LABELS)
