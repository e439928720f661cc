"""Traps that real tables set: raw units, copied rows, coin flips, class weights, missing compilers.

Each section holds what a default must do where it once went wrong without a word.  Data are small and seeded, and
resemble real tables: columns in dollars, counts and shares side by side.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_wine

from surefit import (
    ERM,
    ElasticNet,
    KernelERM,
    KernelLogistic,
    KernelRidge,
    Lasso,
    LeastSquares,
    LogisticRegression,
    Ridge,
    RobustRegression,
)
from surefit.estimators.lam_curve import ChoiceWarning, LamChoice
from surefit.objective import L2
from surefit.solvers import normal_equations
from surefit.solvers.logistic_problem import LogisticProblem

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
    assert any("standard deviations" in text for text in here._rows.broken)
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


# ---- Weights in inference ----


# ---- Stored and copied models ----


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


# ---- Messages ----


# ---- Tables and displays ----


# ---- One lam costs no more than the path ----


# ---- Gaps at tiny lam ----


# ---- Statuses and extreme units ----


# ---- scikit-learn's own expectations ----


# ---- Forks and parallel jobs ----


# ---- Without a compiler ----


# ---- The same hold-out on every machine ----
