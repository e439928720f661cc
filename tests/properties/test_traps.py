"""Traps that real tables set: raw units, copied rows, coin flips, class weights, missing compilers.

Each section holds what a default must do where it once went wrong without a word.  Data are small and seeded, and
resemble real tables: columns in dollars, counts and shares side by side.
"""

import os
import pickle
import re
import subprocess
import sys
import tracemalloc
import warnings
from contextlib import nullcontext
from copy import deepcopy
from fractions import Fraction
from io import BytesIO
from operator import mul
from typing import ClassVar

import joblib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info, threadpool_limits

from surefit import (
    ERM,
    SVC,
    SVR,
    Adaline,
    Certified,
    ElasticNet,
    KernelERM,
    KernelLogistic,
    KernelRidge,
    Lasso,
    LeastSquares,
    LogisticRegression,
    Perceptron,
    Ridge,
    RobustRegression,
    SubsetRegression,
    calibrate,
    lasso_homotopy,
    lasso_path,
    least_angle_path,
    threads,
)
from surefit.data.design import Design
from surefit.display import CriterionDisplay, ErrorCurveDisplay
from surefit.guarantee.held_out import divided
from surefit.kernels import Linear, Polynomial
from surefit.objective import L1, L2, Huber
from surefit.selection.choice import ChoiceWarning, LamChoice
from surefit.selection.folds import folds_of
from surefit.solvers import normal_equations
from surefit.solvers.lasso.focus import GramCache
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.solution import Status

# ---- Choice of lam on raw columns ----


def raw_table(n=200):
    """Five columns of noise in the ten thousands that mean little, and five shares that carry the signal."""
    rng = np.random.default_rng(0)
    dollars, shares = 1e4 * rng.normal(size=(n, 5)), 0.1 * rng.normal(size=(n, 5))
    return np.hstack([dollars, shares]), 1e-5 * dollars[:, 0] + 10.0 * shares.sum(axis=1) + rng.normal(size=n)


@pytest.mark.parametrize("kind", [Ridge, Lasso, ElasticNet])
def test_defaults_find_the_signal_in_columns_of_small_units(kind):
    X, y = raw_table()
    train, test = slice(0, 120), slice(120, 200)
    reached = kind().fit(X[train], y[train]).score(X[test], y[test])
    assert reached > LeastSquares().fit(X[train], y[train]).score(X[test], y[test]) - 0.02


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_logistic_defaults_find_it_too(l1_ratio):
    X, y = raw_table(400)
    labels = (y > 0).astype(int)
    raw, scaled = (LogisticRegression(l1_ratio=l1_ratio, standardise=unit).fit(X, labels) for unit in (False, True))
    assert raw.criterion_path_.min() < scaled.criterion_path_.min() + 0.02
    assert raw.lam_path_.min() < raw.lam_ < raw.lam_path_.max()


def test_one_column_of_small_unit_is_not_left_behind_by_the_walk():
    """The criterion has a first minimum where the other column is fitted; volts come decades below."""
    rng = np.random.default_rng(3)
    count, volt = rng.poisson(300, 300).astype(float), rng.normal(5.0, 1.0, 300)
    y = 0.05 * count + 2.0 * volt + rng.normal(size=300)
    labels = y > np.median(y)
    best = LeastSquares().fit(np.column_stack([count, volt]), y).score(np.column_stack([count, volt]), y)
    for unit, model in (
        (1e-3, Lasso()),
        (1e-3, ElasticNet()),
        (1e-6, Lasso(criterion="bic")),
        (1e-3, LogisticRegression()),
        (1e-6, LogisticRegression(l1_ratio=1.0)),
    ):
        X, target = np.column_stack([count, unit * volt]), labels if isinstance(model, LogisticRegression) else y
        assert model.fit(X, target).score(X, target) > (0.83 if target is labels else best - 0.02)


