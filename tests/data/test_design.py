import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from surefit import Lasso, LeastSquares, Ridge
from surefit.data.design import Design


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix, sparse.csc_array])
def test_dense_and_sparse_designs_give_the_same_products(make):
    """Catalogue D-01."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(7, 3)) * (rng.random((7, 3)) < 0.6)
    design = Design.of(make(X))
    v, u = rng.normal(size=(3, 2)), rng.normal(size=7)
    np.testing.assert_allclose(design.matvec(v), X @ v, atol=1e-15)
    np.testing.assert_allclose(design.rmatvec(u), X.T @ u, atol=1e-15)
    stacked = np.vstack([design.dense_rows(rows) for rows in design.row_slices(3)])
    np.testing.assert_array_equal(stacked, X)


@pytest.mark.parametrize(
    ("weight", "reason"),
    [
        ([1.0, -1.0], ">= 0"),
        ([0.0, 0.0], "all sample weights are zero"),
        ([1.0, np.nan], "finite"),
        ([1.0], "one non-negative number per row"),
        ([1e308, 1e308], "overflows"),
    ],
)
def test_bad_weights_are_refused_with_the_reason(weight, reason):
    with pytest.raises(ValueError, match=reason):
        Design.of(np.eye(2), weight)


def test_rows_of_weight_zero_are_not_counted():
    design = Design.of(np.eye(3), [1.0, 0.0, 2.5])
    assert design.n_counted == 2
    assert design.total_weight == 3.5
    assert not design.has_unit_weights


@pytest.mark.parametrize("n", [1000, 20_000])
@pytest.mark.parametrize("constant", [0.1, 0.3, 1e12 / 7])
def test_a_sparse_column_of_one_constant_settles_to_nothing(constant, n):
    """D-01: its mean is off by the rounding of ``n`` sums, its spread is not."""
    X = sparse.csr_array(np.column_stack([np.full(n, constant), 1e9 + np.arange(n)]))
    settled = Design.of(X).settled()
    assert settled.X[:, [0]].nnz == 0
    assert settled.offset is not None
    np.testing.assert_allclose(settled.offset, [constant, 1e9 + (n - 1) / 2], rtol=1e-11)


@pytest.mark.parametrize("unit", [1e306, 1e200, 1e-200, 1e-300])
@pytest.mark.parametrize("model", [Ridge(), Ridge(lam=0.1, fit_intercept=False), LeastSquares(), Lasso(lam=0.1)])
def test_the_unit_of_weights_does_not_matter_however_extreme(model, unit):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(50, 3)), rng.integers(1, 4, 50)
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=50)
    plain = clone(model).fit(X, y, weight)
    scaled = clone(model).fit(X, y, weight * unit)
    np.testing.assert_allclose(scaled.coef_, plain.coef_, rtol=1e-9)
    assert scaled.solution_.status is plain.solution_.status
