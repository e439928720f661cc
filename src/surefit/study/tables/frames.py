"""Layer study: data frames of any library, through narwhals.

In: a frame of pandas, polars, pyarrow or another library that narwhals knows.  Out: a `Table`.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np

from surefit.data.whole_numbers import EXACT
from surefit.study.tables.table import Column, Dates, Numbers, Table, TableError, Words, different_names
from surefit.study.tables.zones import zone_named

SECONDS, HOURS = "durations, in seconds", "times of day, in hours"
"""What numbers are that were durations or times in a frame."""

PARTED = (list, dict, set, bytes, np.ndarray)
"""Cells that are no single value."""


def table_of_frame(frame: Any, source: str = "", reading: str = "") -> Table:
    """A `Table` with the columns of a frame."""
    nw = _narwhals()
    if type(frame).__module__.startswith("pandas") and getattr(frame, "columns", None) is not None:
        different_names([str(name) for name in frame.columns])  # narwhals would refuse them in words of its own
    try:
        known = nw.from_native(frame, eager_only=True)
    except TypeError:
        kind = type(frame).__name__
        raise TableError(
            f"a table must be a path or a data frame, got {kind}; give a file, or a pandas frame"
        ) from None
    if getattr(frame, "columns", None) is not None and type(frame).__module__.startswith("pandas"):
        names = different_names([str(name) for name in frame.columns])  # numbers are names there, too
    else:
        names = different_names(known.columns)
    columns = tuple(_column(known.get_column(name), nw, str(name)) for name in known.columns)
    kind = f"a {type(frame).__module__.partition('.')[0]} {type(frame).__name__}"
    return Table(names, columns, len(known), source or kind, reading or "columns and types as they are")


def _narwhals() -> Any:
    try:
        import narwhals.stable.v2 as nw
    except ImportError:
        raise TableError(
            "data frames need narwhals: pip install 'surefit[cli]'; or give the path of a CSV file"
        ) from None
    return nw


def _column(series: Any, nw: Any, name: str) -> Column:
    kind = series.dtype
    if kind.is_integer():
        return _whole_numbers(series)
    if kind.is_numeric():
        return Numbers(_numbers(series))
    if kind == nw.Boolean:
        return Words.of(None if _absent(one) else str(bool(one)).lower() for one in series.to_list())
    if kind in (nw.Datetime, nw.Date):
        return _dates(series, nw)
    if kind == nw.Duration:
        return Numbers(series.to_numpy() / np.timedelta64(1, "s"), SECONDS)
    native = nw.to_native(series)
    if type(native.dtype if hasattr(native, "dtype") else None).__name__ == "PeriodDtype":
        return starts_of(native)
    values = series.to_list()
    if kind in (nw.List, nw.Array, nw.Struct, nw.Binary) or any(isinstance(one, PARTED) for one in values):
        raise TableError(f"column {name!r} holds {kind} values; leave it out, or make columns of its parts")
    if kind == nw.Time or _all_are(values, dt.time):
        return Numbers(np.array([_hours(one) if isinstance(one, dt.time) else np.nan for one in values]), HOURS)
    return Words.of(None if _absent(one) else str(one) for one in values)


def _absent(value: Any) -> bool:
    """Whether a cell has no value: None, nan, NaT, or the sign of pandas' extension types, which has no truth."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def _whole_numbers(series: Any) -> Column:
    """Numbers; as texts, so that they remain what they are, where floating point numbers do not hold one of them."""
    values = np.asarray(series.drop_nulls().to_numpy())
    large = values[(values > EXACT) | (values < -EXACT)].tolist()
    if all(int(float(one)) == one for one in large):
        return Numbers(_numbers(series))
    return Words.of(None if _absent(one) else str(int(one)) for one in series.to_list())


def _numbers(series: Any) -> np.ndarray:
    try:
        return np.array(series.to_numpy(), dtype=np.float64)
    except (TypeError, ValueError):  # nulls of extension types
        return np.array([np.nan if _absent(one) else float(one) for one in series.to_list()])


def _dates(series: Any, nw: Any) -> Dates:
    zone = getattr(series.dtype, "time_zone", None) if series.dtype == nw.Datetime else None
    if zone:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    values = series.to_numpy()
    if values.dtype == object:  # dates of extension types, with their own sign for gaps
        values = [one if isinstance(one, dt.date) else None for one in values.tolist()]
    return Dates(np.array(values, dtype="datetime64[us]"), zone_named(zone) if zone else "")


def starts_of(periods: Any) -> Column:
    """When the periods of a pandas column start; as texts where that is too early or too late for pandas."""
    try:
        return Dates(np.array(periods.dt.start_time.to_numpy(), dtype="datetime64[us]"))
    except ValueError:
        return Words.of(None if one != one else str(one) for one in periods.tolist())


def _all_are(values: list[Any], kind: type) -> bool:
    known = [one for one in values if not _absent(one)]
    return bool(known) and all(isinstance(one, kind) for one in known)


def _hours(moment: dt.time) -> float:
    return moment.hour + moment.minute / 60 + (moment.second + moment.microsecond / 1e6) / 3600
