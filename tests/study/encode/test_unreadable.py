"""Cells of later tables that are no numbers or dates as in the fit."""

import numpy as np
import pytest

from surefit.study.encode.kinds import kind_of
from surefit.study.encode.outside import Unreadable
from surefit.study.encode.unreadable import no_dates, no_numbers
from surefit.study.tables.table import Dates, Numbers, Words

DAYS = np.arange("2021-01-01", "2021-07-20", dtype="datetime64[D]").astype("datetime64[us]")
TEXTS = [str(day)[:19] for day in DAYS]
BARE, ZONED = kind_of(Dates(DAYS)), kind_of(Dates(DAYS, "Europe/Berlin"))
OFFSETS = kind_of(Words.of([f"{text}+01:00" for text in TEXTS]))


def test_texts_that_the_fit_had_among_its_dates_are_not_counted():
    kind = kind_of(Words.of([*TEXTS, "n/a yet"]))
    assert no_dates(Words.of([TEXTS[0], "n/a yet", "", "later"]), kind) == Unreadable(1, 2, "later", True)


@pytest.mark.parametrize(
    ("kind", "column", "said"),
    [
        (BARE, Words.of(["2022-01-01T12:00Z"]), "no time zone"),
        (BARE, Dates(DAYS[:2], "UTC"), "no time zone"),
        (ZONED, Words.of(["2022-01-01T12:00"]), "the time zone Europe/Berlin"),
        (ZONED, Dates(DAYS[:2]), "the time zone Europe/Berlin"),
        (ZONED, Words.of(["2nd of May"]), "the time zone Europe/Berlin"),
        (ZONED, Numbers(np.array([20_220_101.0])), "the time zone Europe/Berlin"),
        (OFFSETS, Words.of(["2022-07-01T12:00+02:00"]), "the offset +01:00 from UTC"),
        (OFFSETS, Dates(DAYS[180:], "Europe/Berlin"), "the offset +01:00 from UTC"),
    ],
)
def test_dates_of_another_kind_of_zone_are_not_read_and_the_sentence_says_why(kind, column, said):
    found = no_dates(column, kind)
    assert found.all
    assert f"no cell is a date written as in the fit (whose dates have {said}), such as '2" in found.sentence("c")
    part = found + Unreadable(0, 3, "", True)
    assert part.sentence("c").endswith(f"and count{'s' * (part.count == 1)} as missing; write all dates with {said}")


def test_dates_of_the_same_zone_are_read():
    assert no_dates(Words.of(["2022-07-01T12:00Z"]), ZONED).count == 0
    assert no_dates(Dates(DAYS, "UTC"), ZONED).count == 0
    assert no_dates(Dates(DAYS[:9], "Europe/Berlin"), OFFSETS).count == 0
    assert no_dates(Dates(np.array(["NaT"], "datetime64[us]")), ZONED) == Unreadable(0, 0, "", True)


def test_the_example_of_a_typed_column_is_what_its_clock_showed():
    assert no_dates(Dates(DAYS[:1], "Asia/Tokyo"), BARE).example == "2021-01-01T09:00:00 Asia/Tokyo"


def test_numbers_are_no_dates_and_dates_no_numbers():
    assert no_dates(Numbers(np.array([44_927.0, np.nan])), BARE) == Unreadable(1, 1, "44927", True)
    serial = kind_of(Numbers(44_000.0 + np.arange(50) ** 2))
    assert no_numbers(Dates(DAYS[:3]), serial) == Unreadable(3, 3, "2021-01-01T00:00:00")
    assert no_numbers(Dates(DAYS[:3]), kind_of(Dates(DAYS), "number")).count == 0
