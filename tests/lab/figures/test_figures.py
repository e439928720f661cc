"""The figures show what the lectures say.  Catalogue F-01..F-17.  Seeded: nothing here is left to luck."""

import json

import numpy as np
import pytest

from surefit.lab.figures import FIGURES


@pytest.fixture(scope="module")
def data():
    return {name: figure.data() for name, figure in FIGURES.items()}


def test_all_seventeen_are_there():
    assert sorted(FIGURES) == [f"F-{k:02d}" for k in range(1, 18)]


def test_the_excess_risk_falls_like_one_over_n_and_diverges_near_d(data):
    excess = data["F-01"]
    assert np.polyfit(np.log(excess["n"]), np.log(excess["excess"]), 1)[0] == pytest.approx(-1, abs=0.25)
    assert excess["means"][0] > 20 * excess["means"][-1]


def test_thresholds_losses_and_the_truth_have_their_printed_values(data):
    assert data["F-02"]["risk"].min(axis=1).tolist() == [0.0, 0.25]
    assert data["F-03"]["risk"].max() < 0.5
    at = lambda name, key, where: data[name]["loss"][:, np.abs(data[name][key] - where).argmin()]
    np.testing.assert_allclose(at("F-08", "u", 2.0), [1.5, 2.25, 3.0, 4.0], atol=0.05)
    np.testing.assert_allclose(at("F-10", "margin", -2.0), [1, 2, 9, 2.126928, 3], atol=0.1)


def test_the_memoriser_answers_one_only_on_rows(data):
    assert len(data["F-04"]["x"]) == 25


def test_least_squares_is_the_bottom_of_the_bowl(data):
    bowl = data["F-05"]
    lowest = np.unravel_index(bowl["risk"].argmin(), bowl["risk"].shape)
    assert bowl["slope"][lowest] == pytest.approx(bowl["best"][0], abs=1e-9)


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


def test_training_errors_fall_and_fresh_errors_turn(data):
    """Nested models of one sample could not rise; these are means of 200 samples each, so one step may by chance."""
    degrees = data["F-11"]
    assert degrees["training"][-1] < degrees["training"][3] < degrees["training"][0]
    assert 2 < degrees["fresh"].argmin() < 7
    assert degrees["fresh"][-1] > degrees["fresh"].min()


def test_the_sigmoid_is_half_on_the_boundary(data):
    picture = data["F-12"]
    on = np.abs(picture["a"] + 2 * picture["b"] - 0.5) < 1e-2
    np.testing.assert_allclose(picture["p"][on], 0.5, atol=0.01)


def test_levels_and_updates_are_kept(data):
    assert data["F-13"]["t"].shape == (2,)
    assert len(data["F-14"]["steps"]) - 1 == data["F-14"]["count"]


def test_the_risk_of_ridge_has_a_minimum_inside_and_half_the_bound_at_the_oracle(data):
    ridge = data["F-15"]
    total = ridge["bias"] + ridge["variance"]
    assert 0 < total.argmin() < len(total) - 1
    assert ridge["at_oracle"] <= ridge["half_bound"]


def test_the_online_bound_is_above_the_loss_at_every_time(data):
    assert np.all(data["F-16"]["bound"] >= data["F-16"]["mean"])


def test_small_bandwidths_give_the_identity_and_large_ones_all_ones(data):
    small, _, large = data["F-17"]["K"]
    assert np.linalg.norm(small - np.eye(30)) < 1
    assert large.min() > 0.99


def test_a_picture_is_drawn_from_what_was_kept(tmp_path, monkeypatch):
    figure = FIGURES["F-02"]
    path = figure.save(tmp_path)
    assert path.read_text().startswith("<?xml")
    assert json.loads((tmp_path / "F-02.caption.json").read_text())["caption"] in figure.caption(figure.data())
    monkeypatch.setattr(np.random, "default_rng", lambda *_: pytest.fail("computed again"))
    figure.save(tmp_path)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_can_be_drawn(name):
    assert FIGURES[name].plot().axes
