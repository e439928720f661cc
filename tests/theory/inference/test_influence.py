"""The record of a fit, leverages and deletion diagnostics against statsmodels and n refits.  Catalogue A-01, T-76."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, sparse
from sklearn.datasets import load_diabetes
from statsmodels.stats.outliers_influence import OLSInfluence, variance_inflation_factor

from surefit.theory.inference import influence
from surefit.theory.inference.influence import Influence, LinearFit, condition_number, variance_inflation
from surefit.theory.inference.linear import (
    coefficient_table,
    covariance_matrix,
    fit_statistics,
    mean_interval,
    slopes_test,
)


def design(X, fit_intercept=True):
    return np.column_stack([np.ones(len(X)), X]) if fit_intercept else np.asarray(X)


def fitted(X, y, weight=None, fit_intercept=True, **facts):
    """A `LinearFit` by QR of the weighted design."""
    root = np.sqrt(np.ones(len(y)) if weight is None else weight)
    Q, R = linalg.qr(design(X, fit_intercept) * root[:, None], mode="economic")
    theta = linalg.solve_triangular(R, Q.T @ (root * y))
    L = linalg.solve_triangular(R, np.eye(len(R)))
    first = int(fit_intercept)
    return LinearFit(X, y, theta[first:], theta[0] if first else 0.0, L, weight, fit_intercept, **facts)


def small(n=20, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 1 + rng.normal(size=n)


def longley():
    loaded = sm.datasets.longley.load_pandas()
    X = loaded.exog.to_numpy()
    return (X - X.mean(axis=0)) / X.std(axis=0), loaded.endog.to_numpy()


@pytest.mark.parametrize("name", ["longley", "diabetes", "no intercept"])
def test_measures_equal_statsmodels(name):
    """Catalogue A-01, T-76: leverages, studentised residuals, Cook, DFFITS, DFBETAS."""
    X, y = longley() if name == "longley" else load_diabetes(return_X_y=True, scaled=False)
    fit_intercept = name != "no intercept"
    found = Influence(fitted(X, y, fit_intercept=fit_intercept))
    other = OLSInfluence(sm.OLS(y, design(X, fit_intercept)).fit(method="qr"))
    np.testing.assert_allclose(found.leverages, other.hat_matrix_diag, rtol=1e-9)
    np.testing.assert_allclose(found.internal_residuals, other.resid_studentized_internal, rtol=1e-9)
    np.testing.assert_allclose(found.external_residuals, other.resid_studentized_external, rtol=1e-9)
    np.testing.assert_allclose(found.cooks_distance, other.cooks_distance[0], rtol=1e-9)
    np.testing.assert_allclose(found.dffits, other.dffits[0], rtol=1e-9)
    np.testing.assert_allclose(found.dfbetas, other.dfbetas, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(found.deleted_scale**2, other.sigma2_not_obsi, rtol=1e-9)
    assert found.remarks == ()


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_measures_equal_n_refits(weighted, fit_intercept):
    """Catalogue T-76: each measure by its definition, from the fit without row i."""
    X, y = small(n=15, d=2)
    weight = np.random.default_rng(4).uniform(0.3, 3, 15) if weighted else np.ones(15)
    fit = fitted(X, y, weight, fit_intercept)
    found, unit = Influence(fit), np.linalg.norm(fit.inverse_root, axis=1)
    A = design(X, fit_intercept)
    for i in range(15):
        without = fitted(np.delete(X, i, 0), np.delete(y, i), np.delete(weight, i), fit_intercept)
        move, s = fit.parameters - without.parameters, np.sqrt(without.scale)
        error = y[i] - A[i] @ without.parameters
        assert found.deleted_residuals[i] == pytest.approx(error, rel=1e-10)
        assert found.deleted_scale[i] == pytest.approx(s, rel=1e-10)
        np.testing.assert_allclose(found.dfbetas[i], move / (s * unit), rtol=1e-9)
        cook = np.sum(weight * (A @ move) ** 2) / (fit.n_parameters * fit.scale)
        assert found.cooks_distance[i] == pytest.approx(cook, rel=1e-9)
        own = A[i] @ move / (s * np.sqrt(fit.leverages[i] / weight[i]))
        assert found.dffits[i] == pytest.approx(own, rel=1e-9)
        outlier = fitted(np.column_stack([X, np.arange(15) == i]), y, weight, fit_intercept)
        assert found.external_residuals[i] == pytest.approx(coefficient_table(outlier).t[-1], rel=1e-9)


def test_reference_numbers_of_the_four_points():
    """Catalogue FX1, T-76: leverages (0.7, 0.3, 0.3, 0.7), leave-one-out sum 8.866213152."""
    found = Influence(fitted(np.arange(4.0)[:, None], np.array([1.0, 3.0, 2.0, 5.0])))
    np.testing.assert_allclose(found.leverages, [0.7, 0.3, 0.3, 0.7], rtol=1e-14)
    assert np.sum(found.deleted_residuals**2) == pytest.approx(8.866213152, abs=5e-10)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 4), extra=st.integers(1, 12), fit_intercept=st.booleans())
def test_leverages_are_between_zero_and_one_and_add_up_to_p(seed, d, extra, fit_intercept):
    """Catalogue A-01: trace of the hat matrix = rank; with an intercept ``h_i >= w_i / sum w``."""
    rng = np.random.default_rng(seed)
    n = d + fit_intercept + extra
    weight = rng.uniform(0.1, 2, n)
    fit = fitted(rng.normal(size=(n, d)), rng.normal(size=n), weight, fit_intercept)
    assert fit.leverages.sum() == pytest.approx(d + fit_intercept, rel=1e-8)
    floor = weight / weight.sum() if fit_intercept else 0.0
    assert np.all(fit.leverages >= floor - 1e-12)
    assert fit.leverages.max() <= 1
    bounded = Influence(fit).internal_residuals  # at most sqrt(n - p)
    assert np.nanmax(np.abs(bounded)) <= np.sqrt(fit.df_residual) * (1 + 1e-6)


def test_a_row_of_leverage_one_is_nan_with_the_reason():
    """Catalogue T-76: ``U_ii = 1`` is undefined; the other rows are as if it were not there."""
    X, y = small(n=12, d=2)
    found = Influence(fitted(np.column_stack([X, np.arange(12) == 4]), y))
    others = np.arange(12) != 4
    for values in (found.internal_residuals, found.external_residuals, found.cooks_distance, found.dffits):
        assert np.flatnonzero(np.isnan(values)).tolist() == [4]
    assert np.isnan(found.dfbetas[4]).all()
    assert "leverage 1 at row 4" in found.remarks[0]
    fewer = Influence(fitted(X[others], y[others]))
    np.testing.assert_allclose(found.external_residuals[others], fewer.external_residuals, rtol=1e-10)


def test_one_outlier_off_an_exact_line_has_an_infinite_external_residual():
    """Catalogue T-76: without the row, no noise is left; ``internal = sqrt(n - p)`` is its largest value."""
    x = np.arange(6.0)
    found = Influence(fitted(x[:, None], 2 * x + (x == 3)))
    assert found.external_residuals[3] == np.inf
    assert found.internal_residuals[3] == pytest.approx(2.0, rel=1e-10)
    assert "fitted exactly" in found.remarks[0]


def test_one_degree_of_freedom_leaves_no_external_residuals():
    """Catalogue T-76: ``n - p = 1``."""
    found = Influence(fitted(np.array([[0.0], [1.0], [3.0]]), np.array([1.0, 0.0, 2.0])))
    assert np.isnan(found.external_residuals).all()
    np.testing.assert_allclose(np.abs(found.internal_residuals), 1.0, rtol=1e-12)
    assert "n - p = 1" in found.remarks[0]


def test_an_exact_fit_has_nan_studentised_residuals_without_warnings():
    """Catalogue A-01: 0 / 0."""
    x = np.arange(5.0)
    line = LinearFit(x[:, None], 2 * x, np.array([2.0]), 0.0, fitted(x[:, None], x).inverse_root)
    found = Influence(line)
    assert np.isnan(found.internal_residuals).all()
    assert np.isnan(found.dfbetas).all()
    assert len(found.remarks) == 1


def test_rows_of_weight_zero_have_no_influence():
    """Catalogue A-01: they are predicted, not fitted."""
    X, y = small(n=14, d=2)
    weight = np.ones(14)
    weight[5] = 0
    found = Influence(fitted(X, y, weight))
    assert found.leverages[5] == found.cooks_distance[5] == found.dffits[5] == 0
    without = fitted(np.delete(X, 5, 0), np.delete(y, 5))
    assert found.deleted_residuals[5] == pytest.approx(y[5] - design(X)[5] @ without.parameters, rel=1e-10)


@pytest.mark.parametrize("numbers", [1, 9, 2**20])
def test_sparse_rows_in_blocks_have_the_dense_influence(monkeypatch, numbers):
    """Catalogue A-01: neither storage nor the size of a block changes a number."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(30, 4)) * (rng.random((30, 4)) < 0.5)
    dense = fitted(X, rng.normal(size=30))
    expected = Influence(dense)
    dfbetas, condition = expected.dfbetas, condition_number(dense)
    monkeypatch.setattr(influence, "BLOCK_NUMBERS", numbers)
    thin = LinearFit(sparse.csc_array(X), dense.y, dense.coef, dense.intercept, dense.inverse_root)
    np.testing.assert_allclose(Influence(thin).dfbetas, dfbetas, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(Influence(thin).cooks_distance, expected.cooks_distance, rtol=1e-10)
    assert condition_number(thin) == pytest.approx(condition, rel=1e-11)


def test_only_one_block_of_a_sparse_matrix_is_made_dense(monkeypatch):
    """Catalogue A-01: 100 numbers a block means at most 25 rows of 4 columns at once."""
    rng = np.random.default_rng(9)
    X = sparse.random_array((500, 4), density=0.3, format="csr", rng=rng)
    dense = fitted(X.toarray(), rng.normal(size=500))
    monkeypatch.setattr(influence, "BLOCK_NUMBERS", 100)
    thin = LinearFit(X, dense.y, dense.coef, dense.intercept, dense.inverse_root)
    sizes = [block.shape for _, block in thin.centred_blocks(X)]
    assert sizes == [(25, 4)] * 20
    np.testing.assert_allclose(thin.leverages, dense.leverages, rtol=1e-11)


def test_condition_number_is_that_of_the_centred_scaled_columns():
    """Catalogue A-02: free of units and origin."""
    X, y = small()
    X = X * [1.0, 1e5, 1e-4] + [3.0, -2e6, 1.0]
    centred = X - X.mean(axis=0)
    expected = np.linalg.cond(centred / np.linalg.norm(centred, axis=0))
    assert condition_number(fitted(X, y)) == pytest.approx(expected, rel=1e-8)
    without = np.linalg.cond(X / np.linalg.norm(X, axis=0))
    assert condition_number(fitted(X, y, fit_intercept=False)) == pytest.approx(without, rel=1e-8)
    assert condition_number(fitted(np.zeros((4, 0)), y[:4])) == 1.0


@pytest.mark.parametrize("scaled", [True, False])
def test_variance_inflation_equals_statsmodels_and_its_definition(scaled):
    """Catalogue A-01: read from the factor, there by one regression per column."""
    X, y = load_diabetes(return_X_y=True, scaled=scaled)
    found = variance_inflation(fitted(X, y))
    theirs = [variance_inflation_factor(design(X), j + 1) for j in range(X.shape[1])]
    np.testing.assert_allclose(found, theirs, rtol=1e-9)
    without = variance_inflation(fitted(X, y, fit_intercept=False))
    left = [fitted(np.delete(X, j, 1), X[:, j], fit_intercept=False).rss for j in range(X.shape[1])]
    np.testing.assert_allclose(without, np.sum(X**2, axis=0) / left, rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lam": 0.1}, "lam=0.1 is penalised.*biased.*use LeastSquares"),
        ({"rank": 3}, "rank 3 but 4 parameters.*no standard error; drop the redundant columns"),
        ({"y": np.zeros((20, 2))}, "several targets.*one column of y at a time"),
        ({"y": np.zeros(19)}, r"y must have shape \(20,\), got \(19,\)"),
        ({"sample_weight": -np.ones(20)}, "sample_weight must be >= 0, got -1"),
        ({"sample_weight": np.r_[np.ones(4), np.zeros(16)]}, "4 rows with positive weight and 4 parameters"),
        ({"inverse_root": np.eye(3)}, r"inverse_root must have shape \(4, 4\), got \(3, 3\)"),
        ({"names": ["a"]}, "names must have 3 entries"),
        ({"X": np.zeros((20, 0)), "fit_intercept": False}, "no column and no intercept"),
    ],
)
def test_fits_without_a_theory_are_refused_with_the_reason(change, message):
    """Catalogue A-01, T-09: full column rank, ``n > p``, no penalty, one target."""
    X, y = small()
    fit = fitted(X, y)
    facts = {"X": X, "y": y, "coef": fit.coef, "intercept": fit.intercept, "inverse_root": fit.inverse_root}
    with pytest.raises(ValueError, match=message):
        LinearFit(**(facts | change))


