"""Hold-out rows as points."""

import math

import numpy as np

from surefit.report.figures.scatter import predicted_against_observed, residuals
from tests.report.reading import read


def count(markup):
    (group,) = (one for one in read(markup).every("g") if one.attributes.get("class") == "points")
    return sum(one.attributes["d"].count("M") for one in group.every("path"))


def test_every_row_is_a_point_in_both_figures():
    observed, predicted = np.random.default_rng(0).normal(size=(2, 50))
    assert count(predicted_against_observed(observed, predicted, "price", 1.0)) == 50
    assert count(residuals(observed, predicted, "price")) == 50


def test_the_diagonal_joins_equal_numbers():
    root = read(predicted_against_observed([0.0, 10.0], [0.0, 10.0], "y"))
    (diagonal,) = (one for one in root.every("path") if one.attributes.get("class") == "reference")
    (points,) = (one for one in root.every("g") if one.attributes.get("class") == "points")
    start, end = (tuple(map(float, part.split())) for part in diagonal.attributes["d"][1:].split("L"))
    slope = (end[1] - start[1]) / (end[0] - start[0])
    for path in points.every("path"):
        x, y = map(float, path.attributes["d"][1:-2].split())
        assert math.isclose(y, start[1] + slope * (x - start[0]), abs_tol=0.2)


def test_the_band_is_as_wide_as_the_intervals_and_parallel_to_the_diagonal():
    root = read(predicted_against_observed([0.0, 100.0], [0.0, 100.0], "y", 10.0))
    (band,) = (one for one in root.every("path") if one.attributes.get("class") == "band")
    corners = np.array([[float(one) for one in part.split()] for part in band.attributes["d"][1:-1].split("L")])
    upper, lower = corners[:4], corners[:3:-1]
    heights = lower[:, 1] - upper[:, 1]
    slope = (upper[2, 1] - upper[0, 1]) / (upper[2, 0] - upper[0, 0])
    assert np.isclose((lower[3, 1] - lower[1, 1]) / (lower[3, 0] - lower[1, 0]), slope, rtol=0.01)
    assert np.allclose(heights[1:3], heights[1], atol=0.2)  # in the middle, both edges are inside
    assert predicted_against_observed([0.0, 1.0], [0.0, 1.0], "y", 1e6) is not None


def test_nothing_is_drawn_of_nothing():
    nan = math.nan
    assert predicted_against_observed([], [], "y") is None
    assert predicted_against_observed([nan], [nan], "y") is None
    assert residuals([], [], "y") is None
    assert residuals([math.inf], [1.0], "y") is None


def test_numbers_of_any_size_are_drawn():
    for scale in (1e-300, 1e300, 1e-5, 0.0):
        observed, predicted = [scale, -scale, 0.0], [0.5 * scale, 0.0, scale]
        assert count(predicted_against_observed(observed, predicted, "y")) == 3
        assert count(residuals(observed, predicted, "y")) == 3


def test_equal_rows_are_drawn():
    assert count(predicted_against_observed([5.0, 5.0], [5.0, 5.0], "y")) == 2
    assert count(residuals([5.0, 5.0], [5.0, 5.0], "y")) == 2
