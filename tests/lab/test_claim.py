"""A claim turns one experiment into ratios, and can be told to be wrong."""

import numpy as np
import pytest

from surefit.lab.claim import OFF, Claim, Kind, Sabotage


def claim(kind, draw, **more):
    return Claim("T-00", "a title", "a = b", (), kind, draw, "a mistake", **more)


def test_ratios_are_observed_over_predicted():
    found = claim(Kind.MEAN, lambda rng, wrong: ([2.0, 3.0], 2.0)).experiment(None, None, {})
    assert found.tolist() == [1.0, 1.5]


def test_a_sabotaged_constant_moves_every_ratio():
    of_two = claim(Kind.AT_MOST, lambda rng, wrong: (1.0, 1.0))
    assert of_two.experiment(None, Sabotage.CONSTANT, {}).tolist() == [OFF]


def test_equal_arrays_have_distance_zero_and_others_their_share():
    exact = claim(Kind.EXACT, lambda rng, wrong: (np.eye(2), np.eye(2) * (1 + wrong)))
    assert exact.experiment(None, None, {}).tolist() == [1.0]
    assert exact.experiment(None, Sabotage.STRUCTURE, {})[0] == pytest.approx(1.5)
    assert exact.tolerance == 1e-9


def test_settings_reach_the_experiment():
    seen = claim(Kind.MEAN, lambda rng, n, wrong: (n, 10.0), settings={"n": 5})
    assert seen.experiment(None, None, {"n": 20}).tolist() == [2.0]


@pytest.mark.parametrize("predicted", [0.0, np.inf])
def test_a_prediction_that_nothing_can_be_divided_by_is_refused(predicted):
    with pytest.raises(ValueError, match=rf"T-00 predicts {predicted:g} at n = 5, and ratios to that say nothing"):
        claim(Kind.MEAN, lambda rng, n, wrong: (1.0, predicted)).experiment(None, None, {"n": 5})


def test_observed_numbers_are_kept_where_the_claim_says_that_its_prediction_is_infinite():
    endless = claim(Kind.MEAN, lambda rng, wrong: ([2.0, 3.0], np.inf), infinite=lambda settings: True)
    assert endless.experiment(None, None, {}).tolist() == [2.0, 3.0]


def test_arrays_of_other_shapes_are_refused():
    with pytest.raises(ValueError, match="shapes must agree"):
        claim(Kind.EXACT, lambda rng, wrong: (np.ones(3), np.ones(2))).experiment(None, None, {})
