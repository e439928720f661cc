"""The reliability figure shows what was predicted and what came true.  Catalogue A-29."""

import matplotlib
import numpy as np
import pytest

from surefit import LogisticRegression
from surefit.display import CalibrationDisplay, CriterionDisplay, PathDisplay

matplotlib.use("Agg")


def sample(n=400, k=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    return X, np.argmax(X @ rng.standard_normal((2, k)) + rng.gumbel(size=(n, k)), axis=1)


def test_a_calibrated_prediction_lies_within_its_bars():
    rng = np.random.default_rng(1)
    p = rng.random(20_000)
    display = CalibrationDisplay.from_predictions(rng.random(20_000) < p, p, delta=1e-7)  # 10 bars: 1e-6 in all
    low, high = display.bounds
    assert np.all((low <= display.predicted) & (display.predicted <= high))
    assert display.error < 0.02


def test_bars_are_clopper_pearson():
    display = CalibrationDisplay(np.array([0.5, 0.5]), np.array([0.0, 0.3]), np.array([10.0, 10.0]))
    low, high = display.bounds
    assert low[0] == 0.0
    assert high[0] == pytest.approx(1 - 0.025 ** (1 / 10))
    assert (low[1], high[1]) == (pytest.approx(0.0667395, abs=1e-7), pytest.approx(0.6524529, abs=1e-7))


def test_drawing_names_the_class():
    X, y = sample()
    model = LogisticRegression(0.01).fit(X, np.array(["no", "yes"])[y])
    display = CalibrationDisplay.from_estimator(model, X, np.array(["no", "yes"])[y], groups=5)
    assert display.ax_.get_xlabel() == "predicted probability of yes"
    assert len(display.predicted) == 5
    with pytest.raises(ValueError, match="positive must be one of the classes"):
        CalibrationDisplay.from_estimator(model, X, y, positive="maybe")


@pytest.mark.parametrize("k", [2, 3])
def test_path_and_criterion_are_drawn_from_the_same_fit(k):
    X, y = sample(k=k)
    model = LogisticRegression(lams=[0.001, 0.01, 0.1]).fit(X, y)
    path = PathDisplay.from_estimator(model, target=k - 2)
    assert len(path.lines_) == 2
    criterion = CriterionDisplay.from_estimator(model)
    assert criterion.ax_.get_ylabel() == "Cross-validated log-loss"


@pytest.mark.parametrize(
    ("truth", "probability", "settings", "message"),
    [
        ([0, 1], [0.5], {}, "one shape"),
        ([0, 2], [0.5, 0.5], {}, "truth must be 0 or 1"),
        ([0, 1], [0.5, 1.5], {}, "probability must be from 0 to 1"),
        ([0, 1], [0.5, 0.5], {"groups": 0}, "groups must be at least 1"),
        ([0, 1], [0.5, 0.5], {"delta": 0.0}, "delta must be between 0 and 1"),
    ],
)
def test_bad_input_is_refused(truth, probability, settings, message):
    with pytest.raises(ValueError, match=message):
        CalibrationDisplay.from_predictions(truth, probability, **settings)
