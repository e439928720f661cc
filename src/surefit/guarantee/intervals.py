"""Layer guarantee: prediction intervals in closed form, from the training rows of regressors linear in their targets.

In: a fitted model and new rows.  Out: `PredictionIntervals`, which say what they promise, on which assumptions, and
which of those the model's own choices have broken.  For any other regressor: `calibrate.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from surefit.data.design import Design
from surefit.data.fingerprints import fingerprints
from surefit.data.tables import validate_data
from surefit.data.units import Units
from surefit.guarantee.seen.equal import Equalities, equalities
from surefit.guarantee.stored_intervals import StoredIntervals, StoredTargets
from surefit.kernels.kernel import Kernel
from surefit.kernels.low_rank import nystroem_map
from surefit.names import hinted
from surefit.progress import working
from surefit.solvers.kernel.plan import size
from surefit.solvers.kernel.system import KernelSystem
from surefit.solvers.linear.factor import DENSE_LIMIT, spectral_factor
from surefit.theory.inference.shrunken import ShrunkenTable, ridge_tables, taken_as_given
from surefit.theory.intervals.conformal import PredictionIntervals
from surefit.theory.intervals.full import full_conformal
from surefit.theory.intervals.jackknife import cv_plus, jackknife_plus
from surefit.theory.intervals.response import KernelResponse, LinearResponse, Response
from surefit.theory.means.arguments import checked_coverage

CLOSED_FORMS = ("jackknife+", "cv+", "full")


@dataclass(frozen=True)
class TrainingRows:
    """What a fit keeps of its training set: rows and targets ``(n, k)``, the response, and what was tuned on it."""

    design: Design
    targets: np.ndarray
    respond: Callable[[np.ndarray], Response]
    broken: tuple[str, ...]
    width: int = 0
    """How many features the left-out fits have."""

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
    def equal(self) -> Equalities:
        """Which of the rows equal others."""
        prints = fingerprints(self.design.X, self.targets)
        return equalities(prints, prints[:0])

    def promises_broken(self, draws: bool) -> tuple[str, ...]:
        """What the model's choices have broken, and what copies among its rows do, unless they are ``draws``."""
        if draws or not self.equal.many:
            return self.broken
        text = (
            f"{self.equal.repeated} of {len(self.targets)} training rows equal another, and a copy of a row left out "
            "is not left out (if these are draws that agree by chance, say equal_rows_are_draws=True)"
        )
        return (*self.broken, text)

    def refuse_changed(self, now: np.ndarray, fitted: np.ndarray) -> None:
        """The left-out fits come from the training arrays as they are now; they must still give this model."""
        size = np.max(np.abs(self.targets)) + np.max(np.abs(fitted))
        if not np.all(np.abs(now - fitted) <= 1e-3 * size):
            raise ValueError("X or y has been changed in place since the fit; fit again to have its intervals")