@pytest.mark.parametrize("kind", [Ridge, Lasso, LogisticRegression])
def test_a_choice_at_the_end_of_a_given_grid_is_not_silent(kind):
    X, y = raw_table()
    y = (y > 0).astype(int) if kind is LogisticRegression else y
    with pytest.warns(ChoiceWarning, match=r"smallest lam of its grid.*add smaller values.*standardise=True"):
        kind(lams=[1.0, 10.0, 100.0] if kind is not Lasso else [0.1, 1.0, 10.0]).fit(X / X.std(axis=0), y)


@pytest.mark.parametrize("kind", [Ridge, Lasso])
def test_least_squares_is_a_choice_and_no_failure(kind):
    """No noise: every penalty hurts, so the grid is walked to its end, in silence."""
    X, _ = raw_table()
    y = X @ np.linspace(1.0, 2.0, 10)
    model = kind().fit(X, y)
    assert model.score(X, y) > 1 - 1e-6


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("model", [Ridge(), Lasso(), ElasticNet(0.1), LogisticRegression(0.1), ERM(lam=0.1)])
def test_standardised_penalties_do_not_depend_on_units(model, form):
    X, y = raw_table(80)
    y = (y > 0).astype(int) if isinstance(model, LogisticRegression) else y
    units = 2.0 ** np.arange(10) * 1e-3
    here, there = (clone(model).set_params(standardise=True).fit(form(X * by), y) for by in (1.0, units))
    np.testing.assert_allclose(there.coef_ * units, here.coef_, rtol=1e-5, atol=1e-9)
    scaled = clone(model).fit(form(X / X.std(axis=0)), y)
    np.testing.assert_allclose(here.coef_ * X.std(axis=0), scaled.coef_, rtol=1e-5, atol=1e-9)


def test_inference_and_intervals_of_standardised_fits_are_those_of_scaled_columns():
    X, y = raw_table(60)
    sizes = X.std(axis=0)
    here, scaled = Ridge(0.1, standardise=True).fit(X, y), Ridge(0.1).fit(X / sizes, y)
    table, known = here.inference(), scaled.inference()
    np.testing.assert_allclose(table.standard_error * np.append(1.0, sizes), known.standard_error, rtol=1e-8)
    assert "standard deviations were taken from the same rows" in table.caution
    bands, expected = here.predict_interval(X[:4]), scaled.predict_interval(X[:4] / sizes)
    np.testing.assert_allclose(bands.lower, expected.lower, rtol=1e-8)
    assert any("standard deviations" in text for text in here._fit_record.factored.tuned)
    labels = (y > 0).astype(int)
    logistic = [
        LogisticRegression(0.1, standardise=True).fit(X, labels),
        LogisticRegression(0.1).fit(X / sizes, labels),
    ]
    errors = [model.inference().standard_error for model in logistic]
    np.testing.assert_allclose(errors[0] * np.append(1.0, sizes), errors[1], rtol=1e-6)


def test_a_penalty_that_is_no_sum_over_columns_cannot_be_standardised():
    X, y = raw_table(40)
    with pytest.raises(ValueError, match="needs a penalty that is a sum over the columns"):
        ERM(penalty=L2(), lam=0.1, standardise=True).fit(X, y)


def test_rounding_does_not_choose_between_ties():
    """Values within the stated noise of the minimum are ties, and the largest lam of them is taken."""
    lams, curve, nothing = np.array([0.1, 1.0, 10.0, 100.0]), np.array([1.0, 1.0, 1.0, 2.0]), np.full(4, np.nan)
    for bits in (0.0, 1e-13, -1e-13):
        assert LamChoice(lams, curve + bits * np.arange(4.0), nothing).lam_min == 10.0


# ---- Intercepts, and choices that are worse than a constant ----


def logarithms_of_prices(n=80):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, 12.0 + 0.4 * X[:, 0] + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("kind", [KernelRidge, KernelERM])
def test_kernel_models_learn_an_offset(kind):
    X, y = logarithms_of_prices()
    assert kind().fit(X[:60], y[:60]).score(X[60:], y[60:]) > 0.8
    assert KernelLogistic().get_params()["fit_intercept"]


def test_what_is_worse_than_a_constant_says_so():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), 12.0 + rng.normal(size=60)
    for model in (Ridge(fit_intercept=False), Lasso(fit_intercept=False), KernelRidge(fit_intercept=False)):
        with pytest.warns(ChoiceWarning, match="worse than a constant.*use fit_intercept=True"):
            model.fit(X, y)


