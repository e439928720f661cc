"""Forecasts are plans, corrected by how long fits have taken."""

import time

import numpy as np
import pytest

from surefit.study.contest.candidates import Entry
from surefit.study.contest.clock import Clock
from surefit.study.contest.compete import Arena
from surefit.study.contest.forecast import OVERHEAD, Forecast


class Idle:
    """Takes so many seconds for each row."""

    def __init__(self, each):
        self.each = each

    def fit(self, X, y):
        time.sleep(self.each * len(X))
        return self

    def predict(self, X):
        return np.zeros(len(X))


def arena(n):
    half = n // 2
    folds = [(np.arange(half), np.arange(half, n)), (np.arange(half, n), np.arange(half))]
    return Arena(np.zeros((n, 1)), np.zeros(n), None, folds)


def test_fits_that_took_twice_their_plan_double_the_next_forecast():
    forecast = Forecast()
    forecast.learn(1.0, 2 * (1.0 + OVERHEAD))
    entry = Entry("slow", "Slow", 0, lambda X, y, w: Idle(0.0), planned=lambda n, d, k: n / 100)
    expected = 2 * (2 * (0.5 + OVERHEAD) + 1.0 + OVERHEAD)
    assert forecast.seconds(arena(100), entry, Clock(), 1e9) == pytest.approx(expected)


def test_a_trial_corrects_a_plan_that_would_decide():
    """Planned a thousand times too slow; a trial with few rows says that there is time."""
    entry = Entry("quick", "Quick", 0, lambda X, y, w: Idle(1e-6), planned=lambda n, d, k: 1e-3 * n)
    found = Forecast().seconds(arena(4000), entry, Clock(), 10.0)
    assert found < 5.0


def test_a_trial_that_overruns_says_that_there_is_no_time():
    from surefit.progress import Task

    class Endless(Idle):
        def fit(self, X, y):
            tell, k = Task("waiting"), 0
            while True:
                k += 1
                tell(k, 1.0)

    entry = Entry("endless", "Endless", 0, lambda X, y, w: Endless(0), planned=lambda n, d, k: 1.0)
    assert Forecast().seconds(arena(4000), entry, Clock(), 2.0) == np.inf
