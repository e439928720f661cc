"""Curves along the penalty, along the rows, and calibration."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefit.report.figures.curves import coefficient_path, criterion_curve, learning_curve, reliability, spread
from surefit.study.records.board import Curve
from surefit.study.records.winner import LearningCurve
from tests.report.reading import read
from tests.report.samples import classification, regression


def classes(markup, kind):
    return [one for one in read(markup).every() if kind in one.attributes.get("class", "").split()]


def test_the_chosen_penalty_is_marked_where_it_is():
    curve = Curve("error", (1.0, 0.1, 0.01), (3.0, 1.0, 2.0), (0.5, 0.5, 0.5), 0.1)
    markup = criterion_curve(curve)
    (chosen,), (line,) = classes(markup, "chosen"), classes(markup, "line")
    middle = line.attributes["d"].split("L")[1].split()[0]
    assert chosen.attributes["d"].startswith(f"M{middle} ")
    assert len(classes(markup, "band")) == 1


def test_large_penalties_are_on_the_left():
    (line,) = classes(criterion_curve(Curve("e", (1.0, 0.01), (1.0, 2.0), (math.nan,) * 2, math.nan)), "line")
    first, last = (float(part.split()[0]) for part in line.attributes["d"][1:].split("L"))
    assert first < last


@pytest.mark.parametrize("curve", [
    Curve("e", (), (), (), 1.0), Curve("e", (1.0,), (1.0,), (0.1,), 1.0),
    Curve("e", (1.0, 0.1), (math.nan,) * 2, (math.nan,) * 2, 1.0),
    Curve("e", (0.0, 0.0), (1.0, 1.0), (0.1, 0.1), 0.0),
])  # fmt: skip
def test_nothing_is_drawn_of_nothing(curve):
    assert criterion_curve(curve) is None


def test_a_path_has_a_line_and_a_name_for_every_feature():
    path = regression().winner.path
    markup = coefficient_path(path)
    labels = classes(markup, "label")
    assert [one.text for one in labels] == list(path.names)
    assert len(classes(markup, "line")) == len(path.names)
    places = sorted(float(one.attributes["y"]) for one in labels)
    assert all(b - a >= 13.9 for a, b in pairwise(places))
    assert coefficient_path(replace(path, names=(), values=())) is None


@settings(max_examples=60)
@given(st.lists(st.floats(-50, 350), min_size=1, max_size=12))
def test_names_are_spread_in_order_and_stay_inside(wanted):
    places = spread(wanted, 14.0, 10.0, 250.0)
    order = np.argsort(wanted, kind="stable")
    found = np.array(places)[order]
    assert np.all(np.diff(found) >= 14.0 - 1e-9)
    assert found[0] >= 10.0 - 1e-9
    assert found[-1] <= 250.0 + 1e-9


def test_a_learning_curve_shows_what_twice_the_rows_would_bring():
    curve = regression().learning_curve
    assert len(classes(learning_curve(curve, "error"), "hollow")) == 1
    assert classes(learning_curve(replace(curve, at_double=math.nan), "error"), "hollow") == []
    assert learning_curve(LearningCurve((), (), (), math.nan, ""), "error") is None


def test_calibration_has_a_dot_for_every_group_larger_for_more_rows():
    (found,) = classification().reliability
    dots = list(read(reliability(found, "c")).every("circle"))
    sizes = [float(one.attributes["r"]) for one in dots]
    assert len(dots) == len(found.counts)
    assert np.argmax(sizes) == np.argmax(found.counts)
    assert reliability(replace(found, predicted=(), observed=(), counts=(), low=(), high=()), "c") is None
