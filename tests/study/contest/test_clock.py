"""Budgets as people write them, and work that stops."""

import math
import time

import pytest

from surefit.progress import Task
from surefit.study.contest.clock import Clock, OutOfTime, seconds_of


@pytest.mark.parametrize(("text", "seconds"), [("30s", 30), ("1.5h", 5400), ("2 min", 120), (7, 7), (None, math.inf)])
def test_budgets_are_times(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["soon", "-1s", "0", "2d"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(ValueError, match="a budget is a time"):
        seconds_of(text)


def test_it_counts_from_a_start_of_ones_own():
    clock = Clock(10.0, time.perf_counter() - 4.0)
    assert 3.9 < clock.spent < 9.0
    assert clock.left == pytest.approx(10.0 - clock.spent, abs=1.0)


def test_the_line_names_the_work_and_where_it_stood_is_kept():
    said = []
    clock = Clock(say=said.append)
    with clock.limited("ridge, fold 1", 60.0):
        Task("steps", 9)(3, 0.5)
    assert said == ["ridge, fold 1", "ridge, fold 1, steps: step 3 of at most 9"]
    assert clock.last is not None
    assert clock.last.error == 0.5
    with pytest.raises(OutOfTime), clock.limited("late", -1.0):
        Task("steps")(1, 1.0)
