"""Layer study: what a study found, as plain data; reports, files and terminals read this and nothing else.

In: the numbers of a finished study.  Out: frozen records of texts, numbers and tuples, and a dictionary for JSON.
Errors and scores are smaller where a model is better, and in the units that `Metric` names.  A number that is not known
is nan, a text that is not needed is empty.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from typing import Any

from surefit.theory.certificates.certificate import Certificate

SCHEMA = 1
"""Number of this layout; it grows when a field changes its meaning or goes."""

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
    """Rows left out because their target is missing."""
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
class Metric:
    """What candidates are compared by."""

    name: str
    """``root mean squared error``, ``mean absolute error``, ``log loss`` or ``error rate``."""
    units: str
    """Units of scores in words: the name of the target, ``nats``, or empty."""
    sentence: str
    """What the number means, in a sentence."""


@dataclass(frozen=True)
class Curve:
    """A criterion along a grid of penalties; to be drawn with a logarithmic axis."""

    criterion: str
    """Name of the criterion, such as ``exact leave-one-out mean squared error``."""
    lams: tuple[float, ...]
    """Penalties, from large to small."""
    values: tuple[float, ...]
    """The criterion at each of them."""
    errors: tuple[float, ...]
    """Standard error at each of them; nan where the criterion has none."""
    chosen: float
    """The penalty that was chosen."""


@dataclass(frozen=True)
class CoefficientPath:
    """Coefficients along a grid of penalties."""

    lams: tuple[float, ...]
    """Penalties, from large to small."""
    names: tuple[str, ...]
    """Features, the largest coefficients first; at most twelve."""
    values: tuple[tuple[float, ...], ...]
    """One row per feature, one number per penalty, in standard deviations of the feature."""
    chosen: float
    """The penalty that was chosen."""


class Ending(Enum):
    """How a candidate ended; the value is the word a user reads."""

    FINISHED = "finished"
    STOPPED = "stopped"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True)
class Candidate:
    """One line of the leaderboard."""

    name: str
    """What a user reads: ``ridge``, ``kernel ridge (Gaussian)``."""
    family: str
    """Class of the estimator: ``Ridge``."""
    ending: Ending
    """Whether it was finished; only finished and stopped candidates have scores."""
    reason: str = ""
    """Why it was skipped, stopped or failed, in a sentence."""
    settings: str = ""
    """What was chosen for the fit to all training rows, and by which criterion, in words."""
    score: float = NAN
    """Mean over all training rows, each predicted by the fold that did not train on it."""
    standard_error: float = NAN
    """Standard error of ``score``."""
    fold_scores: tuple[float, ...] = ()
    """The same within each fold."""
    other_scores: Mapping[str, float] = field(default_factory=dict)
    """Further metrics on the same predictions, by name."""
    rank: int = 0
    """Tie group: 1 for those that cannot be told from the best; 0 without a score or outside the competition."""
    p_value: float = NAN
    """Of the simultaneous paired test that it is as good as the best; 1 for the best itself."""
    simplicity: int = 0
    """Place in the order of simplicity, 0 the simplest; the first of rank one wins."""
    n_parameters: float = NAN
    """Coefficients that are not zero, or points that a kernel model keeps."""
    seconds: float = NAN
    """Time spent on it."""
    gap: float = NAN
    """Largest duality gap of its fits over the objective of a constant; nan where a solver proves none."""
    outside: bool = False
    """True for the reference of another library, which is never chosen unless asked for."""
    holdout_score: float = NAN
    """The same metric on the hold-out; known for the winner and the outside reference alone."""
    curve: Curve | None = None
    """The criterion that chose its penalty on all training rows, where there is one."""
    path: CoefficientPath | None = None
    """Its coefficients along the penalties, where it is linear."""


@dataclass(frozen=True)
class Leaderboard:
    """All candidates, the best first, and how they were told apart."""

    metric: Metric
    """What the scores are."""
    candidates: tuple[Candidate, ...]
    """By rank, then by score; skipped and failed ones last; the outside reference is among them by its score."""
    n_folds: int
    """Folds, the same for all candidates."""
    level: float
    """Probability that the simultaneous test separates candidates that are equally good."""
    test: str
    """The test, in a sentence."""
    winner: str
    """Name of the candidate that was chosen."""
    why: str
    """Why it was chosen, in a sentence."""


@dataclass(frozen=True)
class Coefficient:
    """One coefficient of a linear winner."""

    feature: str
    """Name of the encoded feature, such as ``colour = red`` or ``age``."""
    column: str
    """Column of the table that it comes from; empty for the intercept."""
    estimate: float
    """Per unit of the feature as it enters the model."""
    effect: float
    """Change of the answer if the feature grows by one standard deviation: comparable between features."""
    class_name: str = ""
    """The class whose score it adds to, where there are more than two."""
    standard_error: float = NAN
    """nan where no theory gives one."""
    low: float = NAN
    """Lower end of the 95 % interval."""
    high: float = NAN
    """Upper end of the 95 % interval."""
    p_value: float = NAN
    """Of the hypothesis that it is zero; nan where no theory gives one."""


@dataclass(frozen=True)
class Importance:
    """How much a column matters to the winner, whatever its family."""

    column: str
    """Column of the table."""
    increase: float
    """By how much the metric grows on training folds if this column is shuffled; mean over folds."""
    standard_error: float
    """Its standard error."""


@dataclass(frozen=True)
class Coefficients:
    """The coefficients of a linear winner and what may be concluded from them."""

    table: tuple[Coefficient, ...]
    """The intercept first, then by the size of their effects."""
    inference: str
    """What the standard errors are of and why they are valid, or why there are none, in sentences."""
    n_rows: int
    """Rows that standard errors come from: all training rows, or the half that did not choose."""


@dataclass(frozen=True)
class Intervals:
    """Prediction intervals of a regression, from the hold-out."""

    coverage: float
    """Share of new targets that lie in their interval."""
    delta: float
    """Probability that the promise fails."""
    statement: str
    """The promise in one sentence."""
    method: str
    """Name of the method."""
    radius: float
    """Half the width of intervals; their mean where widths differ."""
    assumptions: tuple[str, ...] = ()
    """What the promise stands on."""


@dataclass(frozen=True)
class ClassSets:
    """Sets of classes that hold the true one with a promised probability, from the hold-out."""

    coverage: float
    """Share of new rows whose class lies in their set."""
    statement: str
    """The promise in one sentence."""
    method: str
    """Name of the method."""
    mean_size: float
    """Mean number of classes in a set, on the hold-out."""
    single_share: float
    """Share of hold-out rows whose set has one class."""
    threshold: float
    """A class is in the set if its probability is at least this."""
    assumptions: tuple[str, ...] = ()
    """What the promise stands on."""


@dataclass(frozen=True)
class Reliability:
    """Predicted probabilities beside what happened, on the hold-out."""

    class_name: str
    """The class whose probabilities these are."""
    predicted: tuple[float, ...]
    """Mean probability in each bin."""
    observed: tuple[float, ...]
    """Share of rows in each bin that belong to the class."""
    counts: tuple[int, ...]
    """Rows in each bin."""
    low: tuple[float, ...]
    """Lower end of the exact 95 % interval of ``observed``."""
    high: tuple[float, ...]
    """Upper end."""


@dataclass(frozen=True)
class Threshold:
    """A threshold on the probability of one class with a promise, where one was asked for."""

    class_name: str
    """The class that is to be found."""
    kind: str
    """What is promised: ``recall``."""
    promised: float
    """The share that is promised."""
    delta: float
    """Probability that the promise fails."""
    threshold: float
    """Rows with at least this probability are called; nan if no threshold can be promised."""
    statement: str
    """The promise in one sentence, or why there is none."""
    called_share: float = NAN
    """Share of hold-out rows that are called."""
    precision: float = NAN
    """Share of called hold-out rows that belong to the class."""


@dataclass(frozen=True)
class HoldoutPoints:
    """Hold-out rows to draw: at most 2,000 of them, drawn at random."""

    observed: tuple[float, ...]
    """Targets; for classification the position of the class in ``DataFacts.classes``."""
    predicted: tuple[float, ...]
    """Predictions; for classification the position of the predicted class."""
    confusion: tuple[tuple[int, ...], ...] = ()
    """Rows by true class (down) and predicted class (across), of all hold-out rows; empty for regression."""


@dataclass(frozen=True)
class Check:
    """One finding about the table or the fit."""

    code: str
    """``SF101`` and so on."""
    kind: str
    """``issue`` (the result may not be what it seems) or ``tip`` (it could be better)."""
    title: str
    """A few words."""
    sentence: str
    """What was found, in plain words."""
    evidence: str
    """The number that decided, with its meaning."""
    value: float
    """That number alone."""
    level: float
    """Probability that the check speaks up without a cause; nan where it reports a fact and no test."""
    remedy: str
    """What to do."""
    columns: tuple[str, ...] = ()
    """Columns that it is about."""
    page: str = ""
    """Section of the documentation, such as ``docs/checks.md#sf101``."""


