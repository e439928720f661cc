"""Layer estimators: prediction intervals: `PredictsIntervals` for closed forms, `calibrate` for any fitted regressor.

In: a fitted model and new rows (for `calibrate` also held-out rows).  Out: `PredictionIntervals`, which say what they
promise, on which assumptions, and which of those the model's own choices have broken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from surefit.data.design import Design
from surefit.data.rows import fingerprints
from surefit.features.lowrank import nystroem_map
from surefit.solvers.factor import DENSE_LIMIT, spectral_factor
from surefit.solvers.kernel_system import KernelSystem
from surefit.solvers.plan import size
from surefit.theory.conformal import (
    PredictionIntervals,
    Promise,
    band_scores,
    conformal_rank,
    pac_promise,
    pac_rank,
    ranked,
    split_promise,
    widened,
)
from surefit.theory.copies import equalities
from surefit.theory.full_conformal import full_conformal
from surefit.theory.jackknife import cv_plus, jackknife_plus
from surefit.theory.response import KernelResponse, LinearResponse, Response

CLOSED_FORMS = ("jackknife+", "cv+", "full")
HELD_OUT = ("split", "pac")


@dataclass(frozen=True)
class TrainingRows:
    """What a fit keeps of its training set: rows and targets ``(n, k)``, the response, and what was tuned on it."""

    design: Design
    targets: np.ndarray
    respond: Callable[[np.ndarray], Response]
    broken: tuple[str, ...]

    @cached_property
    def response(self) -> Response:
        """The response of one target to rows that count alike, computed once; otherwise an error that says why."""
        if self.targets.shape[1] > 1:
            raise ValueError(f"y had {self.targets.shape[1]} columns; fit one column at a time to have its intervals")
        if not np.all(self.design.weight == self.design.weight[0]):
            raise ValueError(
                "rows of unequal sample_weight are not exchangeable with a new row, so no coverage is guaranteed; "
                "fit without weights, or calibrate on a hold-out (surefit.calibrate)"
            )
        return self.respond(self.targets[:, 0])

    @cached_property
    def promises_broken(self) -> tuple[str, ...]:
        """What the model's choices have broken, and what copies among its rows do."""
        prints = fingerprints(self.design.X, self.targets)
        found = equalities(prints, prints[:0], (self.design.X, self.targets))
        if not found.many:
            return self.broken
        text = (
            f"{found.repeated} of {len(prints)} training rows equal another: a copy of a row left out is not left out"
        )
        return (*self.broken, text)


class PredictsIntervals:
    """Regressors linear in their targets: `predict_interval` without refits.  Subclasses set ``_rows`` in `fit`."""

    _rows: TrainingRows | None = None

    def predict_interval(
        self, X: Any, coverage: float = 0.9, method: str = "jackknife+", *, folds: int | np.ndarray = 10
    ) -> PredictionIntervals:
        """Intervals for the targets of new rows ``X``, and what they promise; in float64.

        ``method="jackknife+"``: every training row left out in turn, guaranteed ``2 * coverage - 1``, typically about
        ``coverage``.  ``"cv+"``: whole folds left out; ``folds`` is their number (drawn with a fixed seed), or the fold
        of each training row.  ``"full"``: ``coverage`` guaranteed, exact, O(n log n) for each row of ``X``.  All leave
        ``n * lam`` fixed, all are averages over training sets; `surefit.calibrate` is for promises about this model.
        Rows must be exchangeable, so fits with unequal sample weights are refused.  The training data are kept for
        this, but do not travel with a stored or copied model.
        """
        check_is_fitted(self)
        if method not in CLOSED_FORMS:
            raise ValueError(f"method must be one of {CLOSED_FORMS}, got {method!r}; for a hold-out use calibrate")
        rows = self._rows
        if rows is None:
            raise ValueError(
                "the left-out fits need the training data of an exact solution, which iterative solvers lack and "
                "which do not travel with a stored or copied model; fit again, or calibrate on a hold-out"
            )
        X = self._new_rows(X)
        self._refuse_changed(rows, X)
        if method == "cv+":
            return cv_plus(rows.response, X, fold_numbers(folds, len(rows.targets)), coverage, rows.promises_broken)
        return (jackknife_plus if method == "jackknife+" else full_conformal)(
            rows.response, X, coverage, rows.promises_broken
        )

    def _new_rows(self, X: Any) -> Any:
        """``X`` validated as `predict` would, in float64."""
        raise NotImplementedError

    def _refuse_changed(self, rows: TrainingRows, X: Any) -> None:
        """The left-out fits come from the training arrays as they are now; they must still give this model."""
        now, fitted = rows.response.at(X[:3]).prediction, self._values_at(X[:3])  # type: ignore[attr-defined]
        size = np.max(np.abs(rows.targets)) + np.max(np.abs(fitted))
        if not np.all(np.abs(now - fitted) <= 1e-3 * size):
            raise ValueError("X or y has been changed in place since the fit; fit again to have its intervals")

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_rows": None}  # type: ignore[dict-item]


