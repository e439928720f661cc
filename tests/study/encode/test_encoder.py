"""A table becomes finite numbers, whatever comes, and the encoder is plain data."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefit.study.encode.encoder import Encoder
from surefit.study.encode.kinds import kinds_of
from surefit.study.tables.table import Dates, Numbers, Table, TableError, Words


def table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    number = rng.normal(size=n)
    number[::7] = np.nan
    wild = np.exp(4 * rng.normal(size=n))
    colour = rng.choice(["red", "blue", "green"], size=n, p=[0.6, 0.3, 0.1]).tolist()
    day = np.datetime64("2020-01-01") + rng.integers(0, 900, n).astype("timedelta64[D]")
    columns = (Numbers(number), Numbers(wild), Words.of(colour), Dates(day.astype("datetime64[us]")))
    return Table(("x", "wild", "colour", "day"), columns, n)


def fitted(rows):
    return Encoder.of(rows, kinds_of(rows, {}), rows.names)


def test_numbers_are_standardised_and_missing_ones_have_an_indicator():
    rows = table()
    X = fitted(rows).encode(rows)
    absent = np.isnan(rows["x"].values)
    np.testing.assert_allclose(X[~absent, 0].mean(), 0, atol=1e-12)
    np.testing.assert_allclose(X[~absent, 0].std(), 1, rtol=1e-12)
    assert np.all(X[absent, 0] == 0)
    np.testing.assert_array_equal(X[:, 1], absent)


def test_wild_columns_are_squashed_and_keep_their_order():
    rows = table()
    encoder = fitted(rows)
    place = encoder.features.index("wild (squashed)")
    z = encoder.encode(rows)[:, place]
    assert np.all(np.abs(z) < 4)
    assert np.all(np.argsort(z) == np.argsort(rows["wild"].values))


def test_unseen_levels_count_as_rare_or_as_the_reference():
    rows = table()
    encoder = fitted(rows)
    new = Table(rows.names, (*rows.columns[:2], Words.of(["violet"] * 60), rows.columns[3]), 60)
    assert encoder.strange(new) == {"colour": {"violet": 60}}
    assert np.all(np.isfinite(encoder.encode(new)))


def test_the_state_survives_json():
    encoder = fitted(table())
    again = Encoder.from_dict(json.loads(json.dumps(encoder.as_dict())))
    assert again == encoder
    np.testing.assert_array_equal(again.encode(table(seed=1)), encoder.encode(table(seed=1)))
    with pytest.raises(ValueError, match="no state of an encoder"):
        Encoder.from_dict({"parts": [{"kind": {"kind": "os.system"}}]})


def test_missing_columns_are_named():
    rows = table()
    with pytest.raises(TableError, match="'wild', 'day'"):
        fitted(rows).encode(rows.without(["wild", "day"]))


@settings(max_examples=60)
@given(st.lists(st.floats(width=64), min_size=3, max_size=30), st.lists(st.text(), min_size=3, max_size=30))
def test_whatever_comes_the_numbers_are_finite(values, texts):
    n = min(len(values), len(texts))
    rows = Table(("x", "word"), (Numbers(np.array(values[:n])), Words.of(texts[:n])), n)
    encoder = fitted(rows)
    assert np.all(np.isfinite(encoder.encode(rows)))
    new = Table(("x", "word"), (Numbers(np.array([np.inf, -1e308, np.nan])), Words.of(["", "new", "0"])), 3)
    assert np.all(np.isfinite(encoder.encode(new)))


def test_features_know_their_columns_and_units():
    encoder = fitted(table())
    assert len(encoder.features) == len(encoder.sources) == len(encoder.units)
    assert len(set(encoder.features)) == len(encoder.features)
    assert set(encoder.sources) == {"x", "wild", "colour", "day"}
