"""Layer estimators: certificates of fitted models: `certify` for any of them, `Certified` to hold rows out by itself.

In: a fitted model and rows that it has never seen.  Out: a `Certificate`.  Models of ours hold rows out by themselves
(``fit(..., certify=0.2)``); pipelines, searches and models of others need this wrapper, so that no step sees the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing, check_random_state, get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from surefit.estimators.trained import (
    Asked,
    HeldOut,
    Trained,
    answers_labels,
    certificate_from,
    one_target,
    remembered,
    unknown_labels,
)
from surefit.objective.loss import Loss
from surefit.theory.certificate import Assumption, Certificate, Standing
from surefit.theory.copies import Equalities, equalities
from surefit.theory.overlap import NOT_TRAINED_ON, UNTOUCHED, equal_rows, row_prints


def certify(  # noqa: PLR0913 - one more than seven: each is something a user may have to declare
    model: Any,
    X_test: Any,
    y_test: Any,
    *,
    training: tuple[Any, Any] | None = None,
    loss: Loss | Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
    delta: float = 0.05,
    n_models_tried: int = 1,
    equal_rows_are_draws: bool = False,
) -> Certificate:
    """What a fitted model, scikit-learn's or ours, will do on future rows, with confidence ``1 - delta``.

    A classifier: its error rate (Clopper-Pearson).  A regressor: the 90 % quantile of ``|error|`` (order statistic).
    With ``loss``, a function of ``(y, prediction)`` with values in ``[0, 1]``: its mean (betting).

    Parameters
    ----------
    X_test, y_test : rows that were not used to fit, scale, select or tune; independent draws of the population.
    training : ``(X, y)`` as given to ``fit``.  Rows that were trained on are then refused, and the model is compared
        with the best constant; for a regressor the mean squared error is certified too, capped at a value that the
        training rows choose.  Models of ours remember enough of them by themselves.
    n_models_tried : how many models were tried on these same rows; each is certified at ``delta / n_models_tried``.
    equal_rows_are_draws : your word that rows repeat by nature and are no copies; without it the bound is the larger of
        the two that hold then and if all of them are copies, where those that equal a training row count as errors.

    Catalogue T-24, T-25.

    >>> from sklearn.linear_model import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 3))
    >>> y = X.sum(axis=1) + rng.normal(size=600)
    >>> print(certify(LinearRegression().fit(X[:400], y[:400]), X[400:], y[400:], training=(X[:400], y[:400])))
    With 95 % confidence over the draw of the 200 held-out rows, at least 90 % of
    future rows like these are predicted to within ... (observed: 90 % within ...).
    Status: informative...
    """
    asked = Asked(delta, n_models_tried, loss, equal_rows_are_draws)
    answers_labels(model)
    if training is not None:
        trained = _trained(model, *training)
        return _certified(model, (X_test, y_test), trained, trained, asked)
    record = remembered(model)
    return _certified(model, (X_test, y_test), getattr(record, "trained", record), record, asked)


def _trained(model: Any, X: Any, y: Any) -> Trained:
    return Trained.of(X, one_target(y), None if answers_labels(model) else model.predict)


def _certified(model: Any, held_out: tuple[Any, Any], trained: Trained | None, seen: Any, asked: Asked) -> Certificate:
    """``seen`` remembers the training rows (None if nobody does), ``trained`` also the constant to compare with."""
    X, y = held_out[0], one_target(held_out[1])
    check_consistent_length(X, y)
    if seen is None:
        prints = row_prints(X, y)
        unknown = Assumption(UNTOUCHED, Standing.DECLARED, "give training=(X, y) to have it checked")
        found = equalities(prints, prints[:0])
        return _answered(model, (X, y), trained, (found, (unknown, *equal_rows(found, asked.draws))), asked)
    return _answered(model, (X, y), trained, seen.compared(X, y, asked.draws), asked)


def _answered(
    model: Any,
    held_out: tuple[Any, np.ndarray],
    trained: Trained | None,
    compared: tuple[Equalities, tuple[Assumption, ...]],
    asked: Asked,
) -> Certificate:
    """The certificate of a model's answers on rows of which it is known, by ``compared``, what they equal."""
    X, y = held_out
    labels = answers_labels(model)
    found, assumptions = compared
    if labels:
        assumptions = (*assumptions, *unknown_labels(y, getattr(model, "classes_", None)))
    answers = HeldOut(y, np.asarray(model.predict(X)), found, assumptions)
    return certificate_from(answers, labels, trained, asked)


