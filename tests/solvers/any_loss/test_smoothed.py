"""Kinked losses with any penalty that has a prox, against the method of multipliers and against brute force."""

import numpy as np
import pytest

from surefit.objective import L1, L2, Absolute, EpsilonInsensitive, Problem, Squared
from surefit.solvers.any_loss.multipliers import multipliers
from surefit.solvers.any_loss.smoothed import smoothed

RNG = np.random.default_rng(6)
X = RNG.normal(size=(30, 2))
Y = X @ [2.0, -1.0] + RNG.standard_t(2, size=30)


@pytest.mark.parametrize("loss", [Absolute(), EpsilonInsensitive(0.3)])
def test_it_agrees_with_the_method_of_multipliers(loss):
    """Catalogue A-20: the two meet on a penalty that both can do."""
    problem = Problem(X, Y, loss, L1(), 0.1)
    found, wanted = smoothed(problem), multipliers(problem)
    assert found.objective == pytest.approx(wanted.objective, rel=1e-6)
    assert found.objective - wanted.objective <= found.gap + 1e-12


def test_no_point_of_a_grid_is_better_under_a_euclidean_norm():
    problem = Problem(X, Y, Absolute(), L2(), 0.1, fit_intercept=False)
    solution = smoothed(problem)
    steps = np.linspace(-0.1, 0.1, 41)
    nearby = [problem.primal(solution.coef + np.array([a, b]), 0.0) for a in steps for b in steps]
    assert solution.objective <= min(nearby) + solution.gap
    assert solution.gap < 1e-5


def test_smooth_losses_are_refused():
    with pytest.raises(ValueError, match="smoothed is for convex losses with kinks"):
        smoothed(Problem(X, Y, Squared(), L2(), 0.1))
