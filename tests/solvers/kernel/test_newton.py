"""Newton over functions: fixtures, optimality, gaps that never flatter.  Catalogue A-17, A-32."""

import numpy as np
import pytest
from scipy.optimize import minimize

from surefit.kernels import Gaussian
from surefit.objective import (
    Huber,
    Logistic,
    LogLoss,
    Loss,
    Power,
    QuadraticEpsilonInsensitive,
    SoftmaxCrossEntropy,
    Squared,
    SquaredMargin,
)
from surefit.progress import reporting
from surefit.solvers.kernel.gram import DenseGram
from surefit.solvers.kernel.newton import kernel_newton, newton_direction
from surefit.solvers.kernel.problem import KernelRiskProblem
from surefit.solvers.solution import Status

X1 = np.array([[0.0], [1], [2], [3]])
K1 = Gaussian(1.0).gram(X1)
T1 = np.array([-1.0, 1, -1, 1])


class LogCosh(Loss):
    """A user's loss, without a conjugate."""

    convex = smooth = twice_differentiable = symmetric = True
    smoothness = 1.0

    def value(self, y, f):
        return np.logaddexp(f - y, y - f) - np.log(2)

    def derivative(self, y, f):
        return np.tanh(f - y)

    def curvature(self, y, f):
        return 1 - np.tanh(f - y) ** 2


def random_problem(loss, lam=0.01, fit_intercept=False, n=30, seed=0, classes=None):
    rng = np.random.default_rng(seed)
    gram = DenseGram(Gaussian(1.0).gram(rng.normal(size=(n, 2))))
    y = {
        "real": 3 * rng.normal(size=n) + 1,
        "signs": rng.choice([-1.0, 1.0], n),
        "probabilities": rng.uniform(size=n),
        "classes": np.arange(n) % (classes or 1),
    }[loss.targets]
    weights = rng.uniform(0.5, 1.5, n)
    return KernelRiskProblem(gram, y, loss, lam, weights / weights.sum(), fit_intercept, classes)


def test_fx1_kernel_logistic_regression_to_the_digits():
    """A-32, FX1: dual weights, objective and fitted values as printed."""
    problem = KernelRiskProblem(DenseGram(K1), T1, Logistic(), 0.01, np.full(4, 0.25))
    solution = kernel_newton(problem)
    np.testing.assert_allclose(solution.coef, [-3.40397429, 5.05791387, -5.05791387, 3.40397429], atol=5e-9)
    np.testing.assert_allclose(K1 @ solution.coef, [-0.98289392, 0.38619708, -0.38619708, 0.98289392], atol=5e-9)
    assert solution.objective == pytest.approx(0.524216196, abs=5e-10)
    assert solution.status is Status.CONVERGED


def test_the_second_display_has_another_solution():
    """E-062: 1/n outside loss and penalty is lam / n, and other dual weights."""
    wrong = KernelRiskProblem(DenseGram(K1), T1, Logistic(), 0.01 / 4, np.full(4, 0.25))
    assert np.abs(kernel_newton(wrong).coef - [-3.40397429, 5.05791387, -5.05791387, 3.40397429]).max() > 1


def test_labels_zero_and_one_in_the_margin_formula_ignore_the_zeros():
    """E-061: with y = 0 the loss is the constant ln 2, and every fitted value is positive."""
    objective = lambda a: np.mean(np.logaddexp(0, -np.array([0.0, 1, 0, 1]) * (K1 @ a))) + 0.01 * a @ K1 @ a
    raw = minimize(objective, np.zeros(4), tol=1e-12).x
    assert np.all(K1 @ raw > 0)


LOSSES = [
    Squared(), Huber(0.5), QuadraticEpsilonInsensitive(0.2), Power(3.0), Power(1.5), LogCosh(),
    Logistic(), SquaredMargin(), LogLoss(),
]  # fmt: skip


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_solution_is_its_own_fixed_point(loss, fit_intercept):
    """A-32: ``a = -p loss'(f) / (2 lam)``, dual weights sum to zero if the offset is free, and the gap is closed."""
    problem = random_problem(loss, fit_intercept=fit_intercept)
    solution = kernel_newton(problem)
    f = problem.gram.times(solution.coef) + solution.intercept
    fixed = -problem.weights * loss.derivative(problem.y, f) / (2 * problem.lam)
    np.testing.assert_allclose(solution.coef, fixed, atol=1e-6 * np.abs(fixed).max())
    assert solution.status is Status.CONVERGED
    if fit_intercept:
        assert abs(solution.coef.sum()) <= 1e-7 * np.abs(solution.coef).sum()


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("classes", [None, 3])
def test_a_newton_step_is_the_solution_of_the_whole_linear_system(classes, fit_intercept):
    """The brute-force twin: the Hessian in (a, b) written out, up to what moves no score."""
    loss = Logistic() if classes is None else SoftmaxCrossEntropy()
    problem = random_problem(loss, 0.05, fit_intercept, n=8, classes=classes)
    rng, k = np.random.default_rng(1), classes or 1
    coef = 0.3 * rng.normal(size=(8,) if classes is None else (8, k))
    point = problem.at(coef - (coef.mean(axis=1, keepdims=True) if classes else 0.0), np.zeros(k) if classes else 0.0)
    K, F = problem.gram.K, point.scores.reshape(8, k)
    design = np.kron(K, np.eye(k))
    if fit_intercept:
        design = np.hstack([design, np.tile(np.eye(k), (8, 1))])
    q = np.exp(F - F.max(axis=1, keepdims=True))
    q /= q.sum(axis=1, keepdims=True)
    blocks = [np.diag(r) - np.outer(r, r) for r in q]
    if classes is None:
        blocks = [np.atleast_2d(c) for c in loss.curvature(problem.y, point.scores)]
    inner = np.zeros((8 * k, 8 * k))
    for i, block in enumerate(blocks):
        inner[i * k : i * k + k, i * k : i * k + k] = problem.weights[i] * block
    bowl = np.zeros((design.shape[1],) * 2)
    bowl[: 8 * k, : 8 * k] = 2 * problem.lam * np.kron(K, np.eye(k))
    slope = design.T @ (problem.p * loss.derivative(problem.y, point.scores)).ravel() + bowl @ np.append(
        point.coef.ravel(), np.zeros(design.shape[1] - 8 * k)
    )
    step = -np.linalg.lstsq(design.T @ inner @ design + bowl, slope, rcond=1e-13)[0]
    along = newton_direction(problem, point)
    np.testing.assert_allclose(along.scores.reshape(8, k), (design @ step).reshape(8, k), atol=2e-3 if k > 1 else 1e-8)


def test_wild_targets_without_curvature_are_reached():
    """All residuals start in the linear tails of Huber, where the loss has no curvature."""
    problem = random_problem(Huber(1e-3), 1e-4)
    far = KernelRiskProblem(problem.gram, problem.y + 1e4, Huber(1e-3), 1e-8, problem.weights, True)
    solution = kernel_newton(far)
    assert solution.status is Status.CONVERGED
    assert abs(solution.intercept - 1e4) < 10


def test_an_iteration_limit_is_said_with_an_honest_gap():
    problem = random_problem(Logistic(), 1e-5)
    early, late = kernel_newton(problem, max_iter=1), kernel_newton(problem)
    assert early.status is Status.MAX_ITER
    assert early.gap >= early.objective - late.objective > 0


def test_every_step_is_reported():
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        steps = kernel_newton(random_problem(Logistic())).n_iter
    assert [one.step for one in said] == list(range(steps))
