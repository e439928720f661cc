"""Displays hold what they draw, and draw it where they are told."""

import warnings

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from surefit import (
    KernelRidge,
    Lasso,
    Ridge,
    RobustRegression,
    SubsetRegression,
    lasso_homotopy,
    lasso_path,
    least_angle_path,
)
from surefit.display import CriterionDisplay, PathDisplay
from surefit.display.path import spread_apart
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


def test_a_path_has_one_line_for_each_coefficient_with_its_name():
    model = Ridge().fit(X, Y)
    display = PathDisplay.from_estimator(model)
    assert len(display.lines_) == 3
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), model.path_.coefs[:, 0])
    assert {text.get_text() for text in display.ax_.texts} >= {"size", "age", "rooms"}
    assert display.chosen == model.lam_
    assert display.ax_.get_xlim()[0] > display.ax_.get_xlim()[1]  # the penalty falls to the right


def test_lams_in_any_order_are_drawn_in_order_and_zero_is_left_out():
    model = Ridge(lams=[1.0, 0.01, 0.0, 0.1]).fit(X, Y)
    display = PathDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.lams, [0.01, 0.1, 1.0])
    np.testing.assert_array_equal(display.coefs[0], model.path_.coefs[1])


def test_one_of_several_targets_is_picked():
    model = Ridge(lams=[0.1, 1.0]).fit(X, np.column_stack([Y, -Y]))
    np.testing.assert_allclose(
        PathDisplay.from_estimator(model, target=1).coefs, -PathDisplay.from_estimator(model).coefs, atol=1e-12
    )


def test_given_axes_are_used():
    _, ax = plt.subplots()
    assert PathDisplay.from_estimator(Ridge().fit(X, Y), ax=ax).ax_ is ax
    assert CriterionDisplay.from_estimator(Ridge().fit(X, Y), ax=ax).ax_ is ax


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


@pytest.mark.parametrize(("chosen", "side"), [(0.02, "right"), (0.9, "left"), (0.01, "right"), (0.05, "left")])
def test_the_label_of_the_chosen_lam_keeps_clear_of_the_names(chosen, side):
    """It ends at its line in the right fifth of the figure, and begins there elsewhere."""
    display = PathDisplay(np.array([0.01, 0.1, 1.0]), np.ones((3, 1)), ("a long name",), chosen).plot()
    display.figure_.canvas.draw()
    label, name = display.ax_.texts
    assert label.get_horizontalalignment() == side
    assert not label.get_window_extent().overlaps(name.get_window_extent())
    assert label.get_window_extent().x1 <= display.ax_.get_window_extent().x1


def test_a_model_fitted_at_one_lam_is_refused_with_a_remedy():
    model = Ridge(lam=0.1).fit(X, Y)
    with pytest.raises(ValueError, match="lam=None"):
        PathDisplay.from_estimator(model)
    with pytest.raises(ValueError, match="lam=None"):
        CriterionDisplay.from_estimator(model)
    with pytest.raises(ValueError, match="KernelRidge keeps no path over lam"):
        PathDisplay.from_estimator(KernelRidge().fit(X, Y))


@pytest.mark.parametrize("display", [PathDisplay, CriterionDisplay])
@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Lasso(lams=[0.0]), "no lam > 0 to draw on a logarithmic axis; fit with lams that are positive"),
        (
            SubsetRegression(),
            "SubsetRegression has no lam, .*; its scores of every size are in subsets_",
        ),
        (RobustRegression(), "RobustRegression keeps no .* over lam; fit it for several lam and build"),
        (make_pipeline(StandardScaler(), Lasso()), r"belongs to the last step of a Pipeline; pass pipeline\[-1\]"),
    ],
    ids=lambda part: type(part).__name__,
)
def test_what_cannot_be_drawn_is_refused_by_its_cause(display, model, reason):
    with pytest.raises(ValueError, match=reason):
        display.from_estimator(model.fit(X, Y))


def test_a_path_is_told_how_it_is_drawn_and_its_order_does_not_matter():
    path = lasso_path(X, Y)
    with pytest.raises(ValueError, match=r"SparsePath is a path and .*; use PathDisplay\.from_path\(path, names\)$"):
        PathDisplay.from_estimator(path)
    display = PathDisplay.from_path(path, X.columns)
    np.testing.assert_array_equal(display.lams, path.lams[::-1])
    heights = {text.get_text(): text.xy[1] for text in display.ax_.texts}
    assert heights["size"] == pytest.approx(path.coefs[-1, 0])  # at the end where the penalty is smallest
    with pytest.raises(ValueError, match=r"2 names; pass path\.lams, path.coefs and the names of all columns"):
        PathDisplay(path.lams, path.coefs, ("size", "age"))


@pytest.mark.parametrize("walk", [lasso_homotopy, least_angle_path])
def test_an_exact_path_is_drawn_as_it_runs_between_its_knots(walk):
    """Catalogue A-25: linear in lam, hence curved over its logarithm."""
    path = walk(X, Y)
    display = PathDisplay.from_path(path, chosen=0.5)
    np.testing.assert_array_equal(display.coefs, path.at(display.lams)[0])
    assert set(path.knots[path.knots > 0]) <= set(display.lams)
    assert display.lams.min() == pytest.approx(1e-4 * path.knots[0])
    assert np.diff(np.log(display.lams)).max() < 0.03
    assert display.names == ("x0", "x1", "x2")
    assert PathDisplay.from_path(walk(X, Y, lam_min=0.5)).lams.min() == 0.5
    with pytest.raises(ValueError, match=r"HomotopyPath is a path and not a fitted model; use PathDisplay\.from_path"):
        PathDisplay.from_estimator(path)


def test_the_exact_path_of_a_constant_target_has_nothing_to_draw():
    with pytest.raises(ValueError, match="no lam > 0 to draw"):
        PathDisplay.from_path(lasso_homotopy(X, np.ones(40)))


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


@pytest.mark.parametrize("display", [PathDisplay, CriterionDisplay])
def test_a_single_lam_is_a_point_in_the_middle(display):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = display.from_estimator(Lasso(lams=[0.1]).fit(X, Y))
    assert drawn.ax_.get_xlim() == pytest.approx((1.0, 0.01))
    line = drawn.lines_[0] if display is PathDisplay else drawn.line_
    assert line.get_marker() == "o"


def test_long_names_are_shortened_and_stay_in_the_figure():
    name = "the mean temperature of the last seven days in the northern half of the county, in tenths of a degree"
    display = PathDisplay(np.array([0.1, 1.0]), np.ones((2, 1)), (name,)).plot()
    display.figure_.canvas.draw()
    (text,) = display.ax_.texts
    assert text.get_text() == "the mean temperature of the l…"
    assert text.get_window_extent().x1 <= display.figure_.bbox.x1
    assert display.ax_.get_window_extent().width > 0.5 * display.figure_.bbox.width


def test_names_keep_their_distance_and_their_order():
    heights = RNG.standard_normal(10)
    moved = spread_apart(heights, 0.2)
    assert np.all(np.diff(np.sort(moved)) >= 0.2 - 1e-12)
    np.testing.assert_array_equal(np.argsort(moved), np.argsort(heights))
    np.testing.assert_array_equal(spread_apart(np.array([0.0, 5.0]), 0.2), [0.0, 5.0])


def test_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"surefit\[plot\]"):
        PathDisplay(np.array([1.0]), np.array([[1.0]]), ("x",)).plot()
