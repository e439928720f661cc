"""Squares need no iteration: the direct answer is ridge, in any units of the penalty."""

import numpy as np
import pytest

from surefit.objective import L1, Absolute, ElasticNet, Problem, Squared, SquaredL2
from surefit.solvers.any_loss.direct import direct, is_ridge
from surefit.solvers.any_loss.newton import newton
from surefit.solvers.any_loss.parts import Rescaled

RNG = np.random.default_rng(3)
X, Y, WEIGHT = RNG.normal(size=(30, 4)), RNG.normal(size=30), RNG.integers(0, 3, 30)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("scale", [np.ones(4), np.array([1.0, 2.0, 0.25, 8.0])])
def test_the_gradient_vanishes_at_the_direct_answer(scale, fit_intercept):
    """Catalogue A-09."""
    problem = Problem(X, Y, Squared(), Rescaled(SquaredL2(), scale), 0.3, WEIGHT, fit_intercept)
    found = direct(problem)
    slope, level = problem.gradient(found.coef, found.intercept)
    np.testing.assert_allclose(slope + 0.3 * problem.penalty.gradient(found.coef), 0.0, atol=1e-12)
    assert abs(level) < 1e-12 or not fit_intercept
    np.testing.assert_allclose(found.coef, newton(problem).coef, atol=1e-9)


def test_only_squares_are_solved_directly():
    assert is_ridge(Problem(X, Y, Squared(), ElasticNet(0.0), 0.1))
    assert is_ridge(Problem(X, Y, Squared(), L1(), 0.0))
    for loss, penalty in ((Squared(), L1()), (Absolute(), SquaredL2())):
        problem = Problem(X, Y, loss, penalty, 0.1)
        assert not is_ridge(problem)
        with pytest.raises(ValueError, match="direct needs squared loss"):
            direct(problem)
