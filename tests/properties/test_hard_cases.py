"""Designs that mix units, dependence and size: each once gave a wrong answer on some route."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from surefit import GradientDescent, LeastSquares, RankDeficientWarning, Ridge
from surefit.data.design import Design
from surefit.solvers.linear import factor, limits
from surefit.solvers.linear.least_squares import ridge
from surefit.theory.fit.loo import exact_loo


def stamps_and_groups(n=2000, seed=2):
    """A millisecond timestamp and all indicators of a group: dependent columns in units 1e12 apart."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 5, n)
    X = np.column_stack([1.7e12 - rng.uniform(0, 9e11, n), np.eye(5)[group]])
    return X, group * 10.0 + rng.normal(size=n)


def quietly(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankDeficientWarning)
        return model.fit(X, y)


@pytest.mark.parametrize("model", [Ridge(), LeastSquares(), LeastSquares(solver="svd"), Ridge(lam=1e-6)])
def test_dependent_columns_in_different_units_are_all_used(model):
    X, y = stamps_and_groups()
    assert quietly(model, X, y).score(X, y) > 0.99


def test_a_bound_on_the_norm_is_kept_whatever_the_units():
    """Catalogue A-11."""
    X, y = stamps_and_groups()
    free = np.linalg.norm(quietly(LeastSquares(), X, y).coef_)
    bounded = Ridge(radius=free / 2).fit(X, y)
    np.testing.assert_allclose(np.linalg.norm(bounded.coef_), free / 2, rtol=1e-6)


def wide_stamps(n=20, d=30, seed=3):
    rng = np.random.default_rng(seed)
    X = np.column_stack([1.7e12 - rng.uniform(0, 9e11, n), 1e-3 * rng.normal(size=(n, d - 1))])
    return X, rng.normal(size=n)


def test_wide_designs_interpolate_whatever_the_units():
    X, y = wide_stamps()
    model = quietly(LeastSquares(), X, y)
    assert model.rank_ == 19
    np.testing.assert_allclose(model.predict(X), y, atol=1e-6)


@pytest.mark.parametrize("lam", [1e-9, 1e-7, 1e-3])
def test_wide_ridge_is_optimal_whatever_the_units(lam):
    """Against the normal equations in the columns' own units, where they are well-conditioned."""
    X, y = wide_stamps()
    size = np.append(9e11, np.full(29, 1e-3))
    Z = (X - X.mean(axis=0)) / size
    exact = np.linalg.solve(Z.T @ Z + 20 * lam * np.diag(size**-2.0), Z.T @ (y - y.mean())) / size
    best = np.mean((y - y.mean() - (X - X.mean(axis=0)) @ exact) ** 2) + lam * exact @ exact
    solution = Ridge(lam=lam).fit(X, y).solution_
    np.testing.assert_allclose(solution.objective, best, rtol=1e-6)


def test_wide_ridge_chooses_a_sensible_lam_whatever_the_units():
    X, _ = wide_stamps()
    y = 500.0 * X[:, 1] - 300.0 * X[:, 2]
    assert Ridge().fit(X, y).score(X, y) > 0.5


