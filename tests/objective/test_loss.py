"""The abstract loss: what a subclass gets for nothing (catalogue L-14)."""

import numpy as np
import pytest

from surefit.objective import (
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    LogLoss,
    Loss,
    MarginZeroOne,
    Power,
    SoftmaxCrossEntropy,
    Squared,
    ZeroOne,
)
from surefit.objective.loss import bisected_conjugate, shifted_to_balance

CONVEX = [Squared(), Absolute(), Power(1.5), Power(3.0), EpsilonInsensitive(0.3), Huber(0.7)]


class PseudoHuber(Loss):
    """A stranger's loss: ten lines."""

    convex = smooth = twice_differentiable = symmetric = True
    smoothness = 1.0

    def value(self, y, f):
        return np.hypot(1, f - y) - 1

    def derivative(self, y, f):
        return (f - y) / np.hypot(1, f - y)

    def curvature(self, y, f):
        return np.hypot(1, f - y) ** -3.0


def test_loss_cannot_be_made_without_its_three_formulas():
    with pytest.raises(TypeError, match="abstract"):
        Loss()


def test_defaults_claim_nothing():
    class Bare(PseudoHuber):
        convex = smooth = twice_differentiable = symmetric = False

    bare = Bare()
    assert bare.lipschitz(1.0) == np.inf
    assert bare.bound(1.0) == np.inf
    with pytest.raises(NotImplementedError, match=r"not declared convex.*set convex = True"):
        bare.conjugate(0.0, 0.0)


def test_numeric_conjugate_of_a_strangers_loss_is_its_closed_form():
    """Pseudo-Huber: u y + 1 - sqrt(1 - u**2) for |u| < 1."""
    u = np.array([-0.9, -0.1, 0.0, 0.5, 0.999])
    np.testing.assert_allclose(PseudoHuber().conjugate(2.0, u), 2 * u + 1 - np.sqrt(1 - u**2), atol=1e-12)
    assert np.all(PseudoHuber().conjugate(2.0, [-1.1, 1.1]) == np.inf)
    low, high = PseudoHuber().conjugate_domain(np.array([2.0]))
    np.testing.assert_allclose([low[0], high[0]], [-1, 1])


@pytest.mark.parametrize("loss", CONVEX, ids=repr)
def test_numeric_conjugate_agrees_with_the_closed_form_and_never_flatters(loss):
    """An upper bound up to rounding, so that gaps built on it stay honest."""
    u = np.array([-1.3, -0.99, -0.4, 0.0, 0.2, 0.8, 1.2])
    y = np.array([-3.0, 0.0, 0.5, 1.0, 2.0, 10.0, -7.0])
    exact, numeric = loss.conjugate(y, u), bisected_conjugate(loss, y, u)
    np.testing.assert_allclose(numeric, exact, atol=1e-11)
    assert np.all(numeric >= exact - 1e-12)


def test_labels_zero_and_one_are_refused_by_the_signed_logistic_loss():
    """E-061: with y = 0 the signed formula is the constant log 2 and ignores the sample."""
    f = np.linspace(-5, 5, 11)
    np.testing.assert_allclose(Logistic().value(0, f), np.log(2))
    assert np.all(Logistic().derivative(0, f) == 0)
    with pytest.raises(ValueError, match=r"Logistic\(\) takes targets that are -1 or \+1, got 0; map 0/1 labels"):
        Logistic().check_targets([1, 0, 1])


@pytest.mark.parametrize(
    ("loss", "y", "message"),
    [
        (Squared(), [1.0, np.nan], "finite real numbers, got nan; drop or impute"),
        (Hinge(), [1, 2], r"-1 or \+1, got 2"),
        (MarginZeroOne(), [0.5], r"-1 or \+1, got 0.5"),
        (LogLoss(), [-1.0, 1.0], r"between 0 and 1, got -1.0; map -1/\+1 labels"),
        (SoftmaxCrossEntropy(), [0, 1, 1.5], "whole numbers from 0, got 1.5"),
        (SoftmaxCrossEntropy(), [-1], "whole numbers from 0, got -1"),
    ],
)
def test_targets_outside_the_domain_are_refused_by_name(loss, y, message):
    with pytest.raises(ValueError, match=message):
        loss.check_targets(y)


def test_targets_inside_the_domain_pass_unchanged():
    assert ZeroOne().check_targets(["a", "b"]).tolist() == ["a", "b"]
    assert LogLoss().check_targets([0.0, 0.3, 1.0]).tolist() == [0.0, 0.3, 1.0]
    assert Logistic().check_targets([-1, 1]).tolist() == [-1, 1]


def test_balancing_keeps_the_domain_and_meets_the_constraint():
    rng = np.random.default_rng(5)
    for _ in range(50):
        y = rng.choice([-1.0, 1.0], size=12)
        p = rng.random(12)
        u = Logistic().balanced(y, Logistic().derivative(y, 3 * rng.normal(size=12)), p)
        low, high = Logistic().conjugate_domain(y)
        assert np.all((u >= low) & (u <= high))
        assert abs(p @ u) <= 1e-14


def test_balancing_is_the_identity_on_a_balanced_point_and_centring_without_limits():
    p = np.array([0.5, 0.25, 0.25])
    balanced = np.array([0.5, -0.5, -0.5])
    np.testing.assert_array_equal(Absolute().balanced(np.zeros(3), balanced, p), balanced)
    np.testing.assert_allclose(Squared().balanced(np.zeros(3), np.array([3.0, 1.0, 1.0]), p), [1.0, -1.0, -1.0])


def test_balancing_solves_the_clipped_equation_by_hand():
    """u = (1, 1, -1), limits [-1, 1]: two entries fall with c, the third is stuck at -1, so 2 (1 - c) = 1, c = 1/2."""
    limits = np.full(3, -1.0), np.full(3, 1.0)
    moved = shifted_to_balance(np.array([1.0, 1.0, -1.0]), np.ones(3), limits)
    np.testing.assert_allclose(moved, [0.5, 0.5, -1.0], atol=1e-15)
