"""Stochastic proximal gradient by itself: it nears the minimiser, its gap is right, it says when it diverges."""

import numpy as np
import pytest
from scipy import sparse

from surefit.objective import L1, Absolute, Problem, Squared, SquaredL2
from surefit.solvers.any_loss.newton import newton
from surefit.solvers.any_loss.stochastic import Stochastic, stochastic
from surefit.solvers.solution import Status

RNG = np.random.default_rng(7)
X = RNG.normal(size=(200, 3))
Y = X @ [1.0, -1.0, 2.0] + 0.1 * RNG.normal(size=200)
RIDGE = Problem(X, Y, Squared(), SquaredL2(), 0.1)


def test_more_epochs_come_closer_and_the_gap_bounds_the_distance():
    """Seeded; the average of the second half is within one per cent of the null objective."""
    best = newton(RIDGE).objective
    early, late = stochastic(RIDGE, max_iter=4), stochastic(RIDGE, max_iter=100)
    assert 0 <= late.objective - best <= late.gap
    assert late.objective - best < min(0.01 * np.var(Y), early.objective - best)
    assert late.status is Status.EPOCHS_DONE


def test_the_seed_decides_and_sparse_rows_give_the_same_walk():
    again = Problem(sparse.csr_array(X), Y, Squared(), SquaredL2(), 0.1)
    one, two = Stochastic(seed=1).solve(RIDGE, max_iter=3), Stochastic(seed=1).solve(again, max_iter=3)
    np.testing.assert_allclose(one.coef, two.coef, rtol=1e-10)
    assert not np.allclose(one.coef, Stochastic(seed=2).solve(RIDGE, max_iter=3).coef, rtol=1e-10)


def test_rows_of_weight_zero_are_never_drawn():
    weight = np.r_[np.ones(100), np.zeros(100)]
    wild = np.r_[Y[:100], np.full(100, 1e9)]
    solution = stochastic(Problem(X, wild, Absolute(), L1(), 0.01, sample_weight=weight), max_iter=20)
    assert np.all(np.abs(solution.coef) < 10)


def test_a_step_that_is_too_long_is_named():
    assert Stochastic(step=1e6).solve(RIDGE, max_iter=60).status is Status.DIVERGED


def test_a_step_of_zero_is_refused():
    with pytest.raises(ValueError, match="step must be > 0"):
        Stochastic(step=0.0).solve(RIDGE)
