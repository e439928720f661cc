"""Softmax cross-entropy (catalogue L-11)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefit.objective import LogLoss, SoftmaxCrossEntropy
from surefit.objective.softmax import softmax

LOSS = SoftmaxCrossEntropy()


def sample(n=7, k=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, k, n), 2 * rng.normal(size=(n, k)), rng.normal(size=(n, k))


@settings(deadline=None, derandomize=True)
@given(st.floats(-300, 300), st.floats(-300, 300), st.integers(0, 1))
def test_two_classes_are_the_log_loss_of_the_score_difference(f0, f1, y):
    assert LOSS.value([y], [[f0, f1]])[0] == pytest.approx(LogLoss().value(y, f1 - f0), rel=1e-12, abs=1e-15)
    expected = LogLoss().derivative(y, f1 - f0)
    np.testing.assert_allclose(LOSS.derivative([y], [[f0, f1]])[0], [-expected, expected], atol=1e-15)


@pytest.mark.parametrize("k", [2, 3, 10])
def test_uniform_scores_cost_log_k(k):
    np.testing.assert_allclose(LOSS.value(np.arange(k), np.zeros((k, k))), np.log(k))


def test_gradient_is_probability_minus_indicator_and_sums_to_zero():
    y, f, _ = sample()
    gradient = LOSS.derivative(y, f)
    expected = softmax(f)
    expected[np.arange(len(y)), y] -= 1
    np.testing.assert_allclose(gradient, expected, atol=1e-15)
    np.testing.assert_allclose(gradient.sum(axis=1), 0, atol=1e-14)


def test_hessian_product_is_the_difference_of_gradients_and_curvature_its_diagonal():
    y, f, v = sample()
    h = 1e-6
    differences = (LOSS.derivative(y, f + h * v) - LOSS.derivative(y, f - h * v)) / (2 * h)
    np.testing.assert_allclose(LOSS.hessian_product(y, f, v), differences, atol=1e-8)
    for j, axis in enumerate(np.eye(4)):
        product = LOSS.hessian_product(y, f, np.broadcast_to(axis, f.shape))
        np.testing.assert_allclose(product[:, j], LOSS.curvature(y, f)[:, j], atol=1e-15)


def test_adding_a_number_to_a_row_of_scores_changes_nothing():
    y, f, _ = sample()
    np.testing.assert_allclose(LOSS.value(y, f + 1e3), LOSS.value(y, f), rtol=1e-10)
    np.testing.assert_allclose(LOSS.hessian_product(y, f, np.ones_like(f)), 0, atol=1e-15)


def test_huge_scores_are_safe():
    f = np.array([[1e300, 0.0, -1e300]])
    assert LOSS.value([0], f)[0] == 0
    assert LOSS.value([1], f)[0] == 1e300
    np.testing.assert_array_equal(LOSS.derivative([1], f), [[1, -1, 0]])


def test_conjugate_is_the_negative_entropy_of_a_shifted_point():
    """Fenchel-Young: an equality at the gradient, an inequality elsewhere, inf off the simplex."""
    y, f, v = sample()
    u = LOSS.derivative(y, f)
    np.testing.assert_allclose(LOSS.conjugate(y, u) + LOSS.value(y, f), np.sum(u * f, axis=1), atol=1e-12)
    assert np.all(LOSS.conjugate(y, u) + LOSS.value(y, v) >= np.sum(u * v, axis=1))
    assert np.all(LOSS.conjugate(y, u + 0.01) == np.inf)
    with pytest.raises(NotImplementedError, match="simplex"):
        LOSS.conjugate_domain(y)


def test_balancing_meets_the_class_frequencies_inside_the_simplex():
    rng = np.random.default_rng(3)
    for _ in range(30):
        y, f, _ = sample(n=15, k=3, seed=rng.integers(1 << 30))
        p = rng.random(15)
        u = LOSS.balanced(y, LOSS.derivative(y, f), p)
        np.testing.assert_allclose(p @ u, 0, atol=1e-14)
        assert np.all(np.isfinite(LOSS.conjugate(y, u)))


def test_balancing_works_when_a_class_is_absent():
    """Then only the class frequencies themselves are feasible."""
    y, f = np.array([0, 0, 1]), np.ones((3, 3))
    u = LOSS.balanced(y, LOSS.derivative(y, f), np.ones(3))
    np.testing.assert_allclose(u + np.eye(3)[y], [[2 / 3, 1 / 3, 0]] * 3, atol=1e-15)


def test_gradient_never_exceeds_the_lipschitz_constant_and_nearly_attains_it():
    y, f, _ = sample(n=200)
    assert np.linalg.norm(LOSS.derivative(y, 5 * f), axis=1).max() <= LOSS.lipschitz(1.0)
    assert np.linalg.norm(LOSS.derivative([0], [[-50.0, 50.0]])) == pytest.approx(np.sqrt(2))


def test_hessian_never_exceeds_the_smoothness_and_attains_it():
    """Largest eigenvalue of diag(p) - p p' is at most 1/2, attained by two equally likely classes."""
    y, f, v = sample(n=200)
    ratio = np.sum(v * LOSS.hessian_product(y, f, v), axis=1) / np.sum(v * v, axis=1)
    assert ratio.max() <= LOSS.smoothness
    two = LOSS.hessian_product([0], [[0.0, 0.0]], [[1.0, -1.0]])
    np.testing.assert_allclose(two, [[0.5, -0.5]])
