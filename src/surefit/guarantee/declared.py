"""Layer guarantee: certificates where a user declares more of the rows, or asks for another measure.

In: held-out targets and answers, `Sampling` (groups, time, weights), or the name of a measure.  Out: a `Certificate`
about new groups, about another law of the features, about that time, or of probabilities, recall and ranking.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.guarantee.sampling import Sampling
from surefit.theory.certificates.certificate import Certificate
from surefit.theory.certificates.compared import Baseline
from surefit.theory.certificates.holdout import classifier_certificate, regressor_certificate
from surefit.theory.certificates.in_time import of_that_time
from surefit.theory.certificates.measures import (
    MEASURES,
    auc_certificate,
    probability_certificate,
    recall_certificate,
)
from surefit.theory.certificates.unequal import (
    Counting,
    Terms,
    beside,
    by_groups,
    by_weights,
    unequal_classifier,
    unequal_mean,
    unequal_regressor,
)


@dataclass(frozen=True)
class Values:
    """What a classifier says of each label on held-out rows, ``(n, K)``: probabilities or a decision function."""

    of: np.ndarray
    classes: np.ndarray
    probabilities: bool

    def labels_of(self, y: np.ndarray) -> np.ndarray:
        """The column of each label; -1 for one that the model does not know."""
        match = np.asarray(y)[:, None] == self.classes
        return np.where(match.any(axis=1), match.argmax(axis=1), -1)

    def at(self, rows: np.ndarray) -> Values:
        return replace(self, of=self.of[rows])


@dataclass(frozen=True)
class Judged:
    """Held-out rows: targets, whether the model answers labels, its losses, and which rows it may have seen.

    ``losses`` are 0/1 errors, distances, or values of a given loss (then ``given``); rows that are ``unknown`` count as
    if the model lost the most.
    """

    targets: np.ndarray
    labels: bool
    losses: np.ndarray
    given: bool
    unknown: np.ndarray
    values: Values | None
    sampling: Sampling

    def at(self, rows: np.ndarray) -> Judged:
        """Some of the rows."""
        values = None if self.values is None else self.values.at(rows)
        return replace(
            self, targets=self.targets[rows], losses=self.losses[rows], unknown=self.unknown[rows], values=values,
            sampling=self.sampling.at(rows),
        )  # fmt: skip

    @property
    def worst(self) -> np.ndarray:
        """The losses, the largest there is for rows that the model may have seen."""
        return np.where(self.unknown, np.inf if not (self.labels or self.given) else 1.0, self.losses)


def of_unequal_rows(rows: Judged, constant: Baseline | None, terms: Terms) -> Certificate:
    """About new groups, or about new rows of another law."""
    sampling = rows.sampling
    if sampling.groups is not None:
        counting = by_groups(sampling.groups)
        found = _counted(rows, counting, constant, terms)
        ordinary = _ordinary(rows, terms)
        return found if ordinary is None else beside(found, ordinary, counting.n_draws)
    assert sampling.weights is not None
    return _counted(rows, by_weights(sampling.weights, sampling.weights_are_known), constant, terms)


def _counted(rows: Judged, counting: Counting, constant: Baseline | None, terms: Terms) -> Certificate:
    if rows.given:
        return unequal_mean(rows.worst, counting, terms, constant=constant)
    return (unequal_classifier if rows.labels else unequal_regressor)(rows.worst, counting, terms, constant)


def _ordinary(rows: Judged, terms: Terms) -> Certificate | None:
    """The certificate in which every row is a draw; none for a given loss."""
    if rows.given:
        return None
    if rows.labels:
        return classifier_certificate(rows.worst, terms.delta, terms.n_models_fixed)
    return regressor_certificate(rows.worst, terms.delta, terms.n_models_fixed, coverage=terms.coverage)


def of_measure(measure: str, rows: Judged, frequencies: np.ndarray | None, terms: Terms) -> Certificate:
    """Of the log-loss, the Brier score, the recall of each label, or the AUC.

    ``frequencies`` (K,) are those of the labels in training; without them those of the held-out rows are taken, which
    favours the constant.
    """
    if not rows.sampling.plain and rows.sampling.time is None:
        raise ValueError(
            f"loss={measure!r} is certified for rows that are draws, all alike; leave groups and weights out"
        )
    y, values = rows.targets, rows.values
    if values is None:
        raise ValueError(f"loss={measure!r} needs predict_proba or decision_function, which this model has not")
    if measure == "recall":
        return recall_certificate((rows.losses == 0) & ~rows.unknown, y, values.classes.tolist(), terms)
    if measure == "auc":
        return _of_ranking(rows, values, terms)
    if not values.probabilities:
        raise ValueError(
            f"loss={measure!r} is about probabilities, which this model has not; use calibrate_probabilities, or "
            "LogisticRegression"
        )
    label = np.where(rows.unknown, -1, values.labels_of(y))
    if frequencies is None:
        frequencies = np.bincount(label[label >= 0], minlength=len(values.classes)) / max(int(np.sum(label >= 0)), 1)
    return probability_certificate(measure, values.of, label, frequencies, terms)


def _of_ranking(rows: Judged, values: Values, terms: Terms) -> Certificate:
    names = values.classes.tolist()
    if len(names) != 2:
        raise ValueError(f"an AUC is about two labels, and the model has {len(names)}; certify one against the others")
    scores, event = values.of[:, 1], rows.targets == names[1]
    seen_wrong = np.where(event, scores.min() - 1.0, scores.max() + 1.0)
    return auc_certificate(np.where(rows.unknown, seen_wrong, scores), event, names[1], terms)


def of_its_time(found: Certificate, rows: Judged, seed: int) -> Certificate:
    """``found`` as a statement about the time of the held-out rows, after a test of their order; warns of a drift."""
    scores = rows.losses
    if rows.labels and not rows.given and rows.values is not None:
        scores = _strangeness(rows.targets, rows.values)
    evidence = rows.sampling.evidence(scores, seed)
    rows.sampling.warn_of(evidence)
    return of_that_time(found, evidence, *rows.sampling.span)


def _strangeness(y: np.ndarray, values: Values) -> np.ndarray:
    """How far the value of the true label falls behind the largest: it says more than right or wrong."""
    label = values.labels_of(y)
    own = values.of[np.arange(len(label)), label]
    return np.where(label >= 0, values.of.max(axis=1) - own, np.ptp(values.of))


def is_measure(loss: Any) -> bool:
    """Whether a loss is the name of a measure; ``ValueError`` for other names."""
    if not isinstance(loss, str):
        return False
    if loss not in MEASURES:
        raise ValueError(f"loss must be a function, a Loss or one of {MEASURES}, got {loss!r}")
    return True
