"""What would most likely help."""

import math
from dataclasses import replace

from surefit.report.sections.advice import advice
from tests.report.reading import read
from tests.report.samples import regression, unknown


def test_advice_comes_in_order_with_its_gain_where_that_is_known():
    first, second = read(advice(regression())).every("li")
    assert first.text.startswith("another column: The errors are even")
    assert second.text.startswith("more rows (about 1.2 % less error): ")


def test_the_hollow_dot_is_explained_only_where_there_is_one():
    first = regression()
    assert "hollow dot" in read(advice(first)).text
    none = replace(first, learning_curve=replace(first.learning_curve, at_double=math.nan))
    assert "hollow dot" not in read(advice(none)).text


def test_without_advice_there_is_no_section():
    assert advice(unknown()) is None
