"""Arguments of certificates and intervals that cannot be: words with cause and remedy, not those of Python or NumPy."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression

from surefit import Certified, Ridge, calibrate, certify
from surefit.guarantee.fit_record import FitRecord, GivenRows
from surefit.guarantee.held_out import Answering, with_rows
from surefit.theory.certificates.certificate import Certificate, Verdict

rng = np.random.default_rng(5)
X = rng.normal(size=(300, 3))
y = X @ [1.0, -2.0, 0.5] + rng.normal(size=300)
MODEL = Ridge(0.01).fit(X[:100], y[:100])
HELD_OUT = calibrate(MODEL, X[100:], y[100:])

NO_COVERAGE = [None, "a", [0.9], np.nan, 0.0, 1.0, 1j]


@pytest.mark.parametrize(
    "ask",
    [
        lambda rows: MODEL.certificate(rows, y[100:]),
        lambda rows: calibrate(MODEL, rows, y[100:]),
        lambda rows: certify(MODEL, rows, y[100:]),
        lambda rows: certify(MODEL, rows, y[100:], training=(X[:100], y[:100])),
    ],
)
def test_a_vector_in_place_of_rows_is_refused_as_predict_refuses_it(ask):
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array instead"):
        ask(X[100:, 0])


@pytest.mark.parametrize("coverage", NO_COVERAGE)
@pytest.mark.parametrize("method", ["jackknife+", "cv+", "full"])
def test_closed_forms_check_the_coverage_before_they_use_it(method, coverage):
    with pytest.raises(ValueError, match=r"coverage must lie between 0 and 1, got .*; use 0\.9"):
        MODEL.predict_interval(X[:1], coverage, method)


@pytest.mark.parametrize("coverage", NO_COVERAGE)
@pytest.mark.parametrize("method", ["split", "pac"])
def test_calibrated_intervals_check_the_coverage_before_they_use_it(method, coverage):
    with pytest.raises(ValueError, match=r"coverage must lie between 0 and 1, got .*; use 0\.9"):
        HELD_OUT.predict_interval(X[:1], coverage, method)


@pytest.mark.parametrize("coverage", [1e-13, 1e-300])
def test_next_to_no_coverage_is_the_narrowest_interval_and_not_the_widest(coverage):
    for method in ("jackknife+", "cv+", "full"):
        found = MODEL.predict_interval(X[:2], coverage, method)
        assert np.all(found.width < MODEL.predict_interval(X[:2], 0.5, method).width)
    found = HELD_OUT.predict_interval(X[:2], coverage)
    np.testing.assert_allclose(found.width, 2 * HELD_OUT.scores.min(), rtol=1e-6)
    assert "nan" not in found.statement


@pytest.mark.parametrize(
    "folds", ["a", None, 2.7, np.nan, np.inf, 1, 101, True, np.r_[np.nan, np.arange(99) % 5], [[1], [1, 2]]]
)
def test_folds_are_a_whole_number_or_name_each_row(folds):
    with pytest.raises(ValueError, match="folds must be a number from 2 to n = 100, or the fold of each row"):
        MODEL.predict_interval(X[:1], method="cv+", folds=folds)


def test_folds_may_be_a_list_of_names_or_of_numbers_and_a_count_of_any_type():
    numbers = (np.arange(100) % 4).tolist()
    names = np.array(["north", "south", "east", "west"], dtype=object)[numbers]
    one, other = (MODEL.predict_interval(X[:2], method="cv+", folds=folds) for folds in (numbers, names))
    np.testing.assert_allclose(one.lower, other.lower, rtol=1e-12)
    one, other = (MODEL.predict_interval(X[:2], method="cv+", folds=folds) for folds in (5, np.float64(5)))
    np.testing.assert_array_equal(one.lower, other.lower)


@pytest.mark.parametrize(
    "training", [(X[:100], y[:50]), "ab", (None, None), (X[:100], None), (X[:100],), 3, (X[:100], y[:100], None)]
)
def test_training_is_the_pair_that_was_given_to_fit(training):
    with pytest.raises(ValueError, match=r"training (must be the pair|has 100 rows and 50 targets).* given to fit"):
        certify(LinearRegression().fit(X[:100], y[:100]), X[100:], y[100:], training=training)


def test_calibrating_needs_numbers():
    with pytest.raises(ValueError, match=r"y must be numbers, and .*; intervals are for regressors"):
        calibrate(MODEL, X[100:], ["many"] * 200)


@pytest.mark.parametrize("ask", [calibrate, certify])
def test_a_class_is_no_fitted_model(ask):
    with pytest.raises(ValueError, match=r"Ridge is a class and has learnt nothing; give a fitted model: Ridge\(\)"):
        ask(Ridge, X[100:], y[100:])


@pytest.mark.parametrize("groups", ["a", 3, [["a"], ["b", "c"]], ["a"], [["a", "b"], ["a", "b"]]])
def test_groups_name_each_row(groups):
    with pytest.raises(
        ValueError, match=r"within must name one category for each of the 200 held-out rows, .*; give a vec"
    ):
        calibrate(MODEL, X[100:], y[100:], within=groups)
    grouped = calibrate(MODEL, X[100:], y[100:], within=np.repeat(["a", "b"], 100))
    with pytest.raises(ValueError, match=r"within must name one category for each of the 2 rows of X, .*; give a vec"):
        grouped.predict_interval(X[:2], within=groups)


def test_groups_may_be_a_column():
    grouped = calibrate(MODEL, X[100:], y[100:], within=np.repeat(["a", "b"], 100))
    one, other = (grouped.predict_interval(X[:2], within=names) for names in (["a", "b"], [["a"], ["b"]]))
    np.testing.assert_array_equal(one.lower, other.lower)


@pytest.mark.parametrize("estimator", [None, 3, "Ridge", Ridge])
def test_certified_wraps_an_estimator(estimator):
    with pytest.raises(ValueError, match=r"estimator must be a classifier or regressor, got .*; give one like"):
        Certified(estimator).fit(X, y)


def test_a_certified_estimator_need_not_come_from_a_library():
    class Mean(BaseEstimator):
        def fit(self, X, y):
            self.mean_ = np.mean(y)
            return self

        def predict(self, X):
            return np.full(len(X), self.mean_)

    assert Certified(Mean()).fit(X, y).certificate_.bound > 0


def certificate_at(scale: float) -> Certificate:
    """Of a model of targets of that size, fitted by a line so that nothing but the certificate sees it."""
    model = LinearRegression().fit(X[:100], y[:100])

    class Scaled:
        def predict(self, rows):
            return scale * model.predict(rows)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return certify(Scaled(), X[100:], scale * y[100:], training=(X[:100], scale * y[:100]))


@pytest.mark.parametrize("exponent", [-400, -20, 20, 400])
def test_the_cap_on_squared_errors_scales_with_the_targets(exponent):
    plain, scaled = certificate_at(1.0), certificate_at(2.0**exponent)
    np.testing.assert_allclose(scaled.bound, 2.0**exponent * plain.bound, rtol=1e-12)
    for name in ("cap", "upper"):
        np.testing.assert_allclose(
            scaled.further[1].inputs[name], 4.0**exponent * plain.further[1].inputs[name], rtol=1e-9
        )
    np.testing.assert_allclose(scaled.further[1].empirical, 4.0**exponent * plain.further[1].empirical, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e160, 1e-200, 1e300])
def test_where_squares_leave_all_numbers_the_certificate_says_so(scale):
    found, plain = certificate_at(scale), certificate_at(1.0)
    np.testing.assert_allclose(found.bound, scale * plain.bound, rtol=1e-9)
    assert found.status is plain.status is Verdict.INFORMATIVE
    assert found.further[1].status is Verdict.VACUOUS
    assert "rescale y" in found.further[1].statement
    assert "Here a square above" not in str(found)
    assert Certificate.from_json(found.to_json()) == found


def test_a_single_wild_error_does_not_overflow():
    model = LinearRegression().fit(X[:100], y[:100])
    wild = y[100:].copy()
    wild[0] = 1e200
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = certify(model, X[100:], wild, training=(X[:100], y[:100]))
    assert np.isfinite(found.further[1].bound)


def test_the_cap_of_constant_targets_that_are_met_is_one():
    ones = Answering(lambda rows: np.ones(len(rows)), labels=False)
    assert with_rows(FitRecord(), ones, GivenRows(X, np.ones(300), None)).cap == 1.0
