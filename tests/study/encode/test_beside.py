"""What columns say about each other where texts can be read in two ways."""

import numpy as np
import pandas as pd
import pytest

from surefit.study.encode.beside import Beside
from surefit.study.encode.kinds import as_dates, as_numbers, kinds_of
from surefit.study.tables.table import Table, Words


def table(semicolons=None, **columns):
    words = tuple(map(Words.of, columns.values()))
    return Table(tuple(columns), words, len(words[0].codes), decimal_comma=semicolons)


def dates_in(form, **more):
    months = pd.date_range("2000-01-01", **{"periods": 60, "freq": "MS", **more})
    return list(months.strftime(form)), months.to_numpy()


@pytest.mark.parametrize("form", ["%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d.%m.%Y"])
@pytest.mark.parametrize("freq", ["MS", "QS", "6MS"])
@pytest.mark.parametrize("shuffled", [False, True])
def test_dates_on_the_first_of_months_are_read_so_that_they_are_regular(form, freq, shuffled):
    texts, months = dates_in(form, freq=freq)
    order = np.random.default_rng(0).permutation(len(texts)) if shuffled else np.arange(len(texts))
    found = table(day=[texts[row] for row in order])
    kind = kinds_of(found, {})["day"]
    assert kind.doubt == ""
    assert np.array_equal(as_dates(found["day"], kind), months[order].astype("datetime64[us]"))


def test_months_with_gaps_are_read_as_one_day_of_the_month():
    texts, _ = dates_in("%d/%m/%Y")
    kind = kinds_of(table(day=[text for row, text in enumerate(texts) if row % 7]), {})["day"]
    assert (kind.form, kind.doubt) == ("dmy", "")


def test_rows_in_the_order_of_time_decide_unless_they_are_in_that_of_their_texts():
    days = ["02/01/2024", "05/01/2024", "03/02/2024", "11/03/2024", "04/04/2024", "09/04/2024", "01/07/2024"]
    assert kinds_of(table(day=days), {})["day"].form == "dmy"
    assert kinds_of(table(day=days[::-1]), {})["day"].form == "dmy"
    assert kinds_of(table(day=sorted(days)), {})["day"].doubt


def test_another_column_of_dates_decides():
    days = ["03/04/2024", "01/02/2024", "05/06/2023", "07/02/2022"]
    sure = ["13/01/2024", "02/02/2024", "01/03/2024", "01/04/2024"]
    found = kinds_of(table(day=days, end=sure), {})
    assert (found["day"].form, found["day"].doubt) == ("dmy", "")


def test_dates_that_stay_open_are_said_to_be_and_an_order_that_is_given_closes_them():
    days = ["03/04/2024", "01/02/2024", "05/06/2023", "07/02/2022"]
    kind = kinds_of(table(day=days), {})["day"]
    assert kind.form == "mdy"
    assert kind.doubt == "'01/02/2024' was read as 2024-01-02, and could be 2024-02-01"
    for order in ("dmy", "mdy"):
        for asked in ({}, {"day": "date"}):
            kind = kinds_of(table(day=days), asked, Beside(order=order))["day"]
            assert (kind.form, kind.doubt) == (order, "")
    daily = [f"01/{day:02}/2024" for day in range(1, 13)]  # or the first of every month
    assert kinds_of(table(day=daily), {})["day"].doubt


def test_dates_that_are_the_same_either_way_round_leave_no_doubt():
    assert kinds_of(table(day=["02/02/2024", "03/03/2024", "01/01/2022"]), {})["day"].doubt == ""


PRICES = ["3.744", "389", "1.020", "12.500", "950", "2.150"]
IN_FULL = [3744.0, 389.0, 1020.0, 12500.0, 950.0, 2150.0]


@pytest.mark.parametrize("semicolons", [True, False, None])
def test_points_between_thousands_are_told_by_decimal_commas_beside_them(semicolons):
    found = table(
        semicolons, sqm=["12,5", "80,25", "7,1", "6", "5,5", "4,2"], price=PRICES, all=[*PRICES[:1] * 5, "1.000"]
    )
    kinds = kinds_of(found, {})
    assert as_numbers(found["price"], kinds["price"]).tolist() == IN_FULL
    assert as_numbers(found["all"], kinds["all"])[0] == 3744.0
    assert not any(kind.doubt for kind in kinds.values())


def test_decimal_points_beside_them_mean_decimals():
    found = table(True, sqm=["12.5", "80.25", "7.1", "6", "5.5", "4.2"], price=PRICES)
    kind = kinds_of(found, {})["price"]
    assert as_numbers(found["price"], kind)[0] == 3.744
    assert kind.doubt == ""


def test_semicolons_decide_where_nothing_else_does():
    kind = kinds_of(table(True, price=PRICES), {})["price"]
    assert (kind.style.comma, kind.doubt) == (True, "")
    alone = kinds_of(table(True, price=["3.744", "1.020", "1.100"]), {})["price"]
    assert alone.style.comma
    assert "could be 1.020" in alone.doubt


@pytest.mark.parametrize("semicolons", [False, None])
def test_points_that_stay_open_are_said_to_be(semicolons):
    kind = kinds_of(table(semicolons, price=PRICES), {})["price"]
    assert not kind.style.comma
    assert kind.doubt == "'1.020' was read as 1.020, and could be 1020"
    with_euro = kinds_of(table(semicolons, price=[f"{one} €" for one in PRICES]), {})["price"]
    assert "could be 1020 €" in with_euro.doubt


@pytest.mark.parametrize(
    "texts",
    [["3.744", "1.020", "1.100", "2.500"], ["3.744", "0.389", "1.020", "4.000", "7"], ["3.744", "1389", "1.020", "1.1"],
     ["3,744", "389", "1,020", "2,150"]],
)  # fmt: skip
def test_three_decimals_throughout_and_numbers_that_can_mean_one_thing_only_leave_no_doubt(texts):
    kind = kinds_of(table(False, price=texts), {})["price"]
    assert (kind.style.comma, kind.doubt) == (False, "")


def test_slips_of_the_pen_among_such_numbers_do_not_hide_them():
    texts = [*(f"{k}.{500 + k}" for k in range(1, 40)), "389", "12", "oops"]
    found = table(True, sqm=["1,5"] * len(texts), price=texts)
    kind = kinds_of(found, {})["price"]
    reason = "numbers, with a decimal comma; 1 cell is none (such as 'oops') and counts as missing"
    assert (kind.stray, kind.reason) == (("oops",), reason)
    assert as_numbers(found["price"], kind)[0] == 1501.0
