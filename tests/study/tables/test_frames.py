"""Frames of any library: what each kind of column becomes, and what no column can be."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from surefit.study.tables.frames import starts_of, table_of_frame
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


def test_moments_with_a_time_zone_are_in_universal_time_and_keep_the_name_of_their_zone():
    at = pd.Series(pd.to_datetime(["2024-01-01 01:00"])).dt.tz_localize("Europe/Berlin")
    found = table_of_frame(pd.DataFrame({"at": at}))["at"]
    assert found.values[0] == np.datetime64("2024-01-01T00:00:00")
    assert (found.zone, found.take([0]).zone) == ("Europe/Berlin", "Europe/Berlin")
    fixed = pa.table({"at": pa.array([0], pa.timestamp("ms", tz="+02:00"))})
    assert table_of_frame(fixed)["at"].zone == "+02:00"


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_durations_are_seconds_with_their_fractions_and_say_so(make):
    found = table_of_frame(make({"took": [dt.timedelta(milliseconds=1500), None, dt.timedelta(days=-1)]}))["took"]
    np.testing.assert_array_equal(found.values, [1.5, np.nan, -86_400.0])
    assert (found.unit, found.take([0]).unit) == ("durations, in seconds", "durations, in seconds")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_times_of_day_are_hours_with_their_fractions_and_say_so(make):
    found = table_of_frame(make({"at": [dt.time(6, 30, 0, 360_000), None]}))["at"]
    np.testing.assert_allclose(found.values, [6.5001, np.nan], rtol=1e-12)
    assert found.unit == "times of day, in hours"


@pytest.mark.parametrize(("freq", "first"), [("Q", "2021-07-01"), ("M", "2021-08-01"), ("W", "2021-08-02")])
def test_periods_are_the_dates_of_their_starts(freq, first):
    periods = pd.Series(pd.PeriodIndex(["2021-08-05", None], freq=freq))
    found = table_of_frame(pd.DataFrame({"when": periods}))["when"]
    np.testing.assert_array_equal(found.values, np.array([first, "NaT"], "datetime64[us]"))


def test_periods_too_early_for_pandas_are_read_from_their_texts():
    class Periods(list):
        @property
        def dt(self):
            raise ValueError("Out of bounds nanosecond timestamp")

        def tolist(self):
            return list(self)

    assert starts_of(Periods([pd.Period("1500-03", "M"), pd.NaT])).levels == ("1500-03",)


@pytest.mark.parametrize("kind", ["date32[day][pyarrow]", "timestamp[us][pyarrow]", "datetime64[ns]"])
def test_dates_of_extension_types_keep_their_gaps(kind):
    frame = pd.DataFrame({"d": pd.Series([dt.datetime(2021, 1, 1), None]).astype(kind)})
    found = table_of_frame(frame)["d"].values
    np.testing.assert_array_equal(found, np.array(["2021-01-01", "NaT"], "datetime64[us]"))


def test_dates_beyond_nanoseconds_are_dates():
    for frame in (pd.DataFrame({"d": np.array(["1500-01-01", "2300-01-01"], "datetime64[s]")}),
                  pl.DataFrame({"d": [dt.date(1500, 1, 1), dt.date(2300, 1, 1)]})):  # fmt: skip
        assert table_of_frame(frame)["d"].values.astype("datetime64[D]").astype(str).tolist() == [
            "1500-01-01",
            "2300-01-01",
        ]


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
