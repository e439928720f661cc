import numpy as np
import pytest
from scipy import sparse

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
