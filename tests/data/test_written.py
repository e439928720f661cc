"""Which columns of words were meant as numbers: those nearly all of whose cells are, and no codes, grades or dates."""

import pytest

from surefit.data.written import meant_as_number

AGES = {str(age): 30 for age in range(18, 90)}


@pytest.mark.parametrize(
    ("rows", "odd"),
    [
        ({**AGES, "unknown": 1}, "unknown"),
        ({**AGES, "x12": 1}, "x12"),
        ({**AGES, "": 500}, "18"),
        ({"3": 5, "4": 5, "n/a": 1}, "n/a"),
        ({"(1 000)": 1, "2-": 1}, "(1 000)"),
        (AGES, "18"),
    ],
)
def test_a_cell_that_kept_a_column_from_being_numbers_is_named(rows, odd):
    assert meant_as_number(rows) == odd


@pytest.mark.parametrize("rows", [{}, {"": 3}, {**AGES, "old": 900}, {"1": 9, "2": 9, "": 1}, {"1": 99, "x": 1}])
def test_words_and_grades_were_meant_as_such(rows):
    assert meant_as_number(rows) is None
