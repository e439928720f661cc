"""Layer guarantee: what a classifier says about each label of a row, whatever kind of classifier it is.

In: a fitted classifier and rows.  Out: one column per label: probabilities, or else the values of its decision
function.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples

from surefit.theory.intervals.class_sets import two_columns


@dataclass(frozen=True)
class LabelValues:
    """A fitted classifier as a function from rows to one number per label.  A class, so that it can be stored.

    >>> from surefit import LogisticRegression
    >>> values = LabelValues.of(LogisticRegression(lam=0.1).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]))
    >>> values.probabilities, values([[1.5]]).round(2)
    (True, array([[0.5, 0.5]]))
    """

    model: Any
    probabilities: bool

    @staticmethod
    def of(model: Any) -> LabelValues:
        """The probabilities of a model that has them, else its decision function; ``ValueError`` if it has neither."""
        if not hasattr(model, "classes_"):
            raise ValueError(f"{type(model).__name__} has no classes_; give a fitted classifier")
        if hasattr(model, "predict_proba"):
            return LabelValues(model, True)
        if hasattr(model, "decision_function"):
            return LabelValues(model, False)
        raise ValueError(
            f"{type(model).__name__} has neither predict_proba nor decision_function, so labels cannot be compared; "
            "use a classifier that has one, such as LogisticRegression"
        )

    @staticmethod
    def if_any(model: Any) -> LabelValues | None:
        """The same, and None where there are no values."""
        known = hasattr(model, "classes_") and (hasattr(model, "predict_proba") or hasattr(model, "decision_function"))
        return LabelValues.of(model) if known else None

    @property
    def classes(self) -> np.ndarray:
        """The labels that the columns belong to."""
        return np.asarray(self.model.classes_)

    def __call__(self, X: Any) -> np.ndarray:
        found = self.model.predict_proba(X) if self.probabilities else two_columns(self.model.decision_function(X))
        found = np.asarray(found, dtype=float)
        if found.shape != (_num_samples(X), len(self.classes)):
            raise ValueError(
                f"the classifier gives shape {found.shape} for {_num_samples(X)} rows and {len(self.classes)} labels; "
                "it has to give one number per label (decision_function_shape='ovr' in scikit-learn's SVC)"
            )
        if not np.all(np.isfinite(found)):
            raise ValueError("the classifier gives values that are not finite; use one that has an answer for each row")
        return found

    def numbers_of(self, y: np.ndarray) -> np.ndarray:
        """The column of each label; -1 for a label that the model does not know."""
        match = np.asarray(y)[:, None] == self.classes
        return np.where(match.any(axis=1), match.argmax(axis=1), -1)
