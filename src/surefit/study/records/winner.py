"""Layer study: what is known about the winner, as plain data."""

from __future__ import annotations

import math
from dataclasses import dataclass

NAN = math.nan


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
    unshrunk: float = NAN
    """The estimate that error, interval and p value belong to, where that is another one: without a penalty."""


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
