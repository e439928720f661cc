"""Layer estimators: `Stream`: an online model, what it is told while it learns, and an alarm against a level.

In: rows in order, from any source.  Out: progress reports; after an alarm the model is kept, starts anew, or is fitted
again to the last rows.  All state is arrays and numbers: a stored stream goes on bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from surefit.data.blocks.sources import row_blocks
from surefit.estimators.online.reading import PIECE, pieces, uninterrupted
from surefit.names import HintedModel
from surefit.page import number
from surefit.parameters import positive, whole
from surefit.theory.certificates.progress import StreamReport
from surefit.theory.means.alarms import Alarm
from surefit.theory.means.running import RunningMean

AFTER = ("keep", "restart", "refit")


class Stream(HintedModel, BaseEstimator):
    """Learn from a stream, and say how it goes.  Catalogue A-26, R-12.

    Parameters
    ----------
    model : an online model of this library, such as `WidrowHoff` or `OnlineClassifier`.
    upper : the largest loss that counts, for a regressor: larger ones count as that in the risk bound and the alarm.
        Errors of a classifier count 1.
    level : the mean loss that may not be exceeded, declared by you or certified; None: no alarm.
    alarm : ``"ever"``: the probability of any false alarm is at most ``delta``.  ``"run-length"``: false alarms come
        after at least ``run_length`` rows on average.
    delta : failure probability of the risk bound, and of the alarm ``"ever"``.
    after : what to do after an alarm: ``"keep"`` the model, ``"restart"`` it, or ``"refit"`` it to the last ``window``
        rows.  The last two learn one row at a time.
    window : rows of the windowed loss, and of a refit.

    Attributes
    ----------
    alarms_ : numbers of the rows at which the alarm went off, the first row being 0.
    target_ : the name of the target in the last source of `run`.

    >>> from surefit import OnlineClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> turned = np.where(np.arange(2000) < 1000, X[:, 0], -X[:, 0]) > 0
    >>> stream = Stream(OnlineClassifier(), level=0.2).learn(X, turned)
    >>> [1000 < row < 1100 for row in stream.alarms_]
    [True]
    """

    alarms_: list[int]
    target_: str
    _recent: list[Any]
    _told: tuple[int, float]
    _running: RunningMean | None

    def __init__(  # noqa: PLR0913  one argument per setting
        self,
        model: Any,
        *,
        upper: float | None = None,
        level: float | None = None,
        alarm: str = "ever",
        delta: float = 0.05,
        run_length: float = 1e5,
        after: str = "keep",
        window: int = 500,
    ):
        self.model = model
        self.upper = upper
        self.level = level
        self.alarm = alarm
        self.delta = delta
        self.run_length = run_length
        self.after = after
        self.window = window

    def learn(self, X: Any, y: Any) -> Stream:
        """Predict and learn a block, row after row; however rows are cut into blocks, the outcome is the same."""
        self._start()
        self.model._expect(y)
        steady = self.after == "keep" or self.level is None
        if not steady:
            X, y = X.to_dict("records") if hasattr(X, "to_dict") else X, list(y)
        for rows, labels in pieces(X, y, PIECE if steady else 1):
            with uninterrupted():
                before = len(self.alarms_)
                self._take(rows, labels)
                if not steady:
                    self._follow(rows, labels, alarmed=len(self.alarms_) > before)
        return self

    def _follow(self, row: Any, label: Any, alarmed: bool) -> None:
        """Keep a row that a refit may need; after an alarm, begin anew."""
        if self.after == "refit":
            kept = row if isinstance(row, list) else np.array(row)
            self._recent = [*self._recent, (kept, label)][-len(self._ring) :]
        if alarmed:
            self._begin_anew()

    def run(self, source: Any, target: str = "y", **options: Any) -> Iterator[StreamReport]:
        """Learn from a source (see `surefit.data.blocks.sources.row_blocks`); a report at every power of two rows."""
        seen = getattr(self, "_rows", 0)
        self.target_ = target
        for X, y in row_blocks(source, target, skip=self.model.bad_rows == "skip", **options):
            while len(y):
                ahead = _next_power(seen) - seen
                self.learn(X[:ahead], y[:ahead])
                seen, X, y = seen + len(y[:ahead]), X[ahead:], y[ahead:]
                if seen == _next_power(seen - 1):
                    yield self.report()
        if seen and seen != _next_power(seen - 1):
            yield self.report()

    def report(self) -> StreamReport:
        """How it goes; ``since_last`` counts from the report before."""
        self._start()
        n, total = self._count, self._total
        fresh = n - self._told[0]
        since = (total - self._told[1]) / fresh if fresh else np.nan
        self._told = (n, total)
        recent = np.roll(self._ring, -(n % len(self._ring))) if n >= len(self._ring) else self._ring[:n]
        bound = self._running.mean_risk_bound(self.delta) if self._running is not None and self._running.n else None
        return StreamReport(
            self._rows, total / n if n else np.nan, since, len(recent), float(np.mean(recent)) if n else np.nan,
            self._best_constant(), bound, self.delta, tuple(self.alarms_), tuple(self._notes()),
        )  # fmt: skip

    def _start(self) -> None:
        """The state of a stream that has not begun."""
        if "_rows" in self.__dict__:
            return
        if self.after not in AFTER:
            raise ValueError(f"after must be 'keep', 'restart' or 'refit', got {self.after!r}; see the class docstring")
        upper = 1.0 if is_classifier(self.model) else self.upper
        if upper is None and self.level is not None:
            raise ValueError("an alarm for a regressor needs the largest loss that counts; declare it as upper=...")
        self._largest = None if upper is None else positive("upper", upper, "it is the largest loss that counts")
        self._running = None if self._largest is None else RunningMean(self._largest)
        self._watch = None
        if self.level is not None:
            self._watch = Alarm(self.level, self.alarm, self.delta, self.run_length, self._largest or 1.0)
        self._ring = np.zeros(whole("window", self.window, "it is a number of rows"))
        self._rows, self._count, self._total, self._told = 0, 0, 0.0, (0, 0.0)
        self._recent = []
        self.alarms_ = []

    def _take(self, X: Any, y: Any) -> None:
        """Learn from rows, and count the losses of their predictions; those before a row that is refused count."""
        said: list[np.ndarray] = []
        try:
            self.model._learn(X, y, said)
        finally:
            self._count_losses(np.concatenate([[], *said]), y)

    def _count_losses(self, scores: np.ndarray, y: Any) -> None:
        if len(scores) == 0:
            return
        good = ~np.isnan(scores)
        learnt = zip(good, y, strict=False)
        targets = np.array([self.model._number_of(label) if one else np.nan for one, label in learnt])
        if is_classifier(self.model):
            losses = (targets * scores <= 0).astype(float)[good]
        else:
            losses = np.asarray(self.model._state.settings.loss.value(targets[good], scores[good]), dtype=float)
        places = self._rows + np.flatnonzero(good)
        self._rows += len(scores)
        for loss in losses.tolist():
            self._ring[self._count % len(self._ring)] = loss
            self._total, self._count = self._total + loss, self._count + 1
        if self._running is not None and len(losses):
            capped = np.minimum(losses, self._running.upper)
            self._running.update(capped)
            if self._watch is not None:
                first = self._watch.rows
                self.alarms_ += [int(places[row - first]) for row in self._watch.update(capped)]

    def _begin_anew(self) -> None:
        """After an alarm: a model that has seen nothing, or only the last rows."""
        classes = getattr(self.model, "classes_", None)
        self.model._restart()
        if classes is not None:
            self.model._set_classes(classes)
        for row, label in self._recent:
            self.model._learn(row, label)

    def _best_constant(self) -> float | None:
        """The mean loss of the best constant in hindsight, where two numbers are enough to know it."""
        state = self.model.__dict__.get("_state")
        if state is None or state.rows == 0 or self.alarms_:
            return None
        if is_classifier(self.model):
            return (1 - abs(state.number("target_mean"))) / 2
        if type(state.settings.loss).__name__ != "Squared":
            return None
        return state.number("target_spread") / state.rows

    def _notes(self) -> Iterable[str]:
        model = self.model
        if "_state" not in model.__dict__:
            return
        if model.skipped_:
            yield f"Skipped rows: {model.skipped_:,}."
        if model.filled_:
            yield f"Rows in which a missing feature counted as zero: {model.filled_:,}."
        if model.limited_:
            state = model._state
            column, value = int(state.number("limited_column")), number(state.number("limited_value"))
            name = next((name for name, place in state.names.items() if place == column), column)
            yield (
                f"Steps were shortened on {model.limited_:,} rows, the last because of {value} in column {name!r}; if "
                "that is often, rescale the columns, or use schedule='adaptive'."
            )
        if getattr(model, "_redeemed", 0):
            yield f"Labels that have not come: {model.waiting_:,}."
        if "_hindsight" in model.__dict__:
            yield str(model.regret()).replace("\n", " ")


def _next_power(rows: int) -> int:
    """The first power of two above ``rows``."""
    return 1 << max(rows, 0).bit_length()
