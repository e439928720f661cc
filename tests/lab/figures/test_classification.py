"""Figures of thresholds, losses and planes.  Catalogue F-02..F-04, F-08, F-10, F-12..F-14."""

import numpy as np
import pytest

from surefit.lab.figures import FIGURES


@pytest.fixture(scope="module")
def data():
    return {name: figure.data() for name, figure in FIGURES.items()}


def test_thresholds_losses_and_the_truth_have_their_printed_values(data):
    assert data["F-02"]["risk"].min(axis=1).tolist() == [0.0, 0.25]
    assert data["F-03"]["risk"].max() < 0.5
    at = lambda name, key, where: data[name]["loss"][:, np.abs(data[name][key] - where).argmin()]
    np.testing.assert_allclose(at("F-08", "u", 2.0), [1.5, 2.25, 3.0, 4.0], atol=0.05)
    np.testing.assert_allclose(at("F-10", "margin", -2.0), [1, 2, 9, 2.126928, 3], atol=0.1)


def test_the_memoriser_answers_one_only_on_rows(data):
    assert len(data["F-04"]["x"]) == 25


def test_the_sigmoid_is_half_on_the_boundary(data):
    picture = data["F-12"]
    on = np.abs(picture["a"] + 2 * picture["b"] - 0.5) < 1e-2
    np.testing.assert_allclose(picture["p"][on], 0.5, atol=0.01)


def test_levels_and_updates_are_kept(data):
    assert data["F-13"]["t"].shape == (2,)
    assert len(data["F-14"]["steps"]) - 1 == data["F-14"]["count"]
