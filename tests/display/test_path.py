"""Coefficient paths are drawn as they are, and what cannot be drawn is refused by its cause."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

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

RNG = np.random.default_rng(0)


X = pd.DataFrame(RNG.standard_normal((40, 3)), columns=["size", "age", "rooms"])


Y = X.to_numpy() @ [3.0, -1.0, 0.0] + RNG.standard_normal(40)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


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


@pytest.mark.parametrize("display", [PathDisplay, CriterionDisplay])
def test_a_single_lam_is_a_point_in_the_middle(display):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = display.from_estimator(Lasso(lams=[0.1]).fit(X, Y))
    assert drawn.ax_.get_xlim() == pytest.approx((1.0, 0.01))
    line = drawn.lines_[0] if display is PathDisplay else drawn.line_
    assert line.get_marker() == "o"
