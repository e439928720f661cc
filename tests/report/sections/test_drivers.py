"""What the model goes by, and how its penalty was chosen."""

import math
from dataclasses import replace

from surefit.report.sections.drivers import MOST, SHOWN, drivers, penalty
from tests.report.reading import read
from tests.report.samples import classification, regression, unknown


def test_coefficients_have_names_effects_and_intervals_where_they_are_known():
    root = read(drivers(regression()))
    heads = [one.text for one in root.every("th") if one.attributes["scope"] == "col"]
    assert heads == ["feature", "coefficient", "effect of one std. dev.", "95 % interval"]
    assert regression().coefficients.inference in root.text


def test_columns_without_content_are_left_out():
    first = regression()
    bare = tuple(replace(one, low=math.nan, high=math.nan, effect=math.nan) for one in first.coefficients.table)
    root = read(drivers(replace(first, coefficients=replace(first.coefficients, table=bare))))
    assert [one.text for one in root.every("th") if one.attributes["scope"] == "col"] == ["feature", "coefficient"]


def test_many_coefficients_are_folded_and_very_many_left_to_the_json():
    first = regression()
    many = replace(first, coefficients=replace(first.coefficients, table=first.coefficients.table[1:2] * (MOST + 7)))
    root = read(drivers(many))
    shown, folded = (sum(1 for _ in table.every("tr")) - 1 for table in root.every("table"))
    assert (shown, folded) == (SHOWN + 1, MOST - SHOWN - 1)
    assert "7 more are in report.json." in root.text


def test_without_coefficients_and_importances_there_is_no_section():
    assert drivers(unknown()) is None


def test_the_penalty_is_drawn_where_there_was_one():
    assert len(list(read(penalty(regression())).every("svg"))) == 2
    assert "On all training rows: lam = 0.00084; in the folds: lam = 0.01 by exact" in read(penalty(regression())).text
    assert penalty(unknown()) is None
    assert penalty(classification()) is None
