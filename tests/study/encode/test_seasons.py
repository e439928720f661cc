"""Periods of a date: waves, those that hardly vary, and stretches without a day."""

import numpy as np
import pytest

from surefit.study.encode.seasons import HARMONICS, PERIODS, empty_stretch, hardly_varying, waves


@pytest.mark.parametrize("part", PERIODS)
def test_waves_come_round_again_and_average_to_nothing(part):
    days = np.arange(240) * PERIODS[part] / 240
    now, later = dict(waves(days, part)), dict(waves(days + 3 * PERIODS[part], part))
    assert len(now) == 2 * HARMONICS[part]
    for name, values in now.items():
        np.testing.assert_allclose(later[name], values, atol=1e-9)
        assert values.mean() == pytest.approx(0.0, abs=1e-12)
        assert values.var() == pytest.approx(0.5)


def test_over_a_whole_period_every_wave_varies_and_over_four_days_of_a_year_none():
    assert hardly_varying(dict(waves(np.arange(365.0), "year"))) == ()
    days = dict(waves(np.arange(4.0), "year"))
    assert hardly_varying(days) == tuple(days)
    assert hardly_varying({}) == ()


def test_a_wave_that_the_ones_before_it_give_hardly_varies():
    values = np.cos(np.arange(50.0))
    assert hardly_varying({"first": values, "again": 2.0 * values + 1.0}) == ("again",)


def test_the_longest_empty_stretch_may_run_over_the_end_of_the_period():
    assert empty_stretch(np.array([2.0, 3.0, 4.0]), 10.0) == pytest.approx((0.4, 1.2))
    assert empty_stretch(np.array([1.0, 9.0]), 10.0) == pytest.approx((0.1, 0.9))
    assert empty_stretch(np.array([5.0]), 10.0) == pytest.approx((0.5, 1.5))
