"""Dates as features: seasons that training rows show, and rows outside them."""

import json
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest

from surefit.study.encode.encoder import Encoder
from surefit.study.encode.kinds import Kind
from surefit.study.encode.outside import SEASON
from surefit.study.encode.parts import DatePart
from surefit.study.encode.seasons import HARDLY
from surefit.study.tables.table import Dates


def dates(*args, **more):
    return Dates(pd.date_range(*args, **more).to_numpy().astype("datetime64[us]"))


def part(column):
    return DatePart.of("t", column, Kind("date", "dates"))


def out_of_season(found, texts):
    (one,) = [one for one in found.outside(Dates(np.array(texts, "datetime64[us]"))) if one.what == SEASON]
    return one


def test_a_season_that_training_rows_hardly_show_is_left_out():
    days = np.concatenate(
        [np.arange(f"{year}-01-01", f"{year}-01-13", dtype="datetime64[D]") for year in range(2000, 2024)]
    )
    found = part(Dates(days.astype("datetime64[us]")))
    assert not any("year" in name for name in found.features)
    assert np.max(np.abs(found.encode(Dates(np.array(["2010-08-15"], "datetime64[us]"))))) <= 2.0
    assert out_of_season(found, ["2010-08-15", "2010-01-05"]).count == 1


@pytest.mark.parametrize("freq", ["D", "MS", "h"])
def test_a_season_that_they_show_stays_whole(freq):
    found = part(dates("2020-01-01", "2023-12-31", freq=freq))
    assert sum("of the year" in name for name in found.features) == 6
    assert found.left == ()
    assert out_of_season(found, ["2024-05-05", "2031-08-01 13:00"]).count == 0


@pytest.mark.parametrize("freq", ["QS", "B", "W", "6MS"])
def test_no_wave_is_nearly_given_by_those_before_it(freq):
    column = dates("2010-01-01", "2023-12-31", freq=freq)
    found = part(column)
    waves = [k for k, name in enumerate(found.features) if "sine" in name]
    values = np.linalg.eigvalsh(np.cov(found.encode(column)[:, waves].T)) if waves else [1.0]
    assert min(values) > HARDLY / 10


def test_days_of_the_week_that_the_fit_did_not_have_are_spoken_of():
    found = part(dates("2022-01-01", "2022-06-30", freq="B"))
    weekend = out_of_season(found, ["2022-07-01", "2022-07-02", "2022-07-03", "2022-07-04"])
    assert (weekend.count, weekend.example) == (2, "2022-07-02")
    assert "2 rows lie in a part of the week of which the fit had no row, such as 2022-07-02; no" in weekend.sentence(
        "t"
    )


def test_what_was_left_out_is_stored_and_older_states_have_all_waves():
    found = part(dates("2010-01-01", "2023-12-31", freq="QS"))
    assert "sine 2 of the year" in found.left
    state = json.loads(json.dumps(Encoder((found,)).as_dict()))
    assert Encoder.from_dict(state).parts == (found,)
    older = asdict(found)
    for name in ("left", "empty_from", "empty_to"):
        older.pop(name)
    older["kind"].pop("doubt")
    (again,) = Encoder.from_dict({"parts": [older]}).parts
    assert len(again.features) == 1 + 2 * sum({"year": 3, "week": 3}[one] for one in again.parts)
    assert out_of_season(again, ["2022-07-02"]).count == 0