@pytest.mark.parametrize("lam", [1e-14, 1e-12, 1e-10, 1e-8, 1e-4])
@pytest.mark.parametrize(("n", "d"), [(15, 40), (10, 10), (10, 9)])
def test_leave_one_out_keeps_its_digits_where_the_fit_is_nearly_perfect(n, d, lam):
    """Catalogue T-76: 1 - H_ii is as small as lam there, and must not come from a subtraction."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    shortcut = exact_loo(factor.spectral_factor(Design.of(X), True, n * lam), y, [lam])[0]
    for i in range(n):
        rest = np.arange(n) != i
        fit = ridge(Design.of(X[rest]), y[rest, None], lam * n / (n - 1)).solution
        np.testing.assert_allclose(shortcut[i], y[i] - X[i] @ fit.coef[:, 0] - fit.intercept[0], rtol=1e-6)


def test_columns_that_are_all_constant_predict_the_mean():
    model = Ridge().fit(np.ones((5, 2)), [1.0, 2, 3, 4, 5])
    np.testing.assert_array_equal(model.predict(np.ones((2, 2))), 3.0)


@pytest.fixture
def everything_is_large(monkeypatch):
    """Send small sparse designs down the roads that are meant for large ones."""
    monkeypatch.setattr(limits, "DENSE_LIMIT", 0)


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize(("mean", "spread"), [(2012.0, 12.0), (1e3, 1e-3), (1.7e12, 3e8)])
@pytest.mark.parametrize("settings", [{}, {"lam": 0.0}])
def test_large_sparse_designs_with_an_off_centre_column(mean, spread, settings):
    rng = np.random.default_rng(5)
    X = sparse.random(500, 6, density=0.2, random_state=rng, format="lil")
    X[:, 2] = (mean + spread * rng.normal(size=500))[:, None]
    dense = X.toarray()
    y = (dense[:, 2] - mean) / spread + dense[:, 0] + 0.1 * rng.normal(size=500)
    model = LeastSquares() if not settings else Ridge(**settings)
    fitted, exact = model.fit(X.tocsr(), y), LeastSquares().fit(dense, y)
    np.testing.assert_allclose(fitted.coef_ * [1, 1, spread, 1, 1, 1], exact.coef_ * [1, 1, spread, 1, 1, 1], rtol=1e-9)
    np.testing.assert_allclose(fitted.predict(dense), exact.predict(dense), rtol=1e-6, atol=1e-6)
    if not settings:
        np.testing.assert_allclose(fitted.inference().standard_error, exact.inference().standard_error, rtol=1e-9)


@pytest.mark.usefixtures("everything_is_large")
def test_large_sparse_designs_with_all_indicators_of_a_group():
    """Dependent columns: fitted by iterations, no standard errors of single coefficients, ridge as usual."""
    rng = np.random.default_rng(6)
    group = rng.integers(0, 8, 400)
    X = sparse.csr_matrix(np.eye(8)[group])
    y = group + rng.normal(size=400)
    model = LeastSquares().fit(X, y)
    assert model.score(X, y) > 0.8
    with pytest.raises(ValueError, match="no standard errors; drop redundant columns"):
        model.inference()
    np.testing.assert_allclose(Ridge().fit(X, y).predict(X), Ridge().fit(X.toarray(), y).predict(X), rtol=1e-6)
    with pytest.raises(ValueError, match="make this large sparse design dense"):
        LeastSquares(solver="svd").fit(X, y)


def test_a_summary_notices_that_the_data_have_changed():
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    for change in (X, y):
        model = LeastSquares().fit(X, y)
        change[3] += 1.0
        with pytest.raises(ValueError, match="changed in place since the fit"):
            model.inference()
        assert "R2" not in str(model.summary())  # of other data than it was fitted to


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_inference_refuses_what_its_squares_cannot_hold(size):
    rng = np.random.default_rng(13)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    with pytest.raises(ValueError, match="squares of y leave the range"):
        LeastSquares().fit(X, y * size).inference()
    with pytest.raises(ValueError, match="squares of X leave the range"):
        LeastSquares().fit(X * size, y).inference()


def test_a_summary_is_of_the_model_that_was_fitted():
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30) + 5.0
    model = LeastSquares().fit(X, y)
    before = model.inference().standard_error
    model.set_params(fit_intercept=False, solver="gradient")
    np.testing.assert_array_equal(model.inference().standard_error, before)


def test_a_row_of_weight_zero_may_hold_anything():
    rng = np.random.default_rng(9)
    X, y, weight = rng.normal(size=(20, 2)), rng.normal(size=20), np.ones(20)
    X[0], y[0], weight[0] = 1e200, 1e200, 0.0
    for model in (LeastSquares(), Ridge(), Ridge(lam=0.1)):
        fitted = model.fit(X, y, sample_weight=weight).coef_
        np.testing.assert_allclose(fitted, type(model)(**model.get_params()).fit(X[1:], y[1:]).coef_, rtol=1e-10)


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_a_bound_on_the_norm_scales_with_the_target(size):
    rng = np.random.default_rng(10)
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    model = Ridge(radius=0.1 * size).fit(X, y * size)
    np.testing.assert_allclose(np.linalg.norm(model.coef_ / size), 0.1, rtol=1e-9)
    with pytest.raises(ValueError, match="use a larger radius"):
        Ridge(radius=max(1e-300 * size, 1e-300)).fit(X, y * max(size, 1.0))


def test_iterative_solvers_take_sparse_input_and_know_their_gap():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + 1e9 * (1e-9 * X[:, 1])
    slow = LeastSquares(solver=GradientDescent(max_iter=50)).fit(X * [1.0, 1e-9], y)
    best = LeastSquares().fit(X * [1.0, 1e-9], y).solution_.objective
    assert slow.solution_.gap >= slow.solution_.objective - best > 0.1
    dense, compressed = (LeastSquares(solver="stochastic").fit(Z, y) for Z in (X, sparse.csr_matrix(X)))
    np.testing.assert_allclose(compressed.coef_, dense.coef_)


def test_one_column_of_targets_is_one_target():
    rng = np.random.default_rng(12)
    frame = pd.DataFrame({"price": rng.normal(size=20)})
    assert "price" in str(LeastSquares().fit(rng.normal(size=(20, 2)), frame).summary())