@dataclass(frozen=True)
class Checks:
    """All checks: what they found, and which found nothing."""

    found: tuple[Check, ...]
    """Issues first, then tips."""
    passed: tuple[tuple[str, str], ...]
    """Codes and titles of checks that found nothing."""
    ignored: tuple[str, ...] = ()
    """Codes that were asked to be silent."""


@dataclass(frozen=True)
class LearningCurve:
    """The winner's error against the number of training rows."""

    n_rows: tuple[int, ...]
    """Numbers of training rows."""
    scores: tuple[float, ...]
    """Score at each of them, on rows that were not trained on."""
    errors: tuple[float, ...]
    """Standard errors of the scores."""
    at_double: float
    """What the fitted curve expects with twice the rows; nan where it cannot be fitted."""
    sentence: str
    """What more rows would bring, in plain words."""


@dataclass(frozen=True)
class Advice:
    """Something that would most likely help."""

    title: str
    """A few words, such as ``more rows``."""
    sentence: str
    """Why, and what to do."""
    gain: float = NAN
    """Expected share by which the score would fall; nan where it is not known."""


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
    """Prediction intervals; None for classification, and where the hold-out is too small."""
    class_sets: ClassSets | None
    """Sets of classes; None for regression, and where the hold-out is too small."""
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