# ---- Copied rows ----


def small_table(seed=0, n=60):
    """Dollars, counts and shares beside each other, and a target that depends on the last."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.exp(rng.normal(10, 1, n)), rng.poisson(4, n), rng.random(n), rng.random(n)])
    return X, 3 * X[:, 2] - 2 * X[:, 3] + rng.normal(size=n)


@pytest.mark.parametrize("copies", [2, 5])
def test_copies_of_all_rows_change_no_choice(copies):
    """A copy of a row that is left out must not stay: it would be remembered, and lam would fall by orders."""
    X, y = small_table()
    for model in (Ridge(), SubsetRegression("loo")):
        once = clone(model).fit(X, y)
        for often in (
            clone(model).fit(np.tile(X, (copies, 1)), np.tile(y, copies)),
            clone(model).fit(X, y, np.full(len(y), float(copies))),
        ):
            np.testing.assert_allclose(often.coef_, once.coef_, rtol=1e-7, atol=1e-12)
    assert Ridge().fit(np.tile(X, (copies, 1)), np.tile(y, copies)).lam_ == pytest.approx(Ridge().fit(X, y).lam_)


def test_rows_that_only_share_their_features_are_no_copies():
    """Two answers to one question: each is left out by itself."""
    X = np.repeat(np.arange(6.0), 2)[:, None]
    y = X[:, 0] + np.tile([-1.0, 1.0], 6)
    left_out = [
        y[i] - Ridge(0.5 * 12 / 11).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[[i]])[0] for i in range(12)
    ]
    assert Ridge(lams=[0.5]).fit(X, y).criterion_path_[0] == pytest.approx(np.mean(np.square(left_out)), rel=1e-10)


# ---- Weights in inference ----


@pytest.mark.parametrize("class_weight", ["balanced", {0: 1.0, 1: 5.0}])
def test_standard_errors_with_class_weights_agree_with_a_bootstrap(class_weight):
    """178 wines stay 178 rows.  150 resamples give a standard error to 6 %; 25 % allows four times that."""
    X, y = load_wine(return_X_y=True)
    X, y = StandardScaler().fit_transform(X[:, [0, 1, 2, 6]]), (y == 2).astype(int)
    model = LogisticRegression(0.02, class_weight=class_weight).fit(X, y)
    rng, found = np.random.default_rng(0), []
    for _ in range(150):
        rows = rng.integers(0, len(y), len(y))
        again = clone(model).fit(X[rows], y[rows])
        found.append([*again.intercept_, *again.coef_[0]])
    ratio = model.inference().standard_error / np.std(found, axis=0)
    assert np.all((ratio > 0.8) & (ratio < 1.25))
    assert model.summary().statistics.n_rows == 178
    assert "robust" in str(model.summary())


def test_weights_are_rows_only_where_they_are_declared_to_be():
    X, y = small_table()
    labels, weight = (y > np.median(y)).astype(int), np.arange(len(y)) % 3 + 1.0
    model = LogisticRegression(0.1).fit(X, labels, weight)
    assert model.summary().statistics.n_rows == len(y)
    assert model.summary(weights_are_counts=True).statistics.n_rows == weight.sum()
    for factor in (0.1, 7.0):
        scaled = LogisticRegression(0.1).fit(X, labels, factor * weight).inference()
        np.testing.assert_allclose(scaled.standard_error, model.inference().standard_error, rtol=1e-6)


# ---- Stored and copied models ----


def through_joblib(thing):
    file = BytesIO()
    joblib.dump(thing, file)
    file.seek(0)
    return joblib.load(file)


@pytest.mark.parametrize("store", [lambda thing: pickle.loads(pickle.dumps(thing)), through_joblib, deepcopy])
def test_stored_models_still_have_summaries_and_intervals(store):
    X, y = small_table()
    line, ridge = LeastSquares().fit(X, y), Ridge().fit(X, y)
    with pytest.warns(ChoiceWarning, match="column 0 makes up 99.99 % of all squared distances"):
        smooth = KernelRidge().fit(X, y)
    assert str(store(line).summary()) == str(line.summary())
    assert str(store(ridge).inference()) == str(ridge.inference())
    odds = LogisticRegression(0.1).fit(X, y > np.median(y))
    assert str(store(odds).summary()) == str(odds.summary())
    for model in (line, ridge, smooth):
        before, after = model.predict_interval(X[:9]), store(model).predict_interval(X[:9])
        room = 1e-9 * before.width
        assert np.all((after.lower <= before.lower + room) & (after.upper >= before.upper - room))
        assert np.all(after.width <= 1.5 * before.width)
    held_out = calibrate(Ridge(0.1).fit(X[:30], y[:30]), X[30:], y[30:])
    np.testing.assert_array_equal(
        store(held_out).predict_interval(X, 0.8).lower, held_out.predict_interval(X, 0.8).lower
    )


# ---- Cost of defaults ----


def test_logistic_defaults_take_few_passes(monkeypatch):
    """Passes over the rows of six paths: folds start from each other's neighbours, to a loose tolerance."""
    passes, evaluate = [0], LogisticProblem.evaluate

    def counted(self, V):
        passes[0] += 1
        return evaluate(self, V)

    monkeypatch.setattr(LogisticProblem, "evaluate", counted)
    X, y = load_wine(return_X_y=True)
    model = LogisticRegression(standardise=True).fit(X, y)
    assert len(model.lam_path_) <= 30
    assert passes[0] <= 3000


