"""Layer guarantee: certificates of fitted models: `certify` for any of them, `Certified` to hold rows out by itself.

In: a fitted model and rows that it has never seen.  Out: a `Certificate`.  Models of ours hold rows out by themselves
(``fit(..., certify=0.2)``); pipelines, searches and models of others need this wrapper, so that no step sees the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import _safe_indexing, get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_method_params, _num_samples, check_is_fitted

from surefit.data.design import checked_weight
from surefit.data.tables import numbered, target_name, tell_of_labels, validate_data
from surefit.guarantee.calibrate import intervals_kept, sets_kept
from surefit.guarantee.fit_record import FitRecord, GivenRows, Settings
from surefit.guarantee.held_out import (
    Answering,
    Asked,
    certificate_kept,
    certificate_on,
    of_training,
    one_target,
    with_held_out,
    with_rows,
)
from surefit.guarantee.inside import Memory, pair_of_training, remembered
from surefit.guarantee.sampling import Sampling, division_by, refuse_declarations
from surefit.guarantee.seen.prints import column_names
from surefit.names import HintedModel, hinted
from surefit.objective.loss import Loss
from surefit.progress import working
from surefit.theory.certificates.certificate import Certificate
from surefit.theory.certificates.holdout import COVERAGE
from surefit.theory.intervals.class_sets import PredictionSets
from surefit.theory.intervals.conformal import PredictionIntervals
from surefit.theory.means.arguments import checked_coverage


@hinted
def certify(  # noqa: PLR0913 - one more than seven: each is something a user may have to declare
    model: Any,
    X_test: Any,
    y_test: Any,
    *,
    training: tuple[Any, Any] | None = None,
    loss: Loss | Callable[[np.ndarray, np.ndarray], np.ndarray] | str | None = None,
    delta: float = 0.05,
    n_models_fixed: int = 1,
    coverage: float = COVERAGE,
    groups: Any = None,
    time: Any = None,
    weights: Any = None,
    weights_are_known: bool = False,
    equal_rows_are_draws: bool = False,
) -> Certificate:
    """What a fitted model, scikit-learn's or ours, will do on future rows, with confidence ``1 - delta``.

    A classifier: its error rate (Clopper-Pearson).  A regressor: a quantile of ``|error|`` (order statistic).
    With ``loss``, a function of ``(y, prediction)`` with values in ``[0, 1]``: its mean (betting).  With a word for it:
    the ``"log-loss"``, the ``"brier"`` score, the ``"recall"`` of every label or the ``"auc"`` of a classifier.

    Parameters
    ----------
    X_test, y_test : rows that were not used to fit, scale, select or tune; independent draws of the population.
    training : ``(X, y)`` as given to ``fit``.  Rows that were trained on are then refused, and the model is compared
        with the best constant; for a regressor the mean squared error is certified too, capped at a value that the
        training rows choose.  Models of ours remember enough of them by themselves.
    n_models_fixed : how many models are judged by these rows, all of them fixed before anybody looked at the rows; each
        is certified at ``delta / n_models_fixed``.  A model that was chosen because of answers on these rows is not
        covered: certify it on new rows, or ask through `ReusableHoldOut` from the start.
    coverage : which quantile of a regressor's errors, the share of future rows that the bound is about. groups : (n,),
    the group of each row, if rows of one group depend on each other.  The bound is then about rows of new
        groups, each group one draw; beside it stands that for more rows of the same groups.
    time : (n,), when each row was.  The statement then speaks of that time; a test of the order of the rows looks for
        errors that change, and where it finds that, there is a `DriftWarning` and no guarantee for a later time.
    weights : (n,), density ratios of the features, new rows over these, if new rows follow another law;
        ``weights_are_known`` says that they are known and not estimated.
    equal_rows_are_draws : your word that rows repeat by nature and are no copies; without it the bound is the larger of
        the two that hold then and if all of them are copies, where those that equal a training row count as errors.

    Catalogue T-24, T-25.

    >>> from sklearn.linear_model import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 3))
    >>> y = X.sum(axis=1) + rng.normal(size=600)
    >>> print(certify(LinearRegression().fit(X[:400], y[:400]), X[400:], y[400:], training=(X[:400], y[:400])))
    With 95 % confidence over the draw of the 200 held-out rows, in the long run at
    least 90 % of future rows like these are predicted to within ... (observed: ...).
    Status: informative...
    """
    asked = Asked(delta, n_models_fixed, loss, equal_rows_are_draws, checked_coverage(coverage))
    answering = Answering.of(model)
    tell_of_labels(X_test, groups=groups, time=time, weights=weights)
    sampling = Sampling.of(_num_samples(X_test), "held-out rows", groups, time, weights, weights_are_known)
    if training is None:  # models of ours remember what they were fitted to
        return certificate_on(answering, X_test, y_test, remembered(model), asked, sampling)
    X, y = pair_of_training(training, one_target)
    record = with_rows(FitRecord(), answering, GivenRows(X, y, None), at_most=None)
    _refuse_disorder(model, X_test, record)
    return certificate_on(answering, X_test, y_test, Memory(record), asked, sampling)


def _refuse_disorder(model: Any, X: Any, record: FitRecord) -> None:
    """Raise ``ValueError`` if columns differ from those in training, or are in another order that the model follows."""
    names, mine = None if record.seen is None else record.seen.columns, column_names(X)
    if names is None or mine is None:
        return
    strange = sorted(set(mine) ^ set(names))
    if len(mine) != len(names):
        where = "X_test" if strange[0] in mine else "the training rows"
        raise ValueError(
            f"column {strange[0]!r} is in {where} only, so that no row of the one could be recognised in the other; "
            "give both with the same columns"
        )
    if strange or hasattr(model, "feature_names_in_"):
        return
    for k, (one, other) in enumerate(zip(mine, names, strict=True)):
        if one != other:
            raise ValueError(
                f"column {k} of X_test is {one!r}, and of the training rows {other!r}; this model goes by positions, "
                "so give X_test with its columns in the same order"
            )


def _counted(fit_params: Mapping[str, Any], n: int) -> np.ndarray:
    """The rows that no weight among the parameters of a fit leaves out."""
    counted = np.ones(n, dtype=bool)
    for name, value in fit_params.items():
        if _is_weight(name):
            counted &= checked_weight(value, n) > 0
    return np.flatnonzero(counted)


def _refuse_unweighted(estimator: Any, fit_params: Mapping[str, Any]) -> None:
    """Raise ``ValueError`` if an estimator's ``fit`` would not know what to do with a ``sample_weight``."""
    known = signature(estimator.fit).parameters
    open_ended = any(one.kind is one.VAR_KEYWORD for one in known.values())
    if "sample_weight" in fit_params and "sample_weight" not in known and not open_ended:
        raise ValueError(
            f"{type(estimator).__name__}.fit takes no sample_weight; leave the weights out, or use a model that takes "
            "them"
        )


