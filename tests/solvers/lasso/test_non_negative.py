"""Coefficients that must be ``>= 0`` without a penalty: non-negative least squares and unpenalised columns.

Twins: `scipy.optimize.nnls`, and the same problem with a vanishing penalty.  Catalogue A-22.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import nnls

from surefit.data.design import Design
from surefit.estimators.lasso import Lasso
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.lasso.solve import elastic_net_path, lam_max
from surefit.solvers.solution import Status

POSITIVE = SparsePenalty(positive=True)


def regression(seed, n, d):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.3, 3.0, d) + rng.uniform(-1, 1, d)
    return X, X @ rng.normal(size=d) + rng.normal(size=n) + 2.0, rng.integers(1, 4, n).astype(float)


def nnls_twin(X, y, weight):
    """Weighted non-negative least squares with an intercept, by Lawson and Hanson."""
    root = np.sqrt(weight)
    mean, level = weight @ X / weight.sum(), weight @ y / weight.sum()
    coef, _ = nnls(root[:, None] * (X - mean), root * (y - level))
    return coef, level - mean @ coef


@pytest.mark.parametrize("layout", [np.asarray, np.asfortranarray, sparse.csr_array])
@pytest.mark.parametrize(("n", "d"), [(30, 5), (200, 40), (12, 11)])
def test_lam_zero_is_non_negative_least_squares(n, d, layout):
    X, y, weight = regression(n, n, d)
    path = elastic_net_path(Design(layout(X), weight), y, np.array([0.0]), POSITIVE)
    coef, intercept = nnls_twin(X, y, weight)
    np.testing.assert_allclose(path.coefs[0], coef, rtol=1e-9, atol=1e-12)
    assert path.intercepts[0] == pytest.approx(intercept, rel=1e-9)
    assert path.statuses == (Status.CONVERGED,)
    assert 0 <= path.gaps[0] < 1e-10 * np.var(y)


def test_without_intercept_lam_zero_equals_scipy():
    X, y, _ = regression(1, 25, 6)
    path = elastic_net_path(Design.of(X), y, np.array([0.0]), POSITIVE, fit_intercept=False)
    np.testing.assert_allclose(path.coefs[0], nnls(X, y)[0], rtol=1e-9, atol=1e-12)


def test_the_path_runs_into_non_negative_least_squares():
    X, y, weight = regression(2, 40, 8)
    path = elastic_net_path(Design(X, weight), y, np.array([1e-9, 0.0]), POSITIVE, tol=1e-12)
    np.testing.assert_allclose(path.coefs[0], path.coefs[1], atol=1e-7)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), d=st.integers(2, 9), lam=st.sampled_from([1e-3, 0.1, 1.0]))
def test_unpenalised_columns_keep_their_sign_and_optimality_and_the_gap_is_a_bound(seed, d, lam):
    """A path with some weights zero equals one with tiny weights there, and is optimal by definition."""
    X, y, weight = regression(seed, 30, d)
    weights = np.where(np.arange(d) % 2 == 0, 0.0, 1.0)
    design, penalty = Design(X, weight), SparsePenalty(weights=weights, positive=True)
    path = elastic_net_path(design, y, np.array([lam]), penalty, tol=1e-10)
    coef, share = path.coefs[0], weight / weight.sum()
    slope = 2 * X.T @ (share * (y - X @ coef - path.intercepts[0])) - lam * weights
    assert path.statuses == (Status.CONVERGED,)
    assert np.all(coef >= 0)
    assert np.max(slope * np.linalg.norm(X, axis=0) ** -1) < 1e-4
    assert np.max(np.abs(slope * coef)) < 1e-4 * np.var(y)

    def objective(w):
        return share @ (y - X @ w - share @ (y - X @ w)) ** 2 + lam * weights @ w

    tiny = SparsePenalty(weights=np.maximum(weights, 1e-9), positive=True)
    twin = elastic_net_path(design, y, np.array([lam]), tiny, tol=1e-12).coefs[0]
    assert objective(coef) - objective(twin) <= path.gaps[0] + 1e-13 * np.var(y)


def test_lam_max_leaves_only_the_unpenalised_non_negative_fit():
    X, y, weight = regression(3, 30, 6)
    weights = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    penalty, design = SparsePenalty(weights=weights, positive=True), Design(X, weight)
    top = lam_max(design, y, penalty)
    path = elastic_net_path(design, y, top * np.array([1.0001, 0.99]), penalty, tol=1e-12)
    alone, _ = nnls_twin(X[:, :3], y, weight)
    np.testing.assert_allclose(path.coefs[0], np.append(alone, np.zeros(3)), rtol=1e-8, atol=1e-12)
    assert np.count_nonzero(path.coefs[1, 3:]) == 1


def test_duplicate_columns_share_a_non_negative_fit():
    X, y, weight = regression(4, 30, 4)
    twice = np.hstack([X, X])
    path = elastic_net_path(Design(twice, weight), y, np.array([0.0]), POSITIVE)
    np.testing.assert_allclose(path.coefs[0, :4] + path.coefs[0, 4:], nnls_twin(X, y, weight)[0], rtol=1e-7, atol=1e-9)
    assert path.statuses == (Status.CONVERGED,)


def test_more_columns_than_rows_are_fitted_as_well_as_by_scipy():
    X, y, _ = regression(5, 10, 30)
    path = elastic_net_path(Design.of(X), y, np.array([0.0]), POSITIVE, fit_intercept=False)
    best = nnls(X, y)[1] ** 2 / len(y)
    risk = np.mean((y - X @ path.coefs[0]) ** 2)
    assert np.all(path.coefs[0] >= 0)
    assert risk - best <= path.gaps[0] + 1e-12 * np.var(y)
    assert risk - best < 1e-6 * np.var(y)


def test_lasso_offers_non_negative_least_squares():
    X, y, weight = regression(6, 40, 5)
    model = Lasso(lam=0, positive=True).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, nnls_twin(X, y, weight)[0], rtol=1e-9, atol=1e-12)
