"""Criterion curves: the choice, the one-standard-error choice, the best constant, ends of grids."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from surefit import (
    Lasso,
    Ridge,
)
from surefit.display import CriterionDisplay, PathDisplay
from surefit.selection.choice import ChoiceWarning

RNG = np.random.default_rng(0)


X = pd.DataFrame(RNG.standard_normal((40, 3)), columns=["size", "age", "rooms"])


Y = X.to_numpy() @ [3.0, -1.0, 0.0] + RNG.standard_normal(40)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


class CrossValidated(BaseEstimator):
    """What a cross-validated estimator publishes."""

    def fit(self):
        self.lam_path_ = np.array([10.0, 1.0, 0.1, 0.0])
        self.criterion_path_ = np.array([3.0, 1.2, 1.0, 1.1])
        self.criterion_se_ = np.full(4, 0.3)
        self.coef_ = np.zeros(1)
        return self


def test_the_criterion_of_ridge_has_its_minimum_where_ridge_found_it():
    model = Ridge().fit(X, Y)
    display = CriterionDisplay.from_estimator(model)
    assert display.minimum == model.lam_
    assert display.simplest == model.lam_1se_
    assert display.ax_.get_ylabel() == "Leave-one-out MSE"


def test_the_best_constant_is_drawn_and_a_choice_at_the_end_of_the_grid_is_called_so():
    """Leaving one out, the mean of the others misses by n / (n - 1) times as much as the mean of all."""
    with pytest.warns(ChoiceWarning, match="smallest lam of its grid"):
        model = Ridge(lams=[0.001, 1.0, 10.0]).fit(X, Y)
    display = CriterionDisplay.from_estimator(model)
    assert display.constant == pytest.approx(np.mean((40 / 39 * (Y - Y.mean())) ** 2))
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels[0] == "minimum: lam = 0.001, the end of the grid"
    assert labels[-1].startswith("best constant: ")
    inside = CriterionDisplay(np.array([0.1, 1.0, 10.0]), np.array([2.0, 1.0, 1.2])).plot()
    assert "end" not in inside.ax_.get_legend().get_texts()[0].get_text()


def test_the_one_standard_error_choice_is_the_largest_lam_within_reach():
    """S-11: 1.2 <= 1.0 + 0.3, and 3.0 is not."""
    display = CriterionDisplay.from_estimator(CrossValidated().fit())
    assert display.minimum == 0.1
    assert display.simplest == 1.0
    assert len(display.ax_.collections) == 1  # the band
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["minimum: lam = 0.1", "one standard error: lam = 1"]
    assert display.ax_.get_ylabel() == "Criterion"


@pytest.mark.parametrize("criterion", ["aic", "bic", "cp"])
def test_a_criterion_without_a_standard_error_has_no_such_mark(criterion):
    display = CriterionDisplay.from_estimator(Lasso(criterion=criterion).fit(X, Y))
    assert display.simplest is None
    assert len(display.ax_.collections) == 0
    labels = [text.get_text().split(":")[0] for text in display.ax_.get_legend().get_texts()]
    assert labels == ["minimum", "best constant"]


@pytest.mark.parametrize("chosen", [0.01, 0.05, 0.9])
def test_the_label_of_the_chosen_lam_stands_above_all_lines(chosen):
    display = PathDisplay(np.array([0.01, 0.1, 1.0]), np.array([[5.0], [5.0], [5.0]]), ("size",), chosen).plot()
    display.figure_.canvas.draw()
    label = next(text for text in display.ax_.texts if text.get_text().startswith("lam"))
    top = display.ax_.transData.transform((0.1, 5.0))[1]
    assert label.get_window_extent().y0 > top


def test_a_choice_on_the_edge_of_the_grid_has_a_whole_mark():
    display = CriterionDisplay(np.array([0.1, 1.0]), np.array([1.0, 2.0])).plot()
    (mark,) = [line for line in display.ax_.lines if line.get_marker() == "o"]
    assert not mark.get_clip_on()


def test_a_criterion_in_falling_order_is_the_same_curve():
    one = CriterionDisplay(np.array([0.1, 1.0, 10.0]), np.array([2.0, 1.0, 1.2]), np.full(3, 0.3))
    other = CriterionDisplay(np.array([10.0, 1.0, 0.1]), np.array([1.2, 1.0, 2.0]), np.full(3, 0.3)).plot()
    np.testing.assert_array_equal(one.criterion, other.criterion)
    assert [line.get_ydata()[0] for line in other.ax_.lines if line.get_marker() in "oD"] == [1.0, 1.2]
