"""Radial kernel tiles: the compiled loops equal their plain twins, and hard data do not spoil them."""

import numpy as np
import pytest

from surefit.kernels.tiles import PROFILES, radial_block, radial_gram, radial_times

_native = pytest.importorskip("surefit._native", reason="compares with the compiled loops, which are not here")


def points(n, d, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gram_is_symmetric_bit_for_bit_with_ones_on_the_diagonal(profile, dtype):
    K = radial_gram(profile, points(200, 3), 0.7, dtype)
    assert K.dtype == dtype
    assert np.array_equal(K, K.T)
    assert np.array_equal(np.diag(K), np.ones(200))


def test_exp_is_accurate_over_its_whole_range():
    distance = np.concatenate([[0.0], np.geomspace(1e-9, 700.0, 500), [800.0, 1e5]])
    K = radial_block("laplace", distance[:, None], np.zeros((1, 1)), 1.0)[:, 0]
    rounding_of_the_exponent = 1e-15 * (1 + distance[:-2])  # exp(-t (1 + eps)) = exp(-t) (1 - t eps)
    assert np.all(np.abs(K[:-2] / np.exp(-distance[:-2]) - 1) <= rounding_of_the_exponent)
    assert K[0] == 1.0
    assert not K[-2:].any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_offsets_do_not_reach_the_distances(dtype):
    X = points(50, 4).round(2)
    np.testing.assert_allclose(
        radial_gram("gaussian", X + 2.0**40, 0.5, dtype), radial_gram("gaussian", X, 0.5), atol=1e-3
    )
    exact = np.round(X * 4) / 4  # these survive the addition of 2^40
    np.testing.assert_allclose(
        radial_gram("gaussian", exact + 2.0**40, 0.5, dtype), radial_gram("gaussian", exact, 0.5), atol=1e-6
    )


def test_data_that_float32_cannot_resolve_are_computed_in_float64():
    X = np.concatenate([[[-1e6]], 1e6 + 0.25 * np.arange(4)[:, None]])
    single = radial_gram("gaussian", X, 1.0, np.float32)
    np.testing.assert_allclose(single[1:, 1], np.exp(-(np.arange(4) ** 2) / 16), atol=1e-7)


@pytest.mark.parametrize("profile", PROFILES)
def test_far_points_have_kernel_value_zero_and_near_ones_one(profile):
    assert radial_block(profile, np.array([[0.0]]), np.array([[1e140]]), 1.0)[0, 0] == 0.0
    assert radial_block(profile, np.array([[0.0]]), np.array([[1e-200]]), 1.0)[0, 0] == 1.0
    with pytest.raises(ValueError, match="bandwidth is too small"):
        radial_block(profile, np.array([[0.0]]), np.array([[1e300]]), 1e60)


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
def test_products_do_not_lose_weights_of_any_size(size):
    X, V = points(30, 2), points(30, 1)[:, 0]
    expected = radial_gram("gaussian", X, 1.0) @ V
    for dtype, tolerance in ((np.float64, 1e-13), (np.float32, 1e-5)):
        np.testing.assert_allclose(
            radial_times("gaussian", X, X, size * V, 1.0, dtype) / size, expected, atol=tolerance
        )


def test_no_rows_are_no_rows():
    X = points(3, 2)
    assert radial_block("gaussian", X[:0], X, 1.0).shape == (0, 3)
    assert radial_block("gaussian", X, X[:0], 1.0).shape == (3, 0)
    assert radial_gram("gaussian", X[:0], 1.0).shape == (0, 0)


def test_shapes_that_do_not_fit_are_refused():
    X = points(3, 2)
    with pytest.raises(ValueError, match="same number of columns"):
        _native.radial_block(0, 1.0, X, points(3, 1), 1, np.empty((3, 3)))
    with pytest.raises(ValueError, match="out needs"):
        _native.radial_gram(0, 1.0, X, 1, np.empty((3, 2)))
    with pytest.raises(ValueError, match="no radial kernel"):
        _native.radial_gram(9, 1.0, X, 1, np.empty((3, 3)))


@pytest.mark.parametrize("size", [0.1, 1.0, 3.0, 6.0])
def test_sums_from_inner_products_equal_sums_from_differences(size):
    """Points near the origin take the short cut, far ones do not: the sums agree to 1e-14 of their terms."""
    X, Z = size * points(257, 4), size * points(130, 4, 1)
    X[7] = 100.0  # one row that is far
    V = points(130, 3, 2)
    terms = radial_block("gaussian", X, Z, 1.0)
    np.testing.assert_allclose(
        radial_times("gaussian", X, Z, V, 1.0), terms @ V, atol=1e-14 * float(np.max(terms @ np.abs(V))), rtol=0
    )


def test_copies_of_a_point_are_at_distance_zero_in_sums():
    x = points(1, 30)
    value = radial_times("gaussian", np.repeat(x, 5, axis=0), np.vstack([x, 0 * x]), np.array([1.0, 0.0]), 0.3)
    assert np.all(value <= 1.0)
    np.testing.assert_allclose(value, 1.0, rtol=1e-14)
