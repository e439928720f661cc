"""What is said of cells and rows that a model was not fitted to."""

from itertools import combinations
from math import exp

import numpy as np
import pytest

from surefit.study.encode.encoder import Encoder
from surefit.study.encode.kinds import kinds_of
from surefit.study.encode.outside import BEYOND, Outside, Remarks, Unreadable, log_chance_outside
from surefit.study.encode.parts import CategoryPart
from surefit.study.tables.table import Numbers, Table, Words


def said(training, new):
    """The sentences about the column ``c`` of new rows."""
    rows, later = (Table(("c",), (column,), len(column.missing)) for column in (training, new))
    encoder, remarks = Encoder.of(rows, kinds_of(rows, {}), ["c"]), Remarks()
    remarks.add(encoder.unreadable(later), encoder.outside(later))
    return remarks.of_cells() + remarks.of_rows()


COLOURS = ["red"] * 30 + ["blue"] * 20
NUMBERS = Numbers(np.linspace(0.2, 5.0, 50) ** 1.1)


def test_rows_of_the_fit_are_not_spoken_of():
    gaps = Numbers(np.where(np.arange(50) % 7 == 0, np.nan, NUMBERS.values))
    tail = Words.of([*COLOURS, "ochre", "teal", "teal"])
    infinite = Numbers(np.append(NUMBERS.values, np.inf))
    slips = Words.of([*map(str, range(2, 60)), "many"])
    for column in (Words.of(COLOURS), NUMBERS, gaps, tail, infinite, slips):
        assert said(column, column) == []


@pytest.mark.parametrize("value", ["violet", None])
def test_unknown_and_missing_levels_are_predicted_as_what_is_said(value):
    (found,) = said(Words.of(COLOURS), Words.of([value, "red", value]))
    assert found.startswith("column 'c': 2 rows have ")
    assert "are predicted as 'red', the most frequent; no interval, set of classes or certificate covers them" in found


def test_new_levels_beside_a_tail_are_spoken_of_where_the_tail_does_not_explain_them():
    training = Words.of([*["red"] * 300, *["blue"] * 300, "ochre", "teal", "teal"])
    assert said(training, Words.of(["ochre", "teal"])) == []
    (found,) = said(training, Words.of(["violet"]))
    assert "is predicted as rare levels" in found
    names = Words.of([*COLOURS, *(f"name {k}" for k in range(50))])  # half of the rows have a level of their own
    assert said(names, Words.of(["somebody", "red"])) == []


def test_numbers_are_far_beyond_the_range_by_more_than_its_width():
    low, high = NUMBERS.values[[0, -1]]
    assert said(NUMBERS, Numbers(np.array([high + 0.9 * (high - low)]))) == []
    (found,) = said(NUMBERS, Numbers(np.array([1.0, high + 1.1 * (high - low), np.inf, -1e300])))
    assert found.startswith(
        f"column 'c': 3 rows lie far outside what the model was fitted to ({low:.6g} to {high:.6g}), such"
    )


@pytest.mark.parametrize("end", [np.inf, -np.inf])
def test_infinite_numbers_of_the_fit_do_not_widen_its_range(end):
    """One made the range infinite, and numbers however large were then inside it."""
    training = Numbers(np.append(NUMBERS.values, end))
    assert said(training, Numbers(np.array([1.0, end]))) == []
    (found,) = said(training, Numbers(np.array([1.0, 1000.0, end])))
    assert found.startswith("column 'c': 1 row lies far outside what the model was fitted to (0.17")


def test_an_empty_column_is_spoken_of_even_if_there_were_gaps():
    gaps = Numbers(np.where(np.arange(50) == 7, np.nan, NUMBERS.values))
    (found,) = said(gaps, Numbers(np.full(12, np.nan)))
    assert "12 rows have no value, where 98 % of the rows of the fit had one" in found
    (found,) = said(NUMBERS, Numbers(np.array([1.0, np.nan])))
    assert "1 row has no value, where every row of the fit had one" in found


def test_dates_that_cannot_be_read_are_counted():
    days = Words.of([f"{day:02}/{month:02}/2022" for day in range(1, 29) for month in (1, 5, 8)])
    (found,) = said(days, Words.of(["2022-08-21", "13/02/2022", "NA", "03/04/2022"]))
    assert "1 row has no value, where every row of the fit had one, and is predicted as 2022-05-0" in found
    (found,) = said(days, Words.of(["08/21/2022", "01/01/2022"]))
    assert "1 cell is no date written as in the fit, such as '08/21/2022', and counts as missing; write all" in found
    (found,) = said(days, Numbers(np.array([3.0])))
    assert "no cell is a date written as in the fit, such as '3'" in found
    assert "2 rows lie far outside" in said(days, Words.of(["2052-08-21", "1822-01-01"]))[0]


