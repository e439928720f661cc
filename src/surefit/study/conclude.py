"""Layer study: the winner is fitted to all training rows, certified once on the hold-out, checked and explained.

In: what was prepared, the runs, the leaderboard, and the clock.  Out: `TableModel` and `StudyResult`.  What may take
long and is not needed (black box on the hold-out, learning curve, columns that matter) is left out without time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from surefit.study.advice import advice_of
from surefit.study.checks.findings import checks_of
from surefit.study.contest.clock import Clock, OutOfTime
from surefit.study.contest.compete import SLACK, Run
from surefit.study.contest.metrics import Measure, measure_of
from surefit.study.describe import column_facts, data_facts, machine
from surefit.study.explain import coefficients_of, curve_of, path_of
from surefit.study.inference import Errors, errors_of
from surefit.study.learning import importances, learning_curve
from surefit.study.model import TableModel
from surefit.study.prepare import Prepared
from surefit.study.promises import class_sets_of, threshold_of
from surefit.study.record import StudyResult
from surefit.study.records.board import Candidate, Ending, Leaderboard
from surefit.study.records.winner import Importance, LearningCurve
from surefit.study.verdict import (
    certificate_of,
    declared_of,
    holdout_scores,
    intervals_of,
    of_likelier_class,
    points_of,
    reliability_of,
)

AT_THE_END = 0.4
"""Seconds kept for writing."""

CURVE_FITS = 6
"""Fits to all rows that a learning curve costs."""


def conclude(
    data: Prepared, runs: Sequence[Run], board: Leaderboard, clock: Clock, about: tuple[datetime, str]
) -> tuple[TableModel, StudyResult]:
    """The winner's model and all that is known about it; ``about``: when the study began, and its command."""
    arena, measure = data.arena, measure_of(data.target.task, data.settings.metric)
    run = next(run for run in runs if run.entry.name == board.winner)
    with clock.limited(f"{run.entry.name}, all training rows", np.inf):
        fitted = arena.fit_to_all(run.entry)
    clock.say("certificate and checks")
    answers = arena.answers(fitted, data.X_holdout)
    certificate, scores = certificate_of(fitted, data), holdout_scores(fitted, answers, data)
    declared = declared_of(certificate, answers, data)
    threshold = threshold_of(scores, answers, data, declared)
    at = float("nan") if threshold is None else threshold.threshold
    certificate = of_likelier_class(certificate) if np.isfinite(at) else certificate
    model = TableModel(data.encoder, fitted, data.target, certificate, scores, run.entry.name, at, declared)
    checks = checks_of(data, runs, run.entry.name, fitted, certificate)
    columns, facts = column_facts(data), data_facts(data)
    errors = _errors(data, run, fitted, clock)
    lines = _with_holdout(board.candidates, data, runs, run, fitted, answers, clock)
    curve, matter = _learnt(data, run, measure, clock)
    result = StudyResult(
        title=f"{data.target.name} from {data.table.source}",
        headline=certificate.statement,
        data=facts,
        columns=columns,
        leaderboard=replace(board, candidates=lines),
        certificate=certificate,
        coefficients=coefficients_of(fitted, data, errors),
        importances=matter,
        intervals=None if data.n_classes else intervals_of(scores, data, declared),
        class_sets=class_sets_of(scores, answers, data, declared) if data.n_classes else None,
        reliability=reliability_of(answers, data),
        threshold=threshold,
        holdout=points_of(answers, data),
        checks=checks,
        learning_curve=curve,
        advice=advice_of(arena, runs, run.entry.name, measure, curve, checks.found),
        machine=machine(data, about[0], clock.spent, about[1]),
    )
    return model, result


def _errors(data: Prepared, run: Run, fitted: Any, clock: Clock) -> Errors:
    """Standard errors of the winner's coefficients, if there is time for two more fits."""
    if 2 * run.final >= clock.left - AT_THE_END:
        return Errors("No standard errors: there was no time.", 0)
    return errors_of(data.arena, run.entry, fitted, data.groups, data.settings.seed)


def _learnt(
    data: Prepared, run: Run, measure: Measure, clock: Clock
) -> tuple[LearningCurve | None, tuple[Importance, ...]]:
    """The learning curve and the columns that matter, if there is time for its fits."""
    arena, left = data.arena, clock.left - AT_THE_END
    if CURVE_FITS * run.final >= left:
        return None, ()
    curve, models = learning_curve(arena, run.entry, measure, clock, left, data.settings.seed)
    if not models:
        return curve, ()
    return curve, importances(arena, models, data.encoder.sources, measure, clock, clock.left / 2)


def _with_holdout(
    lines: Sequence[Candidate], data: Prepared, runs: Sequence[Run], run: Run, fitted: Any, answers: np.ndarray,
    clock: Clock,
) -> tuple[Candidate, ...]:  # fmt: skip
    """The lines of the leaderboard with what the hold-out says of the winner, and of the black box if there is time."""
    measure = measure_of(data.target.task, data.settings.metric)
    known: dict[str, Any] = {
        "holdout_score": measure.score(measure.losses(data.y_holdout, answers)),
        "n_parameters": _parameters(fitted), "curve": curve_of(fitted), "path": path_of(fitted, data),
    }  # fmt: skip
    box = next((one for one in runs if one.entry.outside and one.ending is Ending.FINISHED), None)
    score = float("nan") if box is None else _reference_score(data, box, measure, clock)
    return tuple(
        replace(one, **known)
        if one.name == run.entry.name
        else replace(one, holdout_score=score)
        if one.outside
        else one
        for one in lines
    )


def _reference_score(data: Prepared, box: Run, measure: Measure, clock: Clock) -> float:
    """The black box on the hold-out; nan without time for another fit."""
    left = clock.left - AT_THE_END
    if SLACK * box.final > left:
        return float("nan")
    try:
        with clock.limited(f"{box.entry.name}, all training rows", left):
            model = data.arena.fit(box.entry, np.arange(len(data.y)))
            return measure.score(measure.losses(data.y_holdout, data.arena.answers(model, data.X_holdout)))
    except OutOfTime:
        return float("nan")


def _parameters(model: Any) -> float:
    """Coefficients that are not zero, or points that a kernel model keeps."""
    if getattr(model, "coef_", None) is not None:
        return float(np.count_nonzero(model.coef_))
    points = getattr(model, "points_", None)
    points = getattr(model, "support_", None) if points is None else points
    return float("nan") if points is None else float(len(points))
