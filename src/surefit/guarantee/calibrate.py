"""Layer guarantee: prediction intervals and sets for any fitted model, from rows that it has never seen.

In: a fitted model, or two quantile fits, and held-out rows.  Out: `Calibrated`, which keeps a copy of the model and the
held-out scores, and gives `PredictionIntervals` of any coverage; for a classifier `CalibratedSets`, which gives sets of
labels.  Rows that the model was fitted to are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples, check_consistent_length

from surefit.data.tables import tell_of_labels
from surefit.guarantee.answers import answers_labels, distances, one_target
from surefit.guarantee.class_sets import CalibratedSets
from surefit.guarantee.fit_record import FitRecord, HeldOutAnswers
from surefit.guarantee.held_out import compared_rows
from surefit.guarantee.label_values import LabelValues
from surefit.guarantee.sampling import Sampling, one_each
from surefit.guarantee.scores import HeldOutScores
from surefit.guarantee.seen.division import row_shuffle
from surefit.guarantee.seen.equal import Equalities
from surefit.guarantee.seen.prints import COARSE, DRAWS, DRAWS_OR_COPIES
from surefit.names import hinted
from surefit.theory.certificates.in_time import change, steady
from surefit.theory.intervals.conformal import INTERVALS, PredictionIntervals, band_scores, widened


@dataclass(frozen=True)
class Band:
    """The predictions of one model, or between those of two: what is widened.  A class, so that it can be stored."""

    lower: Any
    upper: Any

    def __call__(self, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        first = _predicted(self.lower, rows)
        if self.upper is None:
            return first, first
        second = _predicted(self.upper, rows)
        return np.minimum(first, second), np.maximum(first, second)  # quantile fits may cross


@dataclass(frozen=True, repr=False)
class Calibrated:
    """A band and its scores on held-out rows: `predict_interval` gives intervals of any coverage from them.

    ``spread`` is a model of the size of errors, if scores are in units of it; ``ratio`` a function that gives the
    weight of a row, if held-out rows are weighted by one.
    """

    band: Callable[[Any], tuple[np.ndarray, np.ndarray]]
    held_out: HeldOutScores
    of: str = ""
    spread: Any = None
    ratio: Callable[[Any], Any] | None = field(default=None)

    @property
    def scores(self) -> np.ndarray:
        """How far each held-out target lies outside its band, in units of the spread if there is one."""
        return self.held_out.scores

    def __repr__(self) -> str:
        return (
            f"Calibrated{self.of} on {self.held_out.described()}. predict_interval(X, coverage) gives intervals that "
            "hold a new target with probability at least coverage, on average over hold-outs."
        )

    @hinted
    def predict_interval(
        self,
        X: Any,
        coverage: float = 0.9,
        method: str = "split",
        *,
        delta: float = 0.05,
        within: Any = None,
        weights: Any = None,
    ) -> PredictionIntervals:
        """Intervals for the rows of ``X``: the band, widened by a quantile of the held-out scores.

        ``method="split"``: probability at least ``coverage``, on average over hold-outs.  ``"pac"``: for all but a
        share ``delta`` of hold-outs at least ``coverage`` of all new targets (needs 29 rows for 0.9 at 0.05).
        ``within``: the category of each row of ``X``, if the hold-out had some; the promise then holds in each.
        ``weights``: the density ratio of each row of ``X``, if the hold-out had them.
        """
        lower, upper = self.band(X)
        weights = self.ratio(X) if weights is None and self.ratio is not None else weights
        request = self.held_out.request(len(lower), (coverage, method, delta), within, weights)
        amount = self.held_out.quantiles(request)
        if self.spread is not None:
            amount = amount * spreads(self.spread, X)
        promise = self.held_out.promise(request, INTERVALS)
        varying = "" if self.spread is None else " in units of a spread"
        promise = replace(promise, method=f"{promise.method}{varying}{self.of}")
        return promise.intervals(*widened(lower, upper, amount))


@hinted
def calibrate(  # noqa: PLR0913 - each of them is something that only the user can know of the rows
    model: Any,
    X: Any,
    y: Any,
    *,
    spread: Any = None,
    within: Any = None,
    groups: Any = None,
    time: Any = None,
    weights: Any = None,
    weights_are_known: bool = False,
    training: tuple[Any, Any] | None = None,
    equal_rows_are_draws: bool = False,
) -> Any:
    """Intervals or sets with a promise for any fitted model, from rows ``X``, ``y`` that it has never seen.

    A regressor gets `Calibrated`, with ``predict_interval``: ``f(x) -+ radius``, the radius a quantile of the errors on
    those rows.  A classifier gets `CalibratedSets`, with ``predict_set``: sets of labels.  The rows must not have been
    used for fitting, scaling or tuning.  The model is copied, so that a later fit does not change what was calibrated.

    Parameters
    ----------
    spread : a model whose ``predict`` says how large errors are (fitted to other rows than these), for intervals whose
        width varies: scores are errors in units of it.  Only the widths depend on it being good, not the coverage.
    within : (n,), the category of each row; the promise then holds within each category, which has its own quantile.
    groups : (n,), the group of each row, if rows of one group depend on each other (patients, sites).  The promise is
        then about rows of new groups, and each group counts as one draw.
    time : (n,), when each row was.  A test of their order then looks for errors that change with time; where it finds
        that, there is a `DriftWarning` and no promise.
    weights : (n,), or a function of rows: density ratios, new rows over these, if the features of new rows follow
        another law.  ``weights_are_known`` says that they are known and not estimated.
    training : ``(X, y)`` as given to ``fit``, so that rows which were trained on are refused.  Models of ours remember
        enough of them by themselves, also at the end of a pipeline or in a search.
    equal_rows_are_draws : your word that rows repeat by nature.  Without it, rows that equal others may be copies, and
        quantiles are the larger of those with and without them.

    >>> import numpy as np
    >>> from surefit import Ridge
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(300, 2)); y = X @ [1.0, 2.0] + rng.normal(size=300)
    >>> held_out = calibrate(Ridge(0.01).fit(X[:200], y[:200]), X[200:], y[200:])
    >>> held_out
    Calibrated on 100 held-out rows. predict_interval(X, coverage) gives intervals that hold a new target with
    probability at least coverage, on average over hold-outs.
    >>> float(held_out.predict_interval(X[:1], 0.9).width[0].round(3))
    3.559
    >>> print(held_out.predict_interval(X[:1], 0.9, "pac").statement)
    With 95 % confidence over the draw of the 100 held-out rows, at least 90 % of new targets lie in their interval.
    """
    ratio = weights if callable(weights) else None
    weights = ratio(X) if ratio is not None else weights
    tell_of_labels(X, y=y, within=within, groups=groups, time=time, weights=weights)
    sampling = Sampling.of(_num_samples(X), "held-out rows", groups, time, weights, weights_are_known)
    if not answers_labels(model):
        found = Calibrated(
            Band(deepcopy(model), None), HeldOutScores(np.empty(0)), spread=deepcopy(spread), ratio=ratio
        )
        compared = lambda y: compared_rows((model,), X, y, equal_rows_are_draws, training)
        return _calibrated(found, compared, (X, y), (within, sampling), equal_rows_are_draws)
    if spread is not None:
        raise ValueError("spread is for the errors of a regressor; a classifier has score='aps' for sets that vary")
    y = one_target(y)
    check_consistent_length(X, y)
    equal = compared_rows((model,), X, y, equal_rows_are_draws, training)
    sets = replace(CalibratedSets.of(LabelValues.of(deepcopy(model)), X, y), ratio=ratio)
    held_out = _held_out(sets.held_out, equal, (X, y), (within, sampling), equal_rows_are_draws)
    return replace(sets, held_out=held_out)


@hinted
def calibrate_quantiles(  # noqa: PLR0913 - as in `calibrate`
    lower: Any,
    upper: Any,
    X: Any,
    y: Any,
    *,
    within: Any = None,
    groups: Any = None,
    time: Any = None,
    weights: Any = None,
    weights_are_known: bool = False,
    training: tuple[Any, Any] | None = None,
    equal_rows_are_draws: bool = False,
) -> Calibrated:
    """Conformalised quantile regression: a band ``[lower(x), upper(x)]`` of two fitted models, widened (or narrowed).

    Romano, Patterson and Candes (2019).  Intervals vary in width with the noise; their coverage does not rest on the
    quantile fits being right.  Otherwise as `calibrate`.

    >>> import numpy as np
    >>> from surefit import ERM
    >>> from surefit.objective import Pinball
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(600, 1)); y = (0.1 + X[:, 0]) * rng.normal(size=600)
    >>> low, high = (ERM(Pinball(q)).fit(X[:300], y[:300]) for q in (0.05, 0.95))
    >>> held_out = calibrate_quantiles(low, high, X[300:], y[300:])
    >>> held_out.predict_interval([[0.1], [0.9]]).width.round(1)
    array([0.6, 3.1])
    """
    for model in (lower, upper):
        if answers_labels(model):
            raise ValueError(f"{type(model).__name__} answers labels, which have no quantiles; give two regressors")
    ratio = weights if callable(weights) else None
    weights = ratio(X) if ratio is not None else weights
    tell_of_labels(X, y=y, within=within, groups=groups, time=time, weights=weights)
    sampling = Sampling.of(_num_samples(X), "held-out rows", groups, time, weights, weights_are_known)
    band = Band(deepcopy(lower), deepcopy(upper))
    found = Calibrated(band, HeldOutScores(np.empty(0)), " of a quantile band", ratio=ratio)
    compared = lambda y: compared_rows((lower, upper), X, y, equal_rows_are_draws, training)
    return _calibrated(found, compared, (X, y), (within, sampling), equal_rows_are_draws)


def _calibrated(
    found: Calibrated,
    compared: Callable[[np.ndarray], Equalities],
    rows: tuple[Any, Any],
    structure: tuple[Any, Sampling],
    draws: bool,
) -> Calibrated:
    X, y = rows[0], _numbers(rows[1])
    if _num_samples(X) != len(y) or not np.all(np.isfinite(y)):
        raise ValueError(
            f"y must hold one finite target for each of the {_num_samples(X)} held-out rows; drop missing ones"
        )
    equal = compared(y)
    low, high = found.band(X)
    check_consistent_length(low, y)
    if not np.all(np.isfinite(low)) or not np.all(np.isfinite(high)):
        raise ValueError("the model predicts values that are not finite; calibrate one that has an answer for each row")
    scores = band_scores(low, high, y)
    if found.spread is not None:
        scores = scores / spreads(found.spread, X)
    return replace(found, held_out=_held_out(HeldOutScores(scores), equal, (X, y), structure, draws))


def _held_out(
    held_out: HeldOutScores, found: Equalities, rows: tuple[Any, Any], structure: tuple[Any, Sampling], draws: bool
) -> HeldOutScores:
    """The scores with what is known of their rows: which equal others, how they came about, whether they drift."""
    (X, y), (within, sampling) = rows, structure
    within = None if within is None else one_each("within", within, len(y), "held-out rows")
    return _described(held_out, found, (within, sampling), row_shuffle(X, y).seed, draws)


def _described(
    held_out: HeldOutScores, found: Equalities, structure: tuple[Any, Sampling], seed: int, draws: bool
) -> HeldOutScores:
    within, sampling = structure
    held_out = replace(held_out, within=within, sampling=sampling, seed=seed)
    if sampling.time is not None:
        held_out = _in_time(held_out)
    if found.coarse:
        text = f"{DRAWS} ({found.coarse} held-out rows equal others, {COARSE}; unverifiable)"
        held_out = replace(held_out, assumed=(*held_out.assumed, text))
    if not found.any:
        return held_out
    count = f"{found.shared} held-out rows equal a training row, {found.repeated} more equal another held-out row"
    if draws or sampling.groups is not None:
        return replace(held_out, assumed=(*held_out.assumed, f"{DRAWS} ({count}; declared)"))
    text = f"{DRAWS_OR_COPIES} ({count}: the wider of both)"
    return replace(held_out, found=found, assumed=(*held_out.assumed, text))


def intervals_kept(model: Any, record: FitRecord, draws: bool) -> Calibrated:
    """`Calibrated` from the rows that a fit held out, whose answers its record keeps."""
    kept = _kept(record)
    held_out = HeldOutScores(distances(kept.targets, np.ravel(kept.answers)))
    return Calibrated(
        Band(model, None), _described(held_out, kept.found, (None, kept.sampling), kept.draw.shuffle.seed, draws)
    )


def sets_kept(model: Any, record: FitRecord, draws: bool) -> CalibratedSets:
    """`CalibratedSets` from the rows that a fit held out."""
    kept = _kept(record)
    if kept.values is None:
        raise ValueError(
            "what the model says of each label was not kept for the rows held out: it has neither predict_proba nor "
            "decision_function, or too many labels; use calibrate(model, X_new, y_new)"
        )
    sets = CalibratedSets.of_values(LabelValues.of(model), kept.values.of, kept.targets)
    held_out = _described(sets.held_out, kept.found, (None, kept.sampling), kept.draw.shuffle.seed, draws)
    return replace(sets, held_out=held_out)


def _kept(record: FitRecord) -> HeldOutAnswers:
    if record.held_out is None:
        raise ValueError("fit held no rows out; fit with certify=0.2, or use calibrate(model, X_new, y_new)")
    return record.held_out


def _in_time(held_out: HeldOutScores) -> HeldOutScores:
    """With what a test of the order of time says of the scores."""
    finite = np.where(np.isfinite(held_out.scores), held_out.scores, np.finfo(float).max)
    evidence = held_out.sampling.evidence(finite, held_out.seed)
    held_out.sampling.warn_of(evidence)
    if evidence.found:
        return replace(held_out, broken=(f"errors change with time ({change(evidence)})",))
    return replace(held_out, assumed=(*held_out.assumed, f"{steady(evidence).text} ({steady(evidence).evidence})"))


def spreads(spread: Any, X: Any) -> np.ndarray:
    """The sizes of errors that a model predicts; ``ValueError`` unless they are positive."""
    found = _predicted(spread, X)
    if not (np.all(np.isfinite(found)) and np.all(found > 0)):
        raise ValueError(
            f"spread must be positive, and it is {found[~(found > 0)][:1]} at a row; fit it to logarithms of absolute "
            "errors: TransformedTargetRegressor(Ridge(), func=np.log, inverse_func=np.exp)"
        )
    return found


def _numbers(y: Any) -> np.ndarray:
    try:
        return np.ravel(np.asarray(y, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"y must be numbers, and {error}; intervals are for regressors, give numeric targets"
        ) from None


def _predicted(model: Any, X: Any) -> np.ndarray:
    predicted = np.asarray(model.predict(X), dtype=np.float64)
    if predicted.ndim == 2 and predicted.shape[1] == 1:
        return predicted[:, 0]
    if predicted.ndim != 1:
        raise ValueError(f"the model predicts {predicted.shape[1]} targets; calibrate one target at a time")
    return predicted
