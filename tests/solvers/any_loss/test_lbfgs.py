"""L-BFGS by itself: the minimiser Newton finds, whatever the units of the target, and what it refuses."""

import numpy as np
import pytest

from surefit.objective import L1, Hinge, Huber, Logistic, Problem, Squared, SquaredL2
from surefit.solvers.any_loss.lbfgs import lbfgs
from surefit.solvers.any_loss.newton import newton
from surefit.solvers.solution import Status

RNG = np.random.default_rng(4)
X = RNG.normal(size=(50, 4))
Y = X @ [1.0, 0.0, -1.0, 2.0] + RNG.normal(size=50)


@pytest.mark.parametrize(("loss", "y"), [(Logistic(), np.sign(Y)), (Huber(0.5), Y), (Squared(), Y)])
def test_it_finds_the_minimiser_of_newton(loss, y):
    problem = Problem(X, y, loss, SquaredL2(), 0.1)
    found, wanted = lbfgs(problem), newton(problem)
    np.testing.assert_allclose(found.coef, wanted.coef, atol=1e-4)
    assert found.objective - wanted.objective <= found.gap + 1e-12
    assert found.status is Status.CONVERGED


def test_units_of_the_target_do_not_matter():
    small = lbfgs(Problem(X, 1e-6 * Y, Squared(), SquaredL2(), 0.1))
    large = lbfgs(Problem(X, 1e6 * Y, Squared(), SquaredL2(), 0.1))
    np.testing.assert_allclose(1e6 * small.coef, 1e-6 * large.coef, rtol=1e-4)


def test_an_early_stop_is_said_and_its_gap_is_right():
    problem = Problem(X, Y, Squared(), SquaredL2(), 0.1)
    early, best = lbfgs(problem, max_iter=1), newton(problem)
    assert early.status is Status.MAX_ITER
    assert 0 < early.objective - best.objective <= early.gap


@pytest.mark.parametrize(("loss", "penalty"), [(Hinge(), SquaredL2()), (Squared(), L1())])
def test_kinks_are_refused(loss, penalty):
    with pytest.raises(ValueError, match="lbfgs needs a smooth loss and a smooth penalty"):
        lbfgs(Problem(X, np.sign(Y), loss, penalty, 0.1))
