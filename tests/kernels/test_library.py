"""The kernels with a formula of their own (K-01 to K-05, K-08, K-10, K-17) against published values and identities."""

import numpy as np
import pytest

from surefit.kernels.definite import gram_features
from surefit.kernels.functions import RKHSFunction
from surefit.kernels.library import FeatureMap, FiniteDomain, FromFunction, Linear, Mercer, Min, Polynomial

rng = np.random.default_rng(0)
X = rng.standard_normal((20, 3))


def test_quadratic_form_of_the_product_kernel_is_a_square_of_rank_one():
    """K-01, X-12."""
    x, c = rng.standard_normal((15, 1)), rng.standard_normal(15)
    K = Linear().gram(x)
    assert c @ K @ c == pytest.approx((c @ x[:, 0]) ** 2, abs=1e-12)
    assert np.linalg.matrix_rank(K) == 1


def test_linear_kernel_is_the_inner_product():
    """K-02, X-12."""
    assert Linear()([1.0, 1.0], [2.0, 3.0]) == 5.0
    c = rng.standard_normal(20)
    assert c @ Linear().gram(X) @ c == pytest.approx(np.sum((c @ X) ** 2), rel=1e-12)


def test_polynomial_kernel_is_the_inner_product_of_its_features():
    """K-03."""
    kernel = Polynomial(degree=2, constant=1.0)
    assert kernel([1.0, 1.0], [2.0, 3.0]) == 36.0
    cross = [np.sqrt(2) * X[:, i] * X[:, j] for i in range(3) for j in range(i)]
    Phi = np.column_stack([np.ones(20), np.sqrt(2) * X, X**2, *cross])
    np.testing.assert_allclose(kernel.gram(X), Phi @ Phi.T, rtol=1e-12, atol=1e-12)


def test_polynomials_that_are_no_kernels_are_refused():
    """K-03, E-053: with c = -1 and p = 2 the points 0, 1, 2 give a negative eigenvalue."""
    points = np.array([0.0, 1.0, 2.0])
    assert np.linalg.eigvalsh((np.outer(points, points) - 1) ** 2)[0] == pytest.approx(-0.63004815, abs=5e-9)
    with pytest.raises(
        ValueError, match="constant must be >= 0, got -1; with a negative constant this is not a kernel"
    ):
        Polynomial(constant=-1)
    for degree in (0, 1.5, True, -2):
        with pytest.raises(ValueError, match="degree must be a whole number >= 1"):
            Polynomial(degree=degree)


def test_homogeneous_quadratic_kernel_has_matrices_as_features():
    """K-04, X-13: (x'y)^2 = <xx', yy'>, reproducing <f_S, f_xx'> = x'Sx, dim H = d(d+1)/2."""
    kernel = Polynomial(degree=2, constant=0.0)
    outer = np.einsum("ij,ik->ijk", X, X)
    np.testing.assert_allclose(kernel.gram(X), np.einsum("ijk,ljk->il", outer, outer), rtol=1e-12, atol=1e-12)
    assert np.linalg.matrix_rank(kernel.gram(X)) == 6
    A = rng.standard_normal((3, 3))
    S = A + A.T
    values, vectors = np.linalg.eigh(S)  # S = sum a_i x_i x_i' is the function sum a_i k(x_i, .)
    f = RKHSFunction(kernel, vectors.T, values)
    np.testing.assert_allclose(f(X), np.einsum("ij,jk,ik->i", X, S, X), atol=1e-12)
    assert f.squared_norm() == pytest.approx(np.sum(S**2), rel=1e-12)


def test_min_kernel_is_brownian_covariance_on_non_negative_numbers_only():
    """K-05, E-052."""
    assert np.linalg.eigvalsh(Min().gram(rng.random((50, 1))))[0] > -1e-14
    np.testing.assert_allclose(np.linalg.eigvalsh(np.minimum.outer([-1.0, 1], [-1.0, 1])), [-np.sqrt(2), np.sqrt(2)])
    with pytest.raises(ValueError, match="kernel on numbers >= 0, X has -1; shift X"):
        Min().gram([[-1.0], [1.0]])
    with pytest.raises(ValueError, match="one column, X has 2"):
        Min().check(np.ones((3, 2)))
    with pytest.raises(ValueError, match="numbers >= 0"):
        (Min().on([1]) + Linear()).times(-np.ones((2, 2)), np.ones((2, 2)), [1.0, 1.0])


def sines(rows, terms=4000):
    return np.sqrt(2) * np.sin(rows * np.pi * (np.arange(terms) + 0.5))


def test_min_kernel_is_the_limit_of_its_mercer_expansion():
    """K-05, K-17: the tail of the series is below 2 / (pi^2 terms) = 5.1e-5."""
    series = Mercer(1 / (np.pi * (np.arange(4000) + 0.5)) ** 2, sines)
    assert series(0.3, 0.7) == pytest.approx(0.3, abs=5.1e-5)
    points = rng.random((9, 1))
    np.testing.assert_allclose(series.gram(points), Min().gram(points), atol=5.1e-5)


