"""Layer estimators: `OnlineClassifier` for any loss of a margin, `OnlinePerceptron` and `OnlineAdaline`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from surefit.data.scores import labels_of_scores
from surefit.estimators.kinds.labels import encode_labels
from surefit.estimators.kinds.two_classes import refuse_more_classes
from surefit.estimators.online.protocol import OnlineModel
from surefit.estimators.online.reading import Text
from surefit.estimators.online.refusals import refused_text
from surefit.guarantee.certifiable import certifiable
from surefit.objective.loss import Loss
from surefit.objective.margin import PerceptronLoss, SquaredMargin
from surefit.objective.words import loss_named
from surefit.solvers.online.state import OnlineSettings
from surefit.theory.bounds.online import perceptron_mistake_bound
from surefit.theory.bounds.record import Bound
from surefit.theory.certificates.certificate import Certificate
from surefit.theory.certificates.stream import About, stream_certificate
from surefit.theory.means.running import RunningMean


class OnlineClassifier(ClassifierMixin, OnlineModel):
    """Two classes by the sign of ``f(x)``, one row at a time along the slope of a loss.  Catalogue A-26, A-08.

    Every row is predicted before its label is seen; ``error_rate_`` is the share of these predictions that were wrong
    (a score of exactly 0 counts as wrong), ``mean_loss_`` their mean loss.

    Parameters
    ----------
    loss : a `Loss` of labels -1 and +1, or a word: ``"logistic"``, ``"hinge"``, ``"perceptron"``.
    step, schedule, weights, fit_intercept, bad_rows, missing, farthest : as for `OnlineRegressor`.
    classes : the two labels, if the first block or row does not hold both.

    Attributes
    ----------
    classes_ : the two labels; positive scores mean the second.  coef_ : (1, d).  intercept_ : (1,).
    rows_, mean_loss_, error_rate_, mistakes_, skipped_, limited_, waiting_ : what was counted.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(3000, 2))
    >>> model = OnlineClassifier(step=0.1).partial_fit(X, X[:, 0] > X[:, 1])
    >>> print(model.certificate().statement)
    With 95 % confidence, at every moment of the stream at once, the models used so far err on at most ... % of rows
    like these on average (observed ... % in 3,000 rows).
    """

    def __init__(  # noqa: PLR0913  scikit-learn asks for one argument per setting
        self,
        loss: Loss | str = "logistic",
        *,
        step: float = 0.1,
        schedule: str = "constant",
        weights: str = "last",
        fit_intercept: bool = True,
        classes: Any = None,
        bad_rows: str = "raise",
        missing: str = "raise",
        farthest: float = 1e4,
    ):
        self.loss = loss
        self.step = step
        self.schedule = schedule
        self.weights = weights
        self.fit_intercept = fit_intercept
        self.classes = classes
        self.bad_rows = bad_rows
        self.missing = missing
        self.farthest = farthest

    @certifiable
    def fit(self, X: Any, y: Any, *, certify: float | None = None, random_state: Any = None) -> Any:
        """Start anew and learn from ``X`` (n, d), dense or sparse, and two classes ``y`` (n,) in order, once."""
        self._restart()
        self._learn(X, y)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Learn from ``X`` (m, d) and labels ``y`` (m,) in order; ``classes`` as scikit-learn asks for them."""
        if classes is not None and not hasattr(self, "classes_"):
            self._set_classes(classes)
        return super().partial_fit(X, y)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row, shape (n,); a score of exactly 0 gets ``classes_[0]``."""
        scores = self.decision_function(X)
        return labels_of_scores(self.classes_, scores)

    def decision_function(self, X: Any) -> np.ndarray:
        """``coef_ . x + intercept_`` for each row, shape (n,); positive for ``classes_[1]``."""
        check_is_fitted(self)
        return self._scores(X)

    @property
    def coef_(self) -> np.ndarray:
        """The weights, last or mean, shape (1, d)."""
        return self._counted().weights(self.weights == "mean")[0][None]

    @property
    def intercept_(self) -> np.ndarray:
        """The offset, last or mean, shape (1,)."""
        return np.array([self._counted().weights(self.weights == "mean")[1]])

    @property
    def mistakes_(self) -> int:
        """Predictions before the label was seen that were wrong."""
        return int(self._counted().number("mistakes"))

    @property
    def error_rate_(self) -> float:
        """``mistakes_ / rows_``: an estimate."""
        return self.mistakes_ / self.rows_ if self.rows_ else math.nan

    def _stream_certificate(self, delta: float, upper: float | None) -> Certificate:
        check_is_fitted(self)
        state = self._counted()
        second = round(state.rows * (1.0 + state.number("target_mean")) / 2.0)
        labels = dict(zip(self.classes_.tolist(), (state.rows - second, second), strict=True))
        running = RunningMean(1.0, state.rows, state.number("mistakes"))
        return stream_certificate(running, About.MODELS_SO_FAR, delta, labels=labels)

    def _online_settings(self) -> OnlineSettings:
        loss = PerceptronLoss(update_at_zero=True) if self.loss == "perceptron" else loss_named(self.loss, "signs")
        if loss.targets != "signs":
            raise ValueError(f"{loss!r} is not for labels -1 and +1; use OnlineRegressor, or a loss such as 'logistic'")
        return OnlineSettings(loss, **self._check_rules())

    def _set_classes(self, classes: Any) -> None:
        found = np.unique(np.asarray(classes))
        refuse_more_classes(found, found)
        if len(found) < 2:
            raise ValueError(f"there must be two classes, got {found.tolist()}; give both labels as classes=[...]")
        self.classes_ = found
        self._signs = {label: 2.0 * place - 1.0 for place, label in enumerate(found.tolist())}

    def _expect(self, y: Any) -> None:
        if not hasattr(self, "classes_"):
            self._targets_of(y)

    def _targets_of(self, y: Any) -> tuple[np.ndarray, dict[int, Text]]:
        y = column_or_1d(_labels(y), warn=True)
        there = ~_missing(y)
        if not hasattr(self, "classes_"):
            self._find_classes(y[there])
        if y.dtype.kind == "O":
            signs = np.array([self._signs.get(label, np.nan) for label in y.tolist()])
        else:
            signs = np.where(y == self.classes_[1], 1.0, np.where(y == self.classes_[0], -1.0, np.nan))
        unknown = np.flatnonzero(there & np.isnan(signs)).tolist()
        return signs, {i: Text(None, y[[i]].tolist()[0]) for i in unknown}

    def _find_classes(self, y: np.ndarray) -> None:
        """The two classes, as given or as the first labels show them."""
        if self.classes is not None:
            self._set_classes(self.classes)
            return
        y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
        if len(set(y.tolist())) == 1:
            raise ValueError(
                f"the first block shows one class only: {y.tolist()[0]!r}; make the model with both labels as "
                "classes=[...]"
            )
        self._set_classes(encode_labels(y)[0])

    def _number_of(self, y: Any) -> float:
        if not hasattr(self, "classes_"):
            if self.classes is None:
                raise ValueError("one row does not show both classes; make the model with classes=[...]")
            self._set_classes(self.classes)
        try:
            return self._signs[y]
        except (KeyError, TypeError):
            signs, unknown = self._targets_of([y])
        if unknown and self.bad_rows == "raise":
            raise refused_text(Text(None, y), self.__dict__.get("_state"), self.classes_)
        return float(signs[0])

    def _answer(self, score: float) -> Any:
        return self.classes_.tolist()[score > 0] if hasattr(self, "classes_") else None

    def _answers_of(self, scores: np.ndarray) -> np.ndarray:
        return labels_of_scores(self.classes_, np.where(np.isnan(scores), 0.0, scores))

    def _restart(self) -> None:
        super()._restart()
        self.__dict__.pop("classes_", None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _labels(y: Any) -> Any:
    """Labels as they are: numbers beside words stay numbers."""
    if isinstance(y, list | tuple) and any(isinstance(one, str) for one in y):
        return np.array(y, dtype=object) if not all(isinstance(one, str) for one in y) else np.array(y)
    return y


def _missing(y: np.ndarray) -> np.ndarray:
    """Which labels are None or NaN."""
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind != "O":
        return np.zeros(len(y), dtype=bool)
    return np.array([one is None or (isinstance(one, float) and math.isnan(one)) for one in y.tolist()])


class OnlinePerceptron(OnlineClassifier):
    """``w <- w + t x`` for every row on the wrong side, or on the plane.  Catalogue A-34, T-55, T-56, T-57.

    On every stream the number of mistakes is at most ``(longest row / margin)**2`` if fixed weights of norm 1 separate
    it with that margin; `mistake_bound` has the general case.  ``weights="mean"`` is the averaged perceptron.

    Parameters
    ----------
    weights, fit_intercept, classes, bad_rows, missing, farthest : as for `OnlineClassifier`; an intercept is the weight
        of a constant feature 1, which counts in the length of the rows and in the margin.

    Attributes
    ----------
    As for `OnlineClassifier`; ``mistakes_`` is the number of updates.

    >>> model = OnlinePerceptron(fit_intercept=False).partial_fit(np.eye(4), [1, -1, 1, -1])
    >>> model.mistakes_, round(model.mistake_bound(0.5).value, 9)
    (4, 4.0)
    """

    def __init__(
        self,
        *,
        weights: str = "last",
        fit_intercept: bool = True,
        classes: Any = None,
        bad_rows: str = "raise",
        missing: str = "raise",
        farthest: float = 1e4,
    ):
        self.weights = weights
        self.fit_intercept = fit_intercept
        self.classes = classes
        self.bad_rows = bad_rows
        self.missing = missing
        self.farthest = farthest

    step = 1.0
    schedule = "constant"

    def mistake_bound(self, margin: float, *, hinge_sum: float = 0.0) -> Bound:
        """The most mistakes on this stream, if some ``u`` of norm 1 has margins of at least ``margin``.

        ``hinge_sum``: ``sum_t (1 - t <u, x_t> / margin)_+``, 0 if no row is inside the margin.
        """
        square = self._counted().number("longest") + float(bool(self.fit_intercept))
        return perceptron_mistake_bound(math.sqrt(square), margin, hinge_sum=hinge_sum)

    def _online_settings(self) -> OnlineSettings:
        return OnlineSettings(PerceptronLoss(update_at_zero=True), **self._check_rules())


class OnlineAdaline(OnlineClassifier):
    """Follow the labels as numbers: ``w <- w + step * (t - f(x)) x``.  Catalogue A-35, A-27.

    Widrow-Hoff on labels -1 and +1, the factor 2 of the slope being in the step.

    Parameters
    ----------
    step, schedule, weights, fit_intercept, classes, bad_rows, missing, farthest : as for `OnlineClassifier`.

    Attributes
    ----------
    As for `OnlineClassifier`.

    >>> model = OnlineAdaline(step=0.1, classes=[-1, 1]).partial_fit([[0], [1], [2], [3]], [-1, 1, -1, 1])
    >>> model.coef_.round(9), model.intercept_.round(9), model.limited_
    (array([[0.3203]]), array([0.0391]), 0)
    """

    def __init__(  # noqa: PLR0913  scikit-learn asks for one argument per setting
        self,
        step: float = 0.02,
        *,
        schedule: str = "constant",
        weights: str = "last",
        fit_intercept: bool = True,
        classes: Any = None,
        bad_rows: str = "raise",
        missing: str = "raise",
        farthest: float = 1e4,
    ):
        self.step = step
        self.schedule = schedule
        self.weights = weights
        self.fit_intercept = fit_intercept
        self.classes = classes
        self.bad_rows = bad_rows
        self.missing = missing
        self.farthest = farthest

    def _online_settings(self) -> OnlineSettings:
        rules = self._check_rules()
        return OnlineSettings(SquaredMargin(), **{**rules, "step": rules["step"] / 2})
