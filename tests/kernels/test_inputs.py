"""What kernels accept as rows, weights and precision."""

import numpy as np
import pytest
from scipy import sparse

from surefit.kernels.library import Gaussian, Linear

X = np.random.default_rng(0).standard_normal((40, 3))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.array([[1.0, np.nan, 0.0]]), "NaN or infinity"),
        (np.array([[1.0, np.inf, 0.0]]), "NaN or infinity"),
        (np.ones(3), "must have shape"),
        (np.ones((2, 2, 2)), "must have shape"),
        (np.ones((2, 3)) * 1j, "complex"),
        (np.ones((2, 4)), "columns"),
    ],
)
def test_bad_rows_are_refused_with_a_remedy(bad, message):
    with pytest.raises(ValueError, match=message):
        Gaussian().block(bad, X)


def test_precision_and_weights_are_checked():
    with pytest.raises(ValueError, match="float32 or float64"):
        Linear().gram(X, np.float16)
    with pytest.raises(ValueError, match="one row for each of the 40 rows"):
        Linear().times(X, X, np.ones(3))
    with pytest.raises(ValueError, match="weights must be finite"):
        Linear().times(X, X, np.full(40, np.inf))


def test_lists_integers_and_single_precision_are_taken():
    expected = Linear().gram([[1.0, 2.0], [3.0, 4.0]])
    for rows in ([[1, 2], [3, 4]], np.array([[1, 2], [3, 4]], np.float32), sparse.coo_array([[1, 2], [3, 4]])):
        np.testing.assert_array_equal(Linear().gram(rows), expected)


def test_sparse_nan_is_refused():
    with pytest.raises(ValueError, match="NaN or infinity"):
        Linear().gram(sparse.csr_array([[np.nan, 0.0]]))
