"""Layer report: the table as it was read, and its columns."""

from __future__ import annotations

import math

from surefit.page import number
from surefit.report.markup import Markup, tag
from surefit.report.sections.parts import facts, section, some, table
from surefit.report.words import count, sentence
from surefit.study.record import StudyResult
from surefit.study.records.data import ColumnFacts
from surefit.theory.certificates.wording import percent

MOST_COLUMNS = 60


def data(result: StudyResult) -> Markup:
    """Rows, columns, how they were divided, and what each column became."""
    found = result.data
    quantiles = ", ".join(number(one) for one in found.target_quantiles)
    pairs = [
        ("Source", found.source), ("Read as", found.reading), ("Rows", f"{found.n_rows:,}"),
        ("Rows without a usable target, left out", f"{found.n_without_target:,}" if found.n_without_target else ""),
        ("Target", found.target), ("Task", found.task), ("Smallest, quartiles, largest target", quantiles),
        ("Classes", some([f"{name} ({rows:,})" for name, rows in found.classes])),
        ("Numbers a row becomes", f"{found.n_features:,}"), ("Missing cells", percent(found.missing_share)),
        ("Groups", found.group), ("Time", found.time), ("Weights", found.weights), ("Fingerprint", found.fingerprint),
    ]  # fmt: skip
    sentences = tag("p", f"{sentence(f'{found.task}: {found.task_reason}')} {sentence(found.division)}")
    shown = result.columns[:MOST_COLUMNS]
    more = len(result.columns) - len(shown)
    heads = ("column", "kind", "missing", "distinct", "smallest, median, largest", "examples", "why")
    listed = table("Columns of the table", heads, map(_row, shown), numbers=(2, 3))
    note = tag("p", f"{count(more, 'further column')} in report.json.", class_="quiet") if more else None
    return section("data", "The data", sentences, facts(pairs), listed, note)


def _row(one: ColumnFacts) -> list[str]:
    values = (one.least, one.median, one.greatest)
    spread = ", ".join(number(value, 3) for value in values) if all(map(math.isfinite, values)) else ""
    examples = some(one.examples, 3)
    return [
        one.name,
        one.kind,
        f"{one.missing:,}" if one.missing else "",
        f"{one.distinct:,}",
        spread,
        examples,
        one.reason,
    ]
