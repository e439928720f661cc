"""Scales, ticks and frames."""

import math
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from surefit.report.figures.axes import Room, Scale, axes, figure, linear_ticks, spanned, tick_labels
from tests.report.reading import read

numbers = st.floats(allow_nan=True, allow_infinity=True)


@settings(max_examples=80)
@given(st.lists(numbers, min_size=1, max_size=5), st.booleans())
@example([5e307], True)  # the next power of ten is no float
def test_any_numbers_have_a_scale_with_few_ticks_inside(values, log):
    scale = spanned(values, 0.0, 400.0, log=log)
    known = [one for one in values if math.isfinite(one) and (one > 0 or not log)]
    if not known:
        assert scale is None
        return
    assert all(-9 <= scale(one) <= 409 for one in known)
    ticks = scale.ticks()
    assert 1 <= len(ticks) <= 20
    assert (
        len({label for _, label in ticks}) == len(ticks)
        or len(set(known)) == 1
        or scale.high - scale.low < 1e-5 * abs(scale.low)
    )
    assert "nan" not in str(axes(Room(), scale, scale, ("x", "y")))


@pytest.mark.parametrize(("low", "high", "ticks"), [
    (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]), (0.0, 100.0, [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]),
    (-1.0, 1.0, [-1.0, -0.5, 0.0, 0.5, 1.0]), (17.0, 18.0, [17.0, 17.2, 17.4, 17.6, 17.8, 18.0]),
])  # fmt: skip
def test_ticks_are_round_numbers(low, high, ticks):
    assert linear_ticks(low, high) == ticks


def test_a_position_is_linear_in_the_value_or_in_its_logarithm():
    assert [Scale(0.0, 10.0, 100.0, 200.0)(one) for one in (0, 5, 10)] == [100.0, 150.0, 200.0]
    assert [Scale(1.0, 100.0, 0.0, 100.0, True)(one) for one in (1, 10, 100)] == [0.0, 50.0, 100.0]
    assert Scale(10.0, 0.0, 0.0, 1.0)(3.0) == 0.5  # no span, no place


def test_logarithmic_ticks_are_powers_of_ten_or_a_few_between():
    assert [label for _, label in Scale(1e-3, 10.0, 0, 1, True).ticks()] == ["0.001", "0.01", "0.1", "1", "10"]
    assert [label for _, label in Scale(30.0, 700.0, 0, 1, True).ticks()] == ["50", "100", "200", "500"]
    assert len(Scale(1e-300, 1e300, 0, 1, True).ticks()) <= 8


def test_large_numbers_have_short_labels():
    assert tick_labels([0.0, 5e7, 1e8]) == ["0", "50 M", "100 M"]
    assert tick_labels([0.0, 1e14]) == ["0", "1e+14"]


def test_labels_of_a_horizontal_axis_do_not_touch():
    scale = Scale(1_000_000.0, 1_000_500.0, 0.0, 200.0)
    root = read(axes(Room(), scale, None, ("x", "")))
    labels = [one for one in root.every("text") if one.attributes.get("y") == "270"]
    places = [float(one.attributes["x"]) for one in labels]
    assert all(b - a > 6 * len("1,000,100") for a, b in pairwise(places))


def test_a_figure_is_described():
    (svg,) = read(figure("n", "title <b>", "words")).every("svg")
    assert svg.attributes["aria-labelledby"] == "n-title n-desc"
    assert svg.inner[0].text == "title <b>"
