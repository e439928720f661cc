"""Layer study: `Study`: a table in, a certified model out.

In: a path or a data frame, the name of the target, and what else is asked.  Out: ``model_``, which predicts from tables
like it, and ``result_``, the record of everything that was found.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from surefit.names import check_keywords
from surefit.study.checks.cells import two_ways
from surefit.study.checks.dates import several_zones
from surefit.study.checks.table import readings, strays_of_target
from surefit.study.conclude import conclude
from surefit.study.contest.candidates import Entry, by_cost, entries
from surefit.study.contest.clock import Clock
from surefit.study.contest.compete import compete
from surefit.study.contest.forecast import Forecast
from surefit.study.contest.kept import Kept, key_of
from surefit.study.contest.leaderboard import leaderboard_of
from surefit.study.contest.metrics import measure_of
from surefit.study.describe import version_of
from surefit.study.encode.kinds import LEFT_OUT
from surefit.study.model import TableModel
from surefit.study.prepare import Prepared, prepare
from surefit.study.record import StudyResult
from surefit.study.settings import Settings, changed, toml_of
from surefit.warnings import UnreadableWarning

AFTER_PER_READING, AFTER = 0.5, 0.4
"""Seconds kept for all that follows the winner's fit: a share of those that reading took, and a constant."""

FIRST_SHARE = 0.3
"""Share of the time that is left which the cheapest model may take on all folds; else it gets fewer rows."""

FEWEST_SAMPLED = 1_000
"""Rows that it gets at least."""

MOST_NAMED = 3
"""Columns that were left out which are named."""


class Study:
    """Fits the models of several families to a table, chooses one, and certifies it on rows set aside first.

    Parameters
    ----------
    target : name of the column to predict.
    options : what `Settings` has: task, types, drop, group, time, weights, holdout, metric, budget, delta, coverage,
        recall, event, ignore, seed, encoding, separator, dates, equal_rows_are_draws.

    Attributes
    ----------
    model_ : a `TableModel`: predict, predict_proba, predict_interval, predict_set.
    result_ : a `StudyResult`: leaderboard, certificate, checks and all else, as plain data.
    """

    model_: TableModel
    result_: StudyResult

    def __init__(self, target: str, **options: Any):
        check_keywords("Study", options, [one.name for one in fields(Settings)[1:]])
        self.settings = Settings(target, **options)

    @staticmethod
    def of(settings: Settings) -> Study:
        """A study with these settings."""
        study = Study(settings.target)
        study.settings = settings
        return study

    def fit(
        self, table: Any, test: Any = None, *, folder: str | PathLike[str] | None = None,
        say: Callable[[str], None] | None = None, command: str = "", start: float | None = None,
    ) -> Study:  # fmt: skip
        """Run the study on a path or a data frame; ``test``: rows of yours to certify on, instead of a hold-out.

        With a ``folder``, candidates that are done are kept there until the study ends: after an interruption the same
        call goes on where it was, and comes to the same answer.
        """
        began, entered = datetime.now(UTC), time.perf_counter()
        clock = Clock(self.settings.seconds, start or entered, say or (lambda text: None))
        clock.say("reading the table")
        data = prepare(table, self.settings, test)
        for one in (*strays_of_target(data), *readings(data), *two_ways(data), *several_zones(data)):
            if one.code not in self.settings.ignore:
                warnings.warn(f"{one.sentence} {one.remedy}", UnreadableWarning, stacklevel=2)
        after = AFTER_PER_READING * (time.perf_counter() - entered) + AFTER
        asked = toml_of(changed(self.settings, budget=None))
        kept = Kept(None if folder is None else Path(folder), key_of(version_of("surefit"), asked, data.prints, data.y))
        data = data.sampled(kept.settled("rows", lambda: _affordable(data, clock, after)))
        arena, measure = data.arena, measure_of(data.target.task, self.settings.metric)
        contestants = _contestants(data)
        known = kept.runs(contestants)
        clock.start -= sum(run.seconds for run in known.values())
        runs = compete(arena, contestants, clock, after, kept.keep, known)
        board = leaderboard_of(arena, runs, measure, data.target, self.settings.seed, data.groups)
        self.model_, self.result_ = conclude(data, runs, board, clock, (began, command))
        kept.clear()
        return self

    def __repr__(self) -> str:
        asked = f"Study({self.settings.target!r})"
        if "result_" not in vars(self):
            return asked
        said = [f"{asked}: {self.result_.leaderboard.winner}.", self.result_.headline, *_not_used(self.result_)]
        return " ".join(said)


def _not_used(result: StudyResult) -> list[str]:
    """Which columns and how many rows were left out, in the words of the command line."""
    out = [f"{one.name} ({one.reason})" for one in result.columns if one.kind == LEFT_OUT]
    rows = result.data.n_without_target
    columns = f"Left out: {'; '.join(out[:MOST_NAMED])}{'; ...' if len(out) > MOST_NAMED else ''}."
    without = f"{rows:,} {'row' if rows == 1 else 'rows'} without a usable target left out."
    return [columns] * bool(out) + [without] * bool(rows)


def _contestants(data: Prepared) -> list[Entry]:
    """All candidates for these rows, in order of cost."""
    n, d = data.X.shape
    measure = measure_of(data.target.task, data.settings.metric)
    return by_cost(entries(data.target.task, n, d, data.settings.seed, measure), n, d, data.n_classes)


def _affordable(data: Prepared, clock: Clock, after: float) -> int:
    """Training rows on which the cheapest model takes a modest share of the time that is left."""
    n, left = len(data.y), FIRST_SHARE * max(clock.left - after, 0.5)
    if not np.isfinite(left) or n <= FEWEST_SAMPLED:
        return n
    cheapest = _contestants(data)[1]
    expected = Forecast().seconds(data.arena, cheapest, clock, left)
    return n if expected <= left else max(FEWEST_SAMPLED, int(n * left / expected))
