"""Questions to a Gram matrix (K-09, K-10, K-20)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.kernels.definite import gram_features, is_psd, plus_diagonal, smallest_eigenvalue
from surefit.kernels.library import Gaussian, Linear, Polynomial

rng = np.random.default_rng(0)


def test_the_min_kernel_on_negative_numbers_is_flagged():
    """K-09, K-05, E-052."""
    K = np.minimum.outer([-1.0, 1.0], [-1.0, 1.0])
    assert smallest_eigenvalue(K) == pytest.approx(-np.sqrt(2))
    assert not is_psd(K)


def test_singular_matrices_pass_whatever_their_rounding():
    """K-09: duplicates make K singular; rows of very different size are judged each on its own scale."""
    rows = np.repeat(rng.standard_normal((30, 4)), 3, axis=0)
    for kernel in (Linear(), Polynomial(degree=5), Gaussian(), Gaussian(1e3)):
        for scale in (1.0, 10.0 ** rng.integers(-6, 6, (90, 1))):
            assert is_psd(kernel.gram(rows * scale))
            assert is_psd(kernel.gram(rows * np.minimum(scale, 1.0), np.float32))


def test_small_violations_are_seen_on_the_scale_of_their_own_rows():
    K = np.diag([1e20, 1.0, 1.0])
    K[1, 2] = K[2, 1] = 1.001
    assert not is_psd(K)
    assert is_psd(K, tolerance=0.01)
    assert not is_psd([[0.0, 1e-3], [1e-3, 1.0]])
    assert not is_psd([[-1e-30, 0.0], [0.0, 1.0]])


@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 1000))
def test_features_reproduce_their_matrix(n, rank, seed):
    """K-10, T-61: max |F F' - K| < 1e-12, with no more columns than the rank."""
    A = np.random.default_rng(seed).standard_normal((n, rank))
    K = A @ A.T
    F = gram_features(K)
    assert F.shape[1] <= min(n, rank)
    assert np.abs(F @ F.T - K).max() < 1e-12 * max(1.0, np.abs(K).max())


def test_a_matrix_with_a_negative_eigenvalue_has_no_features():
    with pytest.raises(ValueError, match="has the eigenvalue -1; an inner product has none below zero"):
        gram_features([[0.0, 1.0], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((2, 3)), "square"),
        ([[1.0, np.nan], [np.nan, 1.0]], "NaN"),
        ([[1.0, 0.5], [0.4, 1.0]], "not symmetric"),
    ],
)
def test_what_is_no_gram_matrix_is_refused(K, message):
    for question in (is_psd, smallest_eigenvalue, gram_features):
        with pytest.raises(ValueError, match=message):
            question(K)


def test_the_empty_matrix_is_positive():
    assert is_psd(np.zeros((0, 0)))


@pytest.mark.parametrize(("ridge", "slope"), [(1.0, 0.2666667), (0.5, 0.4)])
def test_quadratic_tube_is_a_ridge_on_the_diagonal(ridge, slope):
    """K-20, FX3: x = (0, 1) = y, epsilon = 0.1, ridge 1/C or 1/(2C) at C = 1; two points leave one dual variable."""
    K = plus_diagonal(Linear().gram([[0.0], [1.0]]), ridge)
    v = np.array([-1.0, 1.0])
    assert (v @ [0.0, 1.0] - 0.1 * np.abs(v).sum()) / (v @ K @ v) == pytest.approx(slope, abs=5e-8)


def test_the_ridge_must_not_be_negative_and_its_matrix_not_changed():
    K = np.eye(2)
    plus_diagonal(K, 1.0)
    assert np.array_equal(K, np.eye(2))
    with pytest.raises(ValueError, match="ridge must be >= 0"):
        plus_diagonal(K, -1.0)
