"""Layer estimators: what `Ridge` does with a stream: `partial_fit`, the batch answer at any moment.

In: blocks of rows, in any partition.  Out: the coefficients of all rows so far, computed when they are asked for.  The
rows themselves are not kept, so that what needs them (leave-one-out, standard errors, intervals) is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import MappingProxyType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from surefit.data.design import checked_weight
from surefit.data.tables import validate_data
from surefit.estimators.online.reading import targets_without_text, without_text
from surefit.guarantee.certifiable import Guaranteed
from surefit.guarantee.certify import certify
from surefit.guarantee.intervals import LinearIntervals
from surefit.page import number as shown
from surefit.parameters import within
from surefit.progress import working
from surefit.solvers.online.extents import Extents
from surefit.solvers.online.triangle import Stacked, StackedRows
from surefit.solvers.solution import Solution, Status
from surefit.theory.certificates.certificate import Certificate

PUBLISHED = ("coef_", "intercept_", "solution_", "lam_")


class _WithLam:
    """A method that only models with ``lam`` have; the error of the others says why."""

    def __init__(self, method: Callable[..., Any]):
        self.method = method
        self.__doc__ = method.__doc__

    def __get__(self, model: Any, owner: type) -> Any:
        if model is None:
            return self.method
        if model.lam is None:
            raise AttributeError(
                f"This {owner.__name__!r} has no attribute {self.method.__name__!r}: choosing lam needs the rows, "
                "which a stream does not keep; give lam, such as lam=1e-3"
            )
        return MethodType(self.method, model)


class StreamedRidge:
    """Ridge that also learns from blocks; mixed into `Ridge`."""

    lam: float | None
    radius: float | None
    fit_intercept: bool
    standardise: bool
    forget: float
    selection_: Any
    _fit_record: Any
    _stacked: StackedRows
    _extents: Extents

    @_WithLam
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Take in more rows, and be the ridge of all rows so far: the batch answer, however rows are cut into blocks.

        Goes on from the rows of an earlier `fit`.  In memory: a few times ``(d + k)**2`` numbers.  Needs ``lam``;
        leave-one-out, standard errors and intervals need the rows, which are not kept.  ``forget=0.999`` (a parameter
        of the model) multiplies the weight of all earlier rows by that with every row, to follow a stream that drifts;
        what it gives up: no more than ``1 / (1 - forget)`` rows ever count, so that estimates stay noisy.  A block
        with NaN, infinity or text is refused whole, and so is one with a number beyond ``2**53`` and beyond ``2**53``
        times all others of its column, such as 1e20 among units: it would swallow their digits.  If that came first,
        the next block is refused and says so.  Catalogue A-02, A-09, A-26.

        >>> from surefit import Ridge
        >>> model = Ridge(lam=1.25).partial_fit([[0.0], [1]], [1.0, 3]).partial_fit([[2.0], [3]], [2.0, 5])
        >>> model.coef_.round(12), round(model.intercept_, 12)
        (array([0.55]), 1.925)
        """
        self._check_stream()
        first, anew = "_stacked" not in self.__dict__, not {"_stacked", "_fit_record"} & self.__dict__.keys()
        with working(f"learning {type(self).__name__}"):
            options = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "multi_output": True}
            rows, targets = validate_data(self, X, y, y_numeric=True, reset=anew, **options)
            _refuse_digits(X, y)
            if first:
                self._shape = (rows.dtype.name, targets.ndim == 1)
            dense = rows.toarray() if hasattr(rows, "toarray") else rows
            targets = np.asarray(targets, dtype=np.float64).reshape(len(targets), -1)
            weight = None if sample_weight is None else checked_weight(sample_weight, len(targets))
            if first:
                self._stacked = self._started(dense.shape[1], targets.shape[1])
            k = targets.shape[1]
            if k != self._stacked.k:
                raise ValueError(
                    f"y has {k} columns, the rows before had {self._stacked.k}; keep to one number of them"
                )
            dense = dense.astype(np.float64, copy=False)
            self._refuse_swallowing(np.hstack([dense, targets]), weight)
            self._stacked.add(dense, targets, weight)
        for name in (*PUBLISHED, "_fit_record"):
            self.__dict__.pop(name, None)
        return self

    def _refuse_swallowing(self, rows: np.ndarray, weight: np.ndarray | None) -> None:
        """Refuse a block after which the largest number of a column would swallow all others."""
        counted = np.arange(len(rows)) if weight is None else np.flatnonzero(weight > 0)
        found = self._extents.take(rows[counted])
        if found is None:
            return
        names = getattr(self, "feature_names_in_", range(self._stacked.d))
        if self._stacked.rows == 0:
            self._stop_streaming()
        where = f"column {names[found.column]!r}" if found.column < len(names) else "the target"
        size, others = shown(found.value), "beyond 2**53 times all others there, whose digits it would swallow"
        if found.row is None:
            raise ValueError(
                f"an earlier block has {size} in {where}, {others}; start a new model without that row, or rescale"
            )
        raise ValueError(
            f"row {int(counted[found.row])} of the block has {size} in {where}, {others}; drop that row; no row of the "
            "block was learnt"
        )

    def _check_stream(self) -> None:
        """Refuse what cannot be had without the rows."""
        self._check_choices()  # type: ignore[attr-defined]
        within("forget", self.forget, (0.0, 1.0), "1 keeps every row as it is, 0.999 forgets slowly")
        if self.forget == 0:
            raise ValueError("forget=0 forgets every row but the last; 0.999 forgets slowly")
        if self.standardise and not self.fit_intercept:
            raise ValueError("standardise=True on a stream needs fit_intercept=True, which keeps the columns' means")

    def _started(self, d: int, k: int) -> StackedRows:
        """A state that holds the rows of an earlier `fit`, if there was one and they are still there."""
        found, self._extents = StackedRows(d, k, bool(self.fit_intercept), float(self.forget)), Extents()
        if "_fit_record" not in self.__dict__:
            return found
        rows = self._fit_record.factored
        if rows is None:
            raise ValueError(
                "the rows that this model was fitted to are not there any more, so the stream cannot go on from them; "
                "start with partial_fit on a new model"
            )
        self._fit_record.refuse_changed("more rows", rows.pair)
        design, targets = rows.counted
        if (design.d, targets.shape[1]) != (d, k):
            raise ValueError(f"y has {k} columns, the rows before had {targets.shape[1]}; keep to one number of them")
        for block in design.row_slices():
            rows, weight = design.dense_rows(block), design.weight[block]
            self._extents.take(np.hstack([rows, targets[block]])[weight > 0])
            found.add(rows, targets[block], weight)
        return found

    def _refuse_forgetting(self) -> None:
        """`fit` has no order of rows to forget by."""
        if self.forget != 1:
            raise ValueError(
                f"forget={self.forget!r} is for partial_fit, and fit weighs all rows alike; call partial_fit, or leave "
                "forget at 1 and give sample_weight=forget ** np.arange(n)[::-1]"
            )

    def _stop_streaming(self) -> None:
        """A fit starts anew."""
        for name in ("_stacked", "_extents"):
            self.__dict__.pop(name, None)

    def _publish_stream(self) -> None:
        stacked = self._stacked.solved()
        lam = float(self.lam)  # type: ignore[arg-type]
        units = _units(stacked) if self.standardise else None
        found = stacked.ridge(lam, units)
        facts = {"method": "stacked qr", "rank": found.factor.rank, "condition": found.factor.condition,
                 "refinements": found.refinements, "n": stacked.n}  # fmt: skip
        objective = _objective(stacked, found.coef, found.intercept, lam, units)
        details = {"facts": MappingProxyType(facts)}
        solution = Solution(found.coef, found.intercept, Status.EXACT, found.gap, objective, **details)  # type: ignore[arg-type]
        self.lam_, self.selection_ = lam, None
        self._publish(solution, self._shape)  # type: ignore[attr-defined]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Coefficients are computed when they are first asked for after a block."""
            if name in PUBLISHED and "_stacked" in self.__dict__:
                self._publish_stream()
                return self.__dict__[name]
            return super().__getattr__(name)

    def _refuse_stream(self, what: str) -> None:
        """An error where rows are needed that a stream does not keep."""
        if "_stacked" in self.__dict__:
            raise ValueError(f"{what} need the training rows, and a stream keeps none; fit to rows in memory")

    @wraps(LinearIntervals.predict_interval)
    def predict_interval(self, X: Any, *args: Any, **options: Any) -> Any:
        self._refuse_stream("intervals (surefit.OnlineIntervals gives them on a stream)")
        return super().predict_interval(X, *args, **options)  # type: ignore[misc]

    @wraps(LinearIntervals.leave_one_out)
    def leave_one_out(self) -> Any:
        self._refuse_stream("left-out residuals")
        return super().leave_one_out()  # type: ignore[misc]

    @wraps(Guaranteed.certificate)
    def certificate(self, X_test: Any = None, y_test: Any = None, **asked: Any) -> Certificate:
        if "_stacked" not in self.__dict__:
            found: Certificate = super().certificate(X_test, y_test, **asked)  # type: ignore[misc]
            return found
        if X_test is None or y_test is None:
            raise ValueError(
                "a stream keeps no rows to certify a model with; give X_test and y_test, rows never learnt"
            )
        return certify(self, X_test, y_test, **asked)

    def __getstate__(self) -> dict[str, Any]:
        if "_stacked" in self.__dict__ and self._stacked.rows:
            self._publish_stream()
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        return state


