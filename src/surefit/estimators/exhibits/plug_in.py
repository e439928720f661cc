"""Layer estimators: `PlugInClassifier`, estimated probabilities put into the rule of the Bayes classifier."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from surefit.data.design import Design
from surefit.data.tables import validate_data
from surefit.estimators.exhibits.neighbours import NearestNeighbourClassifier
from surefit.estimators.kinds.labels import encode_labels
from surefit.estimators.kinds.two_classes import refuse_more_classes
from surefit.guarantee.certifiable import Guaranteed, certifiable
from surefit.parameters import cost_table


def least_cost_class(probabilities: Any, costs: Any = None, ties: str = "first") -> np.ndarray:
    """The class with the least expected cost: ``argmin_j sum_i P(i) costs[i, j]``, shape (n,).  Catalogue A-44, A-43.

    ``probabilities`` (n, k); ``costs[i, j]`` (k, k) is the cost of answering ``j`` where ``i`` is true; ``None``: 1
    for every mistake, so the most likely class.  ``ties="first"`` answers the first of equally good classes
    (``1[eta > 1/2]``), ``"last"`` the last (``1[eta >= 1/2]``): both have the same expected cost (E-028).

    >>> least_cost_class([[0.5, 0.5]]), least_cost_class([[0.5, 0.5]], ties="last")
    (array([0]), array([1]))
    >>> least_cost_class([[0.85, 0.15]], costs=[[0, 1], [9, 0]])            # a miss costs nine false alarms
    array([1])
    """
    P = np.asarray(probabilities, dtype=np.float64)
    if P.ndim != 2 or not np.all((P >= 0) & (P <= 1)):
        raise ValueError("probabilities must have shape (n, k) with entries in [0, 1]; pass probabilities, not scores")
    _check_ties(ties)
    expected = P @ _checked_costs(costs, P.shape[1])
    if ties == "first":
        return np.argmin(expected, axis=1)
    return P.shape[1] - 1 - np.argmin(expected[:, ::-1], axis=1)


class PlugInClassifier(Guaranteed, ClassifierMixin, BaseEstimator):
    """The class of least expected cost under estimated probabilities.  Catalogue A-44.

    With the true probabilities this is the Bayes classifier; two classes and 0-1 costs give ``1[eta(x) > 1/2]``.

    Parameters
    ----------
    estimator : a classifier with ``predict_proba``, or for two classes a regressor of ``1[y = classes_[1]]``, whose
        predictions are cut to [0, 1]; ``None``: `NearestNeighbourClassifier`.
    costs : (k, k) numbers, ``costs[i, j]`` for answering ``classes_[j]`` where ``classes_[i]`` is true; ``None``: 1 for
        every mistake.
    ties : ``"first"`` of equally good classes, or ``"last"``, which gives ``1[eta(x) >= 1/2]``.

    Attributes
    ----------
    classes_ : the labels.  estimator_ : the fitted estimator.
    threshold_ : for two classes, the probability of ``classes_[1]`` above which it is answered; None for more.

    >>> X, y = [[0.0], [1], [2], [3]], ["ill", "well", "ill", "well"]
    >>> nearest = NearestNeighbourClassifier(n_neighbours=4)
    >>> PlugInClassifier(nearest, costs=[[0, 10], [1, 0]]).fit(X, y).predict([[3.0]])
    array(['ill'], dtype='<U4')
    """

    def __init__(self, estimator: Any = None, *, costs: Any = None, ties: str = "first"):
        self.estimator = estimator
        self.costs = costs
        self.ties = ties

    @certifiable
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None, random_state: Any = None
    ) -> "PlugInClassifier":
        """Fit the estimator to ``X`` (n, d) and classes ``y`` (n,)."""
        sparse_kind = "csr" if get_tags(self).input_tags.sparse else False
        X, y = validate_data(self, X, y, accept_sparse=sparse_kind, dtype=[np.float64, np.float32])
        weight = Design.of(X, sample_weight).weight
        self.classes_, codes = encode_labels(y, weight)
        model = clone(self._estimator())
        if is_regressor(model):
            refuse_more_classes(self.classes_, y)
        elif not hasattr(model, "predict_proba"):
            raise ValueError(f"{model!r} has no predict_proba; use one that estimates probabilities")
        costs = _checked_costs(self.costs, len(self.classes_))
        _check_ties(self.ties)
        counted = weight > 0
        given = {} if sample_weight is None else {"sample_weight": weight[counted]}
        self.estimator_ = model.fit(X[counted], codes[counted], **given)
        self.threshold_ = _threshold(costs) if len(costs) == 2 else None
        return self

    def _largest_product(self, n: int, d: int) -> float:
        return np.inf  # the estimator inside decides

    def predict_proba(self, X: Any) -> np.ndarray:
        """The estimated probabilities of the classes, shape (n, k)."""
        check_is_fitted(self)
        sparse_kind = "csr" if get_tags(self).input_tags.sparse else False
        X = validate_data(self, X, accept_sparse=sparse_kind, dtype=[np.float64, np.float32], reset=False)
        if not is_regressor(self.estimator_):
            return self.estimator_.predict_proba(X)
        eta = np.clip(self.estimator_.predict(X), 0.0, 1.0)
        return np.column_stack([1.0 - eta, eta])

    def predict(self, X: Any) -> np.ndarray:
        """The class of least expected cost for each row, shape (n,)."""
        answers = least_cost_class(self.predict_proba(X), self.costs, self.ties)
        return self.classes_[answers]

    def _estimator(self) -> Any:
        return NearestNeighbourClassifier() if self.estimator is None else self.estimator

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._estimator())
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.classifier_tags.multi_class = inner.classifier_tags is not None and inner.classifier_tags.multi_class
        return tags


def _checked_costs(costs: Any, k: int) -> np.ndarray:
    return 1.0 - np.eye(k) if costs is None else cost_table(costs, k)


def _check_ties(ties: Any) -> None:
    if ties not in ("first", "last"):
        raise ValueError(f"ties must be 'first' or 'last', got {ties!r}; it picks among equally good classes")


def _threshold(costs: np.ndarray) -> float:
    """``eta`` at which both classes cost the same: NaN where the costs do not depend on the truth."""
    alarm, miss = costs[0, 1] - costs[0, 0], costs[1, 0] - costs[1, 1]
    return float(alarm / (alarm + miss)) if alarm + miss > 0 else float("nan")
