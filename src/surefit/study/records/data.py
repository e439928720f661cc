"""Layer study: the table, its columns, and the machine, as plain data."""

from __future__ import annotations

import math
from dataclasses import dataclass

NAN = math.nan


@dataclass(frozen=True)
class DataFacts:
    """The table as it was read and divided."""

    source: str
    """Path of the file, or what kind of frame was given."""
    reading: str
    """How it was read, in words: format, encoding, separator."""
    n_rows: int
    """Rows in the table."""
    n_without_target: int
    """Rows left out because their target is missing, infinite, or of a class with fewer than three rows."""
    n_training: int
    """Rows that candidates were tuned, compared and fitted on."""
    n_holdout: int
    """Rows set aside first and used once, for the certificate."""
    division: str
    """How the hold-out was set aside, in a sentence."""
    target: str
    """Name of the target column."""
    task: str
    """``regression`` or ``classification``."""
    task_reason: str
    """Why it is that task, in a sentence."""
    n_features: int
    """Numbers that a row becomes in the encoder."""
    missing_share: float
    """Share of the cells of used columns that are missing."""
    classes: tuple[tuple[str, int], ...] = ()
    """Labels and how many rows have them; empty for regression."""
    target_quantiles: tuple[float, ...] = ()
    """Minimum, quartiles and maximum of a numeric target: five numbers; empty for classification."""
    group: str = ""
    """Column whose groups stay together, if one was named."""
    time: str = ""
    """Column that orders the rows in time, if one was named."""
    weights: str = ""
    """Column of sample weights, if one was named."""
    fingerprint: str = ""
    """A hash of the table, the same for the same cells."""


@dataclass(frozen=True)
class ColumnFacts:
    """One column of the table."""

    name: str
    """Its header."""
    kind: str
    """``number``, ``category``, ``date``, ``target``, ``group``, ``time``, ``weights`` or ``left out``."""
    reason: str
    """Why it has that kind, or why it is left out, in a few words."""
    missing: int
    """Cells without a value."""
    distinct: int
    """Different values."""
    n_features: int
    """Numbers that it becomes in the encoder; 0 if it is not used."""
    least: float = NAN
    """Smallest value of a number."""
    median: float = NAN
    """Median of a number."""
    greatest: float = NAN
    """Largest value of a number."""
    examples: tuple[str, ...] = ()
    """A few values as they are written in the table: the most frequent levels of a category."""


@dataclass(frozen=True)
class Machine:
    """What made the result, and how to make it again."""

    versions: tuple[tuple[str, str], ...]
    """Packages and their versions; Python first."""
    command: str
    """The command, or the line of Python, that reproduces the study."""
    seed: int
    """Number from which everything random was drawn."""
    started: str
    """When the study began: date and time, ISO 8601, UTC."""
    seconds: float
    """How long it took."""
    budget: float
    """How long it was allowed to take, in seconds; inf if there was no limit."""
    config: str = ""
    """The settings as TOML, as ``surefit init`` would write them."""
