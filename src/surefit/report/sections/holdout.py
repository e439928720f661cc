"""Layer report: the hold-out: predicted and observed, intervals, sets of classes, calibration, thresholds."""

from __future__ import annotations

import math
from typing import Any

from surefit.page import number
from surefit.report.figures.curves import reliability
from surefit.report.figures.scatter import predicted_against_observed, residuals
from surefit.report.markup import Markup, tag
from surefit.report.sections.parts import drawn, section, side_by_side, table, unfolded
from surefit.study.record import StudyResult
from surefit.study.records.winner import ClassSets, Intervals, Threshold
from surefit.theory.certificates.wording import percent

MOST_CLASSES = 10
"""Classes that a table of confusions shows; the most frequent ones."""

MOST_CURVES = 4


def holdout(result: StudyResult) -> Markup | None:
    """What happened on the rows that were set aside."""
    inner = _classes(result) if result.data.task == "classification" else _numbers(result)
    shown = [one for one in inner if one is not None]
    return section("holdout", "On the rows that were set aside", *shown) if shown else None


def _numbers(result: StudyResult) -> list[Markup | None]:
    points, target = result.holdout, result.data.target
    radius = result.intervals.radius if result.intervals is not None else math.nan
    caption = "Each dot is a row of the hold-out; on the diagonal, predictions are exact."
    if math.isfinite(radius):
        caption += " The band is the width of the prediction intervals."
    seen = drawn(predicted_against_observed(points.observed, points.predicted, target, radius), caption)
    left = drawn(
        residuals(points.observed, points.predicted, target),
        "Errors along the predictions: an even cloud around zero is what a good model leaves over.",
    )
    return [side_by_side(seen, left), _intervals(result.intervals)]


def _intervals(found: Intervals | None) -> Markup | None:
    if found is None:
        why = "No prediction intervals: the hold-out allows no promise; the certificate says why."
        return tag("p", why, class_="quiet")
    width = f"Add and subtract {number(found.radius)} from a prediction to have its interval."
    return tag("div", tag("h3", "Prediction intervals"), tag("p", found.statement), tag("p", width),
               _promise(found.method, found.assumptions))  # fmt: skip


def _promise(method: str, assumptions: tuple[str, ...]) -> Markup:
    return unfolded(
        "What this promise stands on",
        tag("p", f"Method: {method}."),
        tag("ul", [tag("li", one) for one in assumptions]),
    )


def _classes(result: StudyResult) -> list[Markup | None]:
    caption = "Probabilities of {}: on the diagonal they mean what they say."
    curves = [
        drawn(reliability(one, f"calibration-{k}"), caption.format(one.class_name))
        for k, one in enumerate(result.reliability[:MOST_CURVES])
    ]
    return [_confusion(result), _sets(result.class_sets), _threshold(result.threshold), side_by_side(*curves)]


def _confusion(result: StudyResult) -> Markup | None:
    """True classes down, predicted classes across; the most frequent ones where there are many."""
    counts, names = result.holdout.confusion, [name for name, _ in result.data.classes]
    if not counts or len(names) != len(counts):
        return None
    order = sorted(range(len(names)), key=lambda k: -sum(counts[k]))[:MOST_CLASSES]
    order.sort()
    rows: list[list[Any]] = []
    for k in order:
        total, right = sum(counts[k]), counts[k][k]
        others = sum(counts[k][j] for j in range(len(names)) if j not in order)
        cells = [tag("b", f"{counts[k][j]:,}") if j == k else f"{counts[k][j]:,}" for j in order]
        rest = [f"{others:,}"] if len(order) < len(names) else []
        rows.append([names[k], *cells, *rest, percent(right / total) if total else ""])
    heads = [
        "true class",
        *(f"called {names[k]}" for k in order),
        *(["called another"] if len(order) < len(names) else []),
        "found",
    ]
    note = f" (the {len(order)} most frequent of {len(names)} classes)" if len(order) < len(names) else ""
    return table(f"Rows of the hold-out by true and predicted class{note}", heads, rows, numbers=range(1, len(heads)))


def _sets(found: ClassSets | None) -> Markup | None:
    if found is None:
        return None
    size = (
        f"On the hold-out a set has {number(found.mean_size, 3)} classes on average; {percent(found.single_share)} of "
        "the rows have one class only."
    )
    return tag("div", tag("h3", "Sets of classes"), tag("p", found.statement), tag("p", size),
               _promise(found.method, found.assumptions))  # fmt: skip


def _threshold(found: Threshold | None) -> Markup | None:
    if found is None:
        return None
    called = ""
    if math.isfinite(found.threshold):
        called = (
            f"Call a row {found.class_name} if its probability is at least {number(found.threshold, 4)}: that calls "
            f"{percent(found.called_share)} of the hold-out, and {percent(found.precision)} of those are right."
        )
    return tag(
        "div",
        tag("h3", f"A threshold with a promised {found.kind}"),
        tag("p", found.statement),
        tag("p", called) if called else None,
    )