class LinearIntervals(PredictsIntervals):
    """`PredictsIntervals` for linear models."""

    def _new_rows(self, X: Any) -> Any:
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)


def linear_rows(
    design: Design, targets: np.ndarray, lam: float, fit_intercept: bool, broken: tuple[str, ...] = ()
) -> TrainingRows:
    """The rows of a linear fit; nothing is computed before the first interval is asked for."""

    def respond(y: np.ndarray) -> Response:
        if design.is_sparse and design.n * design.d > DENSE_LIMIT:
            raise ValueError(
                f"the left-out fits would need {design.n} x {design.d} numbers as a dense matrix; calibrate on a "
                "hold-out instead (surefit.calibrate)"
            )
        factor = spectral_factor(Design(design.X, np.ones(design.n)), fit_intercept, lam * design.n)
        return LinearResponse(factor, y, lam)

    return TrainingRows(design, targets, respond, broken)


def kernel_rows(
    system: KernelSystem, landmarks: Any, targets: np.ndarray, lam: float, broken: tuple[str, ...], memory: float
) -> TrainingRows:
    """The rows of a kernel ridge fit, exact, or on the features of ``landmarks`` unless they are None."""

    def respond(y: np.ndarray) -> Response:
        needed = 3 * 8 * system.n * (system.n if landmarks is None else landmarks.shape[0])
        if lam == 0.0 or needed > memory:
            reason = "lam = 0 leaves no residuals" if lam == 0.0 else f"that takes {size(needed)} of memory"
            raise ValueError(f"no left-out fits: {reason}; calibrate on a hold-out instead (surefit.calibrate)")
        if landmarks is None:
            return KernelResponse(replace(system, weight=np.ones(system.n)), y, lam)
        features = nystroem_map(system.kernel, landmarks, landmarks.shape[0]).transform
        factor = spectral_factor(Design.of(features(system.X)), system.fit_intercept, lam * system.n)
        return LinearResponse(factor, y, lam, features)

    return TrainingRows(Design(system.X, system.weight), targets, respond, broken)


def fold_numbers(folds: int | np.ndarray, n: int) -> np.ndarray:
    """The fold of each of ``n`` rows: given, or of ``folds`` folds of equal size up to one row, shuffled by seed 0."""
    if np.ndim(folds) > 0:
        return column_or_1d(folds)
    if not 2 <= int(folds) <= n:
        raise ValueError(f"folds must be a number from 2 to n = {n}, or the fold of each row, got {folds!r}")
    return np.random.default_rng(0).permutation(np.arange(n) % int(folds))


@dataclass(frozen=True)
class Calibrated:
    """A band and its scores on held-out rows: `predict_interval` gives intervals of any coverage from them.

    ``groups`` holds the group of each score if coverage shall hold within each group.
    """

    band: Callable[[Any], tuple[np.ndarray, np.ndarray]]
    scores: np.ndarray
    groups: np.ndarray | None
    of: str = ""

    def predict_interval(
        self, X: Any, coverage: float = 0.9, method: str = "split", *, delta: float = 0.05, groups: Any = None
    ) -> PredictionIntervals:
        """Intervals for the rows of ``X``: the band, widened by an order statistic of the held-out scores.

        ``method="split"``: probability at least ``coverage``, on average over hold-outs.  ``"pac"``: for all but a
        share ``delta`` of hold-outs at least ``coverage`` of all new targets (needs 29 rows for 0.9 at 0.05).
        ``groups``: the group of each row of ``X``, if the hold-out had groups; the promise then holds in each group.
        """
        if method not in HELD_OUT:
            raise ValueError(f"method must be one of {HELD_OUT}, got {method!r}; jackknife+ needs no hold-out")
        lower, upper = self.band(X)
        if self.groups is None:
            if groups is not None:
                raise ValueError("the hold-out had no groups; give calibrate the group of each held-out row")
            return self._promise(len(self.scores), coverage, method, delta).intervals(
                *widened(lower, upper, _widening(self.scores, coverage, method, delta))
            )
        names = [] if groups is None else np.asarray(groups).tolist()
        if len(names) != len(lower):
            raise ValueError(f"the hold-out had groups; give the group of each of the {len(lower)} rows of X")
        members = {name: self._members(name) for name in set(names)}
        amounts = {name: _widening(scores, coverage, method, delta) for name, scores in members.items()}
        promise = self._promise(min(map(len, members.values())), coverage, method, delta)
        promise = replace(
            promise,
            method=f"{promise.method} by group",
            statement=f"In each group, {_uncapitalised(promise.statement)}",
        )
        return promise.intervals(*widened(lower, upper, np.array([amounts[name] for name in names])))

    def _members(self, group: Any) -> np.ndarray:
        assert self.groups is not None
        scores = self.scores[self.groups == group]
        if len(scores) == 0:
            raise ValueError(f"group {group!r} has no held-out row, so nothing is known about it; hold some rows out")
        return scores

    def _promise(self, n: int, coverage: float, method: str, delta: float) -> Promise:
        promise = split_promise(n, coverage) if method == "split" else pac_promise(n, coverage, delta)
        return replace(promise, method=promise.method + self.of)


