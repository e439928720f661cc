"""Codes for missing values are told from quantities, and numbers in two notations are named with both."""

import numpy as np
import pandas as pd
import pytest

from surefit.study.checks.cells import codes, codes_in, two_ways
from surefit.study.prepare import prepare
from surefit.study.settings import Settings
from tests.study.samples import table

GRID = np.arange(100) / 10


@pytest.mark.parametrize(
    ("further", "values"),
    [
        ([-999] * 3, (-999,)),
        ([9999] * 90, (9999,)),
        ([888] * 3 + [999] * 4, (888, 999)),
        ([-999] * 3 + [9999] * 3, (-999, 9999)),
        ([20] * 3, (20,)),
        ([-999] * 5 + [np.nan] * 40, (-999,)),
        ([-999] * 5 + [1e6] * 3, (-999, 1e6)),
        ([-1e9] * 3 + [-999] * 5, (-1e9, -999)),
    ],
)
def test_shared_numbers_far_from_all_others_are_codes(further, values):
    found = codes_in(np.r_[GRID, further])
    assert found.values == values
    assert found.rows == np.isfinite(further).sum()
    assert (found.least, found.greatest) == (0.0, 9.9)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (np.r_[GRID, [-999] * 2], "two rows share it"),
        (np.r_[GRID, [-999] * 101], "more than half of the rows have it"),
        (np.r_[GRID, [19] * 3], "it is not far"),
        (np.r_[GRID, [99.5] * 3], "codes are whole"),
        (np.r_[GRID + 500, [0] * 3], "0 is a quantity"),
        (np.r_[GRID[:19], [-999] * 3], "too few other values"),
        (np.r_[np.arange(0, 100), [198] * 3], "it is as far as the others span"),
        (np.r_[GRID / 10, [1.98] * 3, [-0.99] * 3], "nor up to the last digit"),
        (np.r_[1e308 + 7e306 * GRID, [-1.7e308] * 3], "float64 cannot hold how far it is"),
        (np.full(50, np.nan), "no values"),
    ],
)
def test_other_numbers_are_no_codes(values, why):
    assert codes_in(values) is None, why


def test_a_code_is_named_with_its_column_its_count_and_what_to_do():
    rows = table().drop(columns="big")
    rows.loc[:11, "z"] = -999
    (found,) = codes(prepare(rows, Settings("y")))
    assert (found.code, found.kind, found.columns) == ("SF118", "issue", ("z",))
    assert found.sentence.startswith("'z' is -999 in 12 rows, far from all its other values")
    assert "leave these cells empty" in found.remedy
    assert found.value > 100
    rows.loc[:11, "z"] = np.nan
    assert not list(codes(prepare(rows, Settings("y"))))


def test_infinite_numbers_are_named_however_few():
    """They were fitted as a quantity beyond all others without a word."""
    rows = table().drop(columns="big")
    rows.loc[7, "z"] = -np.inf
    (found,) = codes(prepare(rows, Settings("y")))
    assert (found.code, found.columns) == ("SF118", ("z",))
    assert found.sentence.startswith("'z' is infinite in 1 row; it may be a code for a missing value")


def test_codes_among_targets_and_dates_are_named_too():
    rows = table().drop(columns="big")
    rows["day"] = pd.date_range("2024-01-01", periods=240).strftime("%d.%m.%Y")
    rows.loc[:11, "day"] = "01.01.1900"
    rows.loc[20:59, "y"] = -999
    target, day = codes(prepare(rows, Settings("y")))
    n = np.count_nonzero(prepare(rows, Settings("y")).y == -999)
    assert target.columns == ("y",)
    assert target.sentence.startswith(f"'y' is -999 in {n} training rows, far from all its other values")
    assert day.sentence.startswith(
        "'day' is 1900-01-01 in 12 rows, far from all its other values, which are 2024-01-13 to 2024-08-27"
    )
    rows["day"] = rows["day"].replace("01.01.1900", "01.01.1970")
    assert "'day' is 1970-01-01 in 12 rows" in [*codes(prepare(rows, Settings("y")))][1].sentence


def test_a_single_date_at_the_end_of_the_calendar_is_named_and_a_single_early_one_is_not():
    rows = table().drop(columns="big")
    rows["day"] = pd.date_range("2024-01-01", periods=240).strftime("%Y-%m-%d")
    rows.loc[4, "day"] = "9999-12-31"
    (found,) = codes(prepare(rows, Settings("y")))
    assert found.sentence.startswith(
        "'day' is 9999-12-31 in 1 row, far from all its other values, which are 2024-01-01"
    )
    rows.loc[4, "day"] = "2021-12-31"
    assert not list(codes(prepare(rows, Settings("y"))))


def test_two_notations_are_named_with_an_example_of_each_and_what_became_of_them():
    rows = table().drop(columns="big")
    rows["many"] = [f"{k + 1000:,}".replace(",", ",."[k % 2]) + "5" for k in range(240)]
    rows["few"] = ["0,5", "0.5", "1", "1"] * 60
    few, many = sorted(two_ways(prepare(rows, Settings("y"))), key=lambda one: one.columns)
    assert few.sentence.endswith("such as '0,5' and '0.5', so that they count as words.")
    assert many.sentence.endswith("such as '1,0005' and '1.0015', so that the column was left out.")
    assert (few.evidence, few.value) == ("60 rows with commas, 60 with points", 60)
    assert not list(two_ways(prepare(table(), Settings("y"))))
    rows["few"] = ["0,5", "0.5", "1", "1", "2", "3"] * 40
    (found,) = two_ways(prepare(rows, Settings("y", group="few", drop=["many"])))
    assert found.sentence.endswith("so that they count as words.")