def test_parts_of_older_files_do_not_know_shares_and_say_nothing_of_gaps():
    kind = kinds_of(Table(("c",), (Words.of(COLOURS),), 50), {})["c"]
    old = CategoryPart("c", kind, "red", ("blue",), True, True)
    assert not any(one.unusual for one in old.outside(Words.of(["violet", None])))


def test_blocks_add_up():
    remarks = Remarks()
    for count in (0, 2):
        found = Outside("unknown", count, 5, "violet" * bool(count), "as 'red', the most frequent")
        remarks.add({"x": Unreadable(count, 5, "?!" * bool(count))}, {"c": (found,)})
    assert remarks.of_cells() == ["column 'x': 2 cells are no numbers, such as '?!', and count as missing; mend them"]
    assert remarks.outside["c", "unknown"].rows == 10
    assert "2 rows have a level that the fit did not have, such as 'violet', and are" in remarks.of_rows()[0]


def test_what_is_counted_as_far_is_said_and_blocks_before_it_do_not_hide_it():
    days = Words.of([f"2024-{month:02}-{day:02}" for month in (1, 2, 3) for day in range(1, 29)])
    later = [f"2024-{month:02}-15" for month in range(4, 13)]
    (found,) = said(days, Words.of(later))
    assert "column 'c': 6 rows lie far outside what the model was fitted to (2024-01-01 to 2024-03-28), such" in found
    assert found.endswith("covers them (far is before 2023-10-06 or after 2024-06-23)")
    assert sum(one > "2024-06-23" for one in later) == 6
    rows = Table(("c",), (days,), 84)
    encoder, remarks = Encoder.of(rows, kinds_of(rows, {}), ["c"]), Remarks()
    for block in (later[:2], later[2:]):
        remarks.add({}, encoder.outside(Table(("c",), (Words.of(block),), len(block))))
    assert remarks.of_rows() == [found]


def test_another_unit_is_noticed_though_no_value_is_far():
    rng = np.random.default_rng(0)
    area = rng.lognormal(7.3, 0.35, 500)
    (found,) = said(Numbers(area[:400]), Numbers(0.0929 * area[400:]))
    assert found.startswith("column 'c': 100 of 100 rows lie outside the range of the fit (")
    assert "more than chance allows (is it in the same unit?), such as" in found
    assert said(Numbers(area[:400]), Numbers(area[400:])) == []
    (found,) = said(Numbers(area[:400]), Numbers(area[:3] * 0.01))
    assert "3 of 3 rows lie outside" in found
    assert said(Numbers(area[:400]), Numbers(area[:1] * 0.01)) == []  # one row in 200 is outside


def test_the_chance_of_values_outside_the_range_bounds_that_of_all_orders():
    fitted, rows = 5, 4
    orders = list(combinations(range(fitted + rows), rows))  # where the new ones stand among all
    outside = []
    for new in orders:
        old = [k for k in range(fitted + rows) if k not in new]
        outside.append(sum(k < old[0] or k > old[-1] for k in new))
    for count in range(1, rows + 1):
        exact = np.mean(np.array(outside) >= count)
        assert exact <= exp(log_chance_outside(count, rows, fitted)) * (1 + 1e-12)
    assert np.mean(np.array(outside) == rows) == pytest.approx(exp(log_chance_outside(rows, rows, fitted)))


def test_older_files_do_not_know_how_many_rows_gave_the_range():
    assert not Outside(BEYOND, 100, 100, "1", "5 to 9").unusual
    assert Outside(BEYOND, 100, 100, "1", "5 to 9", fitted=50).unusual


@pytest.mark.parametrize(
    ("there", "here"), [(("True", "False"), ("true", "false")), (("TRUE", "FALSE"), ("True", "False"))]
)
def test_truth_values_are_known_however_they_are_spelt(there, here):
    training, new = Words.of(list(there) * 20), Words.of(list(here) * 3)
    assert said(training, new) == []
    rows = Table(("c",), (training,), 40)
    encoder = Encoder.of(rows, kinds_of(rows, {}), ["c"])
    spelt = [encoder.encode(Table(("c",), (Words.of(list(words) * 3),), 6)) for words in (there, here)]
    np.testing.assert_array_equal(*spelt)
