"""Layer study: the leaderboard, as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

NAN = math.nan


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
    """Whether it was finished; only finished candidates have a score."""
    reason: str = ""
    """Why it was skipped, stopped or failed, in a sentence."""
    settings: str = ""
    """What was chosen in the folds, in words; ``curve.chosen`` is the ``lam`` of the fit to all training rows."""
    score: float = NAN
    """Mean over all training rows, each predicted by the fold that did not train on it."""
    standard_error: float = NAN
    """Standard error of ``score``."""
    fold_scores: tuple[float, ...] = ()
    """The same within each fold that was done, also of a candidate that was stopped."""
    other_scores: Mapping[str, float] = field(default_factory=dict)
    """Further metrics on the same predictions, by name."""
    rank: int = 0
    """Tie group: 1 for those that cannot be told from the best; 0 without a score or outside the competition."""
    p_value: float = NAN
    """Of the simultaneous paired test that it is as good as the best; 1 for the best itself."""
    simplicity: int = 0
    """Place in the order of simplicity, 0 the simplest; the first of rank one near the best wins."""
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
