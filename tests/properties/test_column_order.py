"""Frames whose columns come in another order than in fit are refused by name, and do not hide training rows."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surefit import SVR, Certified, Lasso, NearestNeighbourRegressor, Ridge, calibrate, certify
from surefit.kernels import Gaussian

rng = np.random.default_rng(0)
NAMES = ["a", "b", "c"]
FRAME = pd.DataFrame(rng.normal(size=(300, 3)), columns=NAMES)
Y = FRAME.to_numpy() @ [1.0, 2.0, 3.0] + rng.normal(size=300)
TURNED = FRAME[["c", "a", "b"]]
MODELS = [Ridge(0.1), Lasso(0.1), SVR(Gaussian(1.0), 1e-3, 0.5), NearestNeighbourRegressor()]
by_name = {"ids": lambda model: type(model).__name__}


class ByPosition(RegressorMixin, BaseEstimator):
    """A model of somebody else that does not look at names."""

    def fit(self, X, y):
        self.coef = np.linalg.lstsq(np.asarray(X), y)[0]
        return self

    def predict(self, X):
        return np.asarray(X) @ self.coef


@pytest.mark.parametrize("make", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
@pytest.mark.parametrize("model", MODELS, **by_name)
def test_our_models_refuse_new_rows_in_another_order_by_name(model, make):
    model = model.fit(make(FRAME[:200]), Y[:200])
    for ask in (model.certificate, lambda X, y: certify(model, X, y), lambda X, y: calibrate(model, X, y)):
        with pytest.raises(ValueError, match="must be in the same order"):
            ask(make(TURNED[200:]), Y[200:])


@pytest.mark.parametrize("make", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
@pytest.mark.parametrize("model", MODELS, **by_name)
def test_training_rows_are_recognised_in_any_order(model, make):
    model = model.fit(make(FRAME[:200]), Y[:200])
    with pytest.raises(ValueError, match="200 of the 200 held-out rows were used in fit"):
        model.certificate(make(TURNED[:200]), Y[:200])
    with pytest.raises(ValueError, match="200 of the 200 held-out rows were used in fit"):
        calibrate(model, make(TURNED[:200]), Y[:200])


def test_a_model_that_checks_names_speaks_for_itself():
    model = LinearRegression().fit(FRAME[:200], Y[:200])
    with pytest.raises(ValueError, match="must be in the same order"):
        certify(model, TURNED[200:], Y[200:], training=(FRAME[:200], Y[:200]))
    with pytest.raises(ValueError, match="must be in the same order"):
        calibrate(model, TURNED[200:], Y[200:])


def test_a_model_that_picks_columns_by_name_takes_any_order_but_not_its_training_rows():
    model = make_pipeline(make_column_transformer((StandardScaler(), NAMES)), LinearRegression())
    model.fit(FRAME[:200], Y[:200])
    training = FRAME[:200], Y[:200]
    turned = certify(model, TURNED[200:], Y[200:], training=training)
    assert turned == certify(model, FRAME[200:], Y[200:], training=training)
    with pytest.raises(ValueError, match="200 of the 200 held-out rows were used in fit"):
        certify(model, TURNED[:200], Y[:200], training=training)
    certified = Certified(model).fit(FRAME, Y)
    with pytest.raises(ValueError, match="held-out rows were used in fit"):
        certified.certificate(TURNED, Y)


def test_a_model_that_goes_by_position_is_protected_by_the_names_of_its_training_rows():
    model, training = ByPosition().fit(FRAME[:200], Y[:200]), (FRAME[:200], Y[:200])
    with pytest.raises(ValueError, match="column 0 of X_test is 'c', and of the training rows 'a'"):
        certify(model, TURNED[200:], Y[200:], training=training)
    assert certify(model, FRAME[200:], Y[200:], training=training).bound < 3
    renamed = FRAME[200:].set_axis(["u", "v", "w"], axis=1)
    assert certify(model, renamed, Y[200:], training=training).bound < 3


def test_names_that_are_no_names_change_nothing():
    numbered = pd.DataFrame(FRAME.to_numpy())
    model = Ridge(0.1).fit(numbered[:200], Y[:200])
    assert model.certificate(numbered[200:], Y[200:]).bound == Ridge(0.1).fit(
        FRAME[:200], Y[:200]
    ).certificate(FRAME[200:], Y[200:]).bound  # fmt: skip
