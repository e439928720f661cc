"""The lines of a perceptron, one for each update."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from surefit import Perceptron
from surefit.display import PerceptronDisplay
from surefit.display.perceptron import SHOWN

CORNERS = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
AND, XOR = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_the_updates_of_and_end_at_its_weights():
    """F-14, FX6: 18 updates of at most 51, the last at (3, 2, -4); each differs from the one before by its row."""
    display = PerceptronDisplay.from_estimator(Perceptron(), CORNERS, AND)
    assert display.updates[-1].tolist() == [3, 2, -4]
    assert len(display.updates) == len(display.rows) == 18
    steps = np.diff(np.vstack([np.zeros(3), display.updates]), axis=0)
    rows = np.column_stack([CORNERS, np.ones(4)]) * (2 * AND - 1)[:, None]
    np.testing.assert_array_equal(steps, rows[display.rows])
    assert display.ax_.get_title() == "18 updates; at most 51 possible"
    assert len(display.lines_) == np.count_nonzero(np.any(display.updates[:, :2] != 0, axis=1))


def test_the_run_drawn_is_the_run_fitted_also_with_random_draws():
    model = Perceptron("random", sign_zero=1, random_state=4).fit(CORNERS, AND)
    display = PerceptronDisplay.from_estimator(model, pd.DataFrame(CORNERS, columns=["a", "b"]), AND)
    np.testing.assert_array_equal(display.updates[-1], [*model.coef_[0], *model.intercept_])
    assert display.ax_.get_xlabel() == "a"


def test_data_without_a_separator_say_so_and_show_a_selection():
    display = PerceptronDisplay.from_estimator(Perceptron(max_epochs=100), CORNERS, XOR)
    assert display.bound == np.inf
    assert "no line separates" in display.ax_.get_title()
    assert len(display.updates) > SHOWN >= len(display.lines_)


def test_given_axes_are_used():
    _, ax = plt.subplots()
    assert PerceptronDisplay.from_estimator(Perceptron(), CORNERS, AND, ax=ax).ax_ is ax
