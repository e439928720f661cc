"""Layer estimators: `OnlineIntervals`: prediction intervals on a stream, each before its target is seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from surefit.data.tables import tell_of_labels
from surefit.estimators.online.reading import pieces, targets_without_text, uninterrupted, without_text
from surefit.names import HintedModel
from surefit.solvers.online.extents import Extents
from surefit.theory.certificates.certificate import Assumption, Standing
from surefit.theory.intervals.adaptive import AdaptiveIntervals
from surefit.theory.intervals.online_ridge import ConformalRidge
from surefit.theory.means.order_bet import OrderBet


class OnlineIntervals(HintedModel, BaseEstimator):
    """Intervals around the predictions of an online regressor, on every stream.

    Adaptive conformal inference: the share of targets outside their intervals after ``T`` rows is within ``bound_`` of
    ``1 - coverage``, whatever the stream does; no assumption at all.  Width follows the last errors.

    Parameters
    ----------
    model : an online regressor of this library; it learns along.
    coverage : share of the targets that the intervals shall contain.
    step : how far the level moves after each row; larger follows faster and wobbles more.
    window : number of the last errors whose quantile is the half-width.

    Attributes
    ----------
    miss_rate_, bound_ : misses so far, and what they can differ from ``1 - coverage`` by.  infinite_ : intervals that
        were the whole line, as the first are.

    >>> from surefit import WidrowHoff
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 2))
    >>> intervals = OnlineIntervals(WidrowHoff(0.05))
    >>> found = intervals.predict_then_learn(X, X @ [1.0, 2.0] + rng.normal(size=1000))
    >>> found.shape, abs(intervals.miss_rate_ - 0.1) <= intervals.bound_
    ((1000, 2), True)
    """

    def __init__(self, model: Any, coverage: float = 0.9, *, step: float = 0.01, window: int = 1000):
        self.model = model
        self.coverage = coverage
        self.step = step
        self.window = window

    def predict_then_learn(self, X: Any, y: Any) -> np.ndarray:
        """The interval of every row before its target was seen, shape (m, 2); NaN for rows that the model skipped."""
        state, found = self._started(), [np.zeros((0, 2))]
        for rows, targets in pieces(X, y):
            with uninterrupted():
                said: list[np.ndarray] = []
                try:
                    self.model._learn(rows, targets, said)
                finally:  # rows before one that is refused were learnt, and count
                    told = zip(np.concatenate([[], *said]), targets, strict=False)
                    found += [self._interval(state, *one) for one in told]
        return np.vstack(found)

    def _interval(self, state: AdaptiveIntervals, said: float, target: Any) -> np.ndarray:
        """The interval of one row, whose target is then learnt from."""
        if np.isnan(said):
            return np.full((1, 2), np.nan)
        return np.array([state.update(float(said), self.model._number_of(target))])

    def partial_fit(self, X: Any, y: Any) -> OnlineIntervals:
        """Learn from a block."""
        self.predict_then_learn(X, y)
        return self

    def predict_interval(self, X: Any) -> np.ndarray:
        """Intervals of new rows as things stand, shape (n, 2)."""
        width = self._started().half_width()
        predictions = np.asarray(self.model.predict(X), dtype=float)
        return np.column_stack([predictions - width, predictions + width])

    @property
    def miss_rate_(self) -> float:
        """The share of targets outside their intervals."""
        return self._started().miss_rate

    @property
    def bound_(self) -> float:
        """What ``miss_rate_`` can differ from ``1 - coverage`` by, on every stream of this length."""
        return self._started().bound

    @property
    def infinite_(self) -> int:
        """How many intervals were the whole line."""
        return self._started().infinite

    def _started(self) -> AdaptiveIntervals:
        if "_adaptive" not in self.__dict__:
            self._adaptive = AdaptiveIntervals(self.coverage, self.step, self.window)
        return self._adaptive


class OnlineRidgeIntervals(HintedModel, BaseEstimator):
    """Exact full conformal intervals for ridge on a stream: ``coverage`` at every row, if rows are exchangeable.

    The conformal p-values bet against exchangeability on the way: `assumption` says what they found.  Keeps all rows;
    a row costs ``O(n d)``.

    Parameters
    ----------
    coverage : probability that the target of the next row is inside.
    lam_sum : penalty of ``||w||**2`` against the *sum* of squares, the same at every row: ``n * lam`` in `Ridge`.
    fit_intercept : learn an offset, never penalised.
    random_state : seed of the ties among p-values.

    Attributes
    ----------
    miss_rate_ : share of targets outside.  evidence_ : the e-value against exchangeability.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> intervals = OnlineRidgeIntervals()
    >>> found = intervals.predict_then_learn(X, X @ [1.0, 2.0] + rng.normal(size=300))
    >>> intervals.miss_rate_ < 0.15, intervals.evidence_ < 20
    (True, True)
    """

    def __init__(
        self, coverage: float = 0.9, *, lam_sum: float = 1.0, fit_intercept: bool = True, random_state: int = 0
    ):
        self.coverage = coverage
        self.lam_sum = lam_sum
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def predict_then_learn(self, X: Any, y: Any) -> np.ndarray:
        """The interval of every row before its target was seen, shape (m, 2)."""
        tell_of_labels(X, y=y)
        rows = np.atleast_2d(np.asarray(without_text(X)[0], dtype=np.float64))
        targets = np.asarray(targets_without_text(y)[0], dtype=np.float64)
        if len(rows) != len(targets) or not (np.all(np.isfinite(rows)) and np.all(np.isfinite(targets))):
            raise ValueError(
                "every row needs finite features and one finite target; clean the block, and give it again"
            )
        state = self._started(rows.shape[1])
        if (far := self._extents.take(np.column_stack([rows, targets]))) is not None:
            raise ValueError(
                f"the stream has {far.value:g} in column {far.column}, beyond 2**53 times all others there, whose "
                "digits it would swallow; leave that row out, in a new model if it was learnt before"
            )
        steps: list[tuple[float, float, float]] = []
        try:
            for row, target in zip(rows, targets.tolist(), strict=True):
                steps.append(state.step(row, target))
        finally:  # an interrupt between two rows: those that were learnt count
            found = np.array(steps).reshape(-1, 3)
            low, high, p = found.T
            seen = targets[: len(found)]
            self._misses += int(np.count_nonzero(~((low <= seen) & (seen <= high))))
            self._test.update(*p.tolist())
        return found[:, :2]

    def partial_fit(self, X: Any, y: Any) -> OnlineRidgeIntervals:
        """Learn from a block."""
        self.predict_then_learn(X, y)
        return self

    def predict_interval(self, X: Any) -> np.ndarray:
        """Intervals of new rows as things stand, shape (n, 2)."""
        rows = np.atleast_2d(np.asarray(X, dtype=np.float64))
        state = self._started(rows.shape[1])
        return np.array([state.interval(row) for row in rows])

    @property
    def miss_rate_(self) -> float:
        """The share of targets outside their intervals."""
        return self._misses / self._state.rows if self._state.rows else np.nan

    @property
    def evidence_(self) -> float:
        """The e-value against exchangeability: 100 or more is evidence at 1 %."""
        return self._test.evidence

    def assumption(self) -> Assumption:
        """What the order of the rows says about exchangeability, as certificates write it."""
        if self._test.found:
            shown = f"the order of the rows is evidence against it, e = {self._test.highest:.2g}"
            return Assumption("rows are exchangeable", Standing.VIOLATED, shown)
        shown = f"tested: no evidence against exchangeability in the order of the rows (e = {self.evidence_:.1f})"
        return Assumption("rows are exchangeable", Standing.UNVERIFIABLE, shown)

    def _started(self, d: int) -> ConformalRidge:
        if "_state" not in self.__dict__:
            seed = int(self.random_state)
            self._state = ConformalRidge(d, self.lam_sum, self.coverage, bool(self.fit_intercept), seed)
            self._test, self._misses, self._extents = OrderBet(), 0, Extents()
        if d != self._state.d:
            raise ValueError(f"rows have {d} columns, those before had {self._state.d}; give the same columns")
        return self._state
