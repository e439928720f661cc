"""Layer estimators: what classifiers for two classes share: labels to signs on the way in, scores to labels out."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import get_tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from surefit.data.tables import validate_data
from surefit.estimators.kinds.labels import encode_labels
from surefit.estimators.kinds.planned import Planned
from surefit.estimators.kinds.summarised import Summarised
from surefit.guarantee.certifiable import Guaranteed
from surefit.guarantee.theorems.classifiers import linear_classifier
from surefit.guarantee.theorems.training_rows import TrainingSet
from surefit.objective.margin import sign_labels
from surefit.page import Fact
from surefit.theory.certificates.training_set import Designated


def refuse_more_classes(classes: np.ndarray, y: Any) -> None:
    """An error if there are more than two classes, with the remedy."""
    if len(classes) > 2:
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {type_of_target(y)}: "
            f"{len(classes)} classes; wrap the model in sklearn.multiclass.OneVsRestClassifier"
        )


class TwoClassClassifier(Guaranteed, ClassifierMixin, BaseEstimator):
    """A classifier by the sign of a score: ``classes_[1]`` where it is positive.  Subclasses fit, this predicts."""

    classes_: np.ndarray
    sign_zero: int | None = None

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row, shape (n,); a score of exactly 0 gets ``classes_[0]`` unless ``sign_zero`` is +1."""
        signs = sign_labels(self.decision_function(X), -1 if self.sign_zero is None else self.sign_zero)
        return self.classes_[(signs > 0).astype(int)]

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of each row, shape (n,); positive for ``classes_[1]``."""
        raise NotImplementedError

    def _validated(self, X: Any, y: Any) -> tuple[Any, np.ndarray, Any]:
        """Rows in float64, labels -1 or +1, and the precision in which to answer; sets ``classes_``."""
        X, y = validate_data(self, X, y, accept_sparse=self._sparse_kind(), dtype=[np.float64, np.float32])
        self.classes_, codes = encode_labels(y)
        refuse_more_classes(self.classes_, y)
        return X.astype(np.float64, copy=False), 2.0 * codes - 1.0, X.dtype

    def _check_sign_zero(self, known: tuple[int | None, ...]) -> None:
        """Refuse what `predict` could not use."""
        if self.sign_zero not in known:
            names = ", ".join(map(str, known[:-1]))
            raise ValueError(
                f"sign_zero must be {names} or +1, got {self.sign_zero!r}; it is the label given to a score of 0"
            )

    def _signs(self, y: np.ndarray) -> np.ndarray:
        """The labels as -1 and +1."""
        return np.where(y == self.classes_[1], 1.0, -1.0)

    def _new_rows(self, X: Any) -> Any:
        """Checked rows to predict."""
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse=self._sparse_kind(), dtype=[np.float64, np.float32], reset=False)

    def _sparse_kind(self) -> Any:
        return "csr" if get_tags(self).input_tags.sparse else False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class LinearTwoClass(Planned, Summarised, TwoClassClassifier):
    """A `TwoClassClassifier` with the score ``coef_ . x + intercept_``; dense or sparse rows."""

    coef_: np.ndarray
    intercept_: np.ndarray
    fit_intercept: bool

    def decision_function(self, X: Any) -> np.ndarray:
        """``coef_ . x + intercept_`` for each row, shape (n,); positive for ``classes_[1]``."""
        return np.asarray(self._new_rows(X) @ self.coef_[0]) + self.intercept_[0]

    def _facts(self) -> list[Fact]:
        return [("Positive scores mean", repr(self.classes_.tolist()[1]))]

    def _no_errors(self) -> str:
        return (
            f"the weights of {type(self).__name__} depend on the order in which it met the rows, and have no sampling "
            "theory; use LogisticRegression for inference"
        )

    def _designated(self, rows: TrainingSet) -> Designated:
        return linear_classifier(rows, self.coef_, self.intercept_[0], self._signs(rows.y), bool(self.fit_intercept))

    def _publish(self, coef: np.ndarray, intercept: float, answer_type: Any) -> None:
        """Set ``coef_`` (1, d) and ``intercept_`` (1,) in the user's precision."""
        with np.errstate(over="ignore"):
            self.coef_ = coef.astype(answer_type)[None]
            self.intercept_ = np.array([intercept], dtype=answer_type)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
