"""Absolute loss with its kink rounded off: what it declares is true, and one point minimises it."""

import numpy as np
import pytest

from surefit.objective import Absolute, SquaredL2
from surefit.objective.problem import Problem
from surefit.solvers.any_loss.softened import Softened
from surefit.solvers.any_loss.solve import minimise
from surefit.testing import check_loss


@pytest.mark.parametrize("width", [1e-3, 1.0, 50.0])
def test_all_that_it_declares_is_true(width):
    check_loss(Softened(width))


def test_far_from_the_target_it_is_absolute_loss_less_its_width():
    r = np.array([-1e200, -1e4, 1e4, 1e200])
    loss = Softened(1e-3)
    np.testing.assert_allclose(loss.value(0.0, r), Absolute().value(0.0, r) - 1e-3, rtol=1e-12)
    np.testing.assert_allclose(loss.derivative(0.0, r), np.sign(r), rtol=1e-12)


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]])
def test_between_two_middle_targets_one_point_is_the_minimum(order):
    """The far targets pull equally in all that is left of their pull, so it is the middle."""
    y = np.array([0.0, 1.0, 2.0, 3.0])[order]
    found = minimise(Problem(np.zeros((4, 1)), y, Softened(1e-3), SquaredL2(), 0.0))
    assert found.intercept == pytest.approx(1.5, abs=1e-9)
    assert found.gap < 1e-10
