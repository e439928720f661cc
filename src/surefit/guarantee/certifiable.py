"""Layer guarantee: `certificate` on every supervised model of ours, and ``fit(..., certify=0.2)``.

In: a class whose ``fit`` is decorated with `certifiable`.  Out: a `Certificate`, from rows that are given, from rows
that ``fit`` held out, or, without either, from the theorem that was designated for that model beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial, wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted

from surefit.data.tables import explained, numbered, target_name
from surefit.guarantee.fit_calls import (
    NOT_GIVEN,
    check_call,
    refuse_infinite,
    refuse_numbered_splits,
    shape_of,
    state_of_division,
)
from surefit.guarantee.held_out import (
    ROWS_FOR_CAP,
    Asked,
    HeldOut,
    Trained,
    certificate_from,
    counted_rows,
    divided,
    one_target,
    unknown_labels,
)
from surefit.guarantee.seen.division import Division, Draw, row_shuffle
from surefit.guarantee.seen.equal import Equalities, equalities
from surefit.guarantee.seen.prints import DRAWS, UNTOUCHED, equal_rows, in_order, row_prints
from surefit.guarantee.seen.rounded import NearRows
from surefit.guarantee.settings import Settings, check_settings
from surefit.guarantee.theorems.classifiers import TrainingSet, no_theorem_for_labels
from surefit.guarantee.theorems.regressors import no_theorem_for_numbers, refuse_wide_targets
from surefit.names import HintedModel, hinted
from surefit.progress import working
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing
from surefit.theory.certificates.holdout import COVERAGE, share_of
from surefit.theory.certificates.training_set import Designated, training_certificate
from surefit.theory.means.arguments import checked_coverage
from surefit.threads import blas_threads_for

Fit = TypeVar("Fit", bound=Callable[..., Any])

_NO_COLUMNS = "coefficients of columns exist only for linear models"
MISSING = {
    # for a model that answers numbers, and for one that answers labels
    "predict_interval": (
        "hold rows out and use surefit.calibrate(model, X_new, y_new).predict_interval(X)",
        "labels have no intervals; certificate(X_test, y_test) bounds the error rate, and LogisticRegression and "
        "KernelLogistic have predict_proba",
    ),
    "predict_proba": (
        "it predicts numbers; use LogisticRegression or KernelLogistic for labels",
        "use KernelLogistic or LogisticRegression for probabilities",
    ),
    "summary": (f"{_NO_COLUMNS}, such as Ridge or LeastSquares", f"{_NO_COLUMNS}, such as LogisticRegression"),
}
"""What some models offer and others cannot, and what to do then."""


@dataclass(frozen=True)
class KeptAnswers:
    """Targets and answers on the rows that ``fit`` held out; the rows themselves are not kept."""

    targets: np.ndarray
    answers: np.ndarray
    share: float
    draw: Draw
    found: Equalities

    def assumptions(self, draws: bool) -> tuple[Assumption, ...]:
        """What fit did, what it cannot know, and what equal rows ask for."""
        drawn = Assumption(
            UNTOUCHED,
            Standing.DECLARED,
            f"fit held them out, each by a hash of itself and random_state={self.draw.random_state}; if a step "
            "before this model or a search around it saw them, use Certified",
        )
        return drawn, *self.draw.doubt(draws), *equal_rows(self.found, draws)


@dataclass(frozen=True)
class FitRecord:
    """What `certifiable` keeps: `Trained`, the answers held out if any, training rows as given, settings as they were.

    The rows are a reference, not a copy, and do not travel with a stored or copied model; a few of the prints do.
    Where ``fit`` held rows out, no certificate needs the others again, and they are not kept.
    """

    trained: Trained
    held_out: KeptAnswers | None
    rows: tuple[Any, Any, Any] | None
    settings: Settings

    @cached_property
    def near(self) -> NearRows | None:
        """The training rows in single precision, as far as they are known."""
        return self.trained.near if self.rows is None else self.trained.near_of(*self.rows[:2])

    def unchanged(self, X: Any, y: Any) -> bool:
        """Whether ``X`` and ``y``, which a fit may keep as views of the user's arrays, are still what it was given.

        Rows that ``fit`` divided are its own, and no edit reaches them.
        """
        if self.rows is None:
            return True
        return any(np.array_equal(row_prints(*rows), self.trained.prints) for rows in ((X, y), self.rows[:2]))

    def compared(self, X: Any, y: Any, draws: bool = False) -> tuple[Equalities, tuple[Assumption, ...]]:
        """As `Trained.compared`, with the training rows in single precision where they are still at hand."""
        return self.trained.compared(X, y, draws, lambda: self.near)

    def __getstate__(self) -> dict[str, Any]:
        trained = replace(self.trained, near=self.near).to_store()
        return {"trained": trained, "held_out": self.held_out, "rows": None, "settings": self.settings}


@contextmanager
def _all_or_nothing(model: Any) -> Iterator[None]:
    """If the fit inside fails, the model is what it was before."""
    before = dict(vars(model))
    try:
        yield
    except BaseException:
        vars(model).clear()
        vars(model).update(before)
        raise


def certifiable(fit: Fit) -> Fit:
    """Decorates ``fit(self, X, y[, sample_weight], *, certify=None)``: keeps a record, and rows out if told to.

    ``certify`` is taken here and not passed on: ``fit`` then sees fewer rows, nothing else.  The parameter stands in
    every signature all the same, so that scikit-learn, editors and readers see it.  So does ``random_state``, which
    decides what rows are held out, where the model has no parameter of that name that does.
    """

    known = tuple(signature(fit).parameters)[1:]

    @wraps(fit)
    def recorded(
        self: Any,
        X: Any = None,
        y: Any = NOT_GIVEN,
        *weights: Any,
        certify: float | None = None,
        random_state: Any = None,
        **options: Any,
    ) -> Any:
        if not hasattr(self, "_get_param_names"):
            name = fit.__qualname__.partition(".")[0]
            raise TypeError(f"fit was called on the class {name}; make a model first: {name}().fit(X, y)")
        check_call(self, X, y, options, known)
        speaking, work = working(f"fitting {type(self).__name__}"), self._largest_product(*shape_of(X))
        with speaking, _all_or_nothing(self), blas_threads_for(work):
            settings, self._target_name = Settings.of(self), target_name(y)
            check_settings(self)
            random_state = state_of_division(self, certify, random_state)
            if certify is None or y is None:
                fit(self, X, y, *weights, **options)
                weight = weights[0] if weights else options.get("sample_weight")
                trained, training = _trained(self, X, y, weight)
                self._fit_record = FitRecord(trained, None, training, settings)
                return self
            weight = weights[0] if weights else options.pop("sample_weight", None)
            refuse_numbered_splits(self)
            X, y, weight = indexable(X, y, weight)
            rows = divided(X, y, weight, certify, random_state)
            trained = _fit_part(partial(fit, self, **options), self, (X, y, weight), rows.training)
            self._fit_record = FitRecord(trained, _held_out(self, (X, y), rows, trained, certify), None, settings)
            return self

    recorded.__doc__ = (
        f"{fit.__doc__}\n\n        ``certify=0.2`` holds a fifth of the rows out, for `certificate`; another "
        "``random_state``, another fifth.\n        "
    )
    return cast(Fit, recorded)


def _fit_part(fit: Callable[..., Any], model: Any, data: tuple[Any, Any, Any], rows: np.ndarray) -> Trained:
    """Fit to some of the rows, which errors call by their numbers among all; what is kept of them."""
    X, y, weight = data
    X, y = _safe_indexing(X, rows), _safe_indexing(y, rows)
    kept = () if weight is None else (_safe_indexing(weight, rows),)
    with numbered(rows):
        fit(X, y, *kept)
    trained, training = _trained(model, X, y, kept[0] if kept else None)
    return replace(trained, near=trained.near_of(*training[:2]))


def _held_out(model: Any, data: tuple[Any, Any], rows: Division, trained: Trained, share: float) -> KeptAnswers:
    """The answers of a fitted model on the rows that it has not seen."""
    X, y = _safe_indexing(data[0], rows.held_out), _targets(_safe_indexing(data[1], rows.held_out))
    found = equalities(row_prints(X, y), trained.prints)
    return KeptAnswers(y, np.asarray(model._answers(X)), float(share), rows.draw, found)


def _targets(y: Any) -> np.ndarray:
    """One target per row, or all columns where there are several."""
    return np.asarray(y) if np.ndim(y) == 2 and np.shape(y)[1] > 1 else one_target(y)


def _trained(model: Any, X: Any, y: Any, weight: Any) -> tuple[Trained, tuple[Any, Any, Any]]:
    refuse_infinite(model)
    X, y, weight = counted_rows(X, y, weight)
    answers = None if model._answers_labels() else model._answers
    return Trained.of(X, y, answers, ROWS_FOR_CAP), (X, y, weight)


def _copies_among(found: Equalities, draws: bool) -> tuple[Assumption, ...]:
    """What equal training rows do to a theorem about all of them: nothing if they are few, or declared to be draws."""
    if not found.many:
        return ()
    text = f"{found.repeated} of {len(found.first)} rows equal another"
    if draws:
        return (Assumption(DRAWS, Standing.DECLARED, text),)
    remedy = "drop the copies, or give them as sample_weight; if they are no copies, say equal_rows_are_draws=True"
    return (Assumption(DRAWS, Standing.VIOLATED, f"{text}; {remedy}"),)


class Guaranteed(HintedModel):
    """A supervised model that can say how well it will do; its ``fit`` is decorated with `certifiable`."""

    _fit_record: FitRecord

    if not TYPE_CHECKING:  # attributes that are misspelt are still errors of types

        def __getattr__(self, name: str) -> Any:
            """Python asks here for what is not there: the usual error, with a remedy for what others offer."""
            if name in MISSING:
                remedy = MISSING[name][bool(self._answers_labels())]
                raise AttributeError(f"{type(self).__name__} has no {name}: {remedy}", name=name, obj=self)
            return object.__getattribute__(self, name)

    @hinted
    def certificate(
        self,
        X_test: Any = None,
        y_test: Any = None,
        *,
        delta: float = 0.05,
        n_models_tried: int = 1,
        loss: Any = None,
        coverage: float = COVERAGE,
        equal_rows_are_draws: bool = False,
    ) -> Certificate:
        """What this model will do on future rows, with confidence ``1 - delta``.

        ``X_test``, ``y_test``: rows that it has never seen; those seen in `fit` are refused (rows of weight zero were
        not seen).  A classifier gets its error rate, a regressor a quantile of its errors, their capped mean (the cap
        is from training rows) and the comparison with a constant, all at once.  Without rows: those that
        ``fit(..., certify=0.2)`` held out; if it did not, the one theorem designated for this kind of model (see
        ``docs/user-guarantees.md``), which is often vacuous and then says what would help.  Where the choice of
        ``lam`` or of a bandwidth on the same rows has broken that theorem, the certificate says so and is vacuous.

        ``loss``: a `Loss` or function of ``(y, prediction)`` with values in [0, 1], whose mean is certified instead.
        ``coverage``: which quantile of a regressor's errors; 0.8 bounds what 80 % of future rows stay within.
        ``n_models_tried``: how many models were tried on the same rows, each of which gets its share of ``delta``.
        ``equal_rows_are_draws``: your word that rows repeat by nature (a table of few answers) and not because they
        were copied or used in `fit`; without it the bound is the larger of the two that hold then and if all
        of them are copies, where those that equal a training row count as errors.
        """
        check_is_fitted(self, "_fit_record")
        record = self._fit_record
        if (X_test is None) != (y_test is None):
            raise ValueError("a certificate needs rows and their targets; give both X_test and y_test, or neither")
        asked = Asked(delta, n_models_tried, loss, equal_rows_are_draws, checked_coverage(coverage))
        with working(f"certifying {type(self).__name__}"):
            return self._certificate(X_test, y_test, record, asked)

    def _certificate(self, X_test: Any, y_test: Any, record: FitRecord, asked: Asked) -> Certificate:
        if X_test is not None:
            return self._certificate_on(X_test, y_test, record, asked)
        if record.held_out is not None:
            found = record.settings.restored(self)._certificate_kept(record.trained, record.held_out, asked)
        else:
            found = record.settings.restored(self)._certificate_alone(record, asked)
        return replace(found, assumptions=(*found.assumptions, *record.settings.as_fitted(self)))

    def _certificate_on(self, X: Any, y: Any, record: FitRecord, asked: Asked) -> Certificate:
        y, trained = self._target(y, asked), record.trained
        with explained(X, y):
            check_consistent_length(X, y)
        found, assumptions = record.compared(X, y, asked.draws)
        if self._answers_labels():
            assumptions = (*assumptions, *unknown_labels(y, getattr(self, "classes_", None)))
        shuffle = row_shuffle(in_order(X, trained.columns), y)
        held_out = HeldOut(y, np.asarray(self._answers(X)), found, assumptions, shuffle)
        return certificate_from(held_out, self._answers_labels(), trained, asked)

    def _certificate_kept(self, trained: Trained, kept: KeptAnswers, asked: Asked) -> Certificate:
        y, assumptions = self._target(kept.targets, asked), kept.assumptions(asked.draws)
        held_out = HeldOut(y, kept.answers, kept.found, assumptions, kept.draw.shuffle)
        found = certificate_from(held_out, self._answers_labels(), trained, asked)
        numbers = {"share_held_out": kept.share, "random_state": kept.draw.random_state}
        return replace(found, inputs={**found.inputs, **numbers})

    def _certificate_alone(self, record: FitRecord, asked: Asked) -> Certificate:
        """By the theorem that was designated for this kind of model."""
        if asked.loss is not None:
            raise ValueError("a loss of your own needs held-out rows; fit with certify=0.2, or give X_test and y_test")
        asked.refuse_coverage("and none are held out; fit with certify=0.2, or give X_test and y_test")
        if record.rows is None:
            raise ValueError(
                "the training rows do not travel with a stored or copied model; give X_test and y_test, fit again, or "
                "fit with certify=0.2, whose answers do travel"
            )
        X, y, weight = record.rows
        if not np.array_equal(row_prints(X, y), record.trained.prints):
            raise ValueError("X or y has been changed in place since the fit; fit again to have its certificate")
        y, each = self._target(y, asked), share_of(asked.delta, asked.n_models_tried)
        if not self._answers_labels():
            refuse_wide_targets(y)
        plain = check_array(X, accept_sparse="csr", dtype=np.float64)
        rows = TrainingSet(X, plain, y, np.asarray(self._answers(X)), weight, each)
        found, prints = self._designated(rows), record.trained.prints
        copies = _copies_among(equalities(prints, prints[:0]), asked.draws)
        found = replace(found, assumptions=(*copies, *found.assumptions))
        return training_certificate(found, asked.delta, asked.n_models_tried)

    def _designated(self, rows: TrainingSet) -> Designated:
        """The theorem for this kind of model; none, unless a subclass knows one."""
        reason = "this model can fit any targets, so its training error says nothing"
        return (no_theorem_for_labels if self._answers_labels() else no_theorem_for_numbers)(rows, reason)

    def _target(self, y: Any, asked: Asked) -> np.ndarray:
        """One target per row; several columns are one statement each."""
        if np.ndim(y) == 2 and np.shape(y)[1] > 1 and asked.loss is None:
            raise ValueError(
                f"y has {np.shape(y)[1]} columns, and a certificate is about one; fit one column at a time, or give a "
                "loss of all of them with values in [0, 1]"
            )
        return _targets(y)

    def _largest_product(self, n: int, d: int) -> float:
        """Multiplications of the largest product or factorisation that a fit to ``n`` rows of ``d`` columns takes."""
        return float(n) * d * min(n, d)

    def _answers(self, X: Any) -> np.ndarray:
        """Predictions on the scale of ``y``."""
        return self.predict(X)  # type: ignore[attr-defined]

    def _answers_labels(self) -> bool:
        """Whether an answer is right or wrong, and not more or less far off."""
        return is_classifier(self)
