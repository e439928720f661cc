"""The task is inferred from the target, and said."""

import numpy as np
import pytest

from surefit.study.tables.table import Dates, Numbers, Table, TableError, Words
from surefit.study.target import about, target_of, usable


def table(column):
    n = len(column.codes if isinstance(column, Words) else column.values)
    return Table(("y",), (column,), n)


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (np.linspace(0, 1, 50), "regression"),
        (np.arange(50.0) % 2, "classification"),
        (np.arange(50.0) % 3, "classification"),
        (np.arange(50.0) % 40, "regression"),
        ((np.arange(50.0) % 3) / 7, "regression"),
    ],
)
def test_tasks_of_numbers(values, task):
    assert target_of(table(Numbers(values)), "y").task == task


def test_words_are_classes_in_order_and_numbers_first():
    found = target_of(table(Words.of(["10", "9", "x"] * 20)), "y")
    assert found.classes == ("9", "10", "x")
    np.testing.assert_array_equal(found.values(Words.of(["x", "9", "new"])), [2, 0, np.nan])


@pytest.mark.parametrize("column", [Words.of(["", "NA"] * 20), Words.of(["a"] * 40), Numbers(np.ones(40))])
def test_targets_that_teach_nothing_are_refused(column):
    with pytest.raises(TableError):
        target_of(table(column), "y")


def test_too_few_rows_are_refused():
    column = Numbers(np.arange(10.0))
    found = target_of(table(column), "y", "regression")
    with pytest.raises(TableError, match="at least 20"):
        usable(found, found.values(column))


def test_the_event_is_the_last_class_and_must_be_one():
    found = target_of(table(Words.of(["late", "lost", "on time"] * 20)), "y")
    assert about(found, None) is found
    assert about(found, "late").classes == ("lost", "on time", "late")
    with pytest.raises(TableError, match=r"no class 'early'; its classes are 'late', 'lost', 'on time'"):
        about(found, "early")
    with pytest.raises(TableError, match="is a number and has no class"):
        about(target_of(table(Numbers(np.linspace(0, 1, 50))), "y"), "late")


@pytest.mark.parametrize(
    "column",
    [
        Dates(np.arange("2024-01-01", "2024-03-01", dtype="datetime64[D]").astype("datetime64[us]")),
        Words.of([f"2024-01-{day:02}" for day in range(1, 32)] + [""]),
        Words.of([f"{day}/1/2024" for day in range(1, 32)]),
        Words.of([*(f"2024-01-{day:02}" for day in range(1, 32)), "soon"]),
        Words.of([f"{year}-Q{k}" for year in range(2000, 2010) for k in range(1, 5)]),
    ],
)
@pytest.mark.parametrize("task", [None, "regression"])
def test_dates_as_targets_are_refused_in_one_sentence(column, task):
    with pytest.raises(TableError, match=r"'y' holds dates, which .*; turn it into a number, such as the days since"):
        target_of(table(column), "y", task)


def test_quarters_are_classes_where_that_is_said_and_durations_have_a_unit():
    quarters = Words.of([f"2024-Q{k % 4 + 1}" for k in range(60)])
    assert target_of(table(quarters), "y", "classification").classes == ("2024-Q1", "2024-Q2", "2024-Q3", "2024-Q4")
    durations = Numbers(np.linspace(0, 1, 50), "durations, in seconds")
    assert target_of(table(durations), "y").reason == "its 50 values are durations, in seconds"


@pytest.mark.parametrize(("size", "why"), [(1e200, "as large as 5e"), (-1e200, "as large as"), (1e-200, "a spread of")])
def test_a_target_whose_squares_leave_float64_is_refused(size, why):
    values = size * np.linspace(1, 5, 50)
    target = target_of(table(Numbers(values)), "y")
    with pytest.raises(TableError, match=f"'y' has .*{why}.* whose squares float64 cannot hold; rescale it"):
        usable(target, values)
    assert np.all(usable(target, values / abs(size)))


def test_a_word_among_texts_that_begin_with_digits_is_named():
    with pytest.raises(TableError, match="has words such as '12 m'"):
        target_of(table(Words.of(["", "NA", "1", "2", "1st", *["12 m"] * 30])), "y", "regression")


def test_classes_that_are_truth_values_are_known_however_they_are_spelt():
    target = target_of(Table(("y",), (Words.of(["True", "False"] * 10),), 20), "y")
    np.testing.assert_array_equal(target.values(Words.of(["true", "FALSE", "maybe"])), [1.0, 0.0, np.nan])


@pytest.mark.parametrize("column", [Words.of(["a", "b"] * 10), Numbers(np.arange(20.0) % 2)])
def test_rows_of_a_class_that_the_target_does_not_have_are_told_from_rows_without_one(column):
    target = target_of(Table(("y",), (column,), 20), "y")
    one = target.classes[0]
    other = Words.of([one, "new", None, "NA"])
    assert target.foreign(other).tolist() == [False, True, False, False]
    assert target.named(other).tolist() == [one, "new", None, None]
    number = target_of(table(Numbers(np.arange(30.0))), "y")
    assert not number.foreign(Words.of(["1", "new"])).any()


@pytest.mark.parametrize("column", [Numbers(np.r_[np.arange(30.0), np.inf, np.nan]),
                                    Words.of([*map(str, range(30)), "inf", "?", "NA"])])  # fmt: skip
def test_infinities_and_signs_for_no_value_are_not_counted_among_the_values_of_a_target(column):
    assert target_of(table(column), "y").reason == "its 30 values are numbers"
