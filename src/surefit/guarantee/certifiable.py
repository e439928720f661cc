"""Layer guarantee: `certificate` on every supervised model of ours, and ``fit(..., certify=0.2)``.

In: a class whose ``fit`` is decorated with `certifiable`.  Out: a `Certificate`, from rows that are given, from rows
that ``fit`` held out, or, without either, from the theorem that was designated for that model beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from functools import partial, wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import _num_samples, check_array, check_is_fitted

from surefit.data.tables import numbered, target_name, tell_of_labels
from surefit.guarantee.fit_calls import (
    NOT_GIVEN,
    check_call,
    check_settings,
    refuse_class,
    refuse_infinite,
    refuse_numbered_splits,
    shape_of,
    state_of_division,
)
from surefit.guarantee.fit_record import FitRecord, GivenRows, Seen, Settings
from surefit.guarantee.held_out import (
    Answering,
    Asked,
    certificate_kept,
    certificate_on,
    counted_rows,
    divided,
    of_training,
    targets_of,
    with_held_out,
    with_rows,
)
from surefit.guarantee.inside import Memory, refuse_inside
from surefit.guarantee.sampling import PLAIN, Sampling, refuse_declarations, refuse_time
from surefit.guarantee.seen.division import Division
from surefit.guarantee.seen.prints import COARSE, DRAWS
from surefit.guarantee.theorems.regressors import no_theorem_for_numbers, refuse_wide_targets
from surefit.guarantee.theorems.training_rows import TrainingSet, no_theorem_for_labels
from surefit.names import HintedModel, hinted
from surefit.progress import working
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing
from surefit.theory.certificates.holdout import COVERAGE, share_of
from surefit.theory.certificates.training_set import Designated, training_certificate
from surefit.theory.inference.stored import StoredPages
from surefit.theory.means.arguments import checked_coverage
from surefit.threads import blas_threads_for

Fit = TypeVar("Fit", bound=Callable[..., Any])

_NO_COLUMNS = "coefficients of columns exist only for linear models"
MISSING = {
    # for a model that answers numbers, and for one that answers labels
    "predict_interval": (
        "hold rows out and use surefit.calibrate(model, X_new, y_new).predict_interval(X)",
        "labels have no intervals; surefit.calibrate(model, X_new, y_new).predict_set(X) gives sets of labels, "
        "certificate(X_test, y_test) bounds the error rate, and LogisticRegression and "
        "KernelLogistic have predict_proba",
    ),
    "predict_set": (
        "it predicts numbers; surefit.calibrate(model, X_new, y_new).predict_interval(X) gives intervals",
        "hold rows out and use surefit.calibrate(model, X_new, y_new).predict_set(X)",
    ),
    "predict_proba": (
        "it predicts numbers; use LogisticRegression or KernelLogistic for labels",
        "use KernelLogistic or LogisticRegression for probabilities",
    ),
    "summary": (f"{_NO_COLUMNS}, such as Ridge or LeastSquares", f"{_NO_COLUMNS}, such as LogisticRegression"),
}
"""What some models offer and others cannot, and what to do then."""
ON_HOLDING_OUT = (
    "\n\n        ``certify=0.2`` holds a fifth of the rows out, for `certificate`; another ``random_state``, another "
    "fifth.\n        ``groups`` (n,), of rows that depend on each other, are held out whole, and stay together in the "
    "folds\n        that choose ``lam``; ``time`` (n,): the latest rows are held out.\n        "
)
"""What is added to the docstring of every fit."""


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
        groups: Any = None,
        time: Any = None,
        **options: Any,
    ) -> Any:
        refuse_class(self, fit)
        weight = weights[0] if weights else options.get("sample_weight")
        if type(X).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(self, "fit_blocks"):
            return self.fit_blocks(X, y=y, weight=weight, certify=certify)
        check_call(self, X, y, options, known)
        tell_of_labels(X, sample_weight=weight, groups=groups, time=time)
        speaking, work = working(f"fitting {type(self).__name__}"), self._largest_product(*shape_of(X))
        with speaking, _all_or_nothing(self), blas_threads_for(work):
            sampling = _sampling(X, groups, time)
            _start_record(self, y, sampling)
            random_state = state_of_division(self, certify, random_state)
            if certify is None or y is None:
                refuse_time(sampling)
                fit(self, X, y, *weights, **options)
                self.__dict__.pop("_fit_groups")
                self._keep_rows(GivenRows(*counted_rows(X, y, weight)))
            else:
                refuse_inside(self, certify)
                refuse_numbered_splits(self)
                options.pop("sample_weight", None)
                X, y, weight = indexable(X, y, weight)
                rows = divided(X, y, weight, certify, random_state, sampling)
                _fit_without_held_out(partial(fit, self, **options), self, (X, y, weight), rows, certify, sampling)
            return self

    recorded.__doc__ = f"{fit.__doc__}{ON_HOLDING_OUT}"
    return cast(Fit, recorded)


def _start_record(model: Any, y: Any, sampling: Sampling) -> None:
    """An empty record of a model whose settings are fit for use; folds that choose others keep groups together."""
    model.__dict__.pop("blocks_", None)
    model._fit_record = FitRecord(Settings.of(model), target_name(y))
    check_settings(model)
    model._fit_groups = sampling.groups


def _fit_without_held_out(
    fit: Callable[..., Any],
    model: Any,
    data: tuple[Any, Any, Any],
    rows: Division,
    certify: float,
    sampling: Sampling,
) -> None:
    """Fit to the rows that a division leaves; the record keeps the answers to the others."""
    model._fit_groups = sampling.at(rows.training).groups
    _fit_part(fit, model, data, rows)
    model.__dict__.pop("_fit_groups")
    held_out = sampling.at(rows.held_out)
    model._fit_record = with_held_out(model._fit_record, Answering.of(model), data[:2], rows, certify, False, held_out)


def _fit_part(fit: Callable[..., Any], model: Any, data: tuple[Any, Any, Any], rows: Division) -> None:
    """Fit to the rows that a division leaves, which errors call by their numbers among all."""
    X, y, weight = (None if part is None else _safe_indexing(part, rows.training) for part in data)
    model._fit_record = replace(model._fit_record, seen=of_training(rows, X, y))
    with numbered(rows.training):
        fit(X, y, *(() if weight is None else (weight,)))
    model._keep_rows(GivenRows(X, y, weight), keep=False)


def _copies_among(record: FitRecord, draws: bool) -> tuple[Assumption, ...]:
    """What equal training rows do to a theorem about all of them: nothing if they are few, or declared to be draws."""
    text = record.copies
    if not text and record.coarse and not draws:
        evidence = f"{record.coarse} of {record.n} rows equal another, {COARSE}"
        return (Assumption(DRAWS, Standing.UNVERIFIABLE, evidence),)
    if not text:
        return ()
    if draws:
        return (Assumption(DRAWS, Standing.DECLARED, text),)
    remedy = "drop the copies, or give them as sample_weight; if they are no copies, say equal_rows_are_draws=True"
    return (Assumption(DRAWS, Standing.VIOLATED, f"{text}; {remedy}"),)


def _sampling(X: Any, groups: Any, time: Any) -> Sampling:
    """What is declared of the rows of a fit."""
    return PLAIN if groups is None and time is None else Sampling.of(_num_samples(X), "rows", groups, time)


class Guaranteed(HintedModel):
    """A supervised model that can say how well it will do; its ``fit`` is decorated with `certifiable`."""

    _fit_record: FitRecord
    _fit_groups: Any = None  # of the rows of the fit that is under way, for its folds

    if not TYPE_CHECKING:  # attributes that are misspelt are still errors of types

        def __getattr__(self, name: str) -> Any:
            """Python asks here for what is not there: the usual error, with a remedy for what others offer."""
            if name in MISSING:
                remedy = MISSING[name][bool(self._answers_labels())]
                raise AttributeError(f"{type(self).__name__} has no {name}: {remedy}", name=name, obj=self)
            return object.__getattribute__(self, name)

    @hinted
    def certificate(  # noqa: PLR0913 - each is something a user may have to declare
        self,
        X_test: Any = None,
        y_test: Any = None,
        *,
        delta: float = 0.05,
        n_models_fixed: int = 1,
        loss: Any = None,
        coverage: float = COVERAGE,
        groups: Any = None,
        time: Any = None,
        weights: Any = None,
        weights_are_known: bool = False,
        equal_rows_are_draws: bool = False,
    ) -> Certificate:
        """What this model will do on future rows, with confidence ``1 - delta``.

        ``X_test``, ``y_test``: rows that it has never seen; those seen in `fit` are refused (rows of weight zero were
        not seen).  A classifier gets its error rate, a regressor a quantile of its errors, their capped mean (the cap
        is from training rows) and the comparison with a constant, all at once.  Without rows: those that
        ``fit(..., certify=0.2)`` held out; if it did not, the one theorem designated for this kind of model (see
        ``docs/user-guarantees.md``), which is often vacuous and then says what would help.  Where the choice of
        ``lam`` or of a bandwidth on the same rows has broken that theorem, the certificate says so and is vacuous.

        ``loss``: a `Loss` or function of ``(y, prediction)`` with values in [0, 1], whose mean is certified instead; or
        a word for what of a classifier is: ``"log-loss"``, ``"brier"``, ``"recall"`` or ``"auc"``.
        ``groups``, ``time``, ``weights`` and ``weights_are_known`` describe the rows of ``X_test`` as in `certify`; of
        rows that `fit` holds out, give groups or time to `fit`.
        ``coverage``: which quantile of a regressor's errors; 0.8 bounds what 80 % of future rows stay within.
        ``n_models_fixed``: how many models are judged by the same rows, all fixed before anybody looked at these; each
        gets its share of ``delta``.  One that answers on these rows led to is not covered: see `ReusableHoldOut`.
        ``equal_rows_are_draws``: your word that rows repeat by nature (a table of few answers) and not because they
        were copied or used in `fit`; without it the bound is the larger of the two that hold then and if all
        of them are copies, where those that equal a training row count as errors.
        """
        check_is_fitted(self, "_fit_record")
        record = self._fit_record
        if (X_test is None) != (y_test is None):
            raise ValueError("a certificate needs rows and their targets; give both X_test and y_test, or neither")
        asked = Asked(delta, n_models_fixed, loss, equal_rows_are_draws, checked_coverage(coverage))
        if X_test is None:
            refuse_declarations(groups, time, weights)
            sampling = PLAIN
        else:
            tell_of_labels(X_test, groups=groups, time=time, weights=weights)
            sampling = Sampling.of(_num_samples(X_test), "held-out rows", groups, time, weights, weights_are_known)
        with working(f"certifying {type(self).__name__}"):
            return self._certificate(X_test, y_test, record, asked, sampling)

    def _certificate(
        self, X_test: Any, y_test: Any, record: FitRecord, asked: Asked, sampling: Sampling
    ) -> Certificate:
        if X_test is not None:
            return certificate_on(Answering.of(self), X_test, y_test, Memory(record), asked, sampling)
        as_fitted = record.settings.restored(self)
        if record.held_out is not None:
            found = certificate_kept(Answering.of(as_fitted), record, asked)
        else:
            found = as_fitted._certificate_alone(record, asked)
        return replace(found, assumptions=(*found.assumptions, *record.settings.as_fitted(self)))

    def _certificate_alone(self, record: FitRecord, asked: Asked) -> Certificate:
        """By the theorem that was designated for this kind of model."""
        if asked.loss is not None:
            raise ValueError("a loss of your own needs held-out rows; fit with certify=0.2, or give X_test and y_test")
        asked.refuse_coverage("and none are held out; fit with certify=0.2, or give X_test and y_test")
        if record.rows is None or record.seen is None:
            raise ValueError(
                "the training rows do not travel with a stored model; give X_test and y_test, fit again, or fit with "
                "certify=0.2, whose answers do travel"
            )
        record.refuse_changed("certificate")
        X, given, weight = record.rows.X, record.rows.y, record.rows.weight
        y, each = targets_of(given, asked), share_of(asked.delta, asked.n_models_fixed)
        if not self._answers_labels():
            refuse_wide_targets(y)
        plain = check_array(X, accept_sparse="csr", dtype=np.float64)
        rows = TrainingSet(X, plain, y, np.asarray(self._answers(X)), weight, each)
        found, copies = self._designated(rows), _copies_among(record, asked.draws)
        found = replace(found, assumptions=(*copies, *found.assumptions))
        return training_certificate(found, asked.delta, asked.n_models_fixed)

    def _designated(self, rows: TrainingSet) -> Designated:
        """The theorem for this kind of model; none, unless a subclass knows one."""
        reason = "this model can fit any targets, so its training error says nothing"
        return (no_theorem_for_labels if self._answers_labels() else no_theorem_for_numbers)(rows, reason)

    def _remember(self, **parts: Any) -> None:
        """Add to the record of the fit that is under way, from inside ``fit``: ``factored``, above all."""
        self._fit_record = replace(getattr(self, "_fit_record", FitRecord()), **parts)

    def _prints_of(self, X: Any, y: Any) -> np.ndarray:
        """Fingerprints of the rows that count in the fit that is under way: made once, whoever asks first."""
        record = getattr(self, "_fit_record", FitRecord())
        if record.seen is None:
            self._remember(seen=Seen.of(X, y))
        return self._fit_record.seen.prints  # type: ignore[union-attr]

    def _keep_rows(self, rows: GivenRows, keep: bool = True) -> None:
        """What a finished fit keeps of its rows."""
        refuse_infinite(self)
        self._fit_record = with_rows(self._fit_record, Answering.of(self), rows, keep=keep)

    def _pages_to_store(self) -> StoredPages | None:
        """What of its inference travels with a stored model, if it has any."""
        return None

    def _intervals_to_store(self) -> Any:
        """What of its prediction intervals travels with a stored model, if it has any."""
        return None

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())  # type: ignore[call-overload]
        if "_fit_record" in state:
            pages, intervals = self._pages_to_store(), self._intervals_to_store()
            state["_fit_record"] = self._fit_record.to_store(pages, intervals)
        return state

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """A copy in memory shares the record of the fit; only a stored model goes without its rows."""
        twin = object.__new__(type(self))
        memo[id(self)] = twin
        vars(twin).update({name: deepcopy(value, memo) for name, value in vars(self).items()})
        return twin

    def _largest_product(self, n: int, d: int) -> float:
        """Multiplications of the largest product or factorisation that a fit to ``n`` rows of ``d`` columns takes."""
        return float(n) * d * min(n, d)

    def _answers(self, X: Any) -> np.ndarray:
        """Predictions on the scale of ``y``."""
        return self.predict(X)  # type: ignore[attr-defined]

    def _answers_labels(self) -> bool:
        """Whether an answer is right or wrong, and not more or less far off."""
        return is_classifier(self)
