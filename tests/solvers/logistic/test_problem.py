"""Values, gradients and Hessians of the log-loss are what calculus says.  L-09, L-10, L-11, T-78, T-80, T-81."""

import numpy as np
import pytest

from surefit.data.scores import class_probabilities
from surefit.objective import Logistic, LogLoss, SoftmaxCrossEntropy
from surefit.solvers.logistic import limits
from surefit.solvers.logistic.newton import augmented, hessian
from surefit.solvers.logistic.problem import LogisticProblem, losses, losses_and_pulls

RNG = np.random.default_rng(5)
SCORES = RNG.standard_normal((12, 3)) * 4
CODES = np.arange(12) % 3


def problem(k, lam=0.1, fit_intercept=True):
    X = np.random.default_rng(k).standard_normal((30, 3))
    return LogisticProblem.of(X, np.arange(30) % k, lam, weight=np.arange(30) % 4 + 1.0, fit_intercept=fit_intercept)


def test_binary_losses_equal_both_textbook_forms():
    f, y = SCORES[:, :1], CODES % 2
    np.testing.assert_allclose(losses(f, y), LogLoss().value(y, f[:, 0]), rtol=1e-13)
    np.testing.assert_allclose(losses(f, y), Logistic().value(2 * y - 1, f[:, 0]), rtol=1e-13)
    np.testing.assert_allclose(losses_and_pulls(f, y)[1][:, 0], LogLoss().derivative(y, f[:, 0]), rtol=1e-13)


def test_softmax_losses_equal_their_definition():
    np.testing.assert_allclose(losses(SCORES, CODES), SoftmaxCrossEntropy().value(CODES, SCORES), rtol=1e-13)
    np.testing.assert_allclose(
        losses_and_pulls(SCORES, CODES)[1], SoftmaxCrossEntropy().derivative(CODES, SCORES), atol=1e-15
    )


def test_two_columns_reduce_to_their_difference():
    two = losses(SCORES[:, :2], CODES % 2)
    np.testing.assert_allclose(two, losses(SCORES[:, 1:2] - SCORES[:, :1], CODES % 2), rtol=1e-11)


@pytest.mark.parametrize(("margin", "value"), [(0.0, 0.693147181), (1.0, 0.313261688), (-2.0, 2.126928011)])
def test_printed_values_of_the_logistic_loss(margin, value):
    assert losses(np.array([[margin]]), np.array([1]))[0] == pytest.approx(value, abs=5e-10)


def test_equal_scores_cost_log_k_and_huge_ones_do_not_overflow():
    np.testing.assert_allclose(losses(np.zeros((1, 5)), np.array([3])), np.log(5))
    huge = np.array([[1e300, -1e300, 0.0]])
    assert losses(huge, np.array([0]))[0] == 0.0
    assert np.all(np.isfinite(class_probabilities(huge)))
    assert losses(np.array([[-1e300]]), np.array([1]))[0] == 1e300


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_gradient_and_hessian_are_finite_differences(k, fit_intercept):
    p = problem(k, fit_intercept=fit_intercept)
    V = np.random.default_rng(0).standard_normal((4, p.width))
    V[-1] *= fit_intercept
    at, step = p.evaluate(V), 1e-6
    A = augmented(p)
    H = hessian(p, A, p.probabilities(V))
    assert at.value == pytest.approx(p.objective(V), rel=1e-14)
    for j in range(A.shape[1]):
        for c in range(p.width):
            up, down = V.copy(), V.copy()
            up[j, c] += step
            down[j, c] -= step
            assert (p.objective(up) - p.objective(down)) / (2 * step) == pytest.approx(at.gradient[j, c], abs=1e-8)
            change = (p.evaluate(up).gradient - p.evaluate(down).gradient)[: A.shape[1]].T.ravel() / (2 * step)
            np.testing.assert_allclose(change, H[c * A.shape[1] + j], atol=1e-8)


@pytest.mark.parametrize("k", [2, 4])
def test_the_log_likelihood_is_concave(k):
    p = problem(k, lam=0.0)
    V = np.random.default_rng(1).standard_normal((4, p.width))
    values = np.linalg.eigvalsh(hessian(p, augmented(p), p.probabilities(V)))
    assert values.min() >= -1e-14


def test_blocks_of_rows_do_not_change_the_numbers(monkeypatch):
    p = problem(3)
    V = np.random.default_rng(2).standard_normal((4, 3))
    whole = p.evaluate(V)
    monkeypatch.setattr(limits, "BLOCK_ENTRIES", 48)
    parts = p.evaluate(V)
    assert parts.value == pytest.approx(whole.value, rel=1e-14)
    np.testing.assert_allclose(parts.gradient, whole.gradient, rtol=1e-12, atol=1e-16)
    np.testing.assert_allclose(p.scores(V), p.X @ V[:-1] + V[-1])


@pytest.mark.parametrize("k", [2, 3])
def test_the_null_point_has_the_null_value_and_balanced_residuals(k):
    p = problem(k)
    at = p.evaluate(p.null_point())
    assert at.value == pytest.approx(p.null_value(), rel=1e-14)
    np.testing.assert_allclose(at.slope[-1], 0.0, atol=1e-15)


def test_without_a_penalty_this_dual_point_bounds_nothing():
    p = problem(2, lam=0.0)
    assert p.gap(p.null_point(), p.evaluate(p.null_point())) == np.inf


@pytest.mark.parametrize("width", [1, 4])
def test_the_order_of_memory_does_not_matter(width):
    rng = np.random.default_rng(5)
    X, codes = rng.standard_normal((400, 30)), np.arange(400) % max(width, 2)
    V = rng.standard_normal((31, width))
    rows = LogisticProblem.of(X, codes, 0.1).evaluate(V)
    columns = LogisticProblem.of(np.asfortranarray(X), codes, 0.1).evaluate(V)
    assert rows.value == pytest.approx(columns.value, rel=1e-14)
    np.testing.assert_allclose(rows.gradient, columns.gradient, atol=1e-14)
