"""Layer study: what a study found, as plain data; reports, files and terminals read this and nothing else.

In: the numbers of a finished study.  Out: frozen records of texts, numbers and tuples, and a dictionary for JSON.
Errors and scores are smaller where a model is better, and in the units that `Metric` names.  A number that is not known
is nan, a text that is not needed is empty.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any

from surefit.study.records.board import Candidate, Leaderboard
from surefit.study.records.data import ColumnFacts, DataFacts, Machine
from surefit.study.records.noticed import Advice, Checks
from surefit.study.records.winner import (
    ClassSets,
    Coefficients,
    HoldoutPoints,
    Importance,
    Intervals,
    LearningCurve,
    Reliability,
    Threshold,
)
from surefit.theory.certificates.certificate import Certificate

SCHEMA = 1
"""Number of this layout; it grows when a field changes its meaning or goes."""


@dataclass(frozen=True)
class StudyResult:
    """Everything that a study found."""

    title: str
    """One line: target and source."""
    headline: str
    """The result in one or two plain sentences."""
    data: DataFacts
    """The table as it was read and divided."""
    columns: tuple[ColumnFacts, ...]
    """One record per column of the table, in the order of the table."""
    leaderboard: Leaderboard
    """All candidates and the winner."""
    certificate: Certificate
    """What the winner will do on future rows, from the hold-out."""
    coefficients: Coefficients | None
    """Those of the winner, if it is linear."""
    importances: tuple[Importance, ...]
    """Columns by how much the winner needs them; empty if there was no time."""
    intervals: Intervals | None
    """Prediction intervals; None for classification, and where the hold-out allows no promise."""
    class_sets: ClassSets | None
    """Sets of classes; None for regression, and where the hold-out allows no promise."""
    reliability: tuple[Reliability, ...]
    """Calibration of probabilities, one record per class; the second class alone where there are two."""
    threshold: Threshold | None
    """The threshold with a promise, where one was asked for."""
    holdout: HoldoutPoints
    """Observed and predicted on the hold-out, to be drawn."""
    checks: Checks
    """Findings with codes."""
    learning_curve: LearningCurve | None
    """None if there was no time."""
    advice: tuple[Advice, ...]
    """What would most likely help, the most promising first."""
    machine: Machine
    """Versions, command, seconds."""
    schema: int = SCHEMA
    """Number of this layout."""

    @property
    def winner(self) -> Candidate:
        """The candidate that was chosen."""
        return next(one for one in self.leaderboard.candidates if one.name == self.leaderboard.winner)

    def as_dict(self) -> dict[str, Any]:
        """Dictionaries, lists, texts and numbers, ready for ``json.dumps(..., allow_nan=False)``.

        nan becomes None, infinities become the texts ``inf`` and ``-inf``, enumerations their words.
        """
        return dict(_plain(self))


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
