"""Layer study: candidates on the same folds, within a budget.

In: encoded training rows, folds, the entries in order of cost, and a clock.  Out: for every entry a `Run`: how it
ended, and an answer for every row from the fold that did not train on it.  What would not fit into the time that is
left is not begun; what turns out to take longer is stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from surefit.study.answers import spread
from surefit.study.candidates import Entry
from surefit.study.clock import Clock, OutOfTime
from surefit.study.division import Fold
from surefit.study.record import Ending

PILOT = 500
"""Rows of the fit by which the time of all fits is estimated, where there are many more."""

SLACK = 1.3
"""How much longer than estimated a candidate may take before it is not begun."""

ALWAYS = 2
"""The first candidates, a baseline and the cheapest model, are begun whatever the time."""


@dataclass(frozen=True, eq=False)
class Arena:
    """What all candidates share: rows, targets, weights, folds, and how an estimator answers."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    folds: Sequence[Fold]
    classes: tuple[str, ...] = ()

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    def answers(self, model: Any, X: np.ndarray) -> np.ndarray:
        """Numbers ``(n,)``, or a probability for each class ``(n, k)``."""
        if not self.n_classes:
            return np.asarray(model.predict(X), dtype=np.float64)
        return spread(model, X, self.classes)

    def fit(self, entry: Entry, rows: np.ndarray) -> Any:
        weight = None if self.weight is None else self.weight[rows]
        return entry.fit(self.X[rows], self.y[rows], weight)

    def fit_to_all(self, entry: Entry) -> Any:
        """The entry fitted to all training rows; of classes it then knows the names."""
        y = np.array(self.classes)[self.y.astype(int)] if self.classes else self.y
        return entry.fit(self.X, y, self.weight)

    @property
    def judged(self) -> np.ndarray:
        """Rows that some fold judges by, in order."""
        return np.sort(np.concatenate([test for _, test in self.folds]))


@dataclass(frozen=True, eq=False)
class Run:
    """How an entry did."""

    entry: Entry
    ending: Ending
    reason: str = ""
    answers: np.ndarray | None = None
    """One row per training row, nan where no fold judged it."""
    n_folds: int = 0
    """Folds that were done."""
    seconds: float = 0.0
    gap: float = float("nan")
    lams: tuple[float, ...] = ()
    """Penalties that were chosen in the folds."""
    facts: dict[str, float] = field(default_factory=dict)


def compete(
    arena: Arena, entries: Sequence[Entry], clock: Clock, reserve: float, done: Callable[[Run], None] | None = None,
    known: dict[str, Run] | None = None,
) -> list[Run]:  # fmt: skip
    """All entries in turn; ``reserve`` seconds are kept for what comes afterwards, ``known`` runs are not repeated."""
    runs: list[Run] = []
    for place, entry in enumerate(entries):
        if entry.refused:
            runs.append(Run(entry, Ending.SKIPPED, entry.refused))
            continue
        if known and entry.name in known:
            runs.append(replace(known[entry.name], entry=entry))
            continue
        run = _run(arena, entry, clock, clock.left - reserve, must=place < ALWAYS)
        runs.append(run)
        if done is not None:
            done(run)
    return runs


def _run(arena: Arena, entry: Entry, clock: Clock, seconds: float, must: bool) -> Run:
    start = time.perf_counter()
    expected = _expected(arena, entry, clock, seconds) if not must else 0.0
    if not must and expected * SLACK > seconds:
        about = f"about {_said(expected)}" if np.isfinite(expected) else "longer"
        reason = f"it would take {about}, and {_said(max(seconds, 0.0))} were left"
        return Run(entry, Ending.SKIPPED, reason, seconds=time.perf_counter() - start)
    width = (arena.n_classes,) if arena.n_classes else ()
    answers, models = np.full((len(arena.y), *width), np.nan), []
    ending, reason = Ending.FINISHED, ""
    end = start + (max(seconds, 5.0) if must else seconds)
    try:
        for number, (train, test) in enumerate(arena.folds, 1):
            now = time.perf_counter()
            if number > 1 and not must and now + (now - start) / (number - 1) * (len(arena.folds) - number + 2) > end:
                raise OutOfTime
            with clock.limited(f"{entry.name}, fold {number} of {len(arena.folds)}", end - now):
                model = arena.fit(entry, train)
                answers[test] = arena.answers(model, arena.X[test])
            models.append(model)
    except OutOfTime:
        ending, reason = Ending.STOPPED, f"its time was over after {len(models)} of {len(arena.folds)} folds"
    except (ValueError, ArithmeticError, MemoryError, np.linalg.LinAlgError) as error:
        ending, reason = Ending.FAILED, str(error) or type(error).__name__
    if ending is Ending.FINISHED and not np.all(np.isfinite(answers[arena.judged])):
        ending, reason = Ending.FAILED, "some of its answers are not finite"
    lams = tuple(float(model.lam_) for model in models if np.size(getattr(model, "lam_", ())) == 1)
    gap = max((gap_of(model, arena.y) for model in models), default=float("nan"))
    return Run(entry, ending, reason, answers, len(models), time.perf_counter() - start, gap, lams)


def gap_of(model: Any, y: np.ndarray) -> float:
    """The duality gap of a fit; nan where its solver proves none."""
    gap = float(getattr(getattr(model, "solution_", None), "gap", np.nan))
    return gap if np.isfinite(gap) else float("nan")


def _expected(arena: Arena, entry: Entry, clock: Clock, seconds: float) -> float:
    """Seconds for all folds and one fit to all rows, from fits to few rows; 0 if there are few anyway.

    Time is taken for ``a + b n**power``, with a part that does not grow with the rows.
    """
    n, size, times = len(arena.y), max(PILOT, 2 * entry.landmarks), len(arena.folds) + 1
    if n < 4 * size:
        return 0.0
    order, taken = np.random.default_rng(0).permutation(n), []
    for rows in (order[:size], order[: 2 * size]):
        start = time.perf_counter()
        try:
            with clock.limited(f"{entry.name}, how long it will take", seconds / times):
                arena.answers(arena.fit(entry, np.sort(rows)), arena.X[rows])
        except OutOfTime:
            return np.inf
        except (ValueError, ArithmeticError):
            return 0.0
        taken.append(time.perf_counter() - start)
    growth = max(taken[1] - taken[0], 0.1 * taken[1]) / ((2.0 * size) ** entry.power - float(size) ** entry.power)
    return times * (taken[1] + growth * (float(n) ** entry.power - (2.0 * size) ** entry.power))


def _said(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