def _refuse_digits(X: Any, y: Any) -> None:
    """Text is never a number on a stream; words have been refused before, digits in text have not."""
    texts = {**targets_without_text(y)[1], **without_text(X)[1]}
    if texts:
        row = min(texts)
        where = "the target" if texts[row].column is None else f"column {texts[row].column!r}"
        raise ValueError(
            f"row {row} of the block has {texts[row].said!r} in {where}, which is text, not a number; convert it; no "
            "row of the block was learnt"
        )


def _units(stacked: Stacked) -> np.ndarray:
    """The standard deviation of each column; of a constant its size, of zeros 1."""
    spread = stacked.spreads()
    constant = np.abs(stacked.means()[: stacked.d]) * stacked.scale[: stacked.d]
    spread = np.where(stacked.dead_columns(), constant, spread)
    return np.where(spread > 0, spread, 1.0)


def _objective(
    stacked: Stacked, coef: np.ndarray, intercept: np.ndarray, lam: float, units: np.ndarray | None
) -> float:
    """The mean of the squares and the penalty at these coefficients, from the triangle."""
    d, first, scale = stacked.d, int(stacked.fit_intercept), stacked.scale
    columns = stacked.triangle[:, first : first + d] * scale[:d]
    residual = stacked.triangle[:, first + d :] * scale[d:] - columns @ coef
    if first:
        residual = residual - stacked.triangle[:, [0]] * (intercept + stacked.origin @ coef)
    penalty = lam * np.sum((coef if units is None else coef * units[:, None]) ** 2)
    return float(np.sum(residual**2) / stacked.total_weight + penalty)