def test_residuals_of_the_solver_are_used():
    """The record trusts residuals given in extended precision."""
    X, y = small()
    fit = fitted(X, y)
    doubled = LinearFit(X, y, fit.coef, fit.intercept, fit.inverse_root, residuals=2 * fit.raw_residuals)
    ratio = coefficient_table(doubled).standard_error / coefficient_table(fit).standard_error
    np.testing.assert_allclose(ratio, 2.0, rtol=1e-14)
    np.testing.assert_allclose(coefficient_table(doubled, "HC2").t * 2, coefficient_table(fit, "HC2").t, rtol=1e-12)


def test_only_the_product_of_the_root_with_its_transpose_matters():
    """Catalogue T-09: ``L`` and ``L @ Q`` are the same information."""
    X, y = small()
    fit = fitted(X, y)
    turn = linalg.qr(np.random.default_rng(3).normal(size=(4, 4)))[0]
    turned = LinearFit(X, y, fit.coef, fit.intercept, fit.inverse_root @ turn)
    for kind in ("classical", "HC0", "HC3"):
        np.testing.assert_allclose(covariance_matrix(turned, kind), covariance_matrix(fit, kind), atol=1e-14)
    np.testing.assert_allclose(turned.leverages, fit.leverages, rtol=1e-12)


