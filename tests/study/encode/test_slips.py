"""Columns nearly all of whose cells are dates, and texts that only look like dates."""

import numpy as np
import pytest

from surefit.study.encode.dates import ISO
from surefit.study.encode.slips import look_like_dates, mostly_dates, zones_are_mixed

DAYS = [str(day) for day in np.arange("2021-01-01", "2021-07-20", dtype="datetime64[D]")]
FIRSTS = [f"01/{month:02}/{year}" for month in range(1, 13) for year in range(2000, 2012)]
MIDDLES = [f"{day}/03/{year}" for day in (14, 15) for year in range(2000, 2010)]


def rows(*texts):
    return dict.fromkeys(texts, 1)


def test_a_few_other_texts_among_many_dates_are_slips_and_more_are_not():
    found = mostly_dates(rows(*DAYS, "2021-13-45", "n/a yet"))
    assert (found.form, found.zoned, found.used) == (ISO, False, tuple(DAYS))
    assert mostly_dates(rows(*DAYS, *(f"word {k}" for k in range(11)))) is None
    assert mostly_dates(rows(*DAYS[:19], "n/a yet")) is None


def test_the_rarer_of_dates_with_a_zone_and_without_one_are_slips():
    zoned = [f"{day}T12:00Z" for day in DAYS]
    assert mostly_dates(rows(*zoned, DAYS[0])).used == tuple(zoned)
    assert mostly_dates(rows(*DAYS, zoned[0])).used == tuple(DAYS)
    assert mostly_dates(rows(*DAYS, *zoned)) is None
    assert zones_are_mixed(rows(*DAYS, *zoned)) == (zoned[0], DAYS[0])
    assert not zones_are_mixed(rows(*DAYS))


def test_cells_above_twelve_decide_about_the_order_of_day_and_month_if_hardly_any_contradict():
    sure = mostly_dates(rows(*FIRSTS, *MIDDLES, "03/14/2005"))
    assert (sure.form, sure.both) == ("dmy", ())
    doubtful = mostly_dates(rows(*FIRSTS, "14/03/2003", "03/14/2005"))
    assert set(doubtful.both) == set(FIRSTS)


def test_days_among_months_are_not_read_as_if_these_were_days():
    months = [f"{year}-{month:02}" for year in range(2000, 2005) for month in range(1, 13)]
    assert mostly_dates(rows(*months, "soon")).used == tuple(months)
    assert mostly_dates(rows(*months, *DAYS)) is None


def test_pairs_of_years_are_no_months_even_beside_slips():
    pairs = [f"{century}{year:02}/{year + 1:02}" for century in (19, 20) for year in range(12)]
    assert mostly_dates(rows(*pairs, "soon")) is None
    assert not look_like_dates(rows(*pairs))


@pytest.mark.parametrize(
    "text",
    ["12:30", "6:30 pm", "20. July 2021", "Tue 20 Jul 2021", "Jul-21", "July 20, 2021", "31/12/2021", "3 days 12:00:00",
     "31012021", "20210131", "2021-201", "2021-03-15 noon", "KW 12 2021", "Q3/2021", "12/31/21", "5. M\u00e4rz"],
)  # fmt: skip
def test_texts_that_look_like_dates(text):
    assert look_like_dates(rows(text, "word")) == (text,)
    assert not look_like_dates(rows(text, "some", "words"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "red",
        "192.168.0.1",
        "1.2.3",
        "030-555-1234",
        "7",
        "12 mm",
        "May",
        "item 12",
        "99999999",
        "A-12-34",
        "16:9",
        "Q3",
        "Maine 04101",
        "Decatur 30030",
        "20-45-67",
        "W12",
        "4711-02",
        "2021-13",
    ],
)
def test_texts_that_do_not(text):
    assert not look_like_dates(rows(text))
