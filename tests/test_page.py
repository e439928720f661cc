"""Numbers and names are written so that they can be read: plainly, with commas, in few columns."""

import numpy as np
import pytest

from surefit.page import Page, Table, measured, number, p_value, ratio, share, shortened, told_apart, wrapped


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (34_567.8, 4, "34,570"),
        (-1_234_567.0, 6, "-1,234,570"),
        (999.96, 4, "1,000"),
        (0.00012345, 3, "0.000123"),
        (1.5e-7, 4, "1.5e-07"),
        (2.5e14, 4, "2.5e+14"),
        (0.0, 4, "0"),
        (np.nan, 4, "nan"),
        (-np.inf, 4, "-inf"),
    ],
)
def test_numbers_are_plain_and_powers_of_ten_are_for_extremes(value, digits, text):
    assert number(value, digits) == text


@pytest.mark.parametrize(
    ("value", "error", "room", "text"),
    [
        (-3482258.63, 890420.38, 12, "-3,482,259"),
        (15.0618, 84.9149, 12, "15.1"),
        (-0.03581918, 0.0334910, 12, "-0.0358"),
        (1.23456e-9, 4.56e-10, 12, "1.235e-09"),
        (123456789.123, 0.001234, 10, "123456789"),
        (2.0, 0.0, 12, "2"),
        (np.nan, np.nan, 12, "nan"),
        (np.inf, np.inf, 12, "inf"),
        (1.0, np.inf, 12, "1"),
    ],
)
def test_digits_follow_the_standard_error(value, error, room, text):
    """Three digits of the standard error decide, as long as they fit."""
    assert measured(value, error, room) == text


def test_small_p_values_ratios_and_shares_are_written_with_sense():
    """No 0.0000, no R2 of 1 that is not 1."""
    assert [p_value(p) for p in (0.99999, 0.0123456, 1e-4, 9.9e-5)] == ["1.0000", "0.0123", "0.0001", "<0.0001"]
    assert [ratio(t) for t in (1.23456, -12345.678, 1e9, np.nan)] == ["1.235", "-12,345.7", "1e+09", "nan"]
    assert [share(r) for r in (0.5, 1.0, 0.9999999, -0.2)] == ["0.500000", "1.000000", ">0.999999", "-0.200000"]


def test_wide_characters_count_twice():
    """Terminal columns, not code points."""
    assert shortened("漢字" * 10, 9) == "漢字…漢字"
    assert shortened("abcdefghij", 5) == "ab…ij"
    assert shortened("line\nbreak", 20) == "line break"


def test_of_a_long_label_and_a_number_the_label_gives_way():
    page = Page("t", [("a label that is longer than it should be", "2,999,757,000")], Table(["r"], ["c"], _one))
    line = page.text().splitlines()[2]
    assert line.endswith("2,999,757,000")
    assert "…" in line


def test_a_number_and_its_per_cent_sign_stay_on_one_line():
    for length in range(60, 90):
        assert not any(line.lstrip().startswith("%") for line in wrapped("x" * length + " at most 5.3 % of rows"))


def _one(row, room):
    return ["1"]


CALLS = [f"total_{when}_{what}" for when in ("day", "eve", "night", "intl") for what in ("minutes", "calls", "charge")]


@pytest.mark.parametrize("width", [20, 14, 11, 9, 6, 4])
@pytest.mark.parametrize(
    "names",
    [CALLS, [f"{'long' * 6}{k}{'name' * 6}" for k in range(12)], [*CALLS, "tota…utes", "…day_min…", "total…inutes"]],
    ids=["few words", "one digit", "names like cuts"],
)
def test_names_that_differ_are_told_apart_however_short(names, width):
    found = told_apart([*names, names[0]], width)
    assert len(set(found)) == len(names)
    assert found[-1] == found[0]
    for name, short in zip(names, found, strict=False):
        assert len(short) <= max(width, len("…##12"))
        assert short == name or len(name) > width


def test_a_table_tells_its_rows_apart_and_keeps_the_usual_cut_where_that_does():
    cells = lambda j, room: ["1234567890"] * 6
    lines = Table([*CALLS, "account_length"], ["number"] * 6, cells).lines()[1:]
    names = [line.split()[0] for line in lines]
    assert len(set(names)) == 13
    assert names[0] == "…day_mi…"
    assert names[-1] == shortened("account_length", 8)
