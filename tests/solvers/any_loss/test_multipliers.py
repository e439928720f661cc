"""The method of multipliers by itself: linear programmes it must agree with, and what it refuses."""

import numpy as np
import pytest
from scipy.optimize import linprog

from surefit.objective import L1, L2, Absolute, EpsilonInsensitive, Problem, Squared, SquaredL2, ZeroOne
from surefit.solvers.any_loss.multipliers import first_width, multipliers
from surefit.solvers.any_loss.newton import newton
from surefit.solvers.solution import Status

RNG = np.random.default_rng(5)
X = RNG.normal(size=(25, 3))
Y = X @ [1.0, -1.0, 0.0] + RNG.standard_t(2, size=25)


@pytest.mark.parametrize("lam", [0.0, 0.05, 0.3])
def test_least_absolute_deviations_with_an_l1_penalty_is_a_linear_programme(lam):
    """Catalogue A-20: variables ``w+, w-, b, r+, r-``."""
    n, d = X.shape
    cost = np.concatenate([np.full(2 * d, lam), [0.0], np.full(2 * n, 1 / n)])
    equal = np.hstack([X, -X, np.ones((n, 1)), np.eye(n), -np.eye(n)])
    bounds = [(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * (2 * n)
    solution = multipliers(Problem(X, Y, Absolute(), L1(), lam))
    assert solution.objective == pytest.approx(linprog(cost, A_eq=equal, b_eq=Y, bounds=bounds).fun, rel=1e-8)
    assert solution.status is Status.CONVERGED


def test_smooth_problems_have_the_minimiser_of_newton():
    problem = Problem(X, Y, Squared(), SquaredL2(), 0.2)
    np.testing.assert_allclose(multipliers(problem).coef, newton(problem).coef, rtol=1e-6)


@pytest.mark.parametrize(("loss", "penalty"), [(ZeroOne(), L1()), (Absolute(), L2())])
def test_what_is_not_convex_or_not_separable_is_refused(loss, penalty):
    with pytest.raises(ValueError, match="multipliers need a convex loss"):
        multipliers(Problem(X, np.sign(Y), loss, penalty, 0.1))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("epsilon", [0.1, 10.0])
@pytest.mark.parametrize("weights", [[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1e12, 1.0, 1e-12, 1.0]])
def test_targets_of_which_one_has_all_the_weight_or_all_are_in_the_tube_are_fitted_without_noise(weights, epsilon):
    problem = Problem(X[:4], Y[:4], EpsilonInsensitive(epsilon), SquaredL2(), 0.01, np.array(weights))
    answer = multipliers(problem)
    assert answer.status is Status.CONVERGED
    assert answer.gap <= 1e-12


def test_the_first_width_is_a_distance_between_targets_even_if_most_are_equal_or_none_costs_anything():
    width = lambda y, loss, null: first_width(Problem(np.ones((len(y), 1)), np.array(y), loss, L1(), 0.0), null)
    assert width([0.0, 1.0, 2.0, 5.0], Absolute(), 1.5) == 1.0
    assert width([3.0, 3.0, 3.0, 5.0], Absolute(), 0.5) == 0.5
    assert width([3.0, 3.0, 3.0, 3.5], EpsilonInsensitive(1.0), 0.0) == 0.5
    assert width([3.0, 3.0], Absolute(), 0.0) == 1.0
