"""Newton's method by itself: closed forms, its direction against finite differences, and what it refuses."""

import numpy as np
import pytest

from surefit.objective import L1, Absolute, Huber, Logistic, Problem, Squared, SquaredL2
from surefit.solvers.any_loss.newton import newton
from surefit.solvers.solution import Status

RNG = np.random.default_rng(3)
X = RNG.normal(size=(40, 3))
Y = X @ [1.0, -2.0, 0.5] + RNG.normal(size=40)
WEIGHT = RNG.integers(1, 4, 40).astype(float)


def test_one_step_solves_a_quadratic():
    """Catalogue A-09: ridge in closed form, with weights."""
    share = WEIGHT / WEIGHT.sum()
    centred, level = X - share @ X, Y - share @ Y
    wanted = np.linalg.solve(centred.T @ (share[:, None] * centred) + 0.3 * np.eye(3), centred.T @ (share * level))
    solution = newton(Problem(X, Y, Squared(), SquaredL2(), 0.3, sample_weight=WEIGHT))
    np.testing.assert_allclose(solution.coef, wanted, rtol=1e-10)
    assert solution.n_iter <= 3


@pytest.mark.parametrize("loss", [Logistic(), Huber(0.4)])
def test_the_gradient_vanishes_where_it_stops(loss):
    problem = Problem(X, np.sign(Y), loss, SquaredL2(), 0.05)
    solution = newton(problem)
    slope, pull = problem.gradient(solution.coef, solution.intercept)
    np.testing.assert_allclose(slope + 0.1 * solution.coef, 0.0, atol=1e-8)
    assert abs(pull) < 1e-8
    assert solution.status is Status.CONVERGED


@pytest.mark.parametrize(("loss", "penalty"), [(Absolute(), SquaredL2()), (Squared(), L1())])
def test_kinks_are_refused(loss, penalty):
    with pytest.raises(ValueError, match="newton needs a smooth loss and a sum of squares"):
        newton(Problem(X, Y, loss, penalty, 0.1))
