"""Months, quarters and weeks are the dates of their first days."""

from datetime import datetime

import pytest

from surefit.study.encode.periods import MONTH, PERIODS_WRITTEN, QUARTER, WEEK, are_months_with_point, period


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("2021-03", MONTH, (2021, 3, 1)),
        ("2021M03", MONTH, (2021, 3, 1)),
        ("3/2021", MONTH, (2021, 3, 1)),
        ("03.2021", MONTH, (2021, 3, 1)),
        ("Mar 2021", MONTH, (2021, 3, 1)),
        ("September-2021", MONTH, (2021, 9, 1)),
        ("2021 May", MONTH, (2021, 5, 1)),
        ("2021Q3", QUARTER, (2021, 7, 1)),
        ("q4 2021", QUARTER, (2021, 10, 1)),
        ("2021-W01", WEEK, (2021, 1, 4)),
        ("2020W537", WEEK, (2021, 1, 3)),
        ("2021-01-04/2021-01-10", WEEK, (2021, 1, 4)),
    ],
)
def test_periods_begin_on_their_first_day(text, form, expected):
    assert period(text, form) == datetime(*expected)
    assert all(period(text, other) is None for other in PERIODS_WRITTEN if other != form)


@pytest.mark.parametrize(
    "text",
    ["2021", "202103", "2021-13", "2021-Q5", "2021-W54", "Mar-21", "Mars 2021", "0000-01", "4711-02", "1/1000", ""],
)
def test_other_texts_are_no_periods(text):
    assert all(period(text, form) is None for form in PERIODS_WRITTEN)


def test_months_with_a_point_are_told_from_numbers():
    assert are_months_with_point([f"{month}.2021" for month in range(1, 13)], 6)
    assert not are_months_with_point(["3.2021", "12.2021"], 6)
    assert not are_months_with_point(["03.2021", "12.5"], 6)
    assert not are_months_with_point([], 6)