def _widening(scores: np.ndarray, coverage: float, method: str, delta: float) -> float:
    n = len(scores)
    return ranked(scores, conformal_rank(n, coverage) if method == "split" else pac_rank(n, coverage, delta))


def _uncapitalised(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def calibrate(model: Any, X: Any, y: Any, *, groups: Any = None) -> Calibrated:
    """Intervals ``f(x) -+ radius`` for any fitted regressor, from rows ``X``, ``y`` that it has never seen.

    Scores are the absolute errors on those rows.  ``groups`` (n,): coverage within each group (Mondrian), each with
    its own radius.  The rows must not have been used for fitting, scaling or tuning; there are no sample weights,
    because rows that count unequally are not exchangeable with a new one.

    >>> import numpy as np
    >>> from surefit import Ridge
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(300, 2)); y = X @ [1.0, 2.0] + rng.normal(size=300)
    >>> held_out = calibrate(Ridge(0.01).fit(X[:200], y[:200]), X[200:], y[200:])
    >>> float(held_out.predict_interval(X[:1], 0.9).width[0].round(3))
    3.559
    >>> print(held_out.predict_interval(X[:1], 0.9, "pac").statement)
    With 95 % confidence over the draw of the 100 held-out rows, at least 90 % of new targets lie in their interval.
    """

    def band(rows: Any) -> tuple[np.ndarray, np.ndarray]:
        predicted = _predicted(model, rows)
        return predicted, predicted

    _refuse_seen((model,), X, y)
    return _calibrated(band, X, y, groups, "")


def calibrate_quantiles(lower: Any, upper: Any, X: Any, y: Any, *, groups: Any = None) -> Calibrated:
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

    def band(rows: Any) -> tuple[np.ndarray, np.ndarray]:
        ends = _predicted(lower, rows), _predicted(upper, rows)
        return np.minimum(*ends), np.maximum(*ends)  # quantile fits may cross

    _refuse_seen((lower, upper), X, y)
    return _calibrated(band, X, y, groups, " of a quantile band")


def _refuse_seen(models: tuple[Any, ...], X: Any, y: Any) -> None:
    """Raise ``ValueError`` if rows were used to fit one of these models, as far as the models remember."""
    for model in models:
        record = getattr(model, "_fit_record", None)
        if record is None or np.shape(X)[0] != len(y):
            continue
        found, _ = record.compared(X, column_or_1d(y))
        if found.shared and found.doubtful:
            raise ValueError(
                f"{found.shared} of the {len(y)} rows were used to fit the model, whose errors on them are too small; "
                "calibrate on rows that it has never seen"
            )


def _calibrated(band: Any, X: Any, y: Any, groups: Any, of: str) -> Calibrated:
    y = np.asarray(column_or_1d(y), dtype=np.float64)
    low, high = band(X)
    if len(low) != len(y) or not np.all(np.isfinite(y)):
        raise ValueError(f"y must hold one finite target for each of the {len(low)} held-out rows; drop missing ones")
    groups = None if groups is None else column_or_1d(groups)
    if groups is not None and len(groups) != len(y):
        raise ValueError(f"groups must name one group for each of the {len(y)} held-out rows, got {len(groups)}")
    return Calibrated(band, band_scores(low, high, y), groups, of)


def _predicted(model: Any, X: Any) -> np.ndarray:
    predicted = np.asarray(model.predict(X), dtype=np.float64)
    if predicted.ndim != 1:
        raise ValueError(f"the model predicts {predicted.shape[1]} targets; calibrate one target at a time")
    return predicted
