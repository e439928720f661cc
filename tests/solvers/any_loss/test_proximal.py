"""Accelerated proximal steps: fixed points, halving, and one product with the design each way."""

import numpy as np
import pytest

from surefit.objective import L1, L2, Absolute, Huber, Problem, Squared, SquaredL2
from surefit.solvers.any_loss.curve import LossCurve
from surefit.solvers.any_loss.newton import newton
from surefit.solvers.any_loss.proximal import Composite, accelerated, halved_step
from surefit.solvers.solution import Status

RNG = np.random.default_rng(6)
X, Y = RNG.normal(size=(40, 3)), RNG.normal(size=40)
RIDGE = Problem(X, Y, Squared(), SquaredL2(), 0.2)


@pytest.mark.parametrize("penalty", [L1(), L2(), SquaredL2()], ids=str)
def test_a_step_from_the_answer_goes_nowhere(penalty):
    problem = Problem(X, Y, Huber(0.5), penalty, 0.05)
    found = accelerated(problem, tol=1e-12)
    assert found.status is Status.CONVERGED
    composite, v = Composite(problem, LossCurve(problem.loss, Y)), np.append(found.coef, found.intercept)
    np.testing.assert_allclose(composite.moved(v, composite.smooth(v)[1], 0.5), v, atol=1e-5)


def test_the_penalty_by_gradient_and_by_prox_have_one_minimum():
    """With ``explicit`` the penalty is part of value and gradient; both add up to the objective."""
    risk, best = LossCurve(Squared(), Y), newton(RIDGE)
    v = np.append(best.coef, best.intercept)
    for explicit in (False, True):
        composite = Composite(RIDGE, risk, explicit)
        value, slope = composite.smooth(v)
        assert composite.objective(v, value) == pytest.approx(best.objective, rel=1e-12)
        np.testing.assert_allclose(composite.moved(v, slope, 0.1), v, atol=1e-9)


def test_a_step_is_halved_until_its_bound_holds_and_is_none_where_there_are_no_numbers():
    composite = Composite(RIDGE, LossCurve(Squared(), Y))
    start = np.zeros(4)
    moved, step = halved_step(composite, start, *composite.smooth(start), 1e6)
    assert composite.smooth_value(moved) < composite.smooth_value(start)
    assert 0 < step < 10
    assert halved_step(composite, start, np.nan, start, 1.0) == (start, 0.0)


def test_a_loss_with_kinks_is_refused():
    with pytest.raises(ValueError, match="proximal needs a smooth loss"):
        accelerated(Problem(X, Y, Absolute(), L1(), 0.1))
