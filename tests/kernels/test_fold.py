"""One pass over rows for a matrix and its transpose: compiled, in tiles and by definition."""

import numpy as np
import pytest

from surefit.kernels import Gaussian, Laplace, Linear, Polynomial
from surefit.kernels.fold import fold


def by_definition(C, A, Y, w):
    C, A = np.asarray(C, np.float64), np.asarray(A, np.float64)
    left = Y - C @ A
    return np.vstack([C.T @ (w[:, None] * left), w @ left, w @ left**2])


@pytest.mark.parametrize(
    "kernel", [Gaussian(2.0), 0.5 * Laplace(3.0) + Linear(), Polynomial(2, 1.0), Gaussian().on([0])]
)
def test_every_kernel_folds_without_its_block(kernel):
    rng = np.random.default_rng(3)
    X, Z = rng.standard_normal((2100, 3)), rng.standard_normal((40, 3))
    A, Y, w = rng.standard_normal((40, 2)), rng.standard_normal((2100, 2)), rng.random(2100)
    exact = by_definition(kernel.block(X, Z), A, Y, w)
    np.testing.assert_allclose(kernel.folding(X, Z)(A, Y, w), exact, atol=1e-12 * np.max(np.abs(exact)), rtol=1e-11)


def test_points_too_far_apart_for_tiles_and_sparse_rows_fold_as_well():
    from scipy import sparse

    X = np.array([[0.0, 1e9], [1.0, 0.0], [0.5, 1e9], [0.0, -1e9]])
    A, Y, w = np.ones((2, 1)), np.arange(4.0)[:, None], np.ones(4)
    exact = by_definition(Gaussian().block(X, X[:2]), A, Y, w)
    np.testing.assert_allclose(Gaussian().folding(X, X[:2])(A, Y, w), exact, rtol=1e-12)
    rows = sparse.csr_array(X)
    np.testing.assert_allclose(Gaussian().folding(rows, rows[:2])(A, Y, w), exact, rtol=1e-12)


@pytest.mark.compiled
def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="2 rows of Z"):
        Linear().folding(np.ones((3, 1)), np.ones((2, 1)))(np.ones((3, 1)), np.ones((3, 1)), np.ones(3))
    with pytest.raises(ValueError, match="Y and w"):
        fold(np.ones((3, 2)), np.ones((2, 1)), np.ones((2, 1)), np.ones(3), 1)
