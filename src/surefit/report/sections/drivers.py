"""Layer report: what the model goes by: coefficients, importances, and how its penalty was chosen."""

from __future__ import annotations

import math

from surefit.page import measured, number, p_value
from surefit.report.figures.bars import importances
from surefit.report.figures.curves import coefficient_path, criterion_curve
from surefit.report.markup import Markup, tag
from surefit.report.sections.parts import drawn, section, table, unfolded
from surefit.report.words import count, sentence
from surefit.study.record import StudyResult
from surefit.study.records.winner import Coefficient, Coefficients

SHOWN = 15
MOST = 200
"""Coefficients in the page, unfolded; ``report.json`` has all."""


def drivers(result: StudyResult) -> Markup | None:
    """Columns and coefficients that matter."""
    inner = [
        drawn(importances(result.importances, result.leaderboard.metric.name),
              "How much worse predictions become if one column is shuffled, with one standard error."),
        _coefficients(result.coefficients),
    ]  # fmt: skip
    shown = [one for one in inner if one is not None]
    return section("drivers", "What the model goes by", *shown) if shown else None


def _coefficients(found: Coefficients | None) -> Markup | None:
    if found is None:
        return None
    first, rest = found.table[: SHOWN + 1], found.table[SHOWN + 1 : MOST]
    more = []
    if rest:
        more.append(unfolded(f"{count(len(rest), 'further coefficient')}", _listed(rest, "Further coefficients")))
    if len(found.table) > MOST:
        more.append(tag("p", f"{len(found.table) - MOST:,} more are in report.json.", class_="quiet"))
    return tag(
        "div",
        tag("h3", "Coefficients"),
        tag("p", found.inference),
        _listed(first, "Coefficients, the largest effects first"),
        more,
    )


def _listed(rows: tuple[Coefficient, ...], caption: str) -> Markup:
    """A table without the columns that are empty throughout."""
    heads = [
        "feature",
        "class",
        "coefficient",
        "effect of one std. dev.",
        "without penalty",
        "95 % interval",
        "p value",
    ]
    cells = [_cells(one) for one in rows]
    kept = [k for k in range(len(heads)) if k in (0, 2) or any(row[k] for row in cells)]
    numbers = [j for j, k in enumerate(kept) if k >= 2]
    return table(caption, [heads[k] for k in kept], [[row[k] for k in kept] for row in cells], numbers=numbers)


def _cells(one: Coefficient) -> list[str]:
    known, other = math.isfinite(one.low) and math.isfinite(one.high), math.isfinite(one.unshrunk)
    return [
        one.feature,
        one.class_name,
        number(one.estimate) if other else measured(one.estimate, one.standard_error),
        number(one.effect, 3) if math.isfinite(one.effect) else "",
        measured(one.unshrunk, one.standard_error) if other else "",
        f"{number(one.low, 3)} to {number(one.high, 3)}" if known else "",
        p_value(one.p_value) if math.isfinite(one.p_value) else "",
    ]


def penalty(result: StudyResult) -> Markup | None:
    """How the penalty of the winner was chosen, and what other penalties would have given."""
    winner = result.winner
    curve = None if winner.curve is None else criterion_curve(winner.curve)
    path = None if winner.path is None else coefficient_path(winner.path)
    chosen = drawn(
        curve, "The criterion that chose the penalty; its lowest point is the best balance, by that criterion."
    )
    lines = drawn(path, "How coefficients grow as the penalty falls; the dashed line is the penalty that was chosen.")
    if chosen is None and lines is None:
        return None
    parts = [] if winner.curve is None else [f"On all training rows: lam = {number(winner.curve.chosen, 2)}"]
    parts += [f"in the folds: {winner.settings}"] if winner.settings else []
    text = tag("p", sentence("; ".join(parts))) if parts else None
    return section("penalty", "How the penalty was chosen", text, chosen, lines)
