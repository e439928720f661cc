"""Layer report: ``report.md``: the result as plain text that reads well where pages are not shown.

In: a `StudyResult`.  Out: Markdown with the same words and numbers as the page, without drawings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from surefit.page import number
from surefit.report.markup import clean
from surefit.report.sections.parts import some
from surefit.report.words import (
    STANDINGS,
    board_rows,
    certificate_sentences,
    count,
    duration,
    meaning,
    metric_title,
    rank_sentence,
    sentence,
    short_verdict,
)
from surefit.study.record import StudyResult
from surefit.study.records.noticed import Check

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&])")
MOST_ROWS = 40


def text(result: StudyResult) -> str:
    """The whole text."""
    parts = [
        [f"# {plain(result.title)}", plain(result.headline)],
        _certificate(result),
        _leaderboard(result),
        _promises(result),
        _coefficients(result),
        _advice(result),
        _checks(result),
        _data(result),
        _again(result),
    ]
    return "\n\n".join(line for part in parts for line in part if line) + "\n"


def plain(words: str) -> str:
    """A text in which no sign has a meaning for Markdown or HTML.

    >>> plain("<script> *x*")
    '\\\\<script\\\\> \\\\*x\\\\*'
    """
    return SPECIAL.sub(r"\\\1", " ".join(clean(words).split()))


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *([plain(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _listed(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _certificate(result: StudyResult) -> list[str]:
    found = result.certificate
    first, *further = certificate_sentences(found)
    verdict = f"*{short_verdict(found).capitalize()}.* {meaning(found)} Method: {plain(found.method)}."
    needed = [
        f"*{STANDINGS[one.standing]}*: {plain(one.text)}{f' ({plain(one.evidence)})' if one.evidence else ''}"
        for one in found.assumptions
    ]
    return [
        "## What the model will do on new rows",
        f"> {plain(first)}",
        _listed(map(plain, further)),
        verdict,
        _listed(needed),
    ]


def _leaderboard(result: StudyResult) -> list[str]:
    board = result.leaderboard
    heads = ("rank", "candidate", metric_title(board.metric), "std. error", "on the hold-out", "")
    rows = [
        (one.rank, f"{one.name} (chosen)" if one.winner else one.name, one.score, one.error, one.holdout, one.note)
        for one in board_rows(board)
    ]
    why = f"{plain(sentence(board.why))} {plain(sentence(board.metric.sentence))}"
    return [
        "## Which model was chosen, and why",
        why,
        _table([plain(head) for head in heads], rows),
        rank_sentence(board),
    ]


def _promises(result: StudyResult) -> list[str]:
    promises = [one.statement for one in (result.intervals, result.class_sets, result.threshold) if one is not None]
    return ["## Promises for single rows", _listed(map(plain, promises))] if promises else []


def _coefficients(result: StudyResult) -> list[str]:
    found = result.coefficients
    if found is None:
        return []
    rows = [
        (one.feature, one.class_name, number(one.estimate), number(one.effect, 3)) for one in found.table[:MOST_ROWS]
    ]
    more = f"{len(found.table) - MOST_ROWS:,} more are in report.json." if len(found.table) > MOST_ROWS else ""
    heads = ("feature", "class", "coefficient", "effect of one std. dev.")
    return ["## Coefficients", plain(found.inference), _table(heads, rows), more]


def _advice(result: StudyResult) -> list[str]:
    if not result.advice:
        return []
    return [
        "## What would most likely help",
        _listed(f"**{plain(one.title)}**: {plain(one.sentence)}" for one in result.advice),
    ]


def _checks(result: StudyResult) -> list[str]:
    def line(one: Check) -> str:
        columns = f" Columns: {plain(some(one.columns))}." if one.columns else ""
        found = f"**{one.code}** ({one.kind}) {plain(one.title)}: {plain(one.sentence)}{columns}"
        return f"{found} *What to do:* {plain(one.remedy)}"

    found = result.checks.found
    return [
        "## Checks",
        _listed(map(line, found)) or "No issues and no tips.",
        f"{count(len(result.checks.passed), 'check')} found nothing.",
    ]


def _data(result: StudyResult) -> list[str]:
    found = result.data
    rows = [
        (one.name, one.kind, f"{one.missing:,}", f"{one.distinct:,}", one.reason) for one in result.columns[:MOST_ROWS]
    ]
    more = f"{len(result.columns) - MOST_ROWS:,} more are in report.json." if len(result.columns) > MOST_ROWS else ""
    reason = plain(sentence(f"{found.task}: {found.task_reason}"))
    facts = (
        f"{count(found.n_rows, 'row')} of {plain(found.source)}; {found.n_training:,} to learn from, "
        f"{found.n_holdout:,} set aside. {reason} {plain(sentence(found.division))}"
    )
    return ["## The data", facts, _table(("column", "kind", "missing", "distinct", "why"), rows), more]


def _again(result: StudyResult) -> list[str]:
    made = result.machine
    versions = ", ".join(f"{name} {version}" for name, version in made.versions)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", made.command)), default=0))
    command = f"{fence}\n{clean(made.command)}\n{fence}"
    return [
        "## How to make this again",
        command,
        f"It took {duration(made.seconds)}; seed {made.seed}. Made with {plain(versions)}.",
    ]
