"""Points, lines and bands."""

import math

from surefit.report.figures.axes import Scale
from surefit.report.figures.marks import band, line, points, upright, whiskers
from tests.report.reading import read

X, Y = Scale(0.0, 10.0, 0.0, 100.0), Scale(0.0, 10.0, 100.0, 0.0)


def paths(markup):
    return "".join(one.attributes["d"] for one in read(markup).every("path"))


def test_every_finite_point_is_drawn_once():
    found = paths(points(X, Y, [1.0, math.nan, 3.0, 4.0], [1.0, 2.0, math.inf, 4.0]))
    assert sorted(found.split("M")[1:]) == ["10.0 90.0h0", "40.0 60.0h0"]
    assert paths(points(X, Y, range(10), range(10))).count("M") == 10


def test_a_line_is_broken_where_a_value_is_missing():
    assert paths(line(X, Y, [0, 1, 2, 3], [0.0, 1.0, math.nan, 3.0])) == "M0.0 100.0L10.0 90.0M30.0 70.0"


def test_a_band_goes_there_and_back():
    assert paths(band(X, Y, [0, 1], [0, 0], [2, 3])) == "M0.0 80.0L10.0 70.0L10.0 100.0L0.0 100.0Z"
    assert band(X, Y, [0, 1], [math.nan, 0], [2, 3]) is None


def test_whiskers_have_ends():
    assert paths(whiskers(X, Y, [5.0, 6.0], [1.0, math.nan], [2.0, 2.0])) == "M47.0 90.0h6M50.0 90.0V80.0M47.0 80.0h6"


def test_a_word_stands_on_the_side_that_is_asked_for():
    left, right = (next(read(upright(50.0, 0, 9, "here", before=one)).every("text")) for one in (True, False))
    assert (left.attributes["text-anchor"], right.attributes["text-anchor"]) == ("end", "start")
