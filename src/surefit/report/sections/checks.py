"""Layer report: findings with codes."""

from __future__ import annotations

import math

from surefit.report.markup import Markup, tag
from surefit.report.sections.parts import section, some, unfolded
from surefit.report.words import count
from surefit.study.record import StudyResult
from surefit.study.records.noticed import Check

TONES = {"issue": "bad", "tip": "plain"}
MOST = 60


def checks(result: StudyResult) -> Markup:
    """Issues and tips, each with its number and its remedy; and what was looked at and found in order."""
    every = result.checks
    issues = sum(one.kind == "issue" for one in every.found)
    tips = len(every.found) - issues
    text = f"{count(issues, 'issue')} and {count(tips, 'tip')}; {count(len(every.passed), 'check')} found nothing."
    if not every.found and not every.passed:
        text = "nothing was checked."
    passed = [tag("li", tag("code", code), " ", title) for code, title in every.passed]
    quiet = [unfolded("Checks that found nothing", tag("ul", passed))] if passed else []
    if every.ignored:
        quiet.append(tag("p", f"Not looked at, as asked: {some(every.ignored)}.", class_="quiet"))
    return section("checks", "Checks", tag("p", text[0].upper() + text[1:]), map(_check, every.found[:MOST]), quiet)


def _check(one: Check) -> Markup:
    mark = tag("strong", one.kind, class_=f"mark {TONES.get(one.kind, 'plain')}")
    columns = tag("p", f"Columns: {some(one.columns)}", class_="quiet") if one.columns else None
    level = f" It speaks up without a cause with probability {one.level:g}." if math.isfinite(one.level) else ""
    page = tag("span", f" More: {one.page}") if one.page else None
    return tag("article",
               tag("h3", mark, " ", tag("code", one.code), " ", one.title),
               tag("p", one.sentence), columns,
               tag("p", tag("strong", "What to do: "), one.remedy),
               unfolded("The evidence", tag("p", f"{one.evidence}.{level}".replace("..", "."), page)),
               class_=f"check {TONES.get(one.kind, 'plain')}")  # fmt: skip
