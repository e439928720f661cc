"""Dates that are not read are named, and so are those whose clocks are not one."""

import numpy as np
import pandas as pd
import pytest

from surefit.study.checks.dates import notation, several_zones, times_of_day, unread
from surefit.study.prepare import prepare
from surefit.study.settings import Settings
from tests.study.samples import table

MOMENTS = pd.Series(pd.Timestamp("2019-01-01") + pd.to_timedelta(np.arange(240) * 103 + 7, unit="h"))
EVEN = np.arange(240) % 2 == 0


def data(when, **options):
    rows = table().drop(columns="big")
    rows["when"] = list(when)
    return prepare(rows, Settings("y", **options))


@pytest.mark.parametrize(
    ("form", "fate"),
    [("%d %b %Y, %H h", "the column was left out"), ("%H:%M", "they count as words"), ("%d%m%Y", "left out"),
     ("%m/%d/%Y %Hh", "left out")],
)  # fmt: skip
def test_dates_in_an_unknown_notation_are_named_with_what_became_of_them(form, fate):
    texts = MOMENTS.dt.strftime(form)
    (found,) = unread(data(texts))
    assert (found.code, found.kind, found.columns) == ("SF120", "tip", ("when",))
    assert repr(min(texts)) in found.sentence
    assert fate in found.sentence
    assert "2024-01-31" in found.remedy
    assert not list(unread(data(texts, drop=["when"])))


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y %H:%M", "%Y", "%Y-%m", "%b %Y", "%G-W%V"])
def test_dates_that_are_read_and_plain_numbers_are_not(form):
    assert not list(unread(data(MOMENTS.dt.strftime(form))))


def test_days_among_months_are_named():
    days, months = MOMENTS.dt.strftime("%Y-%m-%d"), MOMENTS.dt.strftime("%Y-%m")
    (found,) = unread(data(days.where(EVEN, months)))
    assert "'2019-01'" in found.sentence


def test_numbers_that_are_dates_are_named_among_columns_and_targets():
    whole = MOMENTS.dt.strftime("%Y%m%d").astype(int)
    (found,) = unread(data(whole))
    assert found.sentence.startswith("'when' has numbers that look like dates (YYYYMMDD), such as 20190101, and was")
    assert not list(unread(data(whole, types={"when": "number"})))
    rows = table().drop(columns=["big", "y"])
    (found,) = unread(prepare(rows.assign(y=whole), Settings("y")))
    assert found.columns == ("y",)


@pytest.mark.parametrize(
    ("form", "expected"),
    [("%Y%m%d", "YYYYMMDD"), ("%d%m%Y", "DDMMYYYY"), ("%m%d%Y", "MMDDYYYY"), ("%Y%m", "YYYYMM"), ("%y%m%d", "YYMMDD"),
     ("%m.%Y", "MM.YYYY"), ("%Y.%m", "YYYY.MM"), ("%Y", ""), ("%j", "")],
)  # fmt: skip
def test_notations_of_dates_as_numbers(form, expected):
    assert notation(MOMENTS.dt.strftime(form).astype(float).to_numpy()) == expected


@pytest.mark.parametrize(
    "values",
    [
        np.arange(100.0),
        np.arange(20_210_101, 20_210_401),  # every number between
        1900 + np.arange(10) * 12.05,  # prices
        np.array([20_210_101.0] * 50),  # one value
        np.array([np.nan, np.inf, -5.0]),
        np.arange(1, 13) * 1e15,
        1500 + np.arange(300) / 1000,
        (MOMENTS - pd.Timestamp(0)).dt.total_seconds().to_numpy(),  # since 1970
        (MOMENTS - pd.Timestamp("1899-12-30")).dt.days.to_numpy(),  # of a spreadsheet
    ],
)
def test_other_numbers_are_no_dates(values):
    assert notation(values) == ""


def test_dates_with_and_without_a_zone_are_an_issue():
    texts = MOMENTS.dt.strftime("%Y-%m-%dT%H:%M")
    (found,) = several_zones(data(texts.where(EVEN, texts + "Z")))
    assert (found.code, found.kind, found.columns) == ("SF121", "issue", ("when",))
    assert found.sentence.startswith("'when' has dates with a time zone and dates without one, such as '2019-01-05T")
    assert "so that the column was left out" in found.sentence
    assert found.remedy == "Write all of its dates with a time zone, or all without."


def test_offsets_of_several_places_are_an_issue_and_clocks_that_are_changed_are_not():
    shown = MOMENTS.dt.strftime("%Y-%m-%dT%H:%M")
    (found,) = several_zones(data(shown + np.tile(["-08:00", "+09:00"], 120)))
    assert "have the offsets -08:00, +09:00 from UTC; each is read as the clock of its place" in found.sentence
    assert not list(several_zones(data(shown + np.tile(["+01:00", "+02:00"], 120))))
    assert not list(several_zones(data(MOMENTS.dt.tz_localize("UTC"))))


def test_dates_without_a_time_of_day_among_others_are_named():
    days, hours = MOMENTS.dt.strftime("%Y-%m-%d"), MOMENTS.dt.strftime("%Y-%m-%d %H:%M")
    few = np.arange(240) < 3
    (found,) = times_of_day(data(days.where(few, hours)))
    assert (found.code, found.columns) == ("SF122", ("when",))
    assert found.sentence.startswith("3 rows have a date without a time of day in 'when', such as '2019-01-01', where")
    for texts in (days, hours, days.where(few, days + " 00:00"), MOMENTS):
        assert not list(times_of_day(data(texts)))
