"""Figures of least squares and ridge.  Catalogue F-01, F-05, F-11, F-15.  Seeded: nothing is left to luck."""

import numpy as np
import pytest

from surefit.lab.figures import FIGURES


@pytest.fixture(scope="module")
def data():
    return {name: figure.data() for name, figure in FIGURES.items()}


def test_the_excess_risk_falls_like_one_over_n_and_diverges_near_d(data):
    excess = data["F-01"]
    assert np.polyfit(np.log(excess["n"]), np.log(excess["excess"]), 1)[0] == pytest.approx(-1, abs=0.25)
    assert excess["means"][0] > 20 * excess["means"][-1]


def test_least_squares_is_the_bottom_of_the_bowl(data):
    bowl = data["F-05"]
    lowest = np.unravel_index(bowl["risk"].argmin(), bowl["risk"].shape)
    assert bowl["slope"][lowest] == pytest.approx(bowl["best"][0], abs=1e-9)


def test_training_errors_fall_and_fresh_errors_turn(data):
    """Nested models of one sample could not rise; these are means of 200 samples each, so one step may by chance."""
    degrees = data["F-11"]
    assert degrees["training"][-1] < degrees["training"][3] < degrees["training"][0]
    assert 2 < degrees["fresh"].argmin() < 7
    assert degrees["fresh"][-1] > degrees["fresh"].min()


def test_the_risk_of_ridge_has_a_minimum_inside_and_half_the_bound_at_the_oracle(data):
    ridge = data["F-15"]
    total = ridge["bias"] + ridge["variance"]
    assert 0 < total.argmin() < len(total) - 1
    assert ridge["at_oracle"] <= ridge["half_bound"]
