"""Layer study: what the hold-out says about the winner, once.

In: the fitted winner and the hold-out.  Out: the certificate, intervals or sets of classes, calibration, points to
draw.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import beta

from surefit.guarantee.held_out import compared_with
from surefit.guarantee.inside import remembered
from surefit.study.declared import ONLY_IF, ORDINARY, REMEDY, Declared, drift_in
from surefit.study.prepare import Prepared
from surefit.study.promises import class_scores, promised_of, quantile_of
from surefit.study.records.winner import HoldoutPoints, Intervals, Reliability
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing, Verdict
from surefit.theory.intervals.conformal import INTERVALS
from surefit.warnings import DriftWarning

DRAWN = 2_000
"""Points of the hold-out that are kept for drawing."""

BINS = 10
"""Bins of predicted probabilities."""

NOT_CHOSEN = "the hold-out chose nothing: it was set aside first and is used once"


def certificate_of(model: Any, data: Prepared) -> Certificate:
    """The certificate of the winner on the hold-out; one that says why there is none where it is refused.

    Groups count as one draw each; of rows in time it speaks of that time, and refuses later ones where errors change.
    A check of the study says so, in place of a warning.
    """
    asked = data.settings
    try:
        if data.unfit:
            raise ValueError(f"the hold-out was given, and {data.unfit}; give other rows to test on")
        options: dict[str, Any] = {} if data.n_classes else {"coverage": asked.coverage}
        options |= {"groups": data.holdout_groups, "time": data.holdout_times}
        options |= {"equal_rows_are_draws": asked.equal_rows_are_draws}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DriftWarning)
            found = model.certificate(data.X_holdout, _targets(data), delta=asked.delta, **options)
    except ValueError as error:
        statement = f"No guarantee: {error}."
        return Certificate(statement, np.inf, np.nan, asked.delta, "none", (), Verdict.VACUOUS)
    drawn = Assumption(NOT_CHOSEN, Standing.CHECKED, data.division.sentence.rstrip("."))
    return replace(found, assumptions=(*found.assumptions, drawn))


def declared_of(certificate: Certificate, answers: np.ndarray, data: Prepared) -> Declared:
    """What groups or times of the hold-out leave of a promise, by what the certificate found."""
    asked = data.settings
    refused = f"of the hold-out, {data.unfit}" if data.unfit else ""
    if data.holdout_groups is not None:
        number = np.unique(data.holdout_groups, return_inverse=True)[1]
        in_order = number[np.argsort(_raw_scores(answers, data), kind="stable")]
        return Declared(groups=in_order, refused=refused, group=asked.group or "")
    if data.holdout_times is None or asked.time is None:
        return ORDINARY
    drift = drift_in(certificate)
    if drift:
        refused = f"errors on the hold-out change with time ({drift}); {REMEDY}"
    later = ONLY_IF.format(data.holdout_times.min(), data.holdout_times.max())
    return Declared(later=later, refused=refused, time=asked.time, kind=data.kinds[asked.time])


def of_likelier_class(found: Certificate) -> Certificate:
    """``found`` where `predict` answers by a threshold: it judged the likelier class, and says so.

    >>> one = Certificate("It errs on at most 9 %.", 0.09, 0.05, 0.05, "clopper-pearson", (), Verdict.INFORMATIVE)
    >>> of_likelier_class(one).statement
    'If the likelier class is answered (predict uses the threshold instead): it errs on at most 9 %.'
    """
    opening = "If the likelier class is answered (predict uses the threshold instead)"
    text = f"{opening}: {found.statement[0].lower()}{found.statement[1:]}"
    return replace(found, statement=text, further=tuple(map(of_likelier_class, found.further)))


def holdout_scores(model: Any, answers: np.ndarray, data: Prepared) -> np.ndarray:
    """What intervals and sets stand on, sorted: absolute errors, or how strange the true class is to the model.

    Rows that may be copies count as the certificate counts them: where that asks for more, each kind of equal rows
    counts once, and is infinitely wrong if it equals a training row; groups may repeat rows.
    """
    scores = _raw_scores(answers, data)
    try:
        found = compared_with(remembered(model), data.X_holdout, _targets(data), data.settings.equal_rows_are_draws)[0]
    except ValueError:  # these rows were trained on
        return np.full(len(scores), np.inf)
    copies = found.any and data.holdout_groups is None and not data.settings.equal_rows_are_draws
    readings = [scores, found.once(scores, np.inf)] if copies else [scores]
    return np.sort(max(readings, key=lambda one: quantile_of(one, data)))


def _raw_scores(answers: np.ndarray, data: Prepared) -> np.ndarray:
    return class_scores(answers, data.y_holdout) if data.n_classes else np.abs(data.y_holdout - answers)


def _targets(data: Prepared) -> np.ndarray:
    """The targets of the hold-out as the model was given those of the training rows."""
    return np.array(data.target.classes)[data.y_holdout.astype(int)] if data.n_classes else data.y_holdout


def intervals_of(scores: np.ndarray, data: Prepared, declared: Declared = ORDINARY) -> Intervals | None:
    """Intervals of a regression; None where the hold-out allows no promise."""
    asked, found = data.settings, promised_of(scores, data, declared, INTERVALS)
    if found is None:
        return None
    radius, promise = found
    return Intervals(asked.coverage, asked.delta, promise.statement, promise.method, radius, promise.assumptions)


def points_of(answers: np.ndarray, data: Prepared) -> HoldoutPoints:
    """Observed and predicted, at most 2,000 of them, and the confusion matrix of a classification."""
    y = data.y_holdout
    predicted = np.argmax(answers, axis=1).astype(float) if data.n_classes else answers
    confusion: tuple[tuple[int, ...], ...] = ()
    if data.n_classes:
        table = np.zeros((data.n_classes, data.n_classes), dtype=int)
        np.add.at(table, (y.astype(int), predicted.astype(int)), 1)
        confusion = tuple(tuple(int(one) for one in row) for row in table)
    rows = np.sort(np.random.default_rng(data.settings.seed).permutation(len(y))[:DRAWN])
    return HoldoutPoints(tuple(map(float, y[rows])), tuple(map(float, predicted[rows])), confusion)


def reliability_of(answers: np.ndarray, data: Prepared) -> tuple[Reliability, ...]:
    """Calibration of the probabilities, for the second of two classes or for each of more."""
    if not data.n_classes:
        return ()
    shown = [1] if data.n_classes == 2 else range(min(data.n_classes, 12))
    return tuple(_reliability(data.target.classes[k], answers[:, k], data.y_holdout == k) for k in shown)


def _reliability(name: str, probability: np.ndarray, happened: np.ndarray) -> Reliability:
    """In bins of about equally many rows."""
    order = np.argsort(probability, kind="stable")
    bins = [part for part in np.array_split(order, min(BINS, max(1, len(order) // 10))) if len(part)]
    counts = [len(part) for part in bins]
    hits = [int(np.count_nonzero(happened[part])) for part in bins]
    low = [0.0 if k == 0 else float(beta.ppf(0.025, k, n - k + 1)) for k, n in zip(hits, counts, strict=True)]
    high = [1.0 if k == n else float(beta.ppf(0.975, k + 1, n - k)) for k, n in zip(hits, counts, strict=True)]
    return Reliability(
        name, tuple(float(probability[part].mean()) for part in bins),
        tuple(k / n for k, n in zip(hits, counts, strict=True)), tuple(counts), tuple(low), tuple(high),
    )  # fmt: skip
