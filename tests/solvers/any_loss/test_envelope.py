"""Moreau envelopes: slopes by formula against slopes by search, and what they are for."""

import numpy as np
import pytest

from surefit.objective import Absolute, EpsilonInsensitive, Hinge, PerceptronLoss, Pinball, Power
from surefit.solvers.any_loss.envelope import AbsoluteEnvelope, LossEnvelope, bisected_slope, envelope_slope

RNG = np.random.default_rng(1)
KINKED = [Absolute(), EpsilonInsensitive(0.3), Hinge(), PerceptronLoss(), Pinball(0.9), Power(1.0), Power(1.4)]


def sample(loss):
    y = RNG.choice([-1.0, 1.0], size=60) if loss.targets == "signs" else RNG.standard_normal(60)
    return y, 2 * RNG.standard_normal(60)


@pytest.mark.parametrize("width", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("loss", KINKED, ids=str)
def test_formulas_equal_the_search_that_serves_any_convex_loss(loss, width):
    y, v = sample(loss)
    np.testing.assert_allclose(envelope_slope(loss, y, v, width), bisected_slope(loss, y, v, width), atol=1e-9)


@pytest.mark.parametrize("loss", KINKED, ids=str)
def test_slope_and_bend_are_the_derivatives_of_the_value(loss):
    y, v = sample(loss)
    curve = LossEnvelope(loss, y, 0.2 * np.sign(v), 0.7)
    step = 1e-5
    slope = (curve.value(v + step) - curve.value(v - step)) / (2 * step)
    np.testing.assert_allclose(curve.derivative(v), slope, atol=1e-4)
    bend = (curve.derivative(v + step) - curve.derivative(v - step)) / (2 * step)
    np.testing.assert_allclose(curve.curvature(v), bend, atol=1e-3)
    assert np.all(curve.curvature(v) <= curve.upper_curvature(v) + 1e-12)


def test_the_penalty_envelope_has_the_slope_of_its_value_and_holds_small_coefficients():
    at = np.array([-2.0, -0.1, 0.0, 0.2, 3.0])
    curve = AbsoluteEnvelope(np.full(5, 0.5), np.full(5, 0.1), np.array([0.0, 0.1, 0.0, -0.2, 0.3]), 0.7)
    step = 1e-6
    slope = (curve.value(at + step) - curve.value(at - step)) / (2 * step)
    np.testing.assert_allclose(curve.derivative(at), slope, atol=1e-8)
    assert curve.rounded(at).tolist() == [False, True, True, True, False]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("loss", [Absolute(), EpsilonInsensitive(0.3), Pinball(0.5)], ids=str)
def test_an_envelope_too_narrow_for_the_range_of_numbers_has_the_slopes_of_the_loss(loss):
    y, v = np.zeros(2), np.array([-1e5, 1e5])
    np.testing.assert_array_equal(envelope_slope(loss, y, v, 1e-308), loss.derivative(y, v))
