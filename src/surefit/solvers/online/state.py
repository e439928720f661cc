"""Layer solvers: what an online linear learner keeps between rows: arrays and numbers, nothing else.

In: settings, then rows, a block or one at a time.  Out: the weights, and what was counted on the way.  A block is
exactly the loop over its rows: the same floating-point operations in the same order, however rows are cut into blocks,
and whether they come dense, sparse or by name.  Learning stops at the first bad row unless bad rows are skipped; the
rows before it have been learnt then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from surefit.compiled import door
from surefit.compiled.twins import online as twin
from surefit.data.plain import plain
from surefit.objective.loss import Loss
from surefit.objective.margin import Hinge, Logistic, PerceptronLoss, SquaredMargin
from surefit.objective.regression import (
    Absolute,
    EpsilonInsensitive,
    Huber,
    Pinball,
    QuadraticEpsilonInsensitive,
    Squared,
)

SETTLED = 30
"""Rows before a row may be called far from all others."""

_COMPILED: dict[type[Loss], tuple[str, str | None]] = {
    Squared: ("squared", None),
    SquaredMargin: ("squared", None),
    Absolute: ("absolute", None),
    Huber: ("huber", "threshold"),
    EpsilonInsensitive: ("tube", "epsilon"),
    QuadraticEpsilonInsensitive: ("quadratic tube", "epsilon"),
    Pinball: ("pinball", "quantile"),
    Logistic: ("logistic", None),
    PerceptronLoss: ("perceptron", "update_at_zero"),
    Hinge: ("hinge", None),
}
"""Losses that the compiled core knows, its word for each, and the parameter; all others run in plain Python."""


@dataclass(frozen=True)
class OnlineSettings:
    """How a learner steps, and what it does with rows that it cannot learn from.

    ``w <- w - s_t * loss'(y, f) * x`` with ``s_t = step`` (``schedule="constant"``), ``step / sqrt(t)`` (``"sqrt"``),
    or for every column ``step / (largest |x_j| * sqrt(sum of squared slopes))`` (``"adaptive"``).  Where the loss has a
    smoothness ``c``, a step with ``s_t c ||x||**2 > 1`` would overshoot the row and is shortened to that limit; twice
    the limit is where steps get unstable.  ``rule``: ``"explicit"`` as above, or, for the squared loss,
    ``"implicit"``, ``argmin_v step * loss(y, v.x) + ||v - w||**2 / 2``, or ``"normalised"``, its limit for long steps.
    """

    loss: Loss
    step: float
    schedule: str = "constant"
    rule: str = "explicit"
    fit_intercept: bool = True
    averaged: bool = False
    skip: bool = False
    missing_is_zero: bool = False
    farthest: float = 1e4

    @property
    def numbers(self) -> list[float]:
        """As the core takes them."""
        word, name = _COMPILED.get(type(self.loss), ("squared", None))
        parameter = 0.0 if name is None else float(getattr(self.loss, name))
        rule, schedule = twin.RULES.index(self.rule), twin.SCHEDULES.index(self.schedule)
        choices = (float(self.fit_intercept), float(self.skip), self.farthest, SETTLED)
        return [twin.LOSSES.index(word), parameter, rule, schedule, self.step, *choices]

    @property
    def compiled(self) -> bool:
        """Whether the compiled core knows the loss."""
        return type(self.loss) in _COMPILED


@dataclass(frozen=True)
class Refusal:
    """A row that could not be learnt from: which of the block, why, and the feature to blame if one is."""

    row: int
    reason: int
    feature: Any = None


@dataclass(eq=False)
class LinearState:
    """Weights and counts of an online linear learner; ``width`` columns, room for a multiple of eight.

    ``names`` maps named features to columns, empty for rows without names.  All else is arrays: ``coef``, ``lag`` (the
    mean of the weights used for predictions is ``coef - lag / rows``), ``scale`` and ``squares`` of adaptive steps, and
    ``numbers`` in the order of `NUMBERS`.
    """

    settings: OnlineSettings
    width: int = 0
    names: dict[Any, int] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.arrays:
            room = -(-self.width // twin.SUMS) * twin.SUMS
            numbers = np.zeros(len(twin.NUMBERS))
            numbers[twin.NUMBERS.index("least_step")] = np.inf
            self.arrays = {name: np.zeros(room if used else 0) for name, used in self._used().items()}
            self.arrays["numbers"] = numbers

    def _used(self) -> dict[str, bool]:
        adaptive = self.settings.schedule == "adaptive"
        return {"coef": True, "lag": self.settings.averaged, "scale": adaptive, "squares": adaptive}

    def number(self, name: str) -> float:
        """One of the counted numbers, by name."""
        return float(self.arrays["numbers"][twin.NUMBERS.index(name)])

    @property
    def rows(self) -> int:
        """Rows learnt from."""
        return int(self.number("rows"))

    def weights(self, mean: bool = False) -> tuple[np.ndarray, float]:
        """Coefficients and intercept: the last, or the mean of those that predictions were made with."""
        coef, intercept = self.arrays["coef"][: self.width].copy(), self.number("intercept")
        if not mean or self.rows == 0:
            return coef, intercept
        lag = self.arrays["lag"][: self.width]
        return coef - lag / self.rows, intercept - self.number("lag_intercept") / self.rows

    @property
    def core(self) -> Any:
        """The compiled core or its twin on the arrays of this state."""
        found = self.__dict__.get("_core")
        if found is None:
            self.arrays = {name: one if one.flags.writeable else one.copy() for name, one in self.arrays.items()}
            kind: Any = door.OnlineCore if self.settings.compiled else twin.OnlineCore
            parts = [self.arrays[name] for name in ("coef", "lag", "scale", "squares", "numbers")]
            own = {} if self.settings.compiled else {"loss": self.settings.loss}
            found = kind(self.settings.numbers, *parts, self.names, self.settings.missing_is_zero, **own)
            self.__dict__["_core"] = found
        return found

    def learn_block(self, X: Any, y: np.ndarray, told: bool = True) -> tuple[np.ndarray, np.ndarray, Refusal | None]:
        """Learn from the rows of ``X`` (m, width) in order: predictions before each label, losses, the bad row if any.

        Skipped rows have NaN for both.  ``told=False`` spares the two arrays.
        """
        size = len(y) if told else 0
        predictions, losses = np.empty(size), np.empty(size)
        y = np.ascontiguousarray(y, dtype=np.float64)
        if sparse.issparse(X):
            X = _sorted_rows(X)
            done, reason = self.core.sparse(X.indptr, X.indices, X.data, y, predictions, losses)
        else:
            X = np.ascontiguousarray(X, dtype=np.float64)
            done, reason = self.core.dense(X, y, predictions, losses)
        if done < len(y):
            return predictions[:done], losses[:done], Refusal(done, reason)
        return predictions, losses, None

    def learn_row(self, row: Any, target: float, said: float = np.nan) -> Refusal | None:
        """Learn from one row, an array (width,) or named features, of which new ones start at zero.

        ``said``: the prediction that counts, if it was made earlier.
        """
        if isinstance(row, np.ndarray):
            reason = self.core.learn_row(row, target, said)
            return None if reason == twin.FINE or self.settings.skip else Refusal(0, reason)
        row = row if type(row) is dict else dict(row)
        return self.learnt(row, target, said, self.core.learn(row, target, said))

    def learnt(self, row: dict[Any, Any], target: float, said: float, reason: int) -> Refusal | None:
        """What follows from the answer of the core to a row of named features."""
        new = [name for name in row if name not in self.names] if reason == twin.UNKNOWN_FEATURE else []
        if new:
            self.add_features(new)
            reason = self.core.learn(row, target, said)
        if reason == twin.FINE:
            return None
        blamed = self._to_blame(row, reason)
        if new:
            self._drop_features(new)
        if self.settings.skip and reason in _ROW_REASONS:
            return None
        if self.settings.skip:
            self.arrays["numbers"][twin.NUMBERS.index("skipped")] += 1.0
        return Refusal(0, reason, blamed)

    def treat(self, skip: bool, missing_is_zero: bool, farthest: float) -> None:
        """Other rules for bad rows from now on; what has been learnt stays."""
        rules = {"skip": skip, "missing_is_zero": missing_is_zero, "farthest": farthest}
        self.settings = replace(self.settings, **rules)  # type: ignore[arg-type]
        self.__dict__.pop("_core", None)

    def _drop_features(self, names: list[Any]) -> None:
        """Take back features that came with a row that was refused: no row has had them."""
        for name in names:
            del self.names[name]
        self.width -= len(names)
        self.__dict__.pop("_core", None)

    def score_row(self, row: Any) -> float | Refusal:
        """The score of one row under the last weights; named features never learnt from count nothing."""
        if isinstance(row, np.ndarray):
            return float(self.core.score_row(row))
        row = row if type(row) is dict else dict(row)
        score = self.core.score(row)
        if score != score and self.core.reason != twin.FINE:
            return Refusal(0, self.core.reason, self._to_blame(row, self.core.reason))
        return float(score)

    def _to_blame(self, row: Mapping[Any, Any], reason: int) -> Any:
        if reason == twin.MISSING_FEATURE:
            return next(name for name in self.names if name not in row)
        return self.core.culprit if reason == twin.NOT_A_NUMBER else None

    def add_features(self, names: list[Any]) -> None:
        """Room for features that have not been seen before, their weights zero."""
        for name in names:
            self.names[name] = self.width
            self.width += 1
        self.make_room(self.width)

    def make_room(self, width: int) -> None:
        """At least ``width`` columns; arrays at least double when they grow, so that growing costs little a row."""
        held = len(self.arrays["coef"])
        if width > held:
            room = -(-max(width, 2 * held) // twin.SUMS) * twin.SUMS
            for name, used in self._used().items():
                if used:
                    self.arrays[name] = np.concatenate([self.arrays[name], np.zeros(room - held)])
        self.width = max(width, self.width)
        self.__dict__.pop("_core", None)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_core"}


_ROW_REASONS = (twin.NOT_FINITE, twin.TOO_LONG, twin.TARGET_NOT_FINITE, twin.TARGET_FAR)
"""What is found while stepping, where a core that skips counts the row itself."""


def _sorted_rows(X: Any) -> Any:
    """CSR with increasing columns and float64 values; ``X`` itself where it is so already."""
    X = plain(X.tocsr())
    return X if X.data.dtype == np.float64 else X.astype(np.float64)