def test_columns_far_from_zero_lose_no_digits():
    """Catalogue A-05: a shift by 1e7 leaves slopes and leverages alone; ``[1 x] @ L`` would lose 7 of 16 digits."""
    X, y = small()
    shift, moved = 1e7, np.eye(4)
    moved[0, 1:] = -shift
    X_far = X + shift
    near = fitted(X_far - shift, y)  # this difference is exact
    far = LinearFit(X_far, y, near.coef, near.intercept - shift * near.coef.sum(), moved @ near.inverse_root)
    np.testing.assert_allclose(far.leverages, near.leverages, rtol=1e-12)
    new = X_far[:3] + 1
    ahead, expected = mean_interval(far, new, "HC3"), mean_interval(near, new - shift, "HC3")
    np.testing.assert_allclose(ahead.standard_error, expected.standard_error, rtol=1e-7)  # residuals lose digits there
    naive = np.sum((design(X_far) @ far.inverse_root) ** 2, axis=1)
    assert np.abs(naive / near.leverages - 1).max() > 1e-11


def test_float32_and_integer_rows_are_computed_in_double():
    """Catalogue A-01: storage does not lower the accuracy of the inference."""
    X = np.array([[1, 2], [3, 5], [4, 4], [7, 1], [8, 8], [2, 9]])
    y = np.array([1, 2, 2, 5, 3, 7])
    expected = coefficient_table(fitted(X.astype(float), y.astype(float)), "HC3").standard_error
    base = fitted(X.astype(float), y.astype(float))
    for kind in (np.float32, np.int64):
        fit = LinearFit(X.astype(kind), y.astype(kind), base.coef, base.intercept, base.inverse_root)
        np.testing.assert_allclose(coefficient_table(fit, "HC3").standard_error, expected, rtol=1e-12)


def test_an_intercept_alone_is_the_mean_with_its_standard_error():
    """Catalogue A-01: ``d = 0``, so ``se = sd / sqrt(n)`` and there are no slopes to test."""
    y = np.array([1.0, 2.0, 4.0, 9.0])
    fit = fitted(np.zeros((4, 0)), y)
    assert coefficient_table(fit).standard_error[0] == pytest.approx(y.std(ddof=1) / 2)
    np.testing.assert_allclose(fit.leverages, 0.25)
    assert np.isnan(slopes_test(fit).statistic)
    assert fit_statistics(fit).r2 == pytest.approx(0, abs=1e-15)