def test_dependent_columns_cost_robust_fits_no_eigenvalues_at_every_step(monkeypatch):
    calls, eigh = [0], normal_equations.linalg.eigh

    def counted(*arguments, **settings):
        calls[0] += 1
        return eigh(*arguments, **settings)

    monkeypatch.setattr(normal_equations.linalg, "eigh", counted)
    rng = np.random.default_rng(0)
    X = np.hstack([np.eye(4)[rng.integers(4, size=150)], rng.normal(size=(150, 3))])
    model = RobustRegression().fit(X, X[:, 0] + X[:, -1] + rng.standard_t(2, size=150))
    assert model.n_iter_ > 0
    assert calls[0] <= 80  # about one for every round, not for every step


# ---- Progress ----


def test_a_long_fit_says_on_the_terminal_what_it_chooses_and_leaves_nothing(monkeypatch):
    import io
    import time

    import numpy as np

    from surefit import KernelERM, terminal

    stream = io.StringIO()
    monkeypatch.setattr(terminal, "SCREEN", terminal.Screen())
    monkeypatch.setattr(terminal, "AFTER", 0.0)
    monkeypatch.setattr(terminal, "TICK", 0.001)
    monkeypatch.setattr(terminal, "seen", lambda: True)
    monkeypatch.setattr(terminal, "new_line", lambda: terminal.Line(stream))
    X = np.random.default_rng(0).normal(size=(60, 2))
    end = time.monotonic() + 20
    while "fitting KernelERM, choosing lam: fold" not in stream.getvalue() and time.monotonic() < end:
        KernelERM().fit(X, X[:, 0])
    assert "fitting KernelERM, choosing lam: fold" in stream.getvalue()
    assert not stream.getvalue().rpartition("\r")[0].rpartition("\r")[2].strip()  # the last thing written is blank


def test_nothing_is_said_where_nobody_can_see_it(capfd):
    from surefit import progress, terminal

    with progress.working("a pipe"):
        assert terminal.SCREEN.title is None
    assert capfd.readouterr().err == ""


# ---- Messages ----


def test_names_of_other_libraries_are_answered_with_ours_and_the_factor():
    import pytest

    from surefit import KernelRidge, Lasso, Ridge

    for model, factor in ((Ridge, "n * lam"), (Lasso, "lam / 2"), (KernelRidge, "n * lam")):
        with pytest.raises(TypeError) as caught:
            model(alpha=1.0)
        assert f"the penalty is lam, and scikit-learn's alpha is {factor}: lam=convert_lambda" in str(caught.value)


