"""Figures of guarantees."""

import matplotlib
import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from surefit import LogisticRegression, Ridge
from surefit.display import BoundGrowthDisplay, BoundsDisplay, ErrorCurveDisplay
from surefit.theory.certificates.holdout import classifier_certificate, mean_certificate
from surefit.theory.means.concentration import clopper_pearson, dkw_slack, hoeffding

LOSSES = np.random.default_rng(0).beta(2, 8, size=160)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_the_error_curve_is_the_empirical_one_less_the_band():
    display = ErrorCurveDisplay.from_errors(LOSSES - 0.2)
    assert display.within(np.inf) == pytest.approx(1 - dkw_slack(160))
    assert display.within(-1.0) == 0.0
    assert np.all(np.diff(display.certified) >= 0)
    assert "95 %" in display.ax_.get_legend_handles_labels()[1][1]


def test_the_error_curve_comes_from_a_model():
    X = np.random.default_rng(1).normal(size=(80, 2))
    y = X[:, 0]
    display = ErrorCurveDisplay.from_estimator(Ridge(lam=0.1).fit(X[:40], y[:40]), X[40:], y[40:])
    assert len(display.errors) == 40


def test_the_error_curve_marks_the_promise_of_the_certificate_beside_it():
    rng = np.random.default_rng(2)
    X, noise = rng.normal(size=(300, 2)), rng.normal(size=300)
    model = Ridge(lam=0.1).fit(X[:100], (X[:, 0] + noise)[:100])
    display = ErrorCurveDisplay.from_estimator(model, X[100:], (X[:, 0] + noise)[100:])
    assert display.point == (model.certificate(X[100:], (X[:, 0] + noise)[100:]).bound, 0.9)


def test_twice_the_rows_buy_a_smaller_bound():
    display = BoundGrowthDisplay.from_losses(LOSSES, bound=hoeffding)
    assert display.sizes.tolist() == [20, 40, 80, 160, 320, 640]
    at_n = display.bounds[display.sizes == 160]
    assert at_n == pytest.approx(hoeffding(LOSSES))
    assert np.all(np.diff(display.bounds[3:]) < 0)
    np.testing.assert_array_equal(display.line_.get_xdata(), display.sizes)


def test_all_bounds_share_an_axis_with_a_grey_zone():
    display = BoundsDisplay.from_losses(3 * LOSSES[:20], upper=3.0)
    assert "Clopper-Pearson" not in display.bounds
    assert display.bounds["Hoeffding"] == pytest.approx(hoeffding(3 * LOSSES[:20], upper=3.0))
    _, ax = plt.subplots()
    assert display.plot(ax).ax_ is ax
    assert "vacuous" in ax.get_legend_handles_labels()[1]
    assert ax.get_xlim()[1] > 3.0
    errors = np.repeat([1.0, 0.0], [5, 45])
    assert BoundsDisplay.from_losses(errors).bounds["Clopper-Pearson"] == clopper_pearson(errors)


def test_the_error_curve_refuses_training_rows_and_what_is_no_error():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 2))
    y = X[:, 0] + rng.normal(size=120)
    model = Ridge(lam=0.1).fit(X[:60], y[:60])
    with pytest.raises(ValueError, match="60 of the 120 held-out rows were used in fit"):
        ErrorCurveDisplay.from_estimator(model, X, y)
    with pytest.warns(DataConversionWarning):
        column = ErrorCurveDisplay.from_estimator(model, X[60:], y[60:, None])
    np.testing.assert_array_equal(column.errors, ErrorCurveDisplay.from_estimator(model, X[60:], y[60:]).errors)
    for wrong in ([], [0.1, np.nan], [np.inf]):
        with pytest.raises(ValueError, match="at least one error, and all of them finite"):
            ErrorCurveDisplay.from_errors(wrong)
    with pytest.raises(ValueError, match="answers labels"):
        ErrorCurveDisplay.from_estimator(LogisticRegression(lam=0.1).fit(X, y > 0), X, y)


def test_copies_do_not_narrow_the_band_of_the_error_curve():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 2))
    y = X[:, 0] + rng.normal(size=90)
    model = Ridge(lam=0.1).fit(X[:40], y[:40])
    once = ErrorCurveDisplay.from_estimator(model, X[40:], y[40:])
    rows = np.repeat(np.arange(40, 90), 9)
    often = ErrorCurveDisplay.from_estimator(model, X[rows], y[rows])
    declared = ErrorCurveDisplay.from_estimator(model, X[rows], y[rows], equal_rows_are_draws=True)
    for distance in np.quantile(once.errors, [0.2, 0.5, 0.9, 1.0]):
        assert often.within(distance) == pytest.approx(once.within(distance))
        assert declared.within(distance) > once.within(distance)


@pytest.mark.parametrize("losses", [np.repeat([1.0, 0.0], [10, 490]), LOSSES, [0.0], np.r_[np.ones(30), np.zeros(3)]])
def test_growth_passes_through_the_certificate_and_falls(losses):
    display = BoundGrowthDisplay.from_losses(losses)
    certificate = classifier_certificate if np.all(np.isin(losses, [0, 1])) else mean_certificate
    assert display.bounds[display.sizes == len(losses)] == pytest.approx(certificate(losses).bound)
    assert np.all(np.diff(display.bounds) <= 0.004)  # but for whole numbers of errors and the luck of a shuffle
    assert display.bounds[-1] < display.bounds[0]


def test_one_loss_has_all_bounds_but_those_that_need_two():
    display = BoundsDisplay.from_losses([0.0])
    assert "empirical Bernstein" not in display.bounds
    assert display.bounds["Clopper-Pearson"] == pytest.approx(0.95)


def test_the_legend_hides_no_bound():
    display = BoundsDisplay.from_losses(np.repeat([1.0, 0.0], [300, 100]))
    display.figure_.canvas.draw()
    assert display.ax_.get_legend().get_window_extent().y0 >= display.ax_.get_window_extent().y1
