"""Dates by the clock that showed them."""

import numpy as np
import pytest

from surefit.study.tables.table import Dates, TableError
from surefit.study.tables.zones import (
    NO_OFFSET,
    in_universal,
    on_clock,
    several_places,
    shown_by,
    zone_in_words,
    zone_named,
    zone_of,
)

BERLIN = "Europe/Berlin"


def moments(*texts):
    return np.array(texts, dtype="datetime64[us]")


def test_a_zone_with_a_name_knows_when_clocks_are_changed():
    utc = moments("2024-03-31T00:59:59", "2024-03-31T01:00", "2024-10-27T00:59:59", "2024-10-27T01:00", "NaT")
    shown, ahead = shown_by(Dates(utc, BERLIN))
    expected = moments("2024-03-31T01:59:59", "2024-03-31T03:00", "2024-10-27T02:59:59", "2024-10-27T02:00", "NaT")
    np.testing.assert_array_equal(shown, expected)
    assert ahead[:4].tolist() == [3600, 7200, 7200, 3600]
    np.testing.assert_array_equal(in_universal(shown, ahead), utc)
    np.testing.assert_array_equal(on_clock(shown, ahead, BERLIN), shown)
    np.testing.assert_array_equal(on_clock(shown, ahead, "+01:00 +02:00"), shown)
    np.testing.assert_array_equal(on_clock(utc, np.zeros(5, dtype=int), BERLIN), shown)


def test_offsets_that_the_fit_did_not_have_and_dates_of_the_other_kind_are_not_read():
    noon = moments("2024-07-01T12:00", "2024-07-01T12:00", "2024-07-01T12:00")
    offsets = np.array([7200, 0, NO_OFFSET])
    for zone, read in (
        ("+01:00 +02:00", [True, False, False]),
        ("", [False, False, True]),
        ("UTC", [True, True, False]),
    ):
        assert (~np.isnat(on_clock(noon, offsets, zone))).tolist() == read
    assert on_clock(noon, offsets, "UTC")[0] == np.datetime64("2024-07-01T10:00")


def test_years_beyond_those_of_python_have_a_clock_too():
    far = moments("-5000-01-01", "20000-01-01")
    assert not np.any(np.isnat(shown_by(Dates(far, BERLIN))[0]))


def test_names_of_zones_and_unknown_ones():
    assert [zone_named(name) for name in ("UTC", "+00:00", "UTC-03:30", "pytz.FixedOffset(120)", BERLIN)] == [
        "UTC", "UTC", "-03:30", "+02:00", BERLIN,
    ]  # fmt: skip
    with pytest.raises(TableError, match="time zone 'Europe/Atlantis' is not known here; turn these dates into UTC"):
        zone_named("Europe/Atlantis")


def test_zones_in_words_and_how_far_they_are_apart():
    many = zone_of(3600 * np.arange(-3, 4))
    assert zone_in_words(many) == "the offsets -03:00, -02:00, -01:00, +00:00 and 3 more from UTC"
    assert zone_in_words("+05:30") == "the offset +05:30 from UTC"
    assert several_places(many)
    assert not several_places("+01:00 +02:00")
    assert not several_places("")
