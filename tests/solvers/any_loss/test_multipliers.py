"""The method of multipliers by itself: linear programmes it must agree with, and what it refuses."""

import numpy as np
import pytest
from scipy.optimize import linprog

from surefit.objective import L1, L2, Absolute, Problem, Squared, SquaredL2, ZeroOne
from surefit.solvers.any_loss.multipliers import multipliers
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
