"""Rows are set aside by what they are, whole groups by their names, later rows by their time."""

import numpy as np
import pytest

from surefit.study.division import divide, divide_groups, divide_time, folds_of, moments_of, row_hashes, times_of
from surefit.study.encode.kinds import kinds_of
from surefit.study.tables.table import Numbers, Table, TableError, Words


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return Table(("x", "w"), (Numbers(rng.normal(size=n)), Words.of(rng.choice(["a", "b"], n).tolist())), n)


def test_the_same_rows_are_held_out_in_any_order():
    rows = table()
    order = np.random.default_rng(1).permutation(200)
    first, second = divide(rows, None, 0), divide(rows.take(order), None, 0)
    assert set(first.holdout) == set(order[second.holdout])
    assert len(first.holdout) == 40
    assert set(first.holdout) != set(divide(rows, None, 1).holdout)


def test_classes_keep_their_shares():
    classes = np.repeat([0, 1], [190, 10])
    held = divide(table(), classes, 0).holdout
    assert np.count_nonzero(classes[held] == 1) == 2


def test_groups_are_on_one_side_and_few_are_refused():
    groups = np.random.default_rng(0).integers(0, 20, 200).astype(np.uint64)
    found = divide_groups(groups, "who", 0)
    assert not set(groups[found.training]) & set(groups[found.holdout])
    with pytest.raises(TableError, match="3 groups"):
        divide_groups(np.arange(200, dtype=np.uint64) % 3, "who", 0)


def test_the_last_rows_by_time_are_held_out():
    moments = np.random.default_rng(0).permutation(100.0 * np.arange(50))
    found = divide_time(moments, "when")
    assert moments[found.training].max() < moments[found.holdout].min()
    assert len(found.holdout) == 10


def test_rows_are_in_the_order_of_universal_time_and_a_slip_is_named():
    texts = ["2024-07-01T12:00+02:00", "2024-07-01T11:00+01:00", "2024-07-01T11:30+02:00"]
    rows = Table(("when",), (Words.of(texts),), 3)
    kind = kinds_of(rows, {})["when"]
    first, second, third = moments_of(rows, "when", kind)
    assert third < first == second
    assert str(times_of(rows, "when", kind)[0]) == "2024-07-01T10:00:00"
    days = np.arange("2024-01-01", "2024-03-01", dtype="datetime64[D]").astype(str).tolist()
    rows = Table(("when",), (Words.of([*days, "soon"]),), len(days) + 1)
    with pytest.raises(TableError, match="1 row has no time in 'when', such as 'soon'; fill it in or drop it"):
        moments_of(rows, "when", kinds_of(rows, {})["when"])
    rows = Table(("when",), (Words.of(["12:30", "9:45", "x"]),), 3)
    with pytest.raises(TableError, match="'when' holds texts that look like dates or times and are not read as such"):
        moments_of(rows, "when", kinds_of(rows, {})["when"])


def test_folds_partition_the_rows_and_equal_rows_share_one():
    rows = table(100)
    prints = np.concatenate([row_hashes(rows), row_hashes(rows)[:20]])
    folds = folds_of(prints, 5, 0)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(120))
    for _, test in folds:
        assert {k + 100 for k in test if k < 20} == {k for k in test if k >= 100}


def test_folds_in_time_train_on_the_past():
    moments = np.arange(60.0)
    for train, test in folds_of(np.arange(60, dtype=np.uint64), 5, 0, moments=moments):
        assert train.max() < test.min()
