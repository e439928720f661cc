"""Kernels of the distance (K-06, K-07): published values, limits, and data that try to spoil the distances."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from surefit.kernels.library import Gaussian, Laplace, Matern

KERNELS = [Gaussian(0.8), Laplace(0.8), Matern(0.8, 0.5), Matern(0.8, 1.5), Matern(0.8, 2.5)]
rng = np.random.default_rng(0)


def test_published_values():
    """K-06, K-07 (whose nu = 1 is our bandwidth 2, E-056)."""
    assert Gaussian(1.0)([1.0, 1.0], [2.0, 3.0]) == pytest.approx(0.082084999, abs=5e-10)
    assert Laplace(2.0)([1.0, 1.0], [2.0, 3.0]) == pytest.approx(0.326921895, abs=5e-10)


def test_matern_at_one_half_is_laplace_and_rises_to_gaussian():
    t = np.linspace(0, 3, 50)[:, None]
    np.testing.assert_array_equal(Matern(0.7, 0.5).gram(t), Laplace(0.7).gram(t))
    gaps = [np.abs(Matern(1.0, s).gram(t) - Gaussian(1.0).gram(t)).max() for s in (0.5, 1.5, 2.5)]
    assert gaps[0] > gaps[1] > gaps[2]


def test_small_bandwidths_give_the_identity_and_large_ones_all_ones():
    """K-06, E-054 (the lecture has them reversed)."""
    P = rng.standard_normal((30, 2))
    off = ~np.eye(30, dtype=bool)
    assert Gaussian(1e-3).gram(P)[off].mean() == 0.0
    assert Gaussian(1e3).gram(P)[off].mean() == pytest.approx(0.999998, abs=5e-7)
    for kernel in KERNELS:
        tiny, huge = (kernel._rebuilt({"bandwidth": width}) for width in (1e-250, 1e250))
        np.testing.assert_array_equal(tiny.gram(P), np.eye(30))
        np.testing.assert_allclose(huge.gram(P), 1.0)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_values_are_the_shape_of_the_distance(kernel):
    X, Z = rng.standard_normal((30, 4)), rng.standard_normal((20, 4))
    np.testing.assert_allclose(kernel.block(X, Z), kernel.shape(cdist(X, Z) / 0.8), rtol=1e-12)
    assert kernel.shape(np.array(0.0)) == 1.0


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("offset", [0.0, 1e8, -1e12])
def test_an_offset_costs_no_digit(kernel, offset):
    """Multiples of 1/64 stay exact under every offset, so the answer must be the same."""
    base = np.round(rng.random((25, 3)) * 64) / 64
    expected = kernel.shape(cdist(base, base) / 0.8)
    K = kernel.gram(base + offset)
    np.testing.assert_allclose(K, expected, atol=1e-12)
    assert np.array_equal(K, K.T)
    assert (np.diagonal(K) == 1).all()
    np.testing.assert_allclose(kernel.gram(base + offset, np.float32), expected, atol=3e-6)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_duplicates_are_at_distance_zero(kernel):
    rows = np.repeat(1e8 + rng.random((3, 4)), 5, axis=0)
    same = np.repeat(np.repeat(np.eye(3, dtype=bool), 5, axis=0), 5, axis=1)
    for K in (kernel.gram(rows), kernel.block(rows, rows), kernel.gram(sparse.csr_array(rows))):
        assert (K[same] == 1).all()
        assert (K[~same] < 1).all()


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_spreads_of_1e_minus_8_and_an_outlier_a_billion_billion_away(kernel):
    small = 1e-8 * rng.standard_normal((10, 2))
    narrow = kernel._rebuilt({"bandwidth": 1e-8})
    expected = kernel.shape(cdist(small, small) / 1e-8)
    np.testing.assert_allclose(narrow.gram(small), expected, atol=1e-12)
    K = narrow.gram(np.vstack([small, [[1e10, 0.0]]]))
    np.testing.assert_allclose(K[:10, :10], expected, atol=1e-12)
    assert (K[10, :10] == 0).all()
    assert K[10, 10] == 1


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("power", [-900, -400, 400, 900])
def test_units_do_not_matter(kernel, power):
    """Rows and bandwidth times the same power of two, up to 2**900."""
    rows, V = rng.standard_normal((12, 2)), rng.standard_normal(12)
    scaled = kernel._rebuilt({"bandwidth": 0.8 * 2.0**power})
    np.testing.assert_allclose(scaled.gram(rows * 2.0**power), kernel.gram(rows), atol=1e-14)
    np.testing.assert_allclose(
        scaled.block(rows * 2.0**power, rows[:5] * 2.0**power), kernel.block(rows, rows[:5]), atol=1e-14
    )
    np.testing.assert_allclose(
        scaled.times(rows * 2.0**power, rows * 2.0**power, V), kernel.times(rows, rows, V), atol=1e-13
    )


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_huge_rows_give_the_identity(kernel):
    rows = np.array([[1e300, -1e300], [-1e300, 1e300], [1e300, -1e300], [0.0, 0.0]])
    expected = np.eye(4)
    expected[0, 2] = expected[2, 0] = 1
    for dtype in (np.float64, np.float32):
        np.testing.assert_array_equal(kernel.gram(rows, dtype), expected)
        np.testing.assert_array_equal(kernel.times(rows, rows, np.eye(4), dtype), expected)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_equal_rows_near_the_largest_number_are_equal(kernel):
    rows = np.full((3, 2), 1e308) * [1, -1]
    np.testing.assert_array_equal(kernel.gram(rows), np.ones((3, 3)))
    np.testing.assert_array_equal(kernel.times(rows, rows, [1.0, 2.0, 3.0]), [6.0, 6.0, 6.0])


def test_rows_beyond_1e308_bandwidths_are_refused():
    with pytest.raises(ValueError, match="1e308 bandwidths from zero; centre X or use a larger bandwidth"):
        Gaussian(1e-200).gram([[1e200], [0.0]])


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_sparse_rows_give_what_dense_ones_do(kernel):
    rows = sparse.random(600, 200, density=0.02, format="csr", random_state=0)
    near = rows[:40].copy()
    near.data += 1e-9
    dense = kernel.block(near.toarray(), rows.toarray())
    np.testing.assert_allclose(kernel.block(near, rows), dense, rtol=1e-12)
    np.testing.assert_allclose(kernel.block(near, rows.toarray()), dense, rtol=1e-12)
    np.testing.assert_allclose(kernel.times(near, rows, np.ones(600)), dense.sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("bandwidth", [0, -1.0, np.inf, np.nan, "mean"])
def test_bandwidths_must_be_lengths(bandwidth):
    for kind in (Gaussian, Laplace, Matern):
        with pytest.raises(ValueError, match="bandwidth"):
            kind(bandwidth)


def test_other_smoothness_is_refused():
    with pytest.raises(ValueError, match=r"smoothness must be 0\.5, 1\.5 or 2\.5, got 3"):
        Matern(smoothness=3)


def test_median_is_settled_from_data():
    """K-19."""
    rows = np.array([[0.0], [1.0], [3.0]])
    assert Gaussian("median").for_data(rows) == Gaussian(2.0)
    assert Matern("median", 2.5).for_data(rows) == Matern(2.0, 2.5)
    assert Laplace("median").for_data(sparse.csr_array(rows)) == Laplace(2.0)
    kernel = Gaussian(3.0)
    assert kernel.for_data(rows) is kernel
