"""What a column is, decided by all of it."""

import numpy as np
import pytest

from surefit.study.encode.beside import Beside
from surefit.study.encode.dates import ISO
from surefit.study.encode.kinds import (
    MIXED,
    UNREAD,
    ZONES_MIXED,
    Kind,
    as_dates,
    as_numbers,
    in_order_of_time,
    kind_of,
    kinds_of,
)
from surefit.study.encode.words import Style
from surefit.study.tables.table import Dates, Numbers, Table, TableError, Words


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "2", "NA"], "number"),
        (["red", "blue"], "category"),
        (["2024-01-01", "2024-01-02"], "date"),
        (["a", "a"], "left out"),
        (["", "NA"], "left out"),
        ([f"name {k}" for k in range(30)], "left out"),
        ([str(k) for k in range(1, 31)], "left out"),
        (["00123", "04567"], "category"),
        ([f"{k:05d}" for k in range(500, 560)] * 2, "category"),
        ([*(f"{k:05d}" for k in range(500, 560)), "?"] * 2, "category"),
        ([*(f"{k:05d}" for k in range(500, 560)), "00512-1234"] * 2, "category"),
        (["x", ""], "category"),
        (["2021-Q1", "2021-Q2"], "date"),
        (["Mar 2021", "Apr 2021"], "date"),
        (["03.2021", "12.2021"], "date"),
        (["2019", "2020", "2021"], "number"),
        (["1626775200", "1626778800"], "number"),
        (["1626775200000", "1626778800000"], "number"),
    ],
)
def test_kinds_of_texts(texts, kind):
    assert kind_of(Words.of(texts)).kind == kind


def test_a_few_slips_among_many_numbers_count_as_missing():
    column = Words.of([*map(str, np.arange(100) * 1.5), "oops"])
    kind = kind_of(column)
    assert kind.kind == "number"
    assert kind.stray == ("oops",)
    assert np.isnan(as_numbers(column, kind)[-1])


@pytest.mark.parametrize(
    ("written", "style"),
    [("{},5", Style(comma=True)), ("€{},164.50", Style()), ("{}.5 %", Style(per_cent=True)), ("{} 000", Style())],
)
def test_a_few_slips_among_many_numbers_count_as_missing_however_these_are_written(written, style):
    column = Words.of([*(written.format(k) for k in range(10, 110)), "oops", "see note"])
    kind = kind_of(column)
    assert (kind.kind, kind.style, kind.stray) == ("number", style, ("oops", "see note"))
    assert "2 cells are none (such as 'oops') and count as missing" in kind.reason
    assert np.isnan(as_numbers(column, kind)).sum() == 2


DAYS = [str(day) for day in np.arange("2021-01-01", "2021-07-20", dtype="datetime64[D]")]


def test_a_few_slips_among_many_dates_count_as_missing():
    column = Words.of([*DAYS, "2021-13-45", "unknown", "n/a yet"])
    kind = kind_of(column)
    assert (kind.kind, kind.form, kind.stray) == ("date", ISO, ("2021-13-45", "n/a yet"))
    assert kind.reason == "dates, ISO 8601; 2 cells are none (such as '2021-13-45') and count as missing"
    assert np.isnat(as_dates(column, kind)).sum() == 3
    assert kind_of(Words.of([*DAYS, *(f"word {k}" for k in range(20))])).kind == "left out"
    asked = kind_of(Words.of([*DAYS[:3], "oops"]), "date")
    assert (asked.kind, asked.stray, asked.reason) == ("date", ("oops",), "as you say")


def test_slips_among_dates_in_either_order_leave_the_order_in_doubt():
    either = [f"{k:02}/{m:02}/2021" for k in range(1, 13) for m in range(1, 13)]
    kind = kind_of(Words.of([*either, "n/a yet"] * 2))
    assert (kind.form, kind.stray) == ("mdy", ("n/a yet",))
    assert kind.doubt == "'01/02/2021' was read as 2021-01-02, and could be 2021-02-01"
    table = Table(("d",), (Words.of([*either, "n/a yet"]),), 145)
    assert kinds_of(table, {}, Beside(table, "dmy"))["d"].form == "dmy"


def test_pairs_of_years_are_words_and_no_months():
    pairs = [f"{year}/{(year + 1) % 100:02}" for year in range(2000, 2012)] * 20
    for texts in (pairs, [*pairs, "soon"], [one.replace("/", "-") for one in pairs]):
        assert (kind_of(Words.of(texts)).kind, kind_of(Words.of(texts)).reason) == ("category", "words")
    assert kind_of(Words.of([*pairs, "2004/07"])).kind == "date"


