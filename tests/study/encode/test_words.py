"""Numbers and nulls as people write them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.study.encode.words import Style, number, numbers, style_of


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1", "2.5", "-3e2"], [1, 2.5, -300]),
        (["(432)", "1,000"], [-432, 1000]),
        (["1'234,5", "0,5"], [1234.5, 0.5]),
        (["1.234,5", "7"], [1234.5, 7]),
        (["1,234,567.8", "9"], [1234567.8, 9]),
        (["1 234", "12"], [1234, 12]),
        (["$1,200.50", "$3"], [1200.5, 3]),
        (["12 %", "3%"], [12, 3]),
        (["5-", "6"], [-5, 6]),
        (["\N{MINUS SIGN}2", "3"], [-2, 3]),
        (["1", "n/a", "?", "-"], [1, np.nan, np.nan, np.nan]),
    ],
)
def test_columns_of_numbers_in_many_styles(texts, expected):
    style = style_of(texts)
    assert style is not None
    np.testing.assert_array_equal(numbers(texts, style), expected)


@pytest.mark.parametrize(
    "texts", [["red", "1"], ["007", "012"], ["n/a", ""], ["12 %", "3"], ["1,2,3"], ["1.2.3"], ["+"]]
)
def test_columns_that_are_no_numbers(texts):
    assert style_of(texts) is None


def test_a_separator_of_thousands_is_preferred_unless_the_file_has_semicolons():
    assert style_of(["1,234"]) == Style(comma=False)
    assert style_of(["1,234"], prefer_comma=True) == Style(comma=True)


@given(st.floats(allow_nan=False))
def test_every_number_that_python_writes_is_read_back(value):
    assert style_of([repr(value)]) == Style()
    assert number(repr(value), Style()) == value


@given(st.text())
def test_no_text_makes_a_reader_fail(text):
    style = style_of([text])
    number(text, style or Style())
    number(text, Style(comma=True))