def test_a_list_a_word_and_a_truth_value_are_no_lam():
    import numpy as np
    import pytest

    from surefit import Ridge

    X = np.random.default_rng(0).normal(size=(20, 2))
    for lam, remedy in (([0.1, 1.0], "lams"), ("auto", "leave lam out"), (True, "leave lam out")):
        with pytest.raises(ValueError, match=f"lam must be a finite number, got .*; .*{remedy}"):
            Ridge(lam=lam).fit(X, X[:, 0])


def test_dates_are_refused_not_counted_in_nanoseconds():
    import numpy as np
    import pandas as pd
    import pytest

    from surefit import Ridge

    days = pd.DataFrame({"when": pd.date_range("2020", periods=20)})
    for table in (days, days.to_numpy()):
        with pytest.raises(ValueError, match=r"column .* holds dates; turn dates into numbers"):
            Ridge().fit(table, np.arange(20.0))


def test_a_word_for_fit_intercept_does_not_count_as_true():
    import numpy as np
    import pytest

    from surefit import KernelRidge, LeastSquares, Ridge

    for model in (Ridge, LeastSquares, KernelRidge):
        with pytest.raises(ValueError, match="fit_intercept must be True or False, got 'no'"):
            model(fit_intercept="no").fit(np.eye(3), np.arange(3.0))


