"""Traps that real tables set: raw units, copied rows, coin flips, class weights, missing compilers.

Each section holds what a default must do where it once went wrong without a word.  Data are small and seeded, and
resemble real tables: columns in dollars, counts and shares side by side.
"""

import re
import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from surefit import (
    ERM,
    SVC,
    SVR,
    Adaline,
    ElasticNet,
    Lasso,
    LeastSquares,
    LogisticRegression,
    Perceptron,
    Ridge,
    RobustRegression,
    SubsetRegression,
    lasso_homotopy,
    lasso_path,
)
from surefit.display import CriterionDisplay, ErrorCurveDisplay
from surefit.kernels import Linear

# ---- Choice of lam on raw columns ----


# ---- Intercepts, and choices that are worse than a constant ----


# ---- Copied rows ----


# ---- Weights in inference ----


# ---- Stored and copied models ----


# ---- Cost of defaults ----


# ---- Progress ----


# ---- Messages ----


# ---- Tables and displays ----


def houses(n=60, seed=5):
    """Prices in dollars from square feet, years and a share."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"sqft": rng.normal(2000, 400, n), "built": rng.integers(1950, 2020, n), "share": rng.random(n)})
    return X, pd.Series(150.0 * X["sqft"] + 20_000 * X["share"] + rng.normal(0, 30_000, n), name="price")


def linear_models():
    regressors = [LeastSquares(), Ridge(), Ridge(lam=0.1), Lasso(), Lasso(lam=0.1), ElasticNet(lam=0.1)]
    return [*regressors, SubsetRegression(), RobustRegression(), ERM(), SVR(Linear(), lam=1.0)]


@pytest.mark.parametrize("model", linear_models(), ids=repr)
def test_every_linear_regressor_prints_its_coefficients_by_name(model):
    X, y = houses()
    summary = model.fit((X - X.mean()) / X.std(), y).summary()
    text = str(summary)
    assert max(map(len, text.splitlines())) <= 80
    assert not re.search(r"\de\+0[3-9]", text)  # dollars are written as 34,570
    assert "R2 on training rows" in text
    assert summary.to_frame().index.tolist() == ["intercept", "sqft", "built", "share"]
    assert ("std_error" in summary.to_frame()) != ("No standard errors: " in text)
    np.testing.assert_allclose(summary.to_frame()["estimate"].iloc[1:], model.coef_, rtol=1e-6)


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(lam=0),
        LogisticRegression(lam=0.1, l1_ratio=1),
        SVC(Linear()),
        Perceptron(weights="mean"),
        Adaline(),
    ],
    ids=repr,
)
def test_every_linear_classifier_prints_its_coefficients_and_says_which_class_they_are_of(model):
    X, y = houses()
    dear = np.where(y + np.random.default_rng(0).normal(0, 60_000, len(y)) > y.mean(), "dear", "cheap")
    text = str(model.fit((X - X.mean()) / X.std(), dear).summary())
    assert "Accuracy on training rows" in text
    assert "log-odds of class 'dear' against 'cheap'" in text or "Positive scores mean" in text
    assert max(map(len, text.splitlines())) <= 80


def test_everything_that_is_a_table_prints_renders_and_becomes_a_frame(monkeypatch):
    X, y = houses()
    X = X.rename(columns={"share": "<script>alert(1)</script>" + "x" * 60})
    model = LeastSquares().fit(X, y)
    paths = [
        lasso_path(X, y),
        lasso_homotopy(X, y),
        Ridge().fit(X, y).path_,
        LogisticRegression().fit(X, y > 3e5).path_,
    ]
    tables = [
        model.summary(),
        model.inference(),
        model.influence(),
        model.predict_interval(X),
        Ridge().fit(X, y).inference(),
    ]
    certificate = Ridge().fit(X[:30], y[:30]).certificate(X[30:], y[30:])
    for shown in (*tables, *paths, certificate):
        assert max(map(len, str(shown).splitlines())) <= 80
        assert "<script" not in shown._repr_html_()
        assert len(shown.to_frame()) > 0
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        certificate.to_frame()


def test_arguments_of_summary_and_inference_have_names():
    """The order of level and covariance once depended on the model."""
    X, y = houses()
    for model in (LeastSquares().fit(X, y), Ridge(lam=1.0).fit(X, y), LogisticRegression(lam=0.1).fit(X, y > 3e5)):
        for ask in (model.summary, model.inference):
            with pytest.raises(TypeError, match="positional"):
                ask(0.9)


def test_a_display_is_drawn_at_once():
    X, y = houses()
    _, ax = plt.subplots()
    assert CriterionDisplay.from_estimator(Ridge().fit(X, y), ax=ax).ax_ is ax
    assert "best constant" in ax.get_legend().get_texts()[-1].get_text()
    model = Ridge().fit(X[:40], y[:40])
    assert ErrorCurveDisplay.from_estimator(model, X[40:], y[40:]).constant is not None
    plt.close("all")


# ---- One lam costs no more than the path ----


# ---- Gaps at tiny lam ----


# ---- Statuses and extreme units ----


# ---- scikit-learn's own expectations ----


# ---- Forks and parallel jobs ----


# ---- Without a compiler ----


# ---- The same hold-out on every machine ----