def test_the_zone_of_dates_is_kept_and_dates_are_read_on_its_clock():
    summer, winter = "2021-07-01T12:00+02:00", "2021-01-01T12:00+01:00"
    column = Words.of([summer, winter])
    kind = kind_of(column)
    assert (kind.kind, kind.zone) == ("date", "+01:00 +02:00")
    noon = np.array(["2021-07-01T12:00", "2021-01-01T12:00"], "datetime64[us]")
    np.testing.assert_array_equal(as_dates(column, kind), noon)
    typed = Dates(np.array(["2021-07-01T10:00", "2021-01-01T11:00"], "datetime64[us]"), "Europe/Berlin")
    np.testing.assert_array_equal(as_dates(typed, kind_of(typed)), noon)
    np.testing.assert_array_equal(as_dates(column, kind_of(typed)), noon)
    np.testing.assert_array_equal(in_order_of_time(column, kind), typed.values)
    np.testing.assert_array_equal(in_order_of_time(typed, kind), typed.values)
    assert kind_of(typed, "date").zone == "Europe/Berlin"


def test_dates_of_both_kinds_and_unknown_notations_are_words_or_left_out_and_the_reason_says_so():
    mixed = [*DAYS, *(f"{day}T12:00Z" for day in DAYS)]
    assert (kind_of(Words.of(mixed)).kind, kind_of(Words.of(mixed)).reason) == ("left out", ZONES_MIXED)
    assert (kind_of(Words.of(mixed * 3)).kind, kind_of(Words.of(mixed * 3)).reason) == ("category", ZONES_MIXED)
    clocks = [f"{hour}:{minute:02}" for hour in range(24) for minute in range(60)]
    assert (kind_of(Words.of(clocks)).kind, kind_of(Words.of(clocks)).reason) == ("left out", UNREAD)


def test_points_in_time_are_numbers_only_where_that_was_asked_for():
    column = Dates(np.array(["1970-01-02", "1970-01-04T12:00"], "datetime64[us]"))
    assert np.all(np.isnan(as_numbers(column, Kind("number", "numbers"))))
    np.testing.assert_array_equal(as_numbers(column, kind_of(column, "number")), [1.0, 3.5])


def test_numbers_say_what_they_were():
    assert kind_of(Numbers(np.array([1.0, 2.5]), "durations, in seconds")).reason == "durations, in seconds"


def test_many_words_among_numbers_in_another_notation_stay_words():
    column = Words.of([*(f"{k},5" for k in range(100)), *(f"word {k % 3}" for k in range(9))] * 2)
    assert kind_of(column).kind == "category"


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        ([f"0{',.'[k % 2]}{k + 100}" for k in range(60)], "left out"),
        ([*(f"0{',.'[k % 2]}{k + 100}" for k in range(60)), "12", "?", "oops"], "left out"),
        (["0,5", "0.5", "1"] * 20, "category"),
        (["1.234,5", "1,234.5"] * 20, "category"),
    ],
)
def test_numbers_in_two_notations_are_words_or_left_out_and_the_reason_says_so(texts, kind):
    found = kind_of(Words.of(texts))
    assert (found.kind, found.reason) == (kind, MIXED)
    assert kind_of(Words.of(texts), "category").reason == "as you say"


@pytest.mark.parametrize(
    "texts",
    [
        ["0,5", "1,234", "2"] * 20,  # all could have a comma
        ["0.5", "0,5", "red"] * 20,  # too many words
        [f"1.{k},{k}" for k in range(30)],  # no numbers
    ],
)
def test_other_texts_with_commas_and_points_are_not_taken_for_two_notations(texts):
    assert kind_of(Words.of(texts)).reason != MIXED


def test_years_are_no_numbering():
    assert kind_of(Numbers(np.arange(1950.0, 2000.0))).kind == "number"


def test_what_is_asked_for_is_taken_where_values_allow_it():
    assert kind_of(Words.of(["1", "2"]), "category").kind == "category"
    assert kind_of(Words.of(["1", "x"]), "number").kind == "number"
    for column, asked in ((Words.of(["x"]), "number"), (Words.of(["x"]), "date"), (Numbers(np.ones(2)), "date")):
        with pytest.raises(TableError, match="it is said to hold"):
            kind_of(column, asked)
    with pytest.raises(TableError, match="no kind of column"):
        kind_of(Words.of(["x"]), "colour")


def test_typed_columns_keep_their_types():
    assert kind_of(Dates(np.array(["2024-01-01", "2024-01-02"], "datetime64[us]"))).kind == "date"
    assert kind_of(Numbers(np.array([1.0, np.nan, 2.0]))).kind == "number"
