"""Layer study: how long fits will take, so that none is begun that would not end in time.

In: what an entry's plan says, and how long the fits of this study have taken beside their plans.  Out: seconds.  A plan
is right within a factor of three or so.  Where that would decide, a fit to few rows, then to four times as many, and so
on, says how much slower this table and this machine are than the plan.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from surefit.study.contest.candidates import Entry
from surefit.study.contest.clock import Clock, OutOfTime

if TYPE_CHECKING:
    from surefit.study.contest.compete import Arena

CLEARLY = 5.0
"""A plan that is so many times below or above the time that is left needs no trial fit."""

FIRST_TRIAL, GROWTH = 500, 4
"""Rows of the first trial fit, and how many times more the next one has."""

OVERHEAD = 0.02
"""Seconds of any fit beside what is planned for it."""

TRIALS = 0.1
"""Share of the time that is left which trial fits of one entry may take."""


@dataclass
class Forecast:
    """Plans, times the ratio of seconds taken to seconds planned that fits here have shown."""

    ratios: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """The median so far; one before the first fit."""
        return float(np.median(self.ratios)) if self.ratios else 1.0

    def learn(self, planned: float, taken: float) -> None:
        """A fit was planned to take so long, and took so long."""
        self.ratios.append(max(taken, 1e-3) / (planned + OVERHEAD))

    def seconds(self, arena: Arena, entry: Entry, clock: Clock, left: float) -> float:
        """Expected seconds of all folds and of one fit to all rows, where ``left`` are left; inf: surely more."""
        whole = self._planned(arena, entry) * self.ratio
        if whole * CLEARLY < left or not np.isfinite(left):
            return whole
        if arena.X.shape[0] < GROWTH * self._first(entry):  # the first fold is trial enough
            return whole / (len(arena.folds) + 1)
        return self._tried(arena, entry, clock, left)

    def _tried(self, arena: Arena, entry: Entry, clock: Clock, left: float) -> float:
        """By fits to more and more rows, until they say clearly whether there is time or have taken their share."""
        n, d = arena.X.shape
        order, start, ratio = np.random.default_rng(0).permutation(n), time.perf_counter(), self.ratio
        size = self._first(entry)
        whole = self._planned(arena, entry)
        while size * GROWTH <= n:
            began = time.perf_counter()
            try:
                with clock.limited(f"{entry.name}, how long it will take", TRIALS * left):
                    arena.answers(arena.fit(entry, np.sort(order[:size])), arena.X[:size])
            except OutOfTime:
                return np.inf
            except (ValueError, ArithmeticError):  # few rows may lack what all have
                break
            now = time.perf_counter()
            ratio = max(now - began, 1e-3) / (entry.planned(size, d, arena.n_classes) + OVERHEAD)
            expected = ratio * whole
            if expected * CLEARLY < left or expected > CLEARLY * left:
                break
            size *= GROWTH
            if (now - start) + GROWTH * (now - began) > TRIALS * left:
                break
        return ratio * whole

    @staticmethod
    def _planned(arena: Arena, entry: Entry) -> float:
        n, d = arena.X.shape
        sizes = [*(len(train) for train, _ in arena.folds), n]
        return sum(entry.planned(size, d, arena.n_classes) + OVERHEAD for size in sizes)

    @staticmethod
    def _first(entry: Entry) -> int:
        """Rows of the first trial fit."""
        return max(FIRST_TRIAL, 2 * entry.landmarks)
