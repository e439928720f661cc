"""Newton steps for several classes.  Catalogue A-32, L-11."""

from dataclasses import replace

import numpy as np
import pytest

from surefit.kernels import Gaussian
from surefit.objective import Logistic, SoftmaxCrossEntropy
from surefit.solvers.kernel import limits
from surefit.solvers.kernel.gram import DenseGram, LowRankGram
from surefit.solvers.kernel.newton import kernel_newton
from surefit.solvers.kernel.problem import KernelRiskProblem
from surefit.solvers.kernel.softmax import softmax_direction
from surefit.solvers.solution import Status


def random_problem(lam, fit_intercept, n, seed, classes):
    rng = np.random.default_rng(seed)
    gram = DenseGram(Gaussian(1.0).gram(rng.normal(size=(n, 2))))
    y = rng.choice([-1.0, 1.0], n) if classes is None else np.arange(n) % classes
    weights = rng.uniform(0.5, 1.5, n)
    loss = Logistic() if classes is None else SoftmaxCrossEntropy()
    return KernelRiskProblem(gram, y, loss, lam, weights / weights.sum(), fit_intercept, classes)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("lam", [1e-1, 1e-3, 1e-6])
def test_softmax_is_its_own_fixed_point_and_sums_to_zero_over_classes(lam, fit_intercept):
    """L-11: the gradient ``p - e_y`` gives the dual weights, which sum to zero in every row."""
    problem = random_problem(lam, fit_intercept, 30, 0, 3)
    solution = kernel_newton(problem)
    f = problem.gram.times(solution.coef) + solution.intercept
    fixed = -problem.p * problem.loss.derivative(problem.y, f) / (2 * lam)
    np.testing.assert_allclose(solution.coef, fixed, atol=1e-6 * np.abs(fixed).max())
    np.testing.assert_allclose(solution.coef.sum(axis=1), 0.0, atol=1e-9 * np.abs(fixed).max())
    assert solution.status is Status.CONVERGED


@pytest.mark.parametrize("largest", [0, 2000], ids=["one curvature", "one system"])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("classes", [None, 3])
def test_features_give_the_answer_of_the_matrix_they_make(classes, fit_intercept, largest, monkeypatch):
    monkeypatch.setattr(limits, "SOFTMAX_LARGEST_SYSTEM", largest)
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(40, 4))
    y, loss = (
        (np.sign(rng.normal(size=40)), Logistic()) if classes is None else (np.arange(40) % 3, SoftmaxCrossEntropy())
    )
    dense, thin = (
        kernel_newton(KernelRiskProblem(gram, y, loss, 0.01, np.full(40, 1 / 40), fit_intercept, classes))
        for gram in (DenseGram(Z @ Z.T), LowRankGram(Z))
    )
    np.testing.assert_allclose(Z.T @ thin.coef, Z.T @ dense.coef, atol=1e-8)
    np.testing.assert_allclose(thin.intercept, dense.intercept, atol=1e-8)


def test_weights_of_equal_rows_do_not_grow_while_the_kernel_does_not_see_them():
    """At a tiny lam the weights of four equal points are at most ``p / (2 lam)``."""
    K = np.kron(np.eye(3), np.ones((4, 4)))
    y = np.array([0, 0, 0, 1, 1, 1, 1, 0, 2, 2, 2, 1])
    problem = KernelRiskProblem(DenseGram(K), y, SoftmaxCrossEntropy(), 1e-9, np.full(12, 1 / 12), True, 3)
    solution = kernel_newton(problem)
    assert np.abs(solution.coef).max() <= 1.001 / 12 / 2e-9
    assert solution.status is Status.CONVERGED


def test_factors_for_all_classes_take_over_where_one_curvature_takes_long(monkeypatch):
    problem = random_problem(1e-6, True, 60, 3, 4)
    patient = kernel_newton(problem)
    monkeypatch.setattr(limits, "SOFTMAX_LEAST_PATIENCE", 1)
    monkeypatch.setattr(limits, "SOFTMAX_PATIENCE", 1000)
    quick = kernel_newton(problem)
    assert patient.status is quick.status is Status.CONVERGED
    np.testing.assert_allclose(problem.gram.times(quick.coef), problem.gram.times(patient.coef), atol=1e-3)


class CountingGram(DenseGram):
    """A Gram matrix that counts what is asked of it."""

    def __init__(self, K):
        super().__init__(K)
        self.__dict__.update(products=0, solved=0)

    def times(self, V):
        self.__dict__["products"] += 1
        return super().times(V)

    def inverse(self, scale):
        found = super().inverse(scale)

        def solve(rhs):
            self.__dict__["solved"] += 1
            return found(rhs)

        solve.identity = found.identity  # what else is known of the inverse is asked for by `_exact` alone
        return solve


def test_an_iteration_takes_one_product_with_the_kernel(monkeypatch):
    monkeypatch.setattr(limits, "SOFTMAX_LEAST_PATIENCE", 300)
    problem = random_problem(1e-3, True, 60, 3, 4)
    gram = CountingGram(problem.gram.K)
    start = problem.at(np.random.default_rng(0).normal(size=(60, 4)), np.zeros(4))
    softmax_direction(replace(problem, gram=gram), start)
    assert gram.solved > 5
    assert gram.products <= gram.solved + 1  # and one for the values of the answer


def test_the_last_steps_are_no_more_exact_than_the_end_of_the_search_asks(monkeypatch):
    monkeypatch.setattr(limits, "SOFTMAX_LEAST_PATIENCE", 300)
    problem = random_problem(1e-3, True, 60, 3, 4)
    costs, found = [], []
    for share in (0.0, limits.SOFTMAX_LAST_ACCURACY):
        monkeypatch.setattr(limits, "SOFTMAX_LAST_ACCURACY", share)
        gram = CountingGram(problem.gram.K)
        found.append(kernel_newton(replace(problem, gram=gram)))
        costs.append(gram.solved)
    assert costs[1] < costs[0]
    np.testing.assert_allclose(found[1].coef, found[0].coef, atol=1e-10 * np.abs(found[0].coef).max())
    assert found[1].status is Status.CONVERGED


def test_rows_without_curvature_do_no_harm_to_the_values_of_a_direction():
    """Scores of 200 leave a row no curvature, and its values are divided by the root of what is assumed."""
    problem = random_problem(1e-3, False, 30, 1, 3)
    coef = np.zeros((30, 3))
    coef[:10, 0] = 200.0
    start = problem.at(coef, np.zeros(3))
    along = softmax_direction(problem, start)
    np.testing.assert_allclose(along.values, problem.gram.times(along.coef), rtol=1e-12, atol=1e-9)
    assert problem.slope(start, along) < 0
