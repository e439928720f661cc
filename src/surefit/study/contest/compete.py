"""Layer study: candidates on the same folds, within a budget.

In: encoded training rows, folds, the entries in order of cost, and a clock.  Out: for every entry a `Run`: how it
ended, and an answer for every row from the fold that did not train on it.  What would not fit into the time that is
left is not begun; what turns out to take longer is stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.study.contest.answers import spread
from surefit.study.contest.candidates import Entry
from surefit.study.contest.clock import Clock, OutOfTime
from surefit.study.contest.forecast import Forecast
from surefit.study.division import Fold
from surefit.study.records.board import Ending

SLACK = 1.2
"""How much less than the time that is left a candidate must be expected to take to be begun."""

ALWAYS = 2
"""The first candidates, a baseline and the cheapest model, are begun whatever the time."""

LEAST = 2.0
"""Seconds that these have, whatever the budget."""


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
    final: float = 0.0
    """Seconds that one fit to all rows will take."""
    gap: float = float("nan")
    lams: tuple[float, ...] = ()
    """Penalties that were chosen in the folds."""


@dataclass(frozen=True)
class FoldFit:
    """What is kept of the fit of one fold."""

    lam: float
    gap: float
    seconds: float


def compete(
    arena: Arena, entries: Sequence[Entry], clock: Clock, after: float = 0.0, done: Callable[[Run], None] | None = None,
    known: Mapping[str, Run] | None = None,
) -> list[Run]:  # fmt: skip
    """All entries in turn; ``after`` seconds are kept for what follows the winner's fit; ``known`` runs are done."""
    runs: list[Run] = []
    forecast = Forecast()
    for place, entry in enumerate(entries):
        if entry.refused:
            runs.append(Run(entry, Ending.SKIPPED, entry.refused))
            continue
        if known and entry.name in known:
            runs.append(replace(known[entry.name], entry=entry))
            continue
        final = max((run.final for run in runs if not run.entry.outside), default=0.0)
        run = _run(arena, entry, clock, forecast, clock.left - after - SLACK * final, must=place < ALWAYS)
        runs.append(run)
        if done is not None:
            done(run)
    return runs


def _run(arena: Arena, entry: Entry, clock: Clock, forecast: Forecast, seconds: float, must: bool) -> Run:
    start = time.perf_counter()
    expected = 0.0 if must else forecast.seconds(arena, entry, clock, seconds)
    if not must and expected * SLACK > seconds:
        about = f"about {_said(expected)}" if np.isfinite(expected) else "longer"
        reason = f"it would take {about}, and {_said(max(seconds, 0.0))} were left"
        return Run(entry, Ending.SKIPPED, reason, seconds=time.perf_counter() - start)
    end = start + (max(seconds, LEAST) if must else seconds)
    answers, fits, ending, reason = _in_folds(arena, entry, clock, end, must)
    if ending is Ending.FINISHED and not np.all(np.isfinite(answers[arena.judged])):
        ending, reason = Ending.FAILED, "some of its answers are not finite"
    final = 0.0
    if fits:
        n, d = arena.X.shape
        train = min(len(rows) for rows, _ in arena.folds)
        planned = entry.planned(train, d, arena.n_classes)
        taken = [fit.seconds for fit in fits]
        forecast.learn(planned, float(np.median(taken)))
        final = max(taken) * max(1.0, min(entry.planned(n, d, arena.n_classes) / max(planned, 1e-9), (n / train) ** 3))
    lams = tuple(fit.lam for fit in fits if np.isfinite(fit.lam))
    gap = float(np.max([fit.gap for fit in fits])) if fits else float("nan")
    return Run(entry, ending, reason, answers, len(fits), time.perf_counter() - start, final, gap, lams)


def _in_folds(
    arena: Arena, entry: Entry, clock: Clock, end: float, must: bool
) -> tuple[np.ndarray, list[FoldFit], Ending, str]:
    """Answers of all folds that were done until ``end``, what is kept of their fits, and how it ended."""
    width, count = (arena.n_classes,) if arena.n_classes else (), len(arena.folds)
    answers, fits = np.full((len(arena.y), *width), np.nan), list[FoldFit]()
    try:
        for number, (train, test) in enumerate(arena.folds, 1):
            now = time.perf_counter()
            each = float(np.mean([fit.seconds for fit in fits])) if fits else 0.0
            if fits and not must and now + each * (count - number + 2) > end:
                raise OutOfTime
            with clock.limited(f"{entry.name}, fold {number} of {count}", end - now):
                model = arena.fit(entry, train)
                answers[test] = arena.answers(model, arena.X[test])
            lam = getattr(model, "lam_", np.nan)
            fits.append(FoldFit(float(lam) if np.size(lam) == 1 else np.nan, gap_of(model), time.perf_counter() - now))
    except OutOfTime:
        at = "" if clock.last is None else f", in the next one at {clock.last.short}"
        return answers, fits, Ending.STOPPED, f"its time was over after {len(fits)} of {count} folds{at}"
    except (ValueError, ArithmeticError, MemoryError, np.linalg.LinAlgError) as error:
        return answers, fits, Ending.FAILED, str(error) or type(error).__name__
    return answers, fits, Ending.FINISHED, ""


def gap_of(model: Any) -> float:
    """The duality gap of a fit; nan where its solver proves none."""
    gap = float(getattr(getattr(model, "solution_", None), "gap", np.nan))
    return gap if np.isfinite(gap) else float("nan")


def _said(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
