"""Traps that real tables set: raw units, choices that are worse than a constant, copied rows, class weights.

Each section holds what a default must do where it once went wrong without a word.  Data are small and seeded, and
resemble real tables: columns in dollars, counts and shares side by side.
"""

import pickle
from copy import deepcopy
from io import BytesIO

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from surefit import (
    ERM,
    ElasticNet,
    KernelERM,
    KernelLogistic,
    KernelRidge,
    KernelRidgeClassifier,
    Lasso,
    LeastSquares,
    LogisticRegression,
    Ridge,
    SubsetRegression,
    calibrate,
)
from surefit.objective import L2
from surefit.selection.choice import ChoiceWarning, LamChoice

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


# ---- Choices that iterations blur ----


@pytest.mark.parametrize("seed", [20, 3, 11])
def test_logistic_weights_choose_as_copies_do_and_the_order_of_rows_chooses_nothing(seed):
    """Candidates were once solved so loosely that the criterion differed by more between copies than between lams."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4))
    labels = (X[:, 0] + rng.logistic(size=60) > 0).astype(int)
    order, counts = rng.permutation(60), rng.integers(1, 4, 60)
    weighted = LogisticRegression().fit(X, labels, sample_weight=counts)
    repeated = LogisticRegression().fit(np.repeat(X, counts, axis=0), np.repeat(labels, counts))
    np.testing.assert_allclose(weighted.lam_, repeated.lam_, rtol=1e-6)
    balanced = LogisticRegression(class_weight="balanced")
    shuffled = clone(balanced).fit(X[order], labels[order])
    np.testing.assert_allclose(balanced.fit(X, labels).lam_, shuffled.lam_, rtol=1e-6)


# ---- Rows that are changed after the fit, and more columns than rows ----


@pytest.mark.parametrize("kind", [KernelRidge, KernelRidgeClassifier])
def test_rows_changed_after_the_fit_change_no_prediction(kind):
    X, y = np.random.default_rng(0).normal(size=(2, 60, 4))
    y = y[:, 0]
    model = kind("rbf", 0.1).fit(X, y > np.median(y) if kind is KernelRidgeClassifier else y)
    new = X[:5] * 1.01
    before = model.predict(new)
    X /= 10.0
    np.testing.assert_array_equal(model.predict(new), before)


def test_a_subset_as_large_as_the_rows_allow_is_not_silent():
    """Noise is fitted nearly exactly by so many columns, and the criterion has nothing to judge by."""
    rng = np.random.default_rng(1)
    W, noise = rng.normal(size=(40, 60)), rng.normal(size=40)
    with pytest.warns(ChoiceWarning, match="as many as the rows allow.*max_size"):
        SubsetRegression().fit(W, noise)
    assert len(SubsetRegression(max_size=5).fit(W, noise).support_) <= 5


def test_a_logistic_lam_is_not_chosen_where_squares_of_columns_overflow():
    X, labels = np.random.default_rng(0).normal(size=(50, 3)), np.arange(50) % 2
    with pytest.raises(ValueError, match="leave the range of floating point numbers; rescale the columns"):
        LogisticRegression().fit(X * 1e200, labels)
