"""Layer guarantee: what a fitted model answers, and how far off that is.

In: a fitted model, rows and their targets.  Out: `Answering`, a model as a hold-out sees it; errors of labels,
distances of numbers, values of a loss; targets and labels, checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import _num_samples, check_array, column_or_1d

from surefit.data.tables import explained, missing_labels
from surefit.guarantee.declared import Values
from surefit.guarantee.label_values import LabelValues
from surefit.objective.loss import Loss
from surefit.theory.certificates.certificate import Assumption, Standing

MOST_VALUES = 1_000_000
"""Values of labels that are kept of the rows that a fit held out."""


@dataclass(frozen=True)
class Answering:
    """A fitted model as a hold-out sees it: its ``answers`` to rows, whether they are ``labels``, and which ones."""

    answers: Callable[[Any], Any]
    labels: bool
    classes: Any = None
    values: LabelValues | None = None
    """What a classifier says of each label, where it says anything."""

    @staticmethod
    def of(model: Any) -> Answering:
        """Models of ours answer on the scale of their targets, whatever `predict` gives; all others predict."""
        labels, classes = answers_labels(model), getattr(model, "classes_", None)
        if hasattr(model, "_answers_labels"):
            labels = bool(model._answers_labels())
            return Answering(model._answers, labels, classes, LabelValues.if_any(model) if labels else None)
        return Answering(model.predict, labels, classes, LabelValues.if_any(model) if labels else None)

    def values_at(self, X: Any) -> Values | None:
        """What the model says of each label at these rows."""
        if self.values is None:
            return None
        return Values(self.values(X), self.values.classes, self.values.probabilities)

    def kept_values(self, X: Any) -> Values | None:
        """The same of rows that a fit held out, where they are not too many to keep and make sense."""
        if self.values is None or _num_samples(X) * len(self.values.classes) > MOST_VALUES:
            return None
        try:
            return self.values_at(X)
        except ValueError:
            return None


def answers_labels(model: Any) -> bool:
    """Whether a fitted model answers labels rather than numbers; ``ValueError`` if it predicts neither.

    >>> from sklearn.cluster import KMeans
    >>> answers_labels(KMeans())
    Traceback (most recent call last):
        ...
    ValueError: KMeans is a clusterer: its answers are not predictions of a target; give a classifier or a regressor
    """
    name = type(model).__name__
    if isinstance(model, type):
        name = model.__name__
        raise ValueError(f"{name} is a class and has learnt nothing; give a fitted model: {name}().fit(X, y)")
    if not hasattr(model, "predict"):
        raise ValueError(f"{name} does not predict; give a fitted classifier or regressor")
    try:
        kind = get_tags(model).estimator_type
    except (AttributeError, TypeError):  # somebody's own class, of which only predict is known
        kind = getattr(model, "_estimator_type", None)
    if kind not in (None, "classifier", "regressor"):
        raise ValueError(
            f"{name} is a {kind}: its answers are not predictions of a target; give a classifier or a regressor"
        )
    return bool(kind == "classifier")


def one_target(y: Any) -> np.ndarray:
    """One finite target per row, labels or numbers."""
    with explained(None, y):
        found = column_or_1d(check_array(y, ensure_2d=False, dtype=None, input_name="y"), warn=True)
        if found.dtype.kind == "O" and missing_labels(found):
            raise ValueError("Input contains NaN")
        return found


def unknown_labels(y: np.ndarray, classes: Any, count_as: str = "errors") -> tuple[Assumption, ...]:
    """Names the labels that the model cannot answer, and so gets wrong; ``ValueError`` if it can answer none."""
    if classes is None or len(y) == 0:
        return ()
    unknown = ~np.isin(y, classes)
    if unknown.all():
        raise ValueError(
            f"none of the labels in y_test, such as {y.tolist()[0]!r}, is among those of the fit, such as "
            f"{np.asarray(classes).tolist()[0]!r}; write "
            "them alike"
        )
    if not unknown.any():
        return ()
    names = np.unique(y[unknown]).tolist()
    listed = ", ".join(map(repr, names[:3])) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    evidence = f"{unknown.sum()} of {len(y)} held-out rows have labels that were not in fit: {listed}"
    return (Assumption(f"labels that the model does not know count as {count_as}", Standing.DECLARED, evidence),)


def one_answer_each(answers: Any, y: np.ndarray, any_shape: bool = False) -> np.ndarray:
    """The answers in the shape of the targets: one column of answers is a vector; a user's loss takes any shape."""
    answers = np.asarray(answers)
    if answers.size == y.size and answers.shape[:1] == y.shape[:1]:
        return answers.reshape(y.shape)
    if any_shape:
        return answers
    raise ValueError(f"the model answers with shape {answers.shape} for {len(y)} rows; give one answer per row")


def distances(y: np.ndarray, predicted: Any) -> np.ndarray:
    """How far off the predictions are, all finite."""
    try:
        errors = np.abs(np.asarray(y, dtype=np.float64) - np.asarray(predicted, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"this model predicts numbers, and targets such as {y[0]!r} are none; certify a classifier, or give numbers"
        ) from error
    if not np.all(np.isfinite(errors)):
        raise ValueError("held-out errors must be finite; drop missing targets, or certify a model that always answers")
    return errors


def losses_of(loss: Any, y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """One number per row in [0, 1], from a function of targets and predictions."""
    if isinstance(loss, Loss) and not loss.unit_range:
        raise ValueError(
            f"the values of {loss!r} have no upper limit; certify a capped one: "
            "loss=lambda y, f: np.minimum(loss.value(y, f), 1.0)"
        )
    if not (isinstance(loss, Loss) or callable(loss)):
        raise ValueError(f"loss must be a function of (y, prediction), got {loss!r}; give one with values in [0, 1]")
    values = np.asarray(loss.value(y, predicted) if isinstance(loss, Loss) else loss(y, predicted), dtype=np.float64)
    if values.shape != (len(y),):
        raise ValueError(f"loss gave shape {values.shape} for {len(y)} rows; return one number per row")
    if not (np.all(values >= 0.0) and np.all(values <= 1.0)):
        raise ValueError("losses must lie in [0, 1]; divide them by the largest possible one, or cap them")
    return values
