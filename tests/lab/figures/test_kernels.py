"""Figures of kernels, tubes, balls and streams.  Catalogue F-06, F-07, F-09, F-16, F-17."""

import numpy as np
import pytest

from surefit.lab.figures import FIGURES


@pytest.fixture(scope="module")
def data():
    return {name: figure.data() for name, figure in FIGURES.items()}


def test_curved_boundaries_beat_straight_ones_on_moons(data):
    assert data["F-06"]["curved"] > 0.95 > data["F-06"]["straight"]


def test_rows_well_inside_the_tube_hold_nothing(data):
    tube = data["F-07"]
    off = np.abs(tube["y"] - np.interp(tube["x"], tube["grid"], tube["f"]))
    assert np.all(off[tube["held"]] > 0.29)
    assert np.all(off[~tube["held"]] < 0.31)


def test_the_l1_ball_has_an_exact_zero_and_the_l2_ball_has_none(data):
    assert data["F-09"]["l1"][1] == 0
    assert abs(data["F-09"]["l2"][1]) > 0.1


def test_the_online_bound_is_above_the_loss_at_every_time(data):
    assert np.all(data["F-16"]["bound"] >= data["F-16"]["mean"])


def test_small_bandwidths_give_the_identity_and_large_ones_all_ones(data):
    small, _, large = data["F-17"]["K"]
    assert np.linalg.norm(small - np.eye(30)) < 1
    assert large.min() > 0.99
