"""The record of a bound, and the price of a radius read off the fit."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.theory.bounds import Fitted, single_predictor_bound
from surefit.theory.bounds.record import checked_count, deviation, settled
from surefit.theory.means.arguments import failure_probability


@given(st.floats(0, 1e12), st.floats(1e-6, 1e6))
def test_the_doubling_grid_covers_the_norm_and_no_more_than_twice(norm, start):
    fitted = Fitted(norm, start)
    assert norm <= fitted.radius
    assert fitted.radius == start or fitted.radius < 2 * norm
    assert fitted.share == 1 / ((fitted.steps + 1) * (fitted.steps + 2))


def test_the_shares_of_the_grid_add_up_to_one():
    shares = [Fitted(2.0**j).share for j in range(1000)]
    np.testing.assert_allclose(sum(shares), 1 - 1 / 1001, rtol=1e-12)


def test_a_declared_radius_keeps_the_whole_delta_and_a_fitted_one_pays():
    assert settled(3.0, 0.05)[:2] == (3.0, 0.05)
    assert settled(Fitted(3.0), 0.06)[:2] == pytest.approx((4.0, 0.005), rel=1e-12)
    assert settled(3.0, 0.05)[2] != settled(Fitted(3.0), 0.05)[2]


def test_deviation_has_its_printed_values():
    """FX9, T-24, T-26..T-28, E-046: the printed sqrt(2) version is losses in [-1, 1], that is a range of 2."""
    np.testing.assert_allclose(deviation(1000, 0.05), 0.038702276, atol=5e-10)
    np.testing.assert_allclose(deviation(1000, 0.05, 2.0), 0.077404551, atol=5e-10)
    np.testing.assert_allclose(3 * deviation(1000, 0.05), 0.116106827, atol=5e-10)
    np.testing.assert_allclose(3 * deviation(1000, 0.025), 0.128840823, atol=5e-10)


def test_a_bound_says_what_went_in_and_whether_it_says_anything():
    bound = single_predictor_bound(0.1, 1000)
    assert bound.inputs == {"n": 1000, "loss_bound": 1.0}
    assert bound.slack == bound.value - 0.1
    assert not bound.vacuous
    assert single_predictor_bound(0.9, 10).vacuous
    with pytest.raises(AttributeError):
        bound.value = 0.0  # type: ignore[misc]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: failure_probability(0.0),
        lambda: failure_probability(1.0),
        lambda: failure_probability(math.nan),
        lambda: checked_count(0),
        lambda: checked_count(2.5),
        lambda: checked_count(math.nan),
        lambda: deviation(10, 0.05, 0.0),
        lambda: settled(0.0, 0.05),
        lambda: Fitted(math.inf).radius,
        lambda: Fitted(math.nan).share,
        lambda: Fitted(1.0, start=0.0).radius,
    ],
)
def test_bad_numbers_are_refused_with_a_remedy(wrong):
    with pytest.raises(ValueError, match=r"must .*; "):
        wrong()


def test_a_norm_beyond_every_radius_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match=r"norm = 1e\+308 is beyond every radius 1 \* 2\*\*j .* rescale"):
        Fitted(1e308).radius  # noqa: B018 - the property raises
    assert Fitted(8e307).radius == 2.0**1023
