"""Figures of guarantees."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from surefit import Ridge
from surefit.display import BoundGrowthDisplay, BoundsDisplay, ErrorCurveDisplay
from surefit.theory.concentration import clopper_pearson, dkw_slack, hoeffding

LOSSES = np.random.default_rng(0).beta(2, 8, size=160)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_the_error_curve_is_the_empirical_one_less_the_band():
    display = ErrorCurveDisplay.from_errors(LOSSES - 0.2).plot()
    assert display.within(np.inf) == pytest.approx(1 - dkw_slack(160))
    assert display.within(-1.0) == 0.0
    assert np.all(np.diff(display.certified) >= 0)
    assert "95 %" in display.ax_.get_legend_handles_labels()[1][1]


def test_the_error_curve_comes_from_a_model():
    X = np.random.default_rng(1).normal(size=(80, 2))
    y = X[:, 0]
    display = ErrorCurveDisplay.from_estimator(Ridge(lam=0.1).fit(X[:40], y[:40]), X[40:], y[40:])
    assert len(display.errors) == 40


def test_twice_the_rows_buy_a_smaller_bound():
    display = BoundGrowthDisplay.from_losses(LOSSES, bound=hoeffding).plot()
    assert display.sizes.tolist() == [20, 40, 80, 160, 320, 640]
    at_n = display.bounds[display.sizes == 160]
    assert at_n == pytest.approx(hoeffding(LOSSES))
    assert np.all(np.diff(display.bounds[3:]) < 0)
    np.testing.assert_array_equal(display.line_.get_xdata(), display.sizes)


def test_all_bounds_share_an_axis_with_a_grey_zone():
    display = BoundsDisplay.from_losses(3 * LOSSES, upper=3.0)
    assert "Clopper-Pearson" not in display.bounds
    assert display.bounds["Hoeffding"] == pytest.approx(hoeffding(3 * LOSSES, upper=3.0))
    _, ax = plt.subplots()
    assert display.plot(ax).ax_ is ax
    assert "vacuous" in ax.get_legend_handles_labels()[1]
    assert ax.get_xlim()[1] > 3.0
    errors = np.repeat([1.0, 0.0], [5, 45])
    assert BoundsDisplay.from_losses(errors).bounds["Clopper-Pearson"] == clopper_pearson(errors)
