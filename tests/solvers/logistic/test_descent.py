"""Gradient and stochastic descent take the textbook's steps.  Catalogue A-29, E-095, E-096, E-107."""

import numpy as np
import pytest

from surefit import GradientDescent, StochasticGradientDescent
from surefit.solvers.logistic.descent import gradient_descent, stochastic_descent
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.logistic.solve import solve_logistic
from surefit.solvers.solution import Status

X, CODES = np.array([[0.0], [1.0], [2.0], [1.5]]), np.array([0, 1, 1, 0])


def test_two_steps_by_hand_start_where_the_first_ended():
    problem = LogisticProblem.of(X, CODES, 0.1)
    w = b = 0.0
    for _ in range(2):
        r = 1 / (1 + np.exp(-(X[:, 0] * w + b))) - CODES
        w, b = w - 0.3 * (np.mean(r * X[:, 0]) + 0.2 * w), b - 0.3 * r.mean()
    run = gradient_descent(problem, np.zeros((2, 1)), GradientDescent(0.3, 2, 0.0))
    np.testing.assert_allclose(run.V.ravel(), [w, b], rtol=1e-13)


def test_one_epoch_of_single_rows_by_hand():
    problem = LogisticProblem.of(X, CODES, 0.1)
    settings = StochasticGradientDescent(step=0.3, epochs=1, decay=0.5, seed=4)
    v = np.zeros(2)
    for t, i in enumerate(np.random.default_rng(4).permutation(4)):
        r = 1 / (1 + np.exp(-(X[i, 0] * v[0] + v[1]))) - CODES[i]
        v = v - 0.3 / (1 + t) ** 0.5 * np.array([r * X[i, 0] + 0.2 * v[0], r])
    run = stochastic_descent(problem, np.zeros((2, 1)), settings)
    np.testing.assert_allclose(run.V.ravel(), v, rtol=1e-13)


def test_the_default_step_never_goes_uphill():
    run = gradient_descent(LogisticProblem.of(X, CODES, 0.1), np.zeros((2, 1)), GradientDescent(max_iter=200))
    assert np.all(np.diff(run.objectives) <= 1e-15)


def test_a_step_that_is_too_long_ends_as_diverged_or_unfinished():
    solution = solve_logistic(LogisticProblem.of(1e3 * X, CODES, 1.0), GradientDescent(step=1e3, max_iter=300))
    assert solution.status in (Status.DIVERGED, Status.MAX_ITER)
    with pytest.raises(ValueError, match="step must be > 0"):
        solve_logistic(LogisticProblem.of(X, CODES), GradientDescent(step=-1.0))


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("lam", [0.1, 10.0, 100.0, 1e6])
def test_the_default_step_of_single_rows_knows_the_penalty(k, lam):
    """E-096: a step that is stable for the rows alone diverges where the penalty is steeper than they are."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((100, 3))
    problem = LogisticProblem.of(rows, np.argmax(rows[:, [0]] * np.arange(k) + rng.gumbel(size=(100, k)), axis=1), lam)
    least = solve_logistic(problem).objective
    settings = StochasticGradientDescent(epochs=50, average=True)
    run = stochastic_descent(problem, problem.null_point(), settings)
    assert run.objectives[-1] <= 1.01 * least
