"""Dates as people write them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.study.encode.dates import ISO, date_format, dates


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("2024-01-31", ISO, "2024-01-31"),
        ("2024-01-31 13:45:10", ISO, "2024-01-31T13:45:10"),
        ("2024-01-31T13:45:10+02:00", ISO, "2024-01-31T11:45:10"),
        ("2013-01-01T10:00:00Z", ISO, "2013-01-01T10:00:00"),
        ("31.01.2024", "dmy", "2024-01-31"),
        ("1/31/2024 1:30 PM", "mdy", "2024-01-31T13:30"),
        ("31/1/2024", "dmy", "2024-01-31"),
        ("2024/1/31", "ymd", "2024-01-31"),
        ("31-Jan-2024", "dmy", "2024-01-31"),
    ],
)
def test_formats(text, form, expected):
    assert date_format([text, "n/a"]) == form
    assert dates([text], form)[0] == np.datetime64(expected)


@pytest.mark.parametrize("text", ["2024-13-01", "31.02.2024", "tomorrow", "20240131", "", "12:30"])
def test_no_dates(text):
    assert date_format([text]) is None


@given(st.text())
def test_no_text_makes_a_reader_fail(text):
    date_format([text])
    dates([text], "dmy")


@given(st.datetimes())
def test_iso_dates_are_read_back(moment):
    text = moment.isoformat(timespec="microseconds")
    assert dates([text], ISO)[0] == np.datetime64(moment)


@pytest.mark.parametrize("form", ["dmy", "mdy", "ymd", ISO, ""])
@pytest.mark.parametrize("text", ["2022-08-21", "2022/08/21", "2022-08-21 00:00"])
def test_dates_with_the_year_first_are_read_whatever_the_format(form, text):
    assert dates([text], form)[0] == np.datetime64("2022-08-21")
