"""The registry of facts about losses (catalogue L-14)."""

import numpy as np
import pytest

from surefit.objective import (
    Absolute,
    EpsilonInsensitive,
    Huber,
    Logistic,
    Loss,
    Power,
    QuadraticEpsilonInsensitive,
    Squared,
    loss_facts,
)
from surefit.objective.facts import LOSSES


@pytest.mark.parametrize("radius", [1.5, 4.0])
def test_lipschitz_constants_of_the_catalogue(radius):
    expected = {
        Squared(): 2 * radius,
        Absolute(): 1,
        Power(3.0): 3 * radius**2,
        EpsilonInsensitive(0.2): 1,
        QuadraticEpsilonInsensitive(0.2): 2 * (radius - 0.2),
        Huber(1.0): 2,
        Logistic(): 1,
    }
    for fact in loss_facts(radius, list(expected)):
        assert fact.lipschitz == pytest.approx(expected[fact.loss])


def test_constants_are_attained_for_regression_losses():
    """Neither Lipschitz constant nor bound can be lowered: both occur at the edge of the radius."""
    for fact in loss_facts(2.5):
        if fact.targets == "real":
            assert fact.bound == pytest.approx(float(fact.loss.value(0.0, 2.5)))
            assert fact.lipschitz == pytest.approx(float(fact.loss.derivative(0.0, 2.5)))


def test_bounds_are_attained_for_convex_label_losses():
    for fact in loss_facts(2.5):
        if fact.targets in ("signs", "probabilities") and fact.convex:
            assert fact.bound == pytest.approx(float(fact.loss.value(1.0, -2.5)))


def test_quadratic_tube_wider_than_the_radius_costs_nothing():
    (fact,) = loss_facts(0.3, [QuadraticEpsilonInsensitive(0.5)])
    assert (fact.lipschitz, fact.bound) == (0, 0)


def test_symmetry_is_declared_for_regression_and_zero_one_only():
    """E-064: losses are not symmetric in general."""
    symmetric = {type(fact.loss).__name__ for fact in loss_facts(1.0) if fact.symmetric}
    regression = {"Squared", "Absolute", "Power", "EpsilonInsensitive", "QuadraticEpsilonInsensitive", "Huber"}
    assert symmetric == regression | {"ZeroOne"}


def test_every_built_in_loss_is_final_and_in_the_table():
    """Abstract or final: nobody overrides a formula that somebody else relies on."""
    ours = {cls for cls in Loss.__subclasses__() if cls.__module__.startswith("surefit.objective")}
    assert {type(loss) for loss in LOSSES} == ours
    assert all(getattr(cls, "__final__", False) for cls in ours)


def test_squared_loss_has_no_bound_without_a_radius():
    (fact,) = loss_facts(np.inf, [Squared()])
    assert fact.bound == np.inf
    assert fact.lipschitz == np.inf
