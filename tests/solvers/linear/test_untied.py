import numpy as np
import pytest
from scipy import sparse

from surefit.data.design import Design
from surefit.solvers.linear import limits
from surefit.solvers.linear.untied import may_depend, tied_columns, untied


def nearly_alike(apart, n=60, mean=0.0):
    x, z = np.random.default_rng(0).normal(size=(2, n))
    return np.column_stack([x + mean, x + mean + apart * z])


@pytest.mark.parametrize(("apart", "tied"), [(1e-3, False), (1e-7, True), (1e-10, True), (0.0, False)])
def test_columns_are_tied_where_the_gram_matrix_hides_what_the_rows_tell(apart, tied):
    assert (tied_columns(nearly_alike(apart), np.ones(60), True) is not None) is tied


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_orthogonal_columns_have_the_same_scores(fit_intercept):
    X = nearly_alike(1e-7, mean=3.0)
    found = untied(tied_columns(X, np.arange(1.0, 61.0), fit_intercept))
    np.testing.assert_allclose(found.X.T @ found.X, 60 * np.eye(2), atol=1e-9)
    coef, intercept = found.restore(np.array([1.0, -2.0]), 0.5)
    np.testing.assert_allclose(X @ coef + intercept, found.X @ [1.0, -2.0] + 0.5, atol=1e-6)


def test_sparse_columns_are_tied_as_dense_ones_are():
    X, weight = nearly_alike(1e-8), np.arange(1.0, 61.0)
    dense = untied(tied_columns(X, weight, True))
    found = untied(tied_columns(sparse.csr_array(X), weight, True))
    np.testing.assert_array_equal(found.X, dense.X)
    assert tied_columns(sparse.csr_array(nearly_alike(1e-3)), weight, True) is None


def test_sparse_columns_past_memory_are_known_to_be_tied_and_left_as_they_are(monkeypatch):
    monkeypatch.setattr(limits, "DENSE_LIMIT", 100)
    A = tied_columns(sparse.csr_array(nearly_alike(1e-8)), np.ones(60), True)
    assert A is not None
    assert A.design.is_sparse
    assert untied(A) is None


def test_a_design_may_depend_if_columns_are_copies_or_more_than_rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 4))
    assert not may_depend(Design.of(X), True)
    assert may_depend(Design.of(X[:, [0, 1, 1]]), True)
    assert may_depend(Design.of(X[:4]), True)
