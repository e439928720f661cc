"""Traps that real tables set: raw units, copied rows, coin flips, class weights, missing compilers.

Each section holds what a default must do where it once went wrong without a word.  Data are small and seeded, and
resemble real tables: columns in dollars, counts and shares side by side.
"""

import pickle
import warnings
from copy import deepcopy
from fractions import Fraction
from io import BytesIO
from operator import mul

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from surefit import (
    KernelRidge,
    Lasso,
    LeastSquares,
    LogisticRegression,
    Ridge,
    SubsetRegression,
    calibrate,
    lasso_path,
)
from surefit.kernels import Polynomial
from surefit.solvers.solution import Status

# ---- Choice of lam on raw columns ----


# ---- Intercepts, and choices that are worse than a constant ----


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
    line, ridge, smooth = LeastSquares().fit(X, y), Ridge().fit(X, y), KernelRidge().fit(X, y)
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


# ---- Progress ----


# ---- Messages ----


# ---- Tables and displays ----


# ---- One lam costs no more than the path ----


# ---- Gaps at tiny lam ----


def test_a_kernel_ridge_gap_at_a_tiny_lam_is_not_below_the_excess():
    """In fractions: the kernel ``(1 + x z)**3`` on six points, from ``lam = 1e-2`` down to ``1e-13``."""
    x, y = [Fraction(k, 4) for k in (-4, -2, -1, 1, 3, 4)], [Fraction(k) for k in (1, -2, 3, 0, 2, -1)]
    K = [[(1 + a * b) ** 3 for b in x] for a in x]
    for exponent in range(2, 14):
        lam = 10.0**-exponent
        model = KernelRidge(Polynomial(3, 1.0), lam).fit(np.array(x, dtype=float)[:, None], np.array(y, dtype=float))
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
    huge = clone(model).fit(X, y * 1e200)
    assert huge.solution_.status is Status.OUT_OF_RANGE
    assert "rescale y" in huge.solution_.status.value
    lam = {"lam": 0.1} if getattr(model, "lam", None) == 1e199 else {}
    np.testing.assert_allclose(huge.predict(X) / 1e200, clone(model).set_params(**lam).fit(X, y).predict(X), atol=1e-6)


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


# ---- scikit-learn's own expectations ----


# ---- Forks and parallel jobs ----


# ---- Without a compiler ----


# ---- The same hold-out on every machine ----
