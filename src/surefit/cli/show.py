"""Layer cli: a finished study on a terminal 80 columns wide.

In: a `StudyResult` and the paths of its files.  Out: text.
"""

from __future__ import annotations

from collections.abc import Mapping

from surefit.cli.options import with_switches
from surefit.page import Table, columns_of, number, shortened, wrapped
from surefit.report.words import board_rows, certificate_sentences, count, duration, metric_title, rank_sentence
from surefit.study.record import StudyResult

RULE = "-" * 80


def study_text(result: StudyResult, files: Mapping[str, str]) -> str:
    """Data, leaderboard, certificate, checks, advice and where the files are."""
    parts = [_data(result), _board(result), _certificate(result), _promises(result), _checks(result)]
    lines = [line for part in parts if part for line in [*part, ""]]
    for name, path in files.items():
        lines.append(f"{name:8} {path}")
    machine = result.machine
    spent = f"{duration(machine.seconds)} of {duration(machine.budget)}"
    return "\n".join([*lines, f"time     {spent}"])


def _data(result: StudyResult) -> list[str]:
    data = result.data
    used = [one for one in result.columns if one.n_features]
    out = [one.name for one in result.columns if one.kind == "left out"]
    lines = wrapped(f"{data.target}: {data.task}, since {data.task_reason}.")
    kinds = {kind: sum(one.kind == kind for one in used) for kind in ("number", "category", "date", "time")}
    words = ", ".join(f"{n} {kind}" for kind, n in kinds.items() if n)
    lines += wrapped(
        f"{count(data.n_rows, 'row')}, {count(len(used), 'column')} used ({words}), "
        f"{count(data.n_features, 'feature')}; {data.reading}."
    )
    if out:
        reasons = {one.name: one.reason for one in result.columns if one.kind == "left out"}
        named = "; ".join(f"{name} ({reasons[name]})" for name in out[:3]) + ("; ..." if len(out) > 3 else "")
        lines += wrapped(f"Left out: {named}.")
    if data.n_without_target:
        lines += wrapped(f"{count(data.n_without_target, 'row')} without a usable target left out.")
    return [*lines, *wrapped(data.division)]


def _board(result: StudyResult) -> list[str]:
    board = result.leaderboard
    rows = board_rows(board)
    names = [("* " if row.winner else "  ") + row.name for row in rows]
    cells = lambda j, room: [rows[j].rank, rows[j].score, rows[j].error, rows[j].holdout, rows[j].seconds]
    table = Table(names, ("rank", "score", "+-", "hold-out", "time"), cells, metric_title(board.metric))
    lines = ["Leaderboard", RULE, *table.lines()]
    for row in rows:
        if row.note and (not row.score or row.rank == "-"):  # without a rank: too few folds, or no competitor
            lines += wrapped(f"{row.name}: {row.note}.", "  ")
    return [*lines, *wrapped(f"{board.why} {rank_sentence(board)}", "* ")]


def _certificate(result: StudyResult) -> list[str]:
    certificate = result.certificate
    first, *further = map(with_switches, certificate_sentences(certificate))
    lines = ["Certificate", RULE, *wrapped(first)]
    lines += [line for text in further for line in wrapped(text, "+ ")]
    return [*lines, *wrapped(f"Status: {certificate.status.value}.")]


def _promises(result: StudyResult) -> list[str]:
    lines: list[str] = []
    if result.intervals is not None:
        lines += wrapped(f"Intervals: prediction -+ {number(result.intervals.radius)}. {result.intervals.statement}")
    if result.class_sets is not None:
        sets = result.class_sets
        lines += wrapped(f"Sets of classes: {sets.statement} On average a set has {sets.mean_size:.2f} classes.")
    if result.threshold is not None:
        lines += wrapped(f"Threshold: {result.threshold.statement}")
    return lines


def _checks(result: StudyResult) -> list[str]:
    lines: list[str] = []
    for one in result.checks.found:
        lines += wrapped(f"{one.code} {one.kind}: {one.sentence} {one.remedy}", "! " if one.kind == "issue" else "i ")
    for advice in result.advice:
        lines += wrapped(f"{advice.title}: {advice.sentence}", "> ")
    if not lines:
        return []
    return ["What was noticed", RULE, *lines]


def line_of(text: str, width: int = 79) -> str:
    """What runs, on one line of a terminal."""
    text = shortened(text, width)
    return text + " " * (width - columns_of(text))
