"""Layer study: the codes of the checks, and how a finding is written."""

from __future__ import annotations

from surefit.study.records.noticed import Check

LEVEL = 0.002
"""Probability that a check which is a test raises an issue without a cause."""

TITLES = {
    "SF101": "a column identifies rows",
    "SF102": "a column gives the target away",
    "SF103": "hold-out rows equal training rows",
    "SF104": "the order of the rows matters",
    "SF105": "rows are repeated",
    "SF106": "columns nearly depend on each other",
    "SF107": "outliers in the target",
    "SF108": "the penalty is at the end of its grid",
    "SF109": "classes are unbalanced",
    "SF110": "rare levels",
    "SF111": "the target may be better on a log scale",
    "SF112": "the model is not certified to beat a constant",
    "SF113": "texts among numbers or dates",
    "SF114": "cells are missing in the hold-out alone",
    "SF115": "errors change with time",
    "SF116": "day and month may be swapped",
    "SF117": "points may separate thousands",
    "SF118": "a number may stand for a missing value",
    "SF119": "numbers are written in two ways",
    "SF120": "dates that are not read as dates",
    "SF121": "dates of several time zones",
    "SF122": "dates with and without a time of day",
}
"""What each check is about."""


def issue(
    code: str, sentence: str, evidence: str, value: float, remedy: str, columns: tuple[str, ...] = (),
    level: float = float("nan"),
) -> Check:  # fmt: skip
    """Something by which the result may not be what it seems; ``level`` is given where a test decided."""
    page = f"docs/checks.md#{code.lower()}"
    return Check(code, "issue", TITLES[code], sentence, evidence, float(value), level, remedy, columns, page)


def tip(code: str, sentence: str, evidence: str, value: float, remedy: str, columns: tuple[str, ...] = ()) -> Check:
    """Something that could make the result better; a fact and no test."""
    page = f"docs/checks.md#{code.lower()}"
    return Check(code, "tip", TITLES[code], sentence, evidence, float(value), float("nan"), remedy, columns, page)
