"""Gradient descent takes the textbook's steps, whatever the loss.  Catalogue A-07, A-29, E-095, E-107."""

import numpy as np
import pytest
from scipy import sparse

from surefit.data.design import Design
from surefit.objective import L1, ElasticNet, Huber, Power, Problem, Squared, SquaredL2
from surefit.solvers.any_loss.descent import GradientDescent, gradient_descent
from surefit.solvers.any_loss.newton import newton
from surefit.solvers.linear.least_squares import least_squares
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.logistic.solve import solve_logistic
from surefit.solvers.solution import Status

X1, Y1 = np.array([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5])
STEP = 0.1  # 2 * step / n = 0.05, the step of the sum convention in the fixture
X, CODES = np.array([[0.0], [1.0], [2.0], [1.5]]), np.array([0, 1, 1, 0])


def squares(X, y, weight=None, fit_intercept=True):
    return Problem(X, y, Squared(), SquaredL2(), 0.0, weight, fit_intercept)


LINE = squares(X1, Y1)


@pytest.mark.parametrize(("steps", "expected"), [(1, (0.55, 1.1)), (2, (0.66, 1.265))])
def test_gradient_descent_iterates_of_fixture_one(steps, expected):
    """Catalogue FX1, A-07, E-095: the second step starts where the first ended."""
    answer = GradientDescent(step=STEP, max_iter=steps).solve(LINE)
    np.testing.assert_allclose((answer.intercept, answer.coef[0]), expected, rtol=1e-14)
    assert answer.status is Status.MAX_ITER


def test_gradient_descent_converges_to_least_squares_and_knows_its_gap():
    """Catalogue A-07, T-23."""
    answer = GradientDescent(tol=1e-8).solve(LINE)
    assert answer.status is Status.CONVERGED
    np.testing.assert_allclose((answer.intercept, answer.coef[0]), (1.1, 1.1), rtol=1e-6)
    assert np.all(np.diff(answer.history["objective"]) <= 0)
    best = 2.7 / 4
    early = GradientDescent(max_iter=5).solve(LINE)
    np.testing.assert_allclose(early.gap, early.objective - best, rtol=1e-9)


@pytest.mark.parametrize(("factor", "status"), [(0.999, Status.CONVERGED), (1.001, Status.DIVERGED)])
def test_the_step_threshold_separates_convergence_from_divergence(factor, status):
    """Catalogue T-23, FX1: 0.237950065 on the mean scale."""
    answer = GradientDescent(step=0.237950065 * factor, max_iter=60_000, tol=1e-6).run(LINE)
    assert answer.status is status


def test_from_zero_a_deficient_problem_is_solved_with_least_norm():
    """Catalogue A-07."""
    rng = np.random.default_rng(0)
    wide, y = rng.normal(size=(4, 7)), rng.normal(size=4)
    answer = GradientDescent(max_iter=200_000, tol=1e-13).run(squares(wide, y, fit_intercept=False))
    np.testing.assert_allclose(answer.V[:-1], np.linalg.pinv(wide) @ y, rtol=1e-7)


def test_weights_mean_repetition():
    weight = np.array([1.0, 2.0, 0.0, 3.0])
    direct = least_squares(Design.of(X1, weight), Y1[:, None]).solution
    answer = GradientDescent(tol=1e-12).solve(squares(X1, Y1, weight))
    np.testing.assert_allclose(answer.coef, direct.coef[:, 0], rtol=1e-8)


def test_two_steps_by_hand_on_a_logistic_loss_with_squares():
    problem = LogisticProblem.of(X, CODES, 0.1)
    w = b = 0.0
    for _ in range(2):
        r = 1 / (1 + np.exp(-(X[:, 0] * w + b))) - CODES
        w, b = w - 0.3 * (np.mean(r * X[:, 0]) + 0.2 * w), b - 0.3 * r.mean()
    run = GradientDescent(0.3, 2, 0.0).run(problem.as_problem())
    np.testing.assert_allclose(run.V, [w, b], rtol=1e-13)


@pytest.mark.parametrize(
    "problem",
    [
        LogisticProblem.of(X, CODES, 0.1).as_problem(),
        LogisticProblem.of(X, np.array([0, 1, 2, 1]), 0.1, 0.5).as_problem(),
        Problem(X1, Y1, Huber(0.5), ElasticNet(0.5), 0.1),
        Problem(sparse.csr_array(X1), Y1, Squared(), SquaredL2(), 3.0),
        Problem(X1.T.repeat(5, 1), np.ones(1), Squared(), L1(), 0.1),
    ],
    ids=["logistic", "softmax", "huber", "sparse", "wide"],
)
def test_the_default_step_never_goes_uphill(problem):
    run = GradientDescent(max_iter=200).run(problem)
    assert np.all(np.diff(run.objectives) <= 1e-15)


def test_a_loss_without_a_bound_on_its_curvature_gets_steps_by_halving():
    problem = Problem(X1, Y1 / 5, Power(4), SquaredL2(), 0.05)
    answer = GradientDescent(tol=1e-7).run(problem)
    assert answer.status is Status.CONVERGED
    assert np.all(np.diff(answer.objectives) <= 1e-15)
    np.testing.assert_allclose(answer.V[:-1], newton(problem).coef, rtol=1e-4)


def test_the_solver_known_by_name_stops_at_its_gap():
    answer = gradient_descent(Problem(X1, Y1, Huber(0.5), L1(), 0.2), tol=1e-9)
    assert answer.status is Status.CONVERGED
    assert answer.gap <= 1e-8


def test_a_step_that_is_too_long_ends_as_diverged_or_unfinished():
    solution = solve_logistic(LogisticProblem.of(1e3 * X, CODES, 1.0), GradientDescent(step=1e3, max_iter=300))
    assert solution.status in (Status.DIVERGED, Status.MAX_ITER)
    assert GradientDescent(step=50.0, max_iter=400).solve(LINE).gap == np.inf


@pytest.mark.parametrize(
    ("solver", "reason"),
    [(GradientDescent(step=-1.0), "step must be > 0"), (GradientDescent(max_iter=-1), "max_iter and tol must be >= 0")],
)
def test_bad_settings_are_named(solver, reason):
    with pytest.raises(ValueError, match=reason):
        solver.solve(LINE)
