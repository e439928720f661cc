"""Regions, mistakes, normal vectors and margins of classifiers in the plane."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from surefit import Adaline, LogisticRegression, NearestNeighbourClassifier, Perceptron, max_margin
from surefit.display import BoundaryDisplay

CORNERS = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
AND, XOR = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_margin_and_distance_are_those_of_the_geometry():
    """F-14, D-04: the perceptron's plane 3 x + 2 y = 4: margin 1/sqrt(13), distance 4/sqrt(13)."""
    display = BoundaryDisplay.from_estimator(Perceptron().fit(CORNERS, AND), CORNERS, AND)
    assert display.margin == pytest.approx(1 / np.sqrt(13))
    assert display.distance_from_origin == pytest.approx(4 / np.sqrt(13))
    assert display.n_mistakes == 0
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["0", "1", "margin 0.277", "closest rows"]
    assert len(display.ax_.lines) == 3  # the boundary between two margins


def test_the_largest_margin_is_not_beaten():
    """A-38: among planes with this normalisation of the constant the perceptron has a smaller margin in space."""
    rows = np.column_stack([CORNERS, np.ones(4)])
    best = max_margin(rows, 2 * AND - 1)
    model = Perceptron().fit(CORNERS, AND)
    w = np.append(model.coef_, model.intercept_)
    assert np.min((2 * AND - 1) * (rows @ w)) / np.linalg.norm(w) <= best.margin


def test_mistakes_are_ringed_and_hide_the_margin():
    display = BoundaryDisplay.from_estimator(Adaline().fit(CORNERS, XOR), CORNERS, XOR)
    assert display.margin is None
    assert display.n_mistakes >= 1
    assert f"mistakes ({display.n_mistakes})" in [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_classifiers_without_a_line_show_their_regions():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((60, 2)), columns=["width", "height"])
    y = np.digitize(X["width"], [-0.5, 0.5])
    display = BoundaryDisplay.from_estimator(NearestNeighbourClassifier(1).fit(X, y), X, y)
    assert display.line is None
    assert display.distances is None
    assert display.distance_from_origin is None
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("width", "height")
    assert set(np.unique(display.regions)) == {0, 1, 2}


def test_given_axes_are_used():
    _, ax = plt.subplots()
    assert BoundaryDisplay.from_estimator(Perceptron().fit(CORNERS, AND), CORNERS, AND, ax=ax).ax_ is ax


def test_labels_that_the_model_does_not_know_are_refused():
    with pytest.raises(ValueError, match="labels other than the classes"):
        BoundaryDisplay.from_estimator(Perceptron().fit(CORNERS, AND), CORNERS, [0, 0, 0, 2])


@pytest.mark.parametrize("costs", [[[0, 0.2], [0.8, 0]], [[0, 3], [1, 0]], [[1, 2], [5, 3]], [[2, 0], [0, 1]]])
def test_the_line_stands_where_both_classes_cost_the_same(costs):
    """A-29: positive distances are where the second class is predicted, costs that reward mistakes included."""
    X, y = np.array([[-2.0, 0], [-1, 0.5], [1, 0], [2, 0.5]]), np.array([0, 0, 1, 1])
    model = LogisticRegression(lam=0.1, costs=costs).fit(X, y)
    rows = np.random.default_rng(0).uniform(-4, 4, (400, 2))
    display = BoundaryDisplay.from_estimator(model, rows, model.predict(rows))
    np.testing.assert_array_equal(display.distances > 0, model.predict(rows) == 1)
    assert np.any(display.distances > 0)
    assert np.any(display.distances < 0)


@pytest.mark.parametrize("costs", [[[0, 0], [1, 0]], [[0, 1], [0, 1]], [[0, 0], [0, 0]]])
def test_without_a_choice_there_is_no_line(costs):
    model = LogisticRegression(lam=0.1, costs=costs).fit(CORNERS, AND)
    display = BoundaryDisplay.from_estimator(model, CORNERS, AND)
    assert display.line is None
    assert display.margin is None