def _keeps_groups_together(estimator: Any) -> bool:
    """Whether an estimator's ``fit`` takes groups, for folds of its own: ours, and scikit-learn's searches."""
    search = hasattr(estimator, "cv") and hasattr(estimator, "estimator")
    return search or hasattr(type(estimator), "_fit_groups")


def _is_weight(name: str) -> bool:
    return name == "sample_weight" or name.endswith("__sample_weight")


def _offers(name: str) -> Callable[[Any], bool]:
    return lambda self: hasattr(getattr(self, "estimator_", self.estimator), name)


def _answers(labels: bool) -> Callable[[Any], bool]:
    return lambda self: is_classifier(getattr(self, "estimator_", self.estimator)) == labels


class Certified(HintedModel, MetaEstimatorMixin, BaseEstimator):
    """Any estimator, fitted to part of the rows and certified on the rest.

    Parameters
    ----------
    estimator : classifier or regressor.
    holdout : share of the rows to hold out, in (0, 1).
    delta : probability that the certificate fails.
    coverage : which quantile of a regressor's errors is certified.
    random_state : another number holds out other rows; None is 0.  Each row is held out or not by a hash of itself and
        this number, in whatever order the rows come.  Fix it before: the best of several divisions is chosen.
    equal_rows_are_draws : your word that rows repeat by nature and are no copies; see `certify`.

    Attributes
    ----------
    estimator_ : fitted to the other rows; not refitted to all, which would undo the certificate.
    certificate_ : the `Certificate` from the rows held out.

    ``predict_interval`` of a regressor and ``predict_set`` of a classifier use the same rows.

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
        coverage: float = COVERAGE,
        random_state: Any = None,
        equal_rows_are_draws: bool = False,
    ):
        self.estimator = estimator
        self.holdout = holdout
        self.delta = delta
        self.coverage = coverage
        self.random_state = random_state
        self.equal_rows_are_draws = equal_rows_are_draws

    _fit_record: FitRecord

    def fit(self, X: Any, y: Any, *, groups: Any = None, time: Any = None, **fit_params: Any) -> Certified:
        """Hold rows out, fit to the others, certify on those held out.

        ``groups`` (n,): whole groups are held out, and the certificate is about new groups; models of ours and searches
        get the groups of the other rows for their folds.  ``time`` (n,): the latest rows are held out, and the
        certificate is about that time.
        ``fit_params`` go to the estimator's ``fit``, divided as the rows are where they have one entry for each:
        ``sample_weight=w``, or ``model__sample_weight=w`` for the step ``model`` of a pipeline.  Rows of weight zero
        are left out of everything.  The certificate counts held-out rows alike, whatever their weights in the fit.
        """
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise ValueError(
                f"estimator must be a classifier or regressor, got {self.estimator!r}; give one like Ridge()"
            )
        if not (isinstance(self.holdout, Real) and 0.0 < self.holdout < 1.0):
            raise ValueError(f"holdout must lie strictly between 0 and 1, got {self.holdout!r}; use 0.2 for a fifth")
        validate_data(self, X, y, skip_check_array=True)
        tell_of_labels(X, groups=groups, time=time, **fit_params)
        X, y = indexable(X, one_target(y))
        fit_params = {name: value for name, value in fit_params.items() if not (_is_weight(name) and value is None)}
        _refuse_unweighted(self.estimator, fit_params)
        counted = _counted(fit_params, _num_samples(X))
        n = len(counted)
        if n < len(y) and is_classifier(self.estimator) and len(np.unique(y[counted])) == 1:
            raise ValueError("sample_weight leaves rows of one class only; give weight to rows of another class")
        if n < 2:
            raise ValueError(f"Certified needs rows to fit and rows to hold out, and there is {n} sample; add rows")
        asked = Asked(self.delta, 1, None, self.equal_rows_are_draws, checked_coverage(self.coverage))
        wanted = min(max(round(self.holdout * n), 1), n - 1)
        sampling = Sampling.of(_num_samples(X), "rows", groups, time)
        rows = division_by(X, y, counted, wanted, self.random_state, sampling)
        X_train, y_train = (_safe_indexing(part, rows.training) for part in (X, y))
        divided = _check_method_params(X, fit_params, rows.training)
        if groups is not None and _keeps_groups_together(self.estimator):
            divided = {**divided, "groups": sampling.groups[rows.training]}
        with working(f"fitting {type(self.estimator).__name__}"), numbered(rows.training):
            self.estimator_: Any = clone(self.estimator).fit(X_train, y_train, **divided)
        answering = Answering.of(self.estimator_)
        record = FitRecord(Settings.of(self), target_name(y), of_training(rows, X_train, y_train))
        record = with_rows(record, answering, GivenRows(X_train, y_train, None), at_most=None, keep=False)
        held_out = sampling.at(rows.held_out)
        self._fit_record = with_held_out(record, answering, (X, y), rows, self.holdout, True, held_out)
        self.certificate_: Certificate = certificate_kept(answering, self._fit_record, asked)
        return self

    @hinted
    def certificate(  # noqa: PLR0913 - those of `certify`
        self,
        X_test: Any = None,
        y_test: Any = None,
        *,
        delta: float | None = None,
        n_models_fixed: int = 1,
        loss: Any = None,
        coverage: float | None = None,
        groups: Any = None,
        time: Any = None,
        weights: Any = None,
        weights_are_known: bool = False,
        equal_rows_are_draws: bool | None = None,
    ) -> Certificate:
        """What the rows held out in ``fit`` say, or other rows that are given; training rows are refused.

        Unless given, ``delta``, ``coverage`` and ``equal_rows_are_draws`` are those of the constructor; the other
        arguments are those of `certify`.
        """
        check_is_fitted(self)
        if (X_test is None) != (y_test is None):
            raise ValueError("a certificate needs rows and their targets; give both X_test and y_test, or neither")
        delta, coverage = self.delta if delta is None else delta, self.coverage if coverage is None else coverage
        draws = self.equal_rows_are_draws if equal_rows_are_draws is None else equal_rows_are_draws
        asked = Asked(delta, n_models_fixed, loss, draws, checked_coverage(coverage))
        if X_test is None:
            refuse_declarations(groups, time, weights)
            return certificate_kept(Answering.of(self.estimator_), self._fit_record, asked)
        tell_of_labels(X_test, groups=groups, time=time, weights=weights)
        sampling = Sampling.of(_num_samples(X_test), "held-out rows", groups, time, weights, weights_are_known)
        memory = Memory(self._fit_record)
        return certificate_on(Answering.of(self.estimator_), X_test, y_test, memory, asked, sampling)

    @available_if(_answers(labels=False))
    @hinted
    def predict_interval(
        self, X: Any, coverage: float = 0.9, method: str = "split", *, delta: float = 0.05
    ) -> PredictionIntervals:
        """Intervals for the rows of ``X``, from the errors on the rows that ``fit`` held out; see `calibrate`.

        Whatever was chosen in the fit (``lam``, columns, a kernel) was chosen without those rows, so the promise holds.
        """
        check_is_fitted(self)
        return intervals_kept(self.estimator_, self._fit_record, self.equal_rows_are_draws).predict_interval(
            X, coverage, method, delta=delta
        )

    @available_if(_answers(labels=True))
    @hinted
    def predict_set(
        self,
        X: Any,
        coverage: float = 0.9,
        method: str = "split",
        *,
        score: str | None = None,
        class_wise: bool = False,
        delta: float = 0.05,
    ) -> PredictionSets:
        """Sets of labels for the rows of ``X``, from the rows that ``fit`` held out; see `calibrate`."""
        check_is_fitted(self)
        return sets_kept(self.estimator_, self._fit_record, self.equal_rows_are_draws).predict_set(
            X, coverage, method, score=score, class_wise=class_wise, delta=delta
        )

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