class PredictsIntervals:
    """Regressors linear in their targets: `predict_interval` without refits.  Subclasses set ``_rows`` in `fit`."""

    _rows: TrainingRows | StoredIntervals | StoredTargets | None = None

    @hinted
    def predict_interval(
        self,
        X: Any,
        coverage: float = 0.9,
        method: str = "jackknife+",
        *,
        folds: int | np.ndarray = 10,
        equal_rows_are_draws: bool = False,
    ) -> PredictionIntervals:
        """Intervals for the targets of new rows ``X``, and what they promise; in float64.

        ``method="jackknife+"``: every training row left out in turn, guaranteed ``2 * coverage - 1``, typically about
        ``coverage``.  ``"cv+"``: whole folds left out; ``folds`` is their number (drawn with a fixed seed), or the fold
        of each training row.  ``"full"``: ``coverage`` guaranteed, exact, O(n log n) for each row of ``X``.  All leave
        ``n * lam`` fixed, all are averages over training sets; `surefit.calibrate` is for promises about this model.
        Rows must be exchangeable, so fits with unequal sample weights are refused.  The training rows of linear models
        do not travel with a stored model: it gives intervals that contain those of ``"jackknife+"``, and a little more.
        Rows that equal others may be copies, which breaks every one of these promises; ``equal_rows_are_draws`` is
        your word that they repeat by nature.
        """
        check_is_fitted(self)
        if method not in CLOSED_FORMS:
            raise ValueError(f"method must be one of {CLOSED_FORMS}, got {method!r}; for a hold-out use calibrate")
        coverage, rows = checked_coverage(coverage), self._kept_rows()
        X = self._new_rows(X)
        if isinstance(rows, StoredIntervals):
            return rows.intervals(X, (coverage, method, equal_rows_are_draws), self._features())
        rows.refuse_changed(rows.response.at(X[:3]).prediction, self._values_at(X[:3]))  # type: ignore[attr-defined]
        broken = rows.promises_broken(equal_rows_are_draws)
        with working("prediction intervals"):
            if method == "cv+":
                return cv_plus(rows.response, X, fold_numbers(folds, len(rows.targets)), coverage, broken)
            return (jackknife_plus if method == "jackknife+" else full_conformal)(rows.response, X, coverage, broken)

    def _new_rows(self, X: Any) -> Any:
        """``X`` validated as `predict` would, in float64."""
        raise NotImplementedError

    def _kept_rows(self) -> TrainingRows | StoredIntervals:
        if not isinstance(self._rows, TrainingRows | StoredIntervals):
            raise ValueError(
                "the left-out fits need the training data of an exact solution, which iterative solvers lack; use a "
                "direct solver, or calibrate on a hold-out (surefit.calibrate)"
            )
        return self._rows

    def _features(self) -> Callable[[Any], Any] | None:
        """What turns new rows into rows of the left-out fits, if anything."""
        return None

    def _stored_rows(self, rows: TrainingRows) -> Any:
        """What of the training rows travels with a stored model."""
        return StoredIntervals.of(rows, self._values_at)  # type: ignore[attr-defined]

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())  # type: ignore[call-overload]
        if isinstance(self._rows, TrainingRows):
            state["_rows"] = self._stored_rows(self._rows)
        return state

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """A copy in memory shares the training rows; only a stored model goes without them."""
        twin = object.__new__(type(self))
        memo[id(self)] = twin
        for name, value in vars(self).items():
            vars(twin)[name] = value if name in ("_rows", "_training") else deepcopy(value, memo)
        return twin


class LinearIntervals(PredictsIntervals):
    """`PredictsIntervals` for linear models."""

    def _new_rows(self, X: Any) -> Any:
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)


def linear_rows(
    design: Design,
    targets: np.ndarray,
    lam: float,
    fit_intercept: bool,
    broken: tuple[str, ...] = (),
    units: Units | None = None,
) -> TrainingRows:
    """The rows of a linear fit, penalised in ``units``; nothing is computed before the first interval is asked for."""

    def respond(y: np.ndarray) -> Response:
        if design.is_sparse and design.n * design.d > DENSE_LIMIT:
            raise ValueError(
                f"the left-out fits would need {design.n} x {design.d} numbers as a dense matrix; calibrate on a "
                "hold-out instead (surefit.calibrate)"
            )
        X = design.X if units is None else units.rows(design.X)
        factor = spectral_factor(Design(X, np.ones(design.n)), fit_intercept, lam * design.n)
        return LinearResponse(factor, y, lam) if units is None else LinearResponse(factor, y, lam, units.rows)

    return TrainingRows(design, targets, respond, broken, design.d)


def shrunken_tables(
    rows: TrainingRows,
    lam: float,
    fit_intercept: bool,
    names: tuple[str, ...],
    covariances: Sequence[Any],
    level: float,
) -> list[ShrunkenTable]:
    """The tables of ridge on these rows for some covariances."""
    k = rows.targets.shape[1]
    if k > 1:
        raise ValueError(f"y had {k} columns; fit one column at a time to have its standard errors")
    factor = spectral_factor(rows.design, fit_intercept, lam * rows.design.total_weight)
    return ridge_tables(factor, rows.targets[:, 0], lam, names, covariances, level, taken_as_given(rows.broken))


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
        features = landmark_features(system.kernel, landmarks)
        factor = spectral_factor(Design.of(features(system.X)), system.fit_intercept, lam * system.n)
        return LinearResponse(factor, y, lam, features)

    width = system.n if landmarks is None else landmarks.shape[0]
    return TrainingRows(Design(system.X, system.weight), targets, respond, broken, width)


def landmark_features(kernel: Kernel, landmarks: Any) -> Callable[[Any], Any]:
    """The features that a fit on landmarks has."""
    return nystroem_map(kernel, landmarks, landmarks.shape[0]).transform


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
