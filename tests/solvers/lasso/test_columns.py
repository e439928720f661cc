"""The design by columns: all products agree with the centred, weighted matrix."""

import numpy as np
import pytest
from scipy import sparse

from surefit.data.centred import centre
from surefit.data.design import Design
from surefit.solvers.lasso import limits
from surefit.solvers.lasso.columns import Columns, sparse_products, takes_full_gram

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 6)) * (RNG.random((20, 6)) < 0.6) + [0, 0, 0, 0, 0, 1e9]
WEIGHT = RNG.integers(1, 4, 20).astype(float)
EXACT = np.sqrt(WEIGHT)[:, None] * (X - WEIGHT @ X / WEIGHT.sum())


def columns(make, full_gram=False):
    design = Design.of(make(X), WEIGHT)
    A = centre(design.settled(), fit_intercept=True)
    return Columns.of(A, A.target(X[:, 0]), full_gram)


@pytest.mark.parametrize("full_gram", [False, True])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_products_are_those_of_the_centred_matrix(make, full_gram):
    """Catalogue A-05, A-22: a column far from zero included."""
    found, R, coefs = columns(make, full_gram), RNG.normal(size=(3, 20)), RNG.normal(size=(2, 3))
    R -= np.outer(R @ np.sqrt(WEIGHT), np.sqrt(WEIGHT)) / WEIGHT.sum()  # residuals have no mean
    chosen = np.array([0, 3, 5])
    np.testing.assert_allclose(found.correlations(R), R @ EXACT, atol=1e-6)
    np.testing.assert_allclose(found.fitted(chosen, coefs), coefs @ EXACT[:, chosen].T, atol=1e-6)
    np.testing.assert_allclose(found.dense(chosen), EXACT[:, chosen], atol=1e-6)
    np.testing.assert_allclose(found.moment, EXACT.T @ found.target, atol=1e-6)
    assert np.all(found.sizes >= np.linalg.norm(EXACT, axis=0) * (1 - 1e-9))


@pytest.mark.parametrize("m", [1, 2, 4, 6, 8, 13])
@pytest.mark.parametrize("cols", [30, 1])
def test_few_rows_of_residuals_are_multiplied_by_sparse_columns(m, cols, monkeypatch):
    """With one thread, and with more threads than columns; each row as if it were alone."""
    S = sparse.random_array((50, cols), density=0.2, format="csc", rng=np.random.default_rng(1))
    R = np.random.default_rng(m).normal(size=(m, 50))
    found = sparse_products(S, R)
    np.testing.assert_allclose(found, R @ S.toarray(), atol=1e-12)
    monkeypatch.setattr("surefit.solvers.lasso.columns.cores", lambda: 3)
    monkeypatch.setattr(limits, "ENTRIES_PER_THREAD", 1)
    np.testing.assert_array_equal(sparse_products(S, R), found)
    np.testing.assert_array_equal(np.vstack([sparse_products(S, row[None]) for row in R]), found)


def test_the_gram_matrix_of_all_columns_is_for_tall_designs(monkeypatch):
    assert takes_full_gram(Design.of(np.zeros((10, 10))))
    assert not takes_full_gram(Design.of(np.zeros((9, 10))))
    monkeypatch.setattr(limits, "WHOLE_LIMIT", 5)
    assert not takes_full_gram(Design.of(np.zeros((10, 10))))
