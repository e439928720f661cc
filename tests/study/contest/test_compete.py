"""Candidates keep to their time, and what fails is kept with its reason."""

import numpy as np
import pytest

from surefit.progress import Task
from surefit.study.contest.candidates import Entry, entries
from surefit.study.contest.clock import Clock, OutOfTime
from surefit.study.contest.compete import Arena, compete
from surefit.study.records.board import Ending


@pytest.fixture
def arena():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    folds = [(np.arange(20, 40), np.arange(20)), (np.arange(20), np.arange(20, 40))]
    return Arena(X, X[:, 0], None, folds)


def test_a_failing_candidate_is_kept_with_its_reason(arena):
    def fail(X, y, weight):
        raise ValueError("it cannot be")

    good = entries("regression", 40, 2)[:2]
    runs = compete(arena, [*good, Entry("bad", "Bad", 9, fail)], Clock())
    assert [run.ending for run in runs] == [Ending.FINISHED, Ending.FINISHED, Ending.FAILED]
    assert runs[2].reason == "it cannot be"


def test_a_loop_that_overruns_is_stopped(arena):
    def forever(X, y, weight):
        tell, k = Task("waiting"), 0
        while True:
            k += 1
            tell(k, 1.0)

    (run,) = compete(arena, [Entry("slow", "Slow", 9, forever)], Clock(0.1))  # the first may take two seconds
    assert run.ending is Ending.STOPPED
    assert "0 of 2 folds, in the next one at waiting: step" in run.reason


def test_what_would_overrun_is_not_begun_and_says_so(arena):
    def never(X, y, weight):
        raise AssertionError

    slow = Entry("slow", "Slow", 9, never, planned=lambda n, d, k: 1e6)
    run = compete(arena, [*entries("regression", 40, 2)[:2], slow], Clock(60.0))[2]
    assert run.ending is Ending.SKIPPED
    assert "it would take about" in run.reason


def test_every_row_is_answered_by_the_fold_that_did_not_see_it(arena):
    seen = []

    class Model:
        def fit(self, X, y):
            seen.append(len(X))
            return self

        def predict(self, X):
            return np.zeros(len(X))

    (run,) = compete(arena, [Entry("zero", "Zero", 0, lambda X, y, weight: Model())], Clock())
    assert run.ending is Ending.FINISHED
    assert np.all(run.answers == 0)
    assert seen == [20, 20]


def test_work_outside_its_time_raises():
    with pytest.raises(OutOfTime), Clock().limited("work", -1.0):
        Task("loop")(1, 1.0)
