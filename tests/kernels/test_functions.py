"""Functions of a kernel's Hilbert space (T-62 to T-67, K-17, K-18, P-04)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from surefit.kernels.functions import RKHSFunction, empirical_expansion, kernel_distances
from surefit.kernels.library import FiniteDomain, Gaussian, Laplace, Linear, Matern, Polynomial

KERNELS = [Linear(), Polynomial(degree=3), Gaussian(0.7), Laplace() * Polynomial(), Matern() + 0.5 * Linear()]
kernels = st.sampled_from(KERNELS)
seeds = st.integers(0, 10_000)


def function(kernel, seed, n=6):
    rng = np.random.default_rng(seed)
    return RKHSFunction(kernel, rng.standard_normal((n, 2)), rng.standard_normal(n))


@given(kernels, seeds)
def test_the_inner_product_reproduces_values(kernel, seed):
    """T-62: <f, k_x> = f(x) and <k_x, k_z> = k(x, z)."""
    f = function(kernel, seed)
    x, z = np.random.default_rng(seed + 1).standard_normal((2, 1, 2))
    k_x, k_z = (RKHSFunction(kernel, point, [1.0]) for point in (x, z))
    assert f.inner(k_x) == pytest.approx(f(x)[0], rel=1e-10, abs=1e-10)
    assert k_x.inner(k_z) == pytest.approx(kernel(x[0], z[0]), rel=1e-12)


@given(kernels, seeds)
def test_the_norm_bounds_values_and_variation(kernel, seed):
    """T-62, T-63, T-67: |f(x)| <= ||f|| sqrt(k(x, x)), |f(x) - f(z)| <= ||f|| d(x, z)."""
    f, X = function(kernel, seed), np.random.default_rng(seed + 1).standard_normal((9, 2))
    values = f(X)
    assert (np.abs(values) <= f.value_bound(X) * (1 + 1e-9) + 1e-9).all()
    assert (np.abs(values[:, None] - values) <= f.variation_bound(X, X) * (1 + 1e-6) + 1e-6).all()


@given(kernels, seeds)
def test_closeness_in_norm_is_closeness_everywhere(kernel, seed):
    """T-63: |f_n(x) - f(x)| <= ||f_n - f|| sqrt(k(x, x))."""
    f, g = function(kernel, seed), function(kernel, seed + 1)
    X = np.random.default_rng(seed + 2).standard_normal((9, 2))
    for step in (1.0, 1e-3):
        near = f + step * g
        bound = near.distance(f) * np.sqrt(kernel.diag(X))
        assert (np.abs(near(X) - f(X)) <= bound * (1 + 1e-6) + 1e-9).all()


@given(kernels, seeds)
def test_arithmetic_acts_on_values(kernel, seed):
    f, g = function(kernel, seed), function(kernel, seed + 1, n=4)
    X = np.random.default_rng(seed + 2).standard_normal((5, 2))
    expected = 2 * f(X) - g(X) / 4
    np.testing.assert_allclose((2 * f - g * 0.25)(X), expected, atol=1e-9 * (1 + np.abs(expected).max()))
    assert (np.float64(2) * f).norm() == pytest.approx(2 * f.norm())
    assert (f - f).norm() == 0.0
    assert f.distance(g) ** 2 == pytest.approx(f.squared_norm() - 2 * f.inner(g) + g.squared_norm(), rel=1e-6, abs=1e-6)


def test_the_norm_belongs_to_the_function_not_to_its_weights():
    """T-65: K e = 0 for e = (1, 1, -1) with x_3 = x_1 + x_2, so adding e changes nothing."""
    points = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    f = RKHSFunction(Linear(), points, [0.3, 0.1, 0.2])
    same = RKHSFunction(Linear(), points, [0.3 + 5, 0.1 + 5, 0.2 - 5])
    g = RKHSFunction(Linear(), [[2.0, -1.0]], [0.7])
    assert f.distance(same) == pytest.approx(0.0, abs=1e-7)
    assert f.inner(g) == pytest.approx(same.inner(g), abs=1e-12)
    assert f.norm() == pytest.approx(same.norm(), abs=1e-12)


def test_two_kernels_with_the_same_inner_products_are_the_same_functions():
    """T-64: ||k_x - k'_x|| = 0 when both reproduce: written as one function twice."""
    K = [[2.0, 1.0], [1.0, 2.0]]
    one, two = (RKHSFunction(FiniteDomain(K), [[0]], [1.0]) for _ in range(2))
    assert one.distance(two) == 0.0


def test_linear_functions_have_the_norm_of_their_slope():
    """P-04."""
    rng = np.random.default_rng(0)
    X, a = rng.standard_normal((8, 3)), rng.standard_normal(8)
    f = RKHSFunction(Linear(), X, a)
    assert f.squared_norm() == pytest.approx(np.sum((X.T @ a) ** 2), rel=1e-12)


