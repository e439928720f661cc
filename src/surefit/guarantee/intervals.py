"""Layer guarantee: left-out fits and prediction intervals in closed form, of regressors linear in their targets.

In: a fitted model, and new rows.  Out: `LeaveOneOut`; `PredictionIntervals`, which say what they promise, on which
assumptions, and which of those the model's own choices have broken.  For any other regressor: `calibrate.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from surefit.data.tables import validate_data
from surefit.guarantee.fit_record import CHANGED, FitRecord
from surefit.guarantee.sampling import one_each
from surefit.guarantee.stored_intervals import StoredIntervals, StoredTargets
from surefit.names import hinted
from surefit.progress import working
from surefit.theory.fit.loo import LeaveOneOut
from surefit.theory.intervals.conformal import PredictionIntervals
from surefit.theory.intervals.full import full_conformal
from surefit.theory.intervals.grouped import group_jackknife_plus
from surefit.theory.intervals.jackknife import cv_plus, jackknife_plus
from surefit.theory.intervals.studentised import studentised_full_conformal, studentised_jackknife_plus
from surefit.theory.means.arguments import checked_coverage

CLOSED_FORMS = ("jackknife+", "cv+", "full")


class PredictsIntervals:
    """Regressors linear in their targets: `predict_interval` without refits, from ``_fit_record.factored``."""

    _fit_record: FitRecord
    intercept_: Any

    @hinted
    def predict_interval(
        self,
        X: Any,
        coverage: float = 0.9,
        method: str = "jackknife+",
        *,
        folds: int | np.ndarray = 10,
        scores: str = "plain",
        groups: Any = None,
        equal_rows_are_draws: bool = False,
    ) -> PredictionIntervals:
        """Intervals for the targets of new rows ``X``, and what they promise; in float64.

        ``method="jackknife+"``: every training row left out in turn, guaranteed ``2 * coverage - 1``, typically about
        ``coverage``.  ``"cv+"``: whole folds left out; ``folds`` is their number (drawn with a fixed seed), or the fold
        of each training row.  ``"full"``: ``coverage`` guaranteed, exact, O(n log n) for each row of ``X``.  All leave
        ``n * lam`` fixed, all are averages over training sets; `surefit.calibrate` is for promises about this model.
        ``scores="studentised"``, for ``"jackknife+"`` and ``"full"``: errors in units of ``sqrt(1 + leverage)``, so
        that intervals are narrower where training rows are dense and wider where they are not; coverage is as before.
        ``groups`` (n,), of the training rows, for ``"jackknife+"``: whole groups are left out, and the promise is about
        a row of a new group. Rows must be exchangeable, so fits with unequal sample weights are refused.  The training
        rows of linear models do not travel with a stored model: it gives intervals that contain those of
        ``"jackknife+"``, and a little more. Rows that equal others may be copies, which breaks every one of these
        promises; ``equal_rows_are_draws`` is your word that they repeat by nature.
        """
        check_is_fitted(self)
        if method not in CLOSED_FORMS:
            raise ValueError(f"method must be one of {CLOSED_FORMS}, got {method!r}; for a hold-out use calibrate")
        coverage, rows = checked_coverage(coverage), self._left_out_rows()
        X, record = self._new_rows(X), self._fit_record
        if isinstance(rows, StoredIntervals):
            if groups is not None or scores != "plain":
                raise ValueError("a stored model has plain jackknife+ alone; ask before storing, or fit again")
            return rows.intervals(X, (coverage, method, equal_rows_are_draws), self._features())
        record.refuse_changed("intervals", rows.pair)
        broken = promises_broken(record, rows.tuned, equal_rows_are_draws)
        with working("prediction intervals"):
            if groups is not None or scores != "plain":
                found = _varying(method, scores, groups, record.n)
                return found(rows.response, X, coverage, broken)
            if method == "cv+":
                return cv_plus(rows.response, X, fold_numbers(folds, record.n), coverage, broken)
            return (jackknife_plus if method == "jackknife+" else full_conformal)(rows.response, X, coverage, broken)

    def leave_one_out(self) -> LeaveOneOut:
        """Predictions, residuals and leverages of the training rows, each by the fit without it; nothing is refitted.

        One entry for each row of positive weight, in their order.  Exact for refits with the same ``n * lam``, units of
        columns, kernel and landmarks.  A weighted row leaves with all its weight.  Rows that equal each other leave
        together (in `KernelRidge` all rows at one point, whatever their targets), as they do when ``lam`` is chosen:
        ``mean_squared_error`` is the criterion at ``lam_``.
        """
        check_is_fitted(self)
        rows = self._left_out_rows()
        if isinstance(rows, StoredIntervals):
            raise ValueError("the training rows do not travel with a stored model; call leave_one_out() before storing")
        self._fit_record.refuse_changed("leave-one-out", rows.pair)
        with working("leave-one-out"):
            found = rows.leave_one_out()
        if np.ndim(self.intercept_) > 0:
            return found
        return replace(found, predictions=found.predictions[:, 0], residuals=found.residuals[:, 0])

    def _new_rows(self, X: Any) -> Any:
        """``X`` validated as `predict` would, in float64."""
        raise NotImplementedError

    def _left_out_rows(self) -> Any:
        """The factored rows, or the `StoredIntervals` of a model that was stored."""
        record = self._fit_record
        if record.factored is None and not isinstance(record.intervals, StoredIntervals):
            raise ValueError(
                "the left-out fits need the training data of an exact solution, which iterative solvers lack; use a "
                "direct solver, or calibrate on a hold-out (surefit.calibrate)"
            )
        return record.intervals if record.factored is None else record.factored

    def _features(self) -> Callable[[Any], Any] | None:
        """What turns new rows into rows of the left-out fits, if anything."""
        return None

    def _intervals_to_store(self) -> StoredIntervals | StoredTargets | None:
        """What of the left-out fits travels with a stored model."""
        record = self._fit_record
        if record.factored is None:
            return None
        if not record.unchanged(record.factored.pair):
            return StoredIntervals(None, CHANGED)
        broken, if_draws = (promises_broken(record, record.factored.tuned, draws) for draws in (False, True))
        return StoredIntervals.of(record.factored, broken, if_draws)


class LinearIntervals(PredictsIntervals):
    """`PredictsIntervals` for linear models."""

    def _new_rows(self, X: Any) -> Any:
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)


def _varying(method: str, scores: str, groups: Any, n: int) -> Callable[..., PredictionIntervals]:
    """Intervals whose scores are studentised, or that leave whole groups out."""
    if scores not in ("plain", "studentised"):
        raise ValueError(f"scores must be 'plain' or 'studentised', got {scores!r}")
    if groups is not None:
        if method != "jackknife+" or scores != "plain":
            raise ValueError("groups go with method='jackknife+' and plain scores; leave the others out")
        names = one_each("groups", groups, n, "training rows")
        return lambda response, X, coverage, broken: group_jackknife_plus(response, X, names, coverage, broken)
    if method == "cv+":
        raise ValueError("studentised scores go with method='jackknife+' or 'full'")
    return studentised_jackknife_plus if method == "jackknife+" else studentised_full_conformal


def promises_broken(record: FitRecord, tuned: tuple[str, ...], draws: bool) -> tuple[str, ...]:
    """What the model's choices have broken, and what copies among its rows do, unless they are ``draws``."""
    copies = "" if draws else record.copies
    if not copies:
        return tuned
    text = (
        f"{copies.replace('rows', 'training rows', 1)}, and a copy of a row left out is not left out (if these are "
        "draws that agree by chance, say equal_rows_are_draws=True)"
    )
    return (*tuned, text)


def fold_numbers(folds: int | np.ndarray, n: int) -> np.ndarray:
    """The fold of each of ``n`` rows: given, or of ``folds`` folds of equal size up to one row, shuffled by seed 0."""
    if isinstance(folds, Real) and 2 <= folds <= n and folds == int(folds):
        return np.random.default_rng(0).permutation(np.arange(n) % int(folds))
    try:
        named = np.asarray(folds)
        named = np.asarray(named.tolist()) if named.dtype == object else named
    except ValueError:  # lists of different lengths
        named = np.asarray(None)
    if named.ndim == 0 or named.dtype == object or np.any(named != named):  # NaN differs from itself
        raise ValueError(f"folds must be a number from 2 to n = {n}, or the fold of each row, got {folds!r}")
    return column_or_1d(named)
