"""Layer estimators: `ThresholdClassifier`, the best threshold on the best column."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from surefit.data.design import Design
from surefit.data.scores import labels_of_scores
from surefit.data.tables import validate_data
from surefit.estimators.kinds.labels import encode_labels
from surefit.estimators.kinds.two_classes import refuse_more_classes
from surefit.guarantee.certifiable import Guaranteed, certifiable
from surefit.guarantee.theorems.classifiers import threshold_rule
from surefit.guarantee.theorems.training_rows import TrainingSet
from surefit.solvers.halfspaces.thresholds import ThresholdRisk, threshold_risk
from surefit.theory.certificates.training_set import Designated


class ThresholdClassifier(Guaranteed, ClassifierMixin, BaseEstimator):
    """``classes_[1]`` where one column is at least a threshold, or where it is below: fewest mistakes of such rules.

    Empirical risk minimisation for 0-1 loss, exact, in O(d n log n).  Of columns that are equally good the first is
    taken, rising before falling; of thresholds the middle of the widest interval.  Two classes.  Catalogue A-40, D-08.

    Attributes
    ----------
    feature_ : the column.  rising_ : True for ``1[x >= threshold]``, False for ``1[x < threshold]``.
    threshold_ : the one used in `predict`.  intervals_ : all optimal ones for this column, as ``(low, high]``.
    risk_ : the (weighted) share of mistakes on the training data.  classes_ : the two labels.

    >>> model = ThresholdClassifier().fit([[-4.0], [-1], [3], [4]], [0, 1, 0, 1])
    >>> model.risk_, model.intervals_, model.threshold_
    (0.25, ((-4.0, -1.0), (3.0, 4.0)), -2.5)
    """

    @certifiable
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None, random_state: Any = None
    ) -> "ThresholdClassifier":
        """Fit to ``X`` (n, d) and two classes ``y`` (n,)."""
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        weight = Design.of(X, sample_weight).weight
        self.classes_, codes = encode_labels(y, weight)
        refuse_more_classes(self.classes_, y)
        counted = weight > 0
        X, codes, weight = X[counted], codes[counted], weight[counted]
        best: ThresholdRisk | None = None
        for j in range(X.shape[1]):
            for rising in (True, False):
                found = threshold_risk(X[:, j], codes if rising else 1 - codes, weight)
                if best is None or found.risk < best.risk - found.tie:
                    best, self.feature_, self.rising_ = found, j, rising
        assert best is not None  # there is at least one column
        self.threshold_, self.intervals_, self.risk_ = best.threshold, best.intervals, best.risk
        return self

    def _designated(self, rows: TrainingSet) -> Designated:
        return threshold_rule(rows)

    def decision_function(self, X: Any) -> np.ndarray:
        """The distance to the threshold, positive for ``classes_[1]`` and never exactly 0, shape (n,)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        column = X[:, self.feature_].astype(np.float64)  # in single precision the threshold would fall on a row
        with np.errstate(over="ignore"):
            distance = np.abs(column - self.threshold_).astype(X.dtype)
        distance = np.maximum(distance, np.finfo(X.dtype).tiny)
        return np.where((column >= self.threshold_) == self.rising_, distance, -distance)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row, shape (n,)."""
        scores = self.decision_function(X)
        return labels_of_scores(self.classes_, scores)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
