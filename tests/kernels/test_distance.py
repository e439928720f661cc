"""Distances between sparse rows, without cancellation."""

import numpy as np
import pytest
from scipy import sparse

from surefit.kernels.distance import distances


def test_close_sparse_rows_keep_their_digits():
    """||x|| = 1e3 and ||x - z|| = 1e-7: the plain expansion would return zero or noise."""
    X = sparse.random(20, 50, density=0.2, format="csr", random_state=0) * 1e3
    Z = X.copy()
    Z.data += 2.0**-23
    expected = np.sqrt(np.diff(X.indptr)) * 2.0**-23
    np.testing.assert_allclose(np.diagonal(distances(X, Z)), expected, rtol=1e-6)
    np.testing.assert_array_equal(np.diagonal(distances(X, X)), 0.0)


def test_mixed_rows_and_many_close_pairs():
    X = np.repeat([[1.0, 0.0, 2.0]], 100, axis=0)
    np.testing.assert_array_equal(distances(sparse.csr_matrix(X), X), np.zeros((100, 100)))


def test_squares_that_overflow_are_refused():
    X = sparse.csr_array(np.array([[1e200, 0.0]]))
    with pytest.raises(ValueError, match="whose squares overflow; rescale X"):
        distances(X, X)