def test_the_gradient_of_the_squared_norm_is_twice_the_function():
    """P-04: 2 K a in weights, 2 f in the space."""
    f, h = function(Gaussian(), 0), 1e-6
    gradient = 2 * Gaussian().gram(f.points) @ f.weights
    for i in range(6):
        up, down = (RKHSFunction(f.kernel, f.points, f.weights + s * h * np.eye(6)[i]) for s in (1, -1))
        assert (up.squared_norm() - down.squared_norm()) / (2 * h) == pytest.approx(gradient[i], abs=1e-8)
    g = function(Gaussian(), 1)
    slope = ((f + h * g).squared_norm() - (f + -h * g).squared_norm()) / (2 * h)
    assert slope == pytest.approx((2 * f).inner(g), abs=1e-8)


def test_kernel_distance():
    """K-18, X-14: sqrt(133) for the quadratic kernel; Euclid's for the linear one."""
    quadratic = kernel_distances(Polynomial(degree=2, constant=1.0), [[1.0, 1.0]], [[2.0, 3.0]])
    assert quadratic[0, 0] == pytest.approx(np.sqrt(133), rel=1e-15)
    assert quadratic[0, 0] == pytest.approx(11.532562595, abs=5e-10)
    X = np.random.default_rng(0).standard_normal((6, 3))
    expected = np.linalg.norm(X[:, None] - X, axis=2)
    np.testing.assert_allclose(kernel_distances(Linear(), X, X), expected, atol=1e-7)


def test_the_distance_of_features_need_not_separate_points():
    """K-18: x and -x have the same features under (x'z)**2."""
    assert kernel_distances(Polynomial(2, 0.0), [[1.0, 2.0]], [[-1.0, -2.0]])[0, 0] == 0.0


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_empirical_expansion_is_the_kernel_on_its_sample(kernel):
    """K-17: equal on the rows, orthonormal over them; off them a projection, hence never larger on the diagonal."""
    X = np.random.default_rng(0).standard_normal((15, 2))
    expansion = empirical_expansion(kernel, X)
    scale = np.abs(kernel.gram(X)).max()
    np.testing.assert_allclose(expansion.gram(X), kernel.gram(X), atol=1e-7 * scale)
    phi = expansion.function(X)
    np.testing.assert_allclose(phi.T @ phi / 15, np.eye(len(expansion.weights)), atol=1e-6)
    assert (np.diff(expansion.weights) <= 0).all()
    new = np.random.default_rng(1).standard_normal((5, 2))
    assert (expansion.diag(new) <= kernel.diag(new) * (1 + 1e-9) + 1e-7 * scale).all()


@pytest.mark.parametrize("rows", [np.eye(4), sparse.csr_array(np.eye(4))], ids=["dense", "sparse"])
def test_the_empirical_expansion_can_be_cloned(rows):
    expansion = empirical_expansion(Gaussian(), rows)
    assert clone(expansion) == expansion
    assert hash(clone(expansion)) == hash(expansion)
    assert expansion != empirical_expansion(Gaussian(2.0), rows)
    assert repr(expansion.function) == "<eigenfunctions of Gaussian(bandwidth=1.0) on 4 rows>"


def test_functions_of_different_spaces_do_not_mix():
    f, g = function(Gaussian(1.0), 0), function(Gaussian(2.0), 0)
    for attempt in (lambda: f + g, lambda: f - g, lambda: f.inner(g), lambda: f.distance(g)):
        with pytest.raises(ValueError, match="share no inner product"):
            attempt()
    wide = RKHSFunction(Gaussian(1.0), np.ones((1, 3)), [1.0])
    with pytest.raises(ValueError, match="take 2 and 3 features"):
        f + wide
    for attempt in (lambda: f + 1, lambda: f * "a", lambda: f - 2):
        with pytest.raises(TypeError):
            attempt()


def test_points_and_weights_are_checked():
    with pytest.raises(ValueError, match="one row for each"):
        RKHSFunction(Linear(), np.ones((3, 2)), [1.0])
    with pytest.raises(ValueError, match="make one function per column"):
        RKHSFunction(Linear(), np.ones((3, 2)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="NaN"):
        RKHSFunction(Linear(), [[np.nan]], [1.0])
    assert repr(function(Linear(), 0)) == "RKHSFunction(Linear(), 6 points)"


def test_sparse_points_work():
    points = sparse.random(10, 30, density=0.2, format="csr", random_state=0)
    f, dense = (RKHSFunction(Gaussian(), p, np.arange(10.0)) for p in (points, points.toarray()))
    assert (f + f).norm() == pytest.approx(2 * dense.norm(), rel=1e-12)
    assert f.distance(dense) == pytest.approx(0.0, abs=1e-5)
