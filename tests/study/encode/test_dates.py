"""Dates as people write them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.study.encode.dates import ISO, date_format, dates, is_doubtful
from surefit.study.encode.periods import PERIODS_WRITTEN


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("2024-01-31", ISO, "2024-01-31"),
        ("2024-01-31 13:45:10", ISO, "2024-01-31T13:45:10"),
        ("2024-01", "months", "2024-01-01"),
        ("2024-Q3", "quarters", "2024-07-01"),
        ("2024-W05", "weeks", "2024-01-29"),
        ("31.01.2024", "dmy", "2024-01-31"),
        ("1/31/2024 1:30 PM", "mdy", "2024-01-31T13:30"),
        ("31/1/2024", "dmy", "2024-01-31"),
        ("2024/1/31", "ymd", "2024-01-31"),
        ("31-Jan-2024", "dmy", "2024-01-31"),
        ("31 January 2024", "dmy", "2024-01-31"),
        ("1 Sept 21", "dmy", "2021-09-01"),
        ("Jan 31st, 2024 1:30 PM", "dmy", "2024-01-31T13:30"),
        ("Wednesday, 31. JAN. 2024, 13:45", "dmy", "2024-01-31T13:45"),
    ],
)
def test_formats(text, form, expected):
    assert date_format([text, "n/a"]) == form
    assert dates([text], form)[0] == np.datetime64(expected)


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2024-01-31T13:45:10+02:00", "+02:00", "2024-01-31T13:45:10"),  # as the clock showed it
        ("2024-01-31T13:45:10+0200", "+01:00 +02:00", "2024-01-31T13:45:10"),
        ("2013-01-01 10:00:00 UTC", "UTC", "2013-01-01T10:00:00"),
        ("2013-01-01 10:00:00+00", "UTC", "2013-01-01T10:00:00"),
        ("2024-07-31T13:45:10Z", "Europe/Berlin", "2024-07-31T15:45:10"),
        ("2024-07-31T13:45:10Z", "+02:00", "NaT"),
        ("2024-07-31T13:45:10Z", "", "NaT"),
        ("2024-07-31T13:45:10", "UTC", "NaT"),
        ("0001-01-01T00:00:00+02:00", "+02:00", "0001-01-01"),  # before the first year in UTC
    ],
)
def test_dates_are_read_on_the_clock_of_the_fit(text, zone, expected):
    assert date_format([text]) == ISO
    np.testing.assert_array_equal(dates([text], ISO, zone)[0], np.datetime64(expected))


def test_dates_with_a_time_zone_and_without_one_are_not_of_one_format():
    assert date_format(["2024-01-31 13:45", "2024-01-31 13:45Z"]) is None
    assert date_format(["2024-01-31 13:45+01:00", "2024-01-31 13:45Z"]) == ISO


def test_months_are_no_dates_of_another_format():
    assert np.isnat(dates(["2021-03"], ISO)[0])
    assert dates(["2021-03-15"], "months")[0] == np.datetime64("2021-03-15")


@pytest.mark.parametrize(
    "text",
    ["2024-13-01", "31.02.2024", "tomorrow", "20240131", "", "12:30", "30 Feb 2024", "31 Janus 2024", "Jan 31 24",
     "31 Jan 124", "May 2024 31"],
)  # fmt: skip
def test_no_dates(text):
    assert date_format([text]) is None


def test_a_word_for_the_month_leaves_the_order_to_other_dates():
    assert date_format(["31 Jan 2024", "01/31/2024"]) == "mdy"
    assert date_format(["Jan 31, 2024", "31/01/2024"]) == "dmy"
    assert not is_doubtful(["3 Apr 2024", "Apr 3, 2024"], "dmy")
    assert is_doubtful(["3 Apr 2024", "03/04/2024"], "mdy")


@given(st.text())
def test_no_text_makes_a_reader_fail(text):
    date_format([text])
    for form in ("dmy", *PERIODS_WRITTEN):
        dates([text], form)


@given(st.datetimes())
def test_iso_dates_are_read_back(moment):
    text = moment.isoformat(timespec="microseconds")
    assert dates([text], ISO)[0] == np.datetime64(moment)


@pytest.mark.parametrize("form", ["dmy", "mdy", "ymd", ISO, ""])
@pytest.mark.parametrize("text", ["2022-08-21", "2022/08/21", "2022-08-21 00:00", "21 Aug 2022", "August 21, 2022"])
def test_dates_with_the_year_first_or_a_word_are_read_whatever_the_format(form, text):
    assert dates([text], form)[0] == np.datetime64("2022-08-21")


@pytest.mark.parametrize("form", ["dmy", "mdy", ISO, "", "months"])
def test_a_short_name_of_the_month_is_read_whatever_the_format(form):
    assert dates(["31-Jan-2024"], form)[0] == np.datetime64("2024-01-31")
    assert dates(["2024-Jan-31"], form)[0] == np.datetime64("2024-01-31")