def _offers(name: str) -> Callable[[Any], bool]:
    return lambda self: hasattr(getattr(self, "estimator_", self.estimator), name)


class Certified(MetaEstimatorMixin, BaseEstimator):
    """Any estimator, fitted to part of the rows and certified on the rest.

    Parameters
    ----------
    estimator : classifier or regressor.
    holdout : share of the rows to hold out, in (0, 1).
    delta : probability that the certificate fails.
    random_state : of the split.
    equal_rows_are_draws : your word that rows repeat by nature and are no copies; see `certify`.

    Attributes
    ----------
    estimator_ : fitted to the other rows; not refitted to all, which would undo the certificate.
    certificate_ : the `Certificate` from the rows held out.

    Tune inside (``Certified(GridSearchCV(...))``), not around: the held-out rows must not choose the model.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = Certified(DecisionTreeClassifier(random_state=0), holdout=0.3).fit(X, y)
    >>> print(model.certificate_.status.value)
    informative
    """

    def __init__(
        self,
        estimator: Any,
        *,
        holdout: float = 0.2,
        delta: float = 0.05,
        random_state: Any = 0,
        equal_rows_are_draws: bool = False,
    ):
        self.estimator = estimator
        self.holdout = holdout
        self.delta = delta
        self.random_state = random_state
        self.equal_rows_are_draws = equal_rows_are_draws

    def fit(self, X: Any, y: Any) -> Certified:
        """Hold rows out, fit to the others, certify on those held out."""
        if not (isinstance(self.holdout, Real) and 0.0 < self.holdout < 1.0):
            raise ValueError(f"holdout must lie strictly between 0 and 1, got {self.holdout!r}; use 0.2 for a fifth")
        validate_data(self, X, y, skip_check_array=True)
        X, y = indexable(X, one_target(y))
        n = _num_samples(X)
        if n < 2:
            raise ValueError("Certified needs rows to fit and rows to hold out, and there is 1 sample; add rows")
        order = check_random_state(self.random_state).permutation(n)
        first = min(max(round(self.holdout * n), 1), n - 1)
        X_train, y_train = (_safe_indexing(part, np.sort(order[first:])) for part in (X, y))
        held_out = tuple(_safe_indexing(part, np.sort(order[:first])) for part in (X, y))
        self.estimator_: Any = clone(self.estimator).fit(X_train, y_train)
        self._training: Trained = _trained(self.estimator_, X_train, y_train)
        found = equalities(row_prints(*held_out), self._training.prints)
        drawn = Assumption(NOT_TRAINED_ON, Standing.CHECKED, "they were held out at random before the fit")
        asked = Asked(self.delta, draws=self.equal_rows_are_draws)
        compared = found, (drawn, *equal_rows(found, asked.draws))
        self.certificate_ = _answered(self.estimator_, held_out, self._training, compared, asked)
        return self

    def certificate(self, X_test: Any, y_test: Any, delta: float = 0.05, n_models_tried: int = 1) -> Certificate:
        """A certificate from other rows than those held out in ``fit``; training rows are refused."""
        check_is_fitted(self)
        asked = Asked(delta, n_models_tried, draws=self.equal_rows_are_draws)
        return _certified(self.estimator_, (X_test, y_test), self._training, self._training, asked)

    def predict(self, X: Any) -> Any:
        """The fitted estimator's predictions."""
        check_is_fitted(self)
        return self.estimator_.predict(X)

    @available_if(_offers("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """The fitted estimator's probabilities."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    @available_if(_offers("decision_function"))
    def decision_function(self, X: Any) -> Any:
        """The fitted estimator's scores."""
        check_is_fitted(self)
        return self.estimator_.decision_function(X)

    def score(self, X: Any, y: Any) -> float:
        """The fitted estimator's own score."""
        check_is_fitted(self)
        return self.estimator_.score(X, y)

    @property
    def classes_(self) -> Any:
        """The labels, of a classifier."""
        return self.estimator_.classes_

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type, tags.input_tags = inner.estimator_type, inner.input_tags
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.target_tags = inner.target_tags
        tags.target_tags.multi_output = False
        return tags
