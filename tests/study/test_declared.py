"""Promises of a study with groups or times: counted by groups, refused where errors change."""

import numpy as np
import pytest

from surefit.study.declared import ORDINARY, Declared
from surefit.study.encode.kinds import kind_of
from surefit.study.tables.table import Numbers, Table, TableError, Words
from surefit.theory.intervals.conformal import INTERVALS, SETS, pac_promise, pac_rank

ASKED = (0.9, "pac", 0.05)


def test_without_a_declaration_every_row_is_a_draw():
    scores = np.arange(100.0)
    found, promise = ORDINARY.promised(scores, ASKED, INTERVALS)
    assert found == scores[pac_rank(100, 0.9, 0.05) - 1]
    assert promise == pac_promise(100, 0.9, 0.05)


def test_a_refusal_and_a_condition_are_in_the_words():
    with pytest.raises(TableError, match="no sets can be promised: errors change"):
        Declared(refused="errors change").promised(np.arange(100.0), ASKED, SETS)
    _, promise = Declared(later="Only if.").promised(np.arange(100.0), ASKED, SETS)
    assert promise.statement.endswith("in their set.  Only if.")
    assert any("keep their law" in one for one in promise.assumptions)


def test_intervals_by_groups_cover_new_groups_as_often_as_they_say():
    """200 hold-outs of 60 groups, whose rows share their error: at most 5 % of the radii may be too small.

    If that share is 0.05, more than 22 failures have probability 1e-4.  Counted by rows, nearly half of them fail.
    """
    rng, wanted = np.random.default_rng(0), 1.6448536269514722  # 90 % of normal errors are within
    groups, failures, by_rows = np.repeat(np.arange(60), 10), 0, 0
    for _ in range(200):
        scores = np.abs(rng.normal(size=60))[groups]
        failures += Declared(groups=groups).promised(scores, ASKED, INTERVALS)[0] < wanted
        by_rows += ORDINARY.promised(scores, ASKED, INTERVALS)[0] < wanted
    assert failures <= 22
    assert by_rows > 40


def test_ten_groups_are_too_few_however_many_rows_they_have():
    declared = Declared(groups=np.repeat(np.arange(10), 100))
    with pytest.raises(ValueError, match=r"10 groups are too few for 0\.9 coverage of new groups"):
        declared.promised(np.arange(1000.0), ASKED, INTERVALS)
    assert "In a new group" in declared.promised(np.arange(1000.0), (0.9, "split", 0.05), INTERVALS)[1].statement


def test_other_rows_say_their_groups_or_times_or_are_refused():
    table = Table(("g", "t"), (Words.of(["a", "b", "a"]), Numbers(np.array([1.0, 2.0, 3.0]))), 3)
    assert ORDINARY.of_rows(table) == {}
    groups = Declared(group="g").of_rows(table)["groups"]
    assert groups[0] == groups[2] != groups[1]
    times = Declared(time="t", kind=kind_of(table["t"])).of_rows(table)["time"]
    np.testing.assert_array_equal(times, [1, 2, 3])
    with pytest.raises(TableError, match="the table lacks 'h', the column of groups"):
        Declared(group="h").of_rows(table)
