"""Losses as Newton sees them: derivatives by differences, and a curvature that never underestimates."""

import numpy as np
import pytest

from surefit.objective import Huber, Logistic, Power, Squared
from surefit.solvers.any_loss.curve import STIFFEST, LossCurve, SquareCurve, secant

AT = np.array([-3.0, -0.4, 0.1, 0.9, 5.0])


@pytest.mark.parametrize("loss", [Squared(), Huber(0.5), Power(4), Logistic()], ids=str)
def test_derivative_and_curvature_are_those_of_the_value(loss):
    y = np.array([1.0, -1, 1, -1, 1])
    curve, h = LossCurve(loss, y), 1e-5
    np.testing.assert_allclose(curve.derivative(AT), (curve.value(AT + h) - curve.value(AT - h)) / (2 * h), atol=1e-5)
    bend = (curve.derivative(AT + h) - curve.derivative(AT - h)) / (2 * h)
    np.testing.assert_allclose(curve.curvature(AT), bend, atol=1e-3)


@pytest.mark.parametrize("loss", [Huber(0.5), Logistic()], ids=str)
def test_the_upper_curvature_makes_a_quadratic_that_lies_above_on_the_way_to_the_minimum(loss):
    y = np.array([1.0, -1, 1, -1, 1])
    curve = LossCurve(loss, y)
    for share in (0.2, 0.6, 1.0):
        step = -share * curve.derivative(AT) / curve.upper_curvature(AT)
        bound = curve.value(AT) + curve.derivative(AT) * step + curve.upper_curvature(AT) * step**2 / 2
        assert np.all(curve.value(AT + step) <= bound + 1e-12)


def test_an_infinite_curvature_counts_as_the_stiffest_and_squares_have_theirs():
    assert LossCurve(Power(1.5), np.zeros(1)).curvature(np.zeros(1))[0] == STIFFEST
    prior = SquareCurve(np.array([0.5, 2.0]))
    assert prior.curvature(np.zeros(2)).tolist() == prior.upper_curvature(np.zeros(2)).tolist() == [1.0, 4.0]
    assert secant(np.array([1.0, 0.0]), np.array([0.0, 2.0]), 9.0).tolist() == [9.0, 0.0]
