"""The probability map of two moons.  Catalogue F-06."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_moons

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from surefit import KernelLogistic
from surefit.display import ProbabilityDisplay

X, Y = make_moons(100, noise=0.15, random_state=0)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_the_map_shows_the_models_probabilities_and_its_boundary_is_where_the_score_vanishes():
    model = KernelLogistic(lam=1e-4).fit(X, Y)
    display = ProbabilityDisplay.from_estimator(model, X, Y, resolution=60)
    point = [[display.first[7], display.second[11]]]
    assert display.probability[11, 7] == pytest.approx(model.predict_proba(point)[0, 1], rel=1e-9)
    line = np.vstack(display.boundary_.allsegs[0])
    assert np.abs(model.decision_function(line)).max() < 0.2
    assert display.positive.sum() == 50


def test_names_come_from_the_frame_and_a_constant_model_has_no_boundary():
    frame = pd.DataFrame(X, columns=["left", "up"])
    model = KernelLogistic(lam=1e9).fit(frame, Y)
    display = ProbabilityDisplay.from_estimator(model, frame, Y)
    display.probability = np.full_like(display.probability, 0.7)
    _, ax = plt.subplots()
    assert display.plot(ax).boundary_ is None
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("left", "up")


def test_other_shapes_are_refused():
    wide = np.column_stack([X, X])
    with pytest.raises(ValueError, match="two features and two classes"):
        ProbabilityDisplay.from_estimator(KernelLogistic(lam=1.0).fit(wide, Y), wide, Y)
