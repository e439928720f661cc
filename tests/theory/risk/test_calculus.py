"""Gradients against central differences (relative error < 1e-6), identities to 1e-12."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.theory.risk.calculus import (
    finite_difference,
    linear_gradient,
    mean_squared_gradient,
    mean_squared_hessian,
    push_through,
    quadratic_form_gradient,
    shrinkage_identity,
    squared_residual_gradient,
    woodbury,
)

seeds = st.integers(0, 10_000)
sizes = st.tuples(st.integers(1, 6), st.integers(1, 6))


def drawn(seed, n, d):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.standard_normal(n), rng.standard_normal(d)


def agree(ours, function, point):
    numeric = finite_difference(function, point)
    assert numeric.shape == ours.shape
    np.testing.assert_allclose(ours, numeric, rtol=1e-6, atol=1e-6 * max(1.0, np.abs(ours).max()))


@given(seeds, sizes)
def test_linear_maps_have_transposed_gradients(seed, size):
    """D-11, E-031: layout (N, M), entry [i, j] = d f_j / d x_i, so grad(A x) = A^T."""
    A, _, x = drawn(seed, *size)
    assert linear_gradient(A).shape == (size[1], size[0])
    agree(linear_gradient(A), lambda v: A @ v, x)


@given(seeds, st.integers(1, 6))
def test_quadratic_forms_need_both_halves(seed, d):
    """D-11: (B + B^T) x; 2 B x only when B is symmetric."""
    B, _, x = drawn(seed, d, d)
    agree(quadratic_form_gradient(B, x), lambda v: v @ B @ v, x)
    symmetric = B + B.T
    np.testing.assert_allclose(quadratic_form_gradient(symmetric, x), 2 * symmetric @ x, rtol=1e-9, atol=1e-12)


@given(seeds, sizes, st.floats(0, 3))
def test_least_squares_gradients_and_hessian(seed, size, lam):
    """D-11, T-10: sum, mean and half-sum conventions; the Hessian is the gradient of the gradient."""
    X, y, w = drawn(seed, *size)
    agree(squared_residual_gradient(X, y, w), lambda v: np.sum((X @ v - y) ** 2), w)
    agree(mean_squared_gradient(X, y, w, lam), lambda v: np.mean((X @ v - y) ** 2) + lam * v @ v, w)
    agree(mean_squared_hessian(X, lam), lambda v: mean_squared_gradient(X, y, v, lam), w)
    half_sum = X.T @ (X @ w - y)
    np.testing.assert_allclose(mean_squared_gradient(X, y, w) * size[0] / 2, half_sum, rtol=1e-9, atol=1e-12)


def test_the_gradient_vanishes_at_least_squares():
    """T-10, FX1: b = w = 1.1."""
    X = np.column_stack([np.ones(4), np.arange(4.0)])
    gradient = mean_squared_gradient(X, np.array([1.0, 3.0, 2.0, 5.0]), [1.1, 1.1])
    np.testing.assert_allclose(gradient, 0, atol=1e-14)


def test_finite_differences_are_exact_for_quadratics_and_scale_with_the_point():
    """D-11: central differences have no truncation error on quadratics; the step follows large coordinates."""
    gradient = finite_difference(lambda x: 3 * x[0] ** 2, np.array([1e6]))
    np.testing.assert_allclose(gradient, [6e6], rtol=1e-9)
    wide = finite_difference(lambda x: 3 * x[0] ** 2 - x[0] * x[1], np.array([0.5, -2.0]), step=0.1)
    np.testing.assert_allclose(wide, [5.0, -0.5], rtol=1e-12)
    assert finite_difference(np.sin, np.array([0.3, 1.0, 2.0])).shape == (3, 3)
    with pytest.raises(ValueError, match="flatten the argument"):
        finite_difference(np.sum, np.eye(2))


@given(seeds, sizes, st.floats(0.01, 10))
def test_push_through(seed, size, shift):
    """T-21: (X^T X + l I)^-1 X^T = X^T (X X^T + l I)^-1."""
    left, right = push_through(drawn(seed, *size)[0], shift)
    assert left.shape == size[::-1]
    np.testing.assert_allclose(left, right, atol=1e-12)


@given(seeds, sizes)
def test_woodbury(seed, size):
    """T-21: (I + A A^T)^-1 = I - A (I + A^T A)^-1 A^T."""
    left, right = woodbury(drawn(seed, *size)[0])
    np.testing.assert_allclose(left, right, atol=1e-12)


@given(seeds, sizes, st.floats(0.01, 10))
def test_shrinkage_identity(seed, size, shift):
    """T-21: (A + l I)^-1 A = I - l (A + l I)^-1."""
    X = drawn(seed, *size)[0]
    left, right = shrinkage_identity(X.T @ X, shift)
    np.testing.assert_allclose(left, right, atol=1e-12)


@pytest.mark.parametrize("identity", [push_through, shrinkage_identity])
def test_identities_need_a_positive_shift(identity):
    """T-21, edge: without it the matrices may be singular."""
    with pytest.raises(ValueError, match=r"shift must be > 0, got 0.0"):
        identity(np.ones((2, 2)), 0.0)
