"""Layer study: `Study`: a table in, a certified model out.

In: a path or a data frame, the name of the target, and what else is asked.  Out: ``model_``, which predicts from tables
like it, and ``result_``, the record of everything that was found.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from surefit.study.candidates import entries
from surefit.study.checks.findings import checks_of
from surefit.study.clock import Clock
from surefit.study.compete import Arena, Run, compete
from surefit.study.describe import column_facts, data_facts, machine
from surefit.study.explain import coefficients_of, curve_of, path_of
from surefit.study.leaderboard import leaderboard_of
from surefit.study.learning import learning_curve
from surefit.study.metrics import measure_of
from surefit.study.model import TableModel
from surefit.study.prepare import Prepared, prepare
from surefit.study.promises import class_sets_of, threshold_of
from surefit.study.record import Advice, Leaderboard, StudyResult
from surefit.study.settings import Settings
from surefit.study.verdict import certificate_of, holdout_scores, intervals_of, points_of, reliability_of

RESERVE = 0.25
"""Share of the budget that is kept for what comes after the candidates."""


class Study:
    """Fits the models of several families to a table, chooses one, and certifies it on rows set aside first.

    Parameters
    ----------
    target : name of the column to predict.
    options : what `Settings` has: task, types, group, time, weights, holdout, metric, budget, delta, coverage, recall,
        ignore, seed, encoding, separator.

    Attributes
    ----------
    model_ : a `TableModel`: predict, predict_proba, predict_interval, predict_set.
    result_ : a `StudyResult`: leaderboard, certificate, checks and all else, as plain data.
    """

    model_: TableModel
    result_: StudyResult

    def __init__(self, target: str, **options: Any):
        self.settings = Settings(target, **options)

    @staticmethod
    def of(settings: Settings) -> Study:
        """A study with these settings."""
        study = Study(settings.target)
        study.settings = settings
        return study

    def fit(
        self, table: Any, test: Any = None, *, say: Callable[[str], None] | None = None, command: str = "",
        start: float | None = None,
    ) -> Study:  # fmt: skip
        """Run the study on a path or a data frame; ``test``: rows of yours to certify on, instead of a hold-out."""
        began = datetime.now(UTC)
        clock = Clock(self.settings.seconds, start or time.perf_counter(), say or (lambda text: None))
        clock.say("reading the table")
        data = prepare(table, self.settings, test)
        arena = Arena(data.X, data.y, data.weight, data.folds, data.target.classes)
        measure = measure_of(data.target.task, self.settings.metric)
        reserve = RESERVE * clock.budget if np.isfinite(clock.budget) else 0.0
        runs = compete(arena, entries(data.target.task, *data.X.shape), clock, reserve)
        board = leaderboard_of(arena, runs, measure, data.target, self.settings.seed, data.groups)
        self._conclude(data, arena, runs, board, clock, (began, command))
        return self

    def _conclude(
        self, data: Prepared, arena: Arena, runs: Sequence[Run], board: Leaderboard, clock: Clock,
        about: tuple[datetime, str],
    ) -> None:  # fmt: skip
        entry = next(run.entry for run in runs if run.entry.name == board.winner)
        with clock.limited(f"{entry.name}, all training rows", np.inf):
            model = arena.fit_to_all(entry)
        certificate = certificate_of(model, data)
        scores = holdout_scores(arena, model, data)
        answers = arena.answers(model, data.X_holdout)
        threshold = threshold_of(answers, data)
        at = float("nan") if threshold is None else threshold.threshold
        self.model_ = TableModel(data.encoder, model, data.target, certificate, scores, entry.name, at)
        measure = measure_of(data.target.task, self.settings.metric)
        known: dict[str, Any] = {
            "holdout_score": measure.score(measure.losses(data.y_holdout, answers)),
            "n_parameters": _parameters(model), "curve": curve_of(model), "path": path_of(model, data),
        }  # fmt: skip
        lines = tuple(replace(one, **known) if one.name == entry.name else one for one in board.candidates)
        room = clock.left - 0.1 * clock.budget if np.isfinite(clock.budget) else np.inf
        curve = learning_curve(arena, entry, measure, clock, room, self.settings.seed)
        self.result_ = StudyResult(
            title=f"{data.target.name} from {data.table.source}",
            headline=certificate.statement,
            data=data_facts(data),
            columns=column_facts(data),
            leaderboard=replace(board, candidates=lines),
            certificate=certificate,
            coefficients=coefficients_of(model, data),
            importances=(),
            intervals=None if data.n_classes else intervals_of(scores, data),
            class_sets=class_sets_of(answers, data) if data.n_classes else None,
            reliability=reliability_of(arena, model, data),
            threshold=threshold,
            holdout=points_of(arena, model, data),
            checks=checks_of(data, runs, entry.name, model, certificate),
            learning_curve=curve,
            advice=() if curve is None else (Advice("More rows?", curve.sentence),),
            machine=machine(data, about[0], clock.spent, about[1]),
        )


def _parameters(model: Any) -> float:
    """Coefficients that are not zero, or points that a kernel model keeps."""
    if getattr(model, "coef_", None) is not None:
        return float(np.count_nonzero(model.coef_))
    points = getattr(model, "points_", None)
    points = getattr(model, "support_", None) if points is None else points
    return float("nan") if points is None else float(len(points))
