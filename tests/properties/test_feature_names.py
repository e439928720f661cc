"""Tables with named columns: whoever hands over the names it fitted with hears no warning from any method."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning

import surefit
from surefit import SVR, Certified, KernelRidge, LeastSquares, Ridge, calibrate, calibrate_quantiles, certify
from surefit.kernels import Gaussian
from tests.properties.models import public_estimators

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(60, 3)), columns=["size", "age", "rooms"])
NEW = pd.DataFrame(RNG.normal(size=(5, 3)), columns=X.columns)
Y = X.to_numpy() @ [1.0, 2.0, 3.0] + RNG.normal(size=60)
LABELS = np.where(Y + 2 * RNG.normal(size=60) > 0, "yes", "no")

NO_TABLE = ("BasisFunctions", "BooleanMonomials")  # need functions, or zeros and ones
TABLED = [kind for kind in public_estimators() if kind.__name__ not in NO_TABLE]
ANSWERS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "predict_interval")


@pytest.mark.parametrize(
    "kind", [kind for kind in public_estimators() if kind.__name__ not in NO_TABLE], ids=lambda kind: kind.__name__
)
def test_no_method_of_any_estimator_warns_about_names_that_were_given(kind):
    model = kind(Ridge(0.1)) if kind is Certified else kind()
    rows = X.columns[:1] if kind is surefit.ThresholdClassifier else X.columns
    y = LABELS if is_classifier(model) else Y
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)  # the perceptrons: these classes overlap
        model.fit(X[rows], y)
        for name in ANSWERS:
            if hasattr(model, name):
                getattr(model, name)(NEW[rows])
        if hasattr(model, "score"):
            model.score(X[rows], y)


@pytest.mark.parametrize("method", ["jackknife+", "cv+", "full"])
@pytest.mark.parametrize(
    "model", [LeastSquares(), Ridge(), KernelRidge(), KernelRidge(Gaussian(1.0), 0.1, solver="nystroem")], ids=str
)
def test_intervals_for_a_table_are_those_for_its_numbers_and_bring_no_warning(model, method):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        named = model.fit(X, Y).predict_interval(NEW, 0.8, method)
        plain = model.fit(X.to_numpy(), Y).predict_interval(NEW.to_numpy(), 0.8, method)
    np.testing.assert_array_equal(named.lower, plain.lower)
    np.testing.assert_array_equal(named.upper, plain.upper)


def test_hold_outs_that_are_tables_bring_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SVR().fit(X[:30], Y[:30])
        calibrate(model, X[30:], Y[30:]).predict_interval(NEW)
        calibrate_quantiles(model, model, X[30:], Y[30:]).predict_interval(NEW)
        certify(model, X[30:], Y[30:], training=(X[:30], Y[:30]))


def test_a_table_without_the_names_is_still_warned_about():
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        Ridge(0.1).fit(X, Y).predict_interval(NEW.to_numpy())
