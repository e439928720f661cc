"""One pass over rows for a matrix and its transpose: compiled, in tiles and by definition."""

import numpy as np
import pytest

from surefit.compiled.twins import tiles
from surefit.kernels import Gaussian, Laplace, Linear, Polynomial
from surefit.kernels.fold import fold
from surefit.kernels.tiles import PROFILES

_native = pytest.importorskip("surefit._native", reason="compares with the compiled loops, which are not here")

SIZES = [(1, 1, 1), (5, 3, 2), (4, 64, 1), (131, 65, 3), (300, 100, 2), (1100, 17, 1)]


def problem(n, m, k, dtype, seed=0):
    rng = np.random.default_rng(seed)
    A, Y, w = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((n, k)), rng.random(n)
    return rng.standard_normal((n, m)).astype(dtype), A, Y, w


def by_definition(C, A, Y, w):
    C, A = np.asarray(C, np.float64), np.asarray(A, np.float64)
    left = Y - C @ A
    return np.vstack([C.T @ (w[:, None] * left), w @ left, w @ left**2])


@pytest.mark.parametrize(("n", "m", "k"), SIZES)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-14), (np.float32, 1e-6)])
def test_a_block_is_folded_by_its_definition_on_any_number_of_threads(n, m, k, dtype, tolerance):
    C, A, Y, w = problem(n, m, k, dtype)
    exact = by_definition(C, A, Y, w)
    size = np.max(np.abs(exact))
    answers = [fold(C, A, Y, w, threads) for threads in (1, 2, 5)]
    np.testing.assert_allclose(answers[0], exact, atol=tolerance * size * np.sqrt(m + n), rtol=0)
    assert all(np.array_equal(answers[0], one) for one in answers[1:])
    twin = np.empty_like(exact)
    tiles.block_fold(C, A, Y, w, 1, twin)
    np.testing.assert_allclose(twin, exact, atol=tolerance * size * np.sqrt(m + n), rtol=0)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("n", "m", "k"), SIZES)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-14), (np.float32, 1e-6)])
def test_a_radial_fold_equals_the_fold_of_its_block(profile, n, m, k, dtype, tolerance):
    _, A, Y, w = problem(n, m, k, dtype)
    X, Z = (np.random.default_rng(s).standard_normal((rows, 4)).astype(dtype) for s, rows in ((1, n), (2, m)))
    block, ours, twin = np.empty((n, m), dtype), np.empty((m + 2, k)), np.empty((m + 2, k))
    _native.radial_block(PROFILES[profile], 0.3, X, Z, 1, block)
    exact = by_definition(block, A, Y, w)
    for threads in (1, 3):
        _native.radial_fold(PROFILES[profile], 0.3, X, Z, A, Y, w, threads, ours)
        np.testing.assert_allclose(ours, exact, atol=tolerance * np.max(np.abs(exact)) * np.sqrt(m + n), rtol=0)
    tiles.radial_fold(PROFILES[profile], 0.3, X, Z, A, Y, w, 1, twin)
    np.testing.assert_allclose(twin, exact, atol=tolerance * np.max(np.abs(exact)) * np.sqrt(m + n), rtol=0)


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