def test_modules_are_there_after_one_import_which_loads_no_plots():
    import subprocess
    import sys

    code = (
        "import sys, surefit; assert not {'matplotlib', 'hypothesis', 'surefit.testing'} & set(sys.modules);"
        "surefit.kernels.Gaussian, surefit.display.PathDisplay, surefit.objective.Huber, surefit.features.Polynomial;"
        "surefit.progress.off, surefit.theory.bounds.shattering, surefit.data.simulate, surefit.testing.check_loss;"
        "assert {'kernels', 'theory', 'display', 'testing', 'progress'} <= set(dir(surefit))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


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


def wide_table(sparse_form):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((80, 4000)) + rng.standard_normal((80, 1))
    X = sparse.csc_array(X * (rng.random(X.shape) < 0.05)) if sparse_form else X
    y = np.asarray(X[:, :5].sum(axis=1)).ravel()
    return X, y - y.mean() + 0.5 * rng.standard_normal(80)


def peak_megabytes(work):
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


ONE_LAM = {
    "Lasso": lambda lam: Lasso(lam=2 * lam),
    "ElasticNet": lambda lam: ElasticNet(lam=4 * lam, l1_ratio=0.5),
    "LogisticRegression": lambda lam: LogisticRegression(lam=lam, l1_ratio=1.0),
    "ERM with Huber's loss": lambda lam: ERM(Huber(1.0), L1(), lam=lam),
}


@pytest.mark.parametrize("sparse_form", [False, True])
@pytest.mark.parametrize("name", ONE_LAM)
def test_one_lam_on_a_wide_table_needs_no_matrix_of_all_columns(name, sparse_form):
    """A Gram matrix of the 4,000 columns would be 128 MB, the table is 2.6 MB."""
    X, y = wide_table(sparse_form)
    y = y > 0 if name == "LogisticRegression" else y
    pull = y - np.mean(y)
    pull = np.clip(2 * pull, -2, 2) if name == "ERM with Huber's loss" else pull
    top = float(np.max(np.abs(X.T @ (pull - pull.mean())))) / len(y)
    for share in (0.5, 0.1):
        assert peak_megabytes(lambda share=share: ONE_LAM[name](share * top).fit(X, y)) < 25


def test_one_lam_takes_in_hardly_more_columns_than_the_path_down_to_it(monkeypatch):
    X, y = wide_table(False)
    largest = []

    def admit(cache, new, original=GramCache._admit):
        original(cache, new)
        largest.append(len(cache.columns))

    monkeypatch.setattr(GramCache, "_admit", admit)
    top = 2 * float(np.max(np.abs((X - X.mean(axis=0)).T @ y))) / len(y)
    for share in (0.9, 0.5, 0.1, 0.01):
        largest.clear()
        lasso_path(X, y, lams=top * np.geomspace(1.0, share, 100))
        along = max(largest)
        largest.clear()
        Lasso(lam=share * top).fit(X, y)
        assert max(largest) <= 2 * along + 50  # of 4,000


# ---- Gaps at tiny lam ----


def test_a_kernel_ridge_gap_at_a_tiny_lam_is_not_below_the_excess():
    """In fractions: the kernel ``(1 + x z)**3`` on six points, from ``lam = 1e-2`` down to ``1e-13``."""
    x, y = [Fraction(k, 4) for k in (-4, -2, -1, 1, 3, 4)], [Fraction(k) for k in (1, -2, 3, 0, 2, -1)]
    K = [[(1 + a * b) ** 3 for b in x] for a in x]
    for exponent in range(2, 14):
        lam = 10.0**-exponent
        model = KernelRidge(Polynomial(3, 1.0), lam, fit_intercept=False)
        model.fit(np.array(x, dtype=float)[:, None], np.array(y, dtype=float))
        alpha, excess = [Fraction(float(a)) for a in model.dual_coef_], Fraction(0)
        residual = [y[i] - sum(map(mul, K[i], alpha)) - 6 * Fraction(lam) * alpha[i] for i in range(6)]
        step = solved([[K[i][j] + 6 * Fraction(lam) * (i == j) for j in range(6)] for i in range(6)], residual)
        excess = sum(residual[i] * sum(map(mul, K[i], step)) for i in range(6)) / 6
        assert float(excess) <= model.solution_.gap


def solved(A, b):
    """The solution of a small system of fractions, by elimination."""
    rows = [[*row, right] for row, right in zip(A, b, strict=True)]
    for i in range(len(b)):
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for r in range(len(b)):
            if r != i:
                rows[r] = [mine - rows[r][i] * his for mine, his in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]


# ---- Statuses and extreme units ----


def test_at_lam_zero_the_gap_decides_the_status():
    """Columns of size 1e8 that differ by 1e-8: least squares is as close as rounding lets it, and says so."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) + 1e8
    X[:, 1] = X[:, 0] + 1e-8 * rng.normal(size=60)
    y = rng.normal(size=60)
    for columns in (X, X[:, 2:]):
        path = lasso_path(columns, y, lams=[0.1, 0.0])
        reached = path.gaps <= 1e-6 * np.var(y)
        assert [status in (Status.CONVERGED, Status.EXACT) for status in path.statuses] == reached.tolist()


@pytest.mark.parametrize("model", [LeastSquares(), Ridge(0.1), Ridge(), KernelRidge(lam=0.1), Lasso(0.0), Lasso(1e199)])
def test_targets_beyond_squares_are_fitted_and_the_status_says_what_is_lost(model):
    X, y = small_table()
    y = y / np.abs(y).max()
    lam = {"lam": 0.1} if getattr(model, "lam", None) == 1e199 else {}
    units = pytest.warns(ChoiceWarning, match="squared distances") if isinstance(model, KernelRidge) else nullcontext()
    with units:
        huge, small = clone(model).fit(X, y * 1e200), clone(model).set_params(**lam).fit(X, y)
    assert huge.solution_.status is Status.OUT_OF_RANGE
    assert "rescale y" in huge.solution_.status.value
    np.testing.assert_allclose(huge.predict(X) / 1e200, small.predict(X), atol=1e-6)


def test_unpenalised_columns_that_hardly_differ_have_a_gap_within_reach_or_say_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    X[:, 1] = X[:, 0] + 1e-6 * rng.normal(size=60)
    y = X[:, 0] + 0.3 * rng.normal(size=60)
    free = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    for offset in (0.0, 1e6):
        for fit_intercept in (True, False):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                found = Lasso(0.05, penalty_weights=free, fit_intercept=fit_intercept).fit(X + offset, y).solution_
            null = np.mean((y - fit_intercept * y.mean()) ** 2)
            assert found.gap <= (1 + 1e-6) * null
            assert (found.status is Status.CONVERGED) == (found.gap <= 1e-6 * null)


def test_a_search_that_loses_its_way_among_columns_that_hardly_differ_stays_where_it_was():
    """Two columns 1e-9 apart and hardly any penalty: coefficients once grew to 1e164, with a gap of nan."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(6, 3))
    X[:, 1] = X[:, 0] * (1 + 1e-9 * rng.normal(size=6))
    y = X @ rng.normal(size=3) + rng.normal(size=6)
    for lam in (1e-11, 1e-12, 1e-13):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = Lasso(lam).fit(X, y)
        assert model.score(X, y) > 0.4
        assert model.gap_ < 0.1


def test_a_common_factor_of_the_weights_does_not_shorten_the_search_over_subsets():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = X[:, 0] + 3 * X[:, 1] + 0.3 * rng.normal(size=100)
    one, *others = (SubsetRegression("loo").fit(X, y, np.full(100, weight)) for weight in (1.0, 0.01, 7.0))
    assert {0, 1} <= set(one.support_.tolist())
    assert all(np.array_equal(other.support_, one.support_) for other in others)


# ---- scikit-learn's own expectations ----


@pytest.mark.parametrize("model", [Lasso(lam=2e-8), Lasso(lam=2e-8, positive=True), ElasticNet(lam=2e-8)], ids=repr)
def test_a_tiny_lam_is_solved_for_and_not_left_at_the_answer_to_a_larger_one(model):
    """The default ``tol`` of 1e-6 alone would allow a coefficient of 0.999."""
    coef = model.fit([[-1.0], [0.0], [1.0]], [-1.0, 0.0, 1.0]).coef_
    np.testing.assert_allclose(coef, [1.0], atol=1e-6)


def test_the_exact_path_follows_from_a_gram_matrix_through_any_root_of_it():
    """scikit-learn's ``lars_path`` takes ``X'X`` and ``X'y``; rows ``R`` with ``R'R = X'X`` have the same path."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 6)), rng.standard_normal(50)
    root = np.linalg.cholesky(X.T @ X).T
    target = np.linalg.solve(root.T, X.T @ y)
    for walk in (lasso_homotopy, least_angle_path):
        rows, products = walk(X, y, fit_intercept=False), walk(root, target, fit_intercept=False)
        np.testing.assert_allclose(products.knots * len(root) / len(X), rows.knots, atol=1e-12)
        np.testing.assert_allclose(products.coefs, rows.coefs, atol=1e-10)


# ---- Forks and parallel jobs ----


class Watched(Huber):
    """Huber's loss, which notes how many threads the BLAS may use whenever its slope is asked for."""

    seen: ClassVar[set[int]] = set()

    def derivative(self, y, f):
        Watched.seen |= {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}
        return super().derivative(y, f)


@pytest.mark.parametrize(("large", "most"), [(threads.WORTH_SHARING, 1), (1.0, 2)])
def test_threads_of_the_blas_are_left_to_large_fits(monkeypatch, large, most):
    """On a busy machine they turned a robust fit of 2,051 rows and 270 columns from seconds into minutes."""
    X = np.random.default_rng(0).normal(size=(200, 2))
    Watched.seen.clear()
    monkeypatch.setattr(threads, "WORTH_SHARING", large)
    with threadpool_limits(2, user_api="blas"):
        if 2 not in {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}:
            pytest.skip("this BLAS has no threads")
        RobustRegression(loss=Watched(1.0), lam=0.1).fit(X, X[:, 0])
    assert max(Watched.seen) == most


# ---- Without a compiler ----

ANSWERS = """
import sys
import numpy as np
from surefit import KernelRidge, Lasso, LogisticRegression, SVR
X, y, t = (np.load(name) for name in sys.argv[1:4])
models = [Lasso(lam=0.01, tol=1e-12), KernelRidge(lam=0.1), SVR(lam=0.1), LogisticRegression(lam=0.01, l1_ratio=1.0)]
fits = [model.fit(X, t if model is models[-1] else y) for model in models]
scores = [fit.decision_function(X) if fit is models[-1] else fit.predict(X) for fit in fits]
np.save(sys.argv[4], scores)
"""


def test_the_twins_of_the_door_come_to_the_same_answers(tmp_path, monkeypatch):
    """Columns that depend on each other to twelve digits, and 60 of them for 40 rows: work without an end once."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 60))
    X[:, 1] = X[:, 0] + 1e-12 * X[:, 2]
    y = X[:, :3].sum(axis=1) + rng.normal(size=40)
    files = [str(tmp_path / f"{name}.npy") for name in ("X", "y", "t", "plain", "compiled")]
    for file, numbers in zip(files, (X, y, y > 0), strict=False):
        np.save(file, numbers)
    command = [sys.executable, "-W", "ignore", "-c", ANSWERS, *files[:4]]
    subprocess.run(command, check=True, env=os.environ | {"SUREFIT_PLAIN": "1"}, timeout=300)
    monkeypatch.setattr(sys, "argv", ["", *files[:3], files[4]])
    exec(ANSWERS, {})
    plain, compiled = (np.load(file) for file in files[3:])
    np.testing.assert_allclose(plain, compiled, atol=1e-3)


# ---- The same hold-out on every machine ----


def rounded_elsewhere(X, seed=1):
    """``X`` as another processor may compute it: the last bit of a third of its numbers is another."""
    return np.where(np.random.default_rng(seed).random(X.shape) < 1 / 3, np.nextafter(X, np.inf), X)


def measured():
    X, y = load_breast_cancer(return_X_y=True)
    return np.log1p(X), y


@pytest.mark.parametrize("fit", [
    lambda X, y: LogisticRegression(lam=1e-3).fit(X, y, certify=0.2).certificate(),
    lambda X, y: Ridge(lam=1e-3).fit(X, 1.0 * y, certify=0.2).certificate().further[1],
    lambda X, y: Certified(DummyClassifier()).fit(X, y).certificate_,
])  # fmt: skip
def test_the_last_bits_of_the_rows_do_not_decide_what_is_held_out(fit):
    X, y = measured()
    here, there = fit(X, y), fit(rounded_elsewhere(X), y)
    assert here.bound == pytest.approx(there.bound, rel=1e-9)
    assert here.inputs.get("seed") == there.inputs.get("seed")


def test_a_row_dropped_or_a_file_re_sorted_leaves_the_others_where_they_were():
    X, y = measured()
    first = set(map(tuple, X[divided(X, y, None, 0.2).held_out]))
    order = np.argsort(X[:, 3])
    assert first == set(map(tuple, X[order][divided(X[order], y[order], None, 0.2).held_out]))
    without = set(map(tuple, X[1:][divided(X[1:], y[1:], None, 0.2).held_out]))
    assert len(first ^ without) <= 2  # the row itself, and one at the end of those held out


def test_another_random_state_holds_other_rows_out():
    X, y = measured()
    one, two = (LeastSquares().fit(X, y, certify=0.2, random_state=seed).certificate() for seed in (None, 7))
    assert one.bound != two.bound
    assert two.inputs["random_state"] == 7
    own = LogisticRegression(lam=1e-3, random_state=7).fit(X, y, certify=0.2)._fit_record.held_out
    assert sorted(own.targets) == sorted(y[divided(X, y, None, 0.2, 7).held_out])
    with pytest.raises(ValueError, match=r"a random_state of its own.*give LogisticRegression\(random_state=7\)"):
        LogisticRegression().fit(X, y, certify=0.2, random_state=7)
    with pytest.raises(ValueError, match=r"certify is not given; add certify=0.2"):
        LeastSquares().fit(X, y, random_state=7)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_the_last_bits_of_the_rows_deal_no_other_folds(store):
    X, y = measured()
    here, there = (folds_of(Design.of(store(A)), 1.0 * y, 5, 0) for A in (X, rounded_elsewhere(X)))
    for (_, one), (_, other) in zip(here, there, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("model", [Ridge(), Lasso(), KernelRidge(), SVR()], ids=repr)
def test_one_number_is_the_weight_of_every_row(model):
    rng = np.random.default_rng(12)
    X = rng.normal(size=(30, 2))
    y = X[:, 0] + rng.normal(size=30)
    answers = [clone(model).fit(X, y, sample_weight=weight).predict(X) for weight in (2.0, np.full(30, 2.0))]
    np.testing.assert_array_equal(*answers)
