"""The task is inferred from the target, and said."""

import numpy as np
import pytest

from surefit.study.tables.table import Numbers, Table, TableError, Words
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
