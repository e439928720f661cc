"""Frames of any library: what each kind of column becomes, and what no column can be."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from surefit.study.tables.frames import table_of_frame
from surefit.study.tables.table import Dates, Numbers, TableError, Words


def test_every_kind_of_a_polars_column_becomes_numbers_words_or_dates():
    frame = pl.DataFrame({
        "whole": [1, None], "sold": [True, None], "day": [dt.date(2024, 1, 2), None], "at": [dt.time(6, 30), None],
        "took": [dt.timedelta(minutes=2), None], "name": ["a", None],
    })  # fmt: skip
    table = table_of_frame(frame)
    kinds = {name: type(table[name]) for name in table.names}
    assert kinds == {"whole": Numbers, "sold": Words, "day": Dates, "at": Numbers, "took": Numbers, "name": Words}
    np.testing.assert_array_equal(table["at"].values, [6.5, np.nan])
    np.testing.assert_array_equal(table["took"].values, [120.0, np.nan])
    assert table["sold"].levels == ("true",)
    assert [table[name].missing.tolist() for name in table.names] == [[False, True]] * 6


def test_moments_with_a_time_zone_are_in_universal_time():
    at = pd.Series(pd.to_datetime(["2024-01-01 01:00"])).dt.tz_localize("Europe/Berlin")
    found = table_of_frame(pd.DataFrame({"at": at}))["at"]
    assert found.values[0] == np.datetime64("2024-01-01T00:00:00")


def test_numbers_of_extension_types_keep_their_gaps():
    frame = pd.DataFrame({"n": pd.array([1, None, 3], dtype="Int64")})
    np.testing.assert_array_equal(table_of_frame(frame)["n"].values, [1.0, np.nan, 3.0])


@pytest.mark.parametrize(("kind", "values"), [
    ("boolean", [True, None, False]), ("string", ["a", None, "b"]), ("object", ["a", pd.NA, "b"]),
    ("category", ["a", None, "b"]), ("object", [True, pd.NA, False]),
])  # fmt: skip
def test_words_and_truth_values_of_extension_types_keep_their_gaps(kind, values):
    """The sign of pandas for a missing value has no truth value, which was an error of pandas."""
    column = table_of_frame(pd.DataFrame({"n": pd.Series(values, dtype=kind)}))["n"]
    assert isinstance(column, Words)
    assert column.missing.tolist() == [False, True, False]


@pytest.mark.parametrize("cell", [[1, 2], np.ones(2), {1}, {"a": 1}, b"x"])
def test_cells_of_several_values_are_refused(cell):
    with pytest.raises(TableError, match=r"column 'n' holds .* values; leave it out, or make columns of its parts"):
        table_of_frame(pd.DataFrame({"n": [cell] * 3}))


def test_columns_that_pandas_numbers_have_those_names():
    assert table_of_frame(pd.DataFrame(np.zeros((2, 2)))).names == ("0", "1")


@pytest.mark.parametrize(
    "values", [[[1, 2], [3]], [{"a": 1}, {"a": 2}], [b"x", b"y"]], ids=["lists", "records", "bytes"]
)
def test_columns_of_parts_are_refused_by_name(values):
    with pytest.raises(TableError, match=r"column 'parts' holds .* values; leave it out, or make columns of its parts"):
        table_of_frame(pl.DataFrame({"parts": values}))


def test_what_is_no_frame_is_refused():
    with pytest.raises(TableError, match="must be a path or a data frame, got list"):
        table_of_frame([[1.0, 2.0]])


def test_columns_of_one_name_are_refused_in_a_sentence():
    with pytest.raises(TableError, match="2 columns are called 'a'; give every column a name of its own"):
        table_of_frame(pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]))