def test_a_feature_map_gives_a_kernel_whatever_it_is():
    """K-08: the quadratic form is a squared norm."""
    W = rng.standard_normal((3, 5))
    kernel = FeatureMap(lambda rows: np.tanh(rows @ W))
    c = rng.standard_normal(20)
    assert c @ kernel.gram(X) @ c == pytest.approx(np.sum((c @ np.tanh(X @ W)) ** 2), rel=1e-12)
    np.testing.assert_allclose(kernel.times(X, X[:7], np.ones(7)), kernel.block(X, X[:7]).sum(axis=1), atol=1e-13)


def test_feature_maps_of_the_wrong_shape_are_refused():
    with pytest.raises(ValueError, match="return one row of features each"):
        FeatureMap(lambda rows: rows.sum()).gram(X)
    with pytest.raises(ValueError, match="3 columns for 2 weights"):
        Mercer([1.0, 1.0], lambda rows: rows).gram(X)
    with pytest.raises(ValueError, match="with a negative one this is not a kernel"):
        Mercer([1.0, -1.0, 0.0], lambda rows: rows)
    for build in (lambda: FeatureMap(3), lambda: FromFunction(None), lambda: Mercer([1.0], "f")):
        with pytest.raises(TypeError, match="must be a function"):
            build()


def test_mercer_coefficients_reproduce():
    """T-71, P-05: <k(., x), h> = h(x), and the two ways to a norm agree."""
    a = np.array([2.0, 0.5, 0.25, 0.0])
    kernel = Mercer(a, lambda rows: np.hstack([np.ones_like(rows), rows, rows**2, rows**3]))
    x, c = np.array([[0.7]]), np.array([1.0, -2.0, 0.5, 0.0])
    h_at_x = 1.0 - 2.0 * 0.7 + 0.5 * 0.49
    assert kernel.inner(kernel.coefficients(x, [1.0]), c) == pytest.approx(h_at_x, abs=1e-14)
    points, weights = rng.standard_normal((6, 1)), rng.standard_normal(6)
    coefficients = kernel.coefficients(points, weights)
    assert kernel.inner(coefficients, coefficients) == pytest.approx(
        RKHSFunction(kernel, points, weights).squared_norm(), rel=1e-12
    )
    with pytest.raises(ValueError, match="not in the space"):
        kernel.inner([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="give one per function"):
        kernel.inner([1.0], [1.0])


def test_ridge_on_scaled_features_is_kernel_ridge():
    """P-05: min sum of squares + lam sum c_j^2 / a_j gives the kernel's predictions, to 1e-8."""
    a, lam = 1 / (np.pi * (np.arange(40) + 0.5)) ** 2, 0.05
    kernel = Mercer(a, lambda rows: sines(rows, 40))
    points, y, new = rng.random((25, 1)), rng.standard_normal(25), rng.random((8, 1))
    by_kernel = kernel.times(new, points, np.linalg.solve(kernel.gram(points) + lam * np.eye(25), y))
    Phi = kernel.features(points)
    by_ridge = kernel.features(new) @ np.linalg.solve(Phi.T @ Phi + lam * np.eye(40), Phi.T @ y)
    np.testing.assert_allclose(by_ridge, by_kernel, atol=1e-8)


def test_every_matrix_without_negative_eigenvalues_is_a_kernel_with_features():
    """K-10, T-61."""
    A = rng.standard_normal((6, 4))
    K = A @ A.T
    points = np.arange(6.0)[:, None]
    np.testing.assert_allclose(FiniteDomain(K).gram(points), K, atol=1e-14)
    F = gram_features(K)
    assert F.shape == (6, 4)
    assert np.abs(F @ F.T - K).max() < 1e-12
    kernel = FeatureMap(lambda rows: F[rows[:, 0].astype(int)])
    np.testing.assert_allclose(kernel.gram(points), FiniteDomain(K).gram(points), atol=1e-12)


def test_finite_domains_refuse_what_is_no_kernel_and_no_point():
    with pytest.raises(ValueError, match=r"matrix has the eigenvalue -1\.41421"):
        FiniteDomain(np.minimum.outer([-1.0, 1], [-1.0, 1]))
    kernel = FiniteDomain([[2.0, 1.0], [1.0, 2.0]])
    for bad in ([[2.0]], [[-1.0]], [[0.5]], [[0.0, 1.0]]):
        with pytest.raises(ValueError, match="0 to 1, in one column"):
            kernel.gram(bad)


def test_long_parameters_print_short():
    assert repr(Mercer(np.ones(100), sines)) == "Mercer(weights=<100 numbers>, function=sines)"
