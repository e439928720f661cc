"""Layer compiled: the online learners in plain Python, the specification of ``native/online.cpp``.

In: settings, arrays that the caller owns, and a block or a named row at a time.  Out: the arrays, updated in place.
Same steps in the same order as the compiled core: entry ``j`` of a row goes to sum ``j % 8``, and the eight sums are
added in a fixed order, so that a row gives the same bits dense, sparse or named, alone or in a block.
"""

import math
from typing import Any

import numpy as np

SUMS = 8
LOSSES = ("squared", "absolute", "huber", "tube", "quadratic tube", "pinball", "logistic", "perceptron", "hinge")
RULES = ("explicit", "implicit", "normalised")
SCHEDULES = ("constant", "sqrt", "adaptive")
NUMBERS = (
    "rows", "skipped", "limited", "total_loss", "mistakes", "gradient_squares", "longest", "largest_target",
    "intercept", "lag_intercept", "target_mean", "target_spread", "intercept_squares", "limited_column",
    "limited_value", "least_step", "largest_loss", "filled",
)  # fmt: skip
"""The places of the numbers that a state keeps beside its arrays."""
FINE, NOT_FINITE, TOO_LONG, TARGET_NOT_FINITE, TARGET_FAR, UNKNOWN_FEATURE, MISSING_FEATURE, NOT_A_NUMBER = range(8)
SMOOTHNESS = {0: 2.0, 2: 2.0, 4: 2.0, 6: 0.25}
SIGNS = (6, 7, 8)
SWALLOWS = 2.0**53
"""Beyond it a number swallows a 1 that is added to it: nothing of other columns, or of the constant, is left."""


class OnlineCore:
    """Predict, see the target, suffer the loss, step.  Catalogue A-26, A-27, A-28, R-12.

    ``settings`` are nine numbers: loss, its parameter, rule, schedule, step, intercept, skip, farthest, settled.
    ``lag``, ``scale`` and ``squares`` may be empty.  ``loss``: an object with ``value``, ``derivative`` and
    ``smoothness`` in place of the numbered one, which the compiled core does not take.
    """

    def __init__(  # noqa: PLR0913  the signature is that of the compiled core
        self,
        settings: Any,
        coef: np.ndarray,
        lag: np.ndarray,
        scale: np.ndarray,
        squares: np.ndarray,
        numbers: np.ndarray,
        names: dict[Any, int],
        missing_is_zero: bool,
        loss: Any = None,
    ):
        self.loss, self.parameter, self.rule, self.schedule = int(settings[0]), settings[1], settings[2], settings[3]
        self.step, self.intercept, self.skip, self.farthest, self.settled = settings[4:]
        self.coef, self.lag, self.scale, self.squares, self.numbers = coef, lag, scale, squares, numbers
        self.names, self.missing_is_zero, self.own = names, missing_is_zero, loss
        self.bend = SMOOTHNESS.get(self.loss, 0.0) if loss is None else _finite(loss.smoothness)
        self.takes_signs = self.loss in SIGNS if loss is None else loss.targets == "signs"
        self.culprit: Any = None
        self.reason = FINE

    def dense(self, X: np.ndarray, y: np.ndarray, predictions: np.ndarray, losses: np.ndarray) -> tuple[int, int]:
        """Learn from all rows, or up to the first bad one: how many were dealt with, what is wrong with the next."""
        columns = np.arange(X.shape[1])
        return self._pass(((columns, row) for row in X), y, predictions, losses)

    def sparse(
        self,
        starts: np.ndarray,
        columns: np.ndarray,
        values: np.ndarray,
        y: np.ndarray,
        predictions: np.ndarray,
        losses: np.ndarray,
    ) -> tuple[int, int]:
        """The same for compressed rows with increasing columns."""
        places = [slice(starts[i], starts[i + 1]) for i in range(len(y))]
        return self._pass(((columns[place], values[place]) for place in places), y, predictions, losses)

    def learn(self, row: dict[Any, Any], target: float, said: float) -> int:
        """Learn from one row of named features; ``said`` is the prediction that counts if made earlier, else NaN."""
        if not self._read(row, unknown_is_zero=False):
            return self.reason
        reason = self._step(self._columns, self._values, target, said)[0]
        self.numbers[17] += reason == FINE and len(self._columns) < len(self.names)
        return reason

    def score(self, row: dict[Any, Any]) -> float:
        """The score of a row of named features; NaN if it cannot be read."""
        if not self._read(row, unknown_is_zero=True):
            return math.nan
        return self._products(self._columns, self._values)[0]

    def learn_row(self, row: np.ndarray, target: float, said: float) -> int:
        """Learn from one row without names."""
        return self._step(np.arange(len(row)), row, float(target), said)[0]

    def score_row(self, row: np.ndarray) -> float:
        """The score of a row without names."""
        return self._products(np.arange(len(row)), row)[0]

    def _read(self, row: dict[Any, Any], unknown_is_zero: bool) -> bool:
        found, self.reason = [], FINE
        for name, value in row.items():
            if name not in self.names and not unknown_is_zero:
                self.reason, self.culprit = UNKNOWN_FEATURE, name
                return False
            try:
                number = math.nan if value is None else float(value) if not isinstance(value, str | bytes) else None
            except (TypeError, ValueError):
                number = None
            if number is None:
                self.reason, self.culprit = NOT_A_NUMBER, name
                return False
            if name in self.names:
                found.append((self.names[name], number))
        if not self.missing_is_zero and len(found) < len(self.names):
            self.reason = MISSING_FEATURE
            return False
        found.sort()
        self._columns = np.array([column for column, _ in found], dtype=np.int64)
        self._values = np.array([value for _, value in found], dtype=np.float64)
        return True

    def _pass(self, rows: Any, y: np.ndarray, predictions: np.ndarray, losses: np.ndarray) -> tuple[int, int]:
        for i, (columns, values) in enumerate(rows):
            reason, prediction, loss = self._step(columns, values, float(y[i]), math.nan)
            if reason != FINE and not self.skip:
                return i, reason
            if len(predictions):
                predictions[i], losses[i] = prediction, loss
        return len(y), FINE

    @np.errstate(all="ignore")
    def _products(self, columns: np.ndarray, values: np.ndarray) -> tuple[float, float]:
        score = _summed(columns, values * self.coef[columns]) + self.numbers[8]
        return float(score), _summed(columns, values * values)

    @np.errstate(all="ignore")
    def _step(self, columns: np.ndarray, values: np.ndarray, target: float, said: float) -> tuple[int, float, float]:
        numbers = self.numbers
        score, square = self._products(columns, values)
        loss, slope = self._slope(target, score)
        if not math.isnan(said):
            loss = self._slope(target, said)[0]
        reason = judged(square, score, target, numbers, (self.farthest, self.settled), self.takes_signs)
        if reason == FINE and not (math.isfinite(loss) and math.isfinite(slope)):
            reason = TARGET_NOT_FINITE
        if reason != FINE:
            numbers[1] += bool(self.skip)
            return reason, math.nan, math.nan
        count(numbers, target, score if math.isnan(said) else said, loss, square)
        if slope != 0.0:
            reach = square + bool(self.intercept)
            numbers[5] += slope * slope * reach
            (self._move_by_rates if self.schedule == 2 else self._move)(columns, values, slope, reach)
        return FINE, score if math.isnan(said) else said, loss

    def _move(self, columns: np.ndarray, values: np.ndarray, slope: float, reach: float) -> None:
        numbers, step = self.numbers, self.step
        if self.schedule == 1:
            step /= math.sqrt(numbers[0])
        if self.rule == 2:
            by = -(0.5 * slope) / reach if reach > 0.0 else 0.0
        elif self.rule == 1:
            by = -(step * slope) / (1.0 + 2.0 * step * reach)
        else:
            if self.bend > 0.0 and step * self.bend * reach > 1.0:
                step = 1.0 / (self.bend * reach)
                self._note_limit(columns, values)
            numbers[15] = min(numbers[15], step)
            by = -step * slope
        self.coef[columns] += by * values
        if len(self.lag):
            self.lag[columns] += numbers[0] * by * values
        if self.intercept:
            numbers[8] += by
            numbers[9] += numbers[0] * by

    def _move_by_rates(self, columns: np.ndarray, values: np.ndarray, slope: float, reach: float) -> None:
        numbers, share, offset_rate = self.numbers, 1.0, 0.0
        self.scale[columns] = np.maximum(self.scale[columns], np.abs(values))
        self.squares[columns] += (slope * values) * (slope * values)
        size = self.scale[columns] * np.sqrt(self.squares[columns])
        counts = (values != 0.0) & (size > 0.0)
        rates = np.where(counts, self.step / np.where(counts, size, 1.0), 0.0)
        reach = _summed(columns, rates * (values * values))
        if self.intercept:
            numbers[12] += slope * slope
            offset_rate = self.step / math.sqrt(numbers[12])
            reach += offset_rate
        if self.bend > 0.0 and self.bend * reach > 1.0:
            share = 1.0 / (self.bend * reach)
            self._note_limit(columns, values)
        numbers[15] = min(numbers[15], self.step * share)
        by = -(share * rates) * (slope * values)
        self.coef[columns] += by
        if len(self.lag):
            self.lag[columns] += numbers[0] * by
        if self.intercept:
            numbers[8] += -share * offset_rate * slope
            numbers[9] += numbers[0] * (-share * offset_rate * slope)

    def _note_limit(self, columns: np.ndarray, values: np.ndarray) -> None:
        self.numbers[2] += 1.0
        if len(values) and np.any(values):
            largest = int(np.argmax(np.abs(values)))
            self.numbers[13], self.numbers[14] = columns[largest], values[largest]
        else:
            self.numbers[13], self.numbers[14] = -1.0, 0.0

    def _slope(self, y: float, f: float) -> tuple[float, float]:
        """Loss and derivative in ``f``."""
        if self.own is not None:
            return float(self.own.value(y, f)), float(self.own.derivative(y, f))
        return _known_slope(self.loss, self.parameter, y, f)


def judged(
    square: float, score: float, target: float, numbers: np.ndarray, far: tuple[float, float], signs: bool = False
) -> int:
    """What is wrong with a row of squared length ``square``, if anything.

    ``far``: how many times longer than all before it a row or target may be, and the number of rows before that is
    asked; until then, and while all were zero, it may not exceed `SWALLOWS`.
    """
    if not (math.isfinite(square) and math.isfinite(score)):
        return NOT_FINITE
    if not math.isfinite(target):
        return TARGET_NOT_FINITE
    times, settled = far[0], numbers[0] >= far[1]
    if math.isinf(times):
        return FINE
    if square > (times * times * numbers[6] if settled and numbers[6] > 0 else SWALLOWS * SWALLOWS):
        return TOO_LONG
    most = times * numbers[7] if settled and numbers[7] > 0 else SWALLOWS
    return TARGET_FAR if not signs and abs(target) > most else FINE


def count(numbers: np.ndarray, target: float, said: float, loss: float, square: float) -> None:
    """What a stream is told for free: rows, losses, the best constant, the longest row."""
    numbers[0] += 1.0
    numbers[3], numbers[16] = numbers[3] + loss, max(numbers[16], loss)
    numbers[4] += target * said <= 0.0
    numbers[6], numbers[7] = max(numbers[6], square), max(numbers[7], abs(target))
    off = target - numbers[10]
    numbers[10] += off / numbers[0]
    numbers[11] += off * (target - numbers[10])


def _known_slope(loss: int, p: float, y: float, f: float) -> tuple[float, float]:
    r, m = f - y, y * f
    u, sign = abs(r), float(np.sign(r))
    if loss == 0:
        return r * r, 2.0 * r
    if loss == 1:
        return u, sign
    if loss == 2:
        return (r * r if u <= p else p * (2.0 * u - p)), 2.0 * min(max(r, -p), p)
    if loss == 3:
        return max(u - p, 0.0), sign if u > p else 0.0
    if loss == 4:
        return max(u - p, 0.0) ** 2, 2.0 * max(u - p, 0.0) * sign
    if loss == 5:
        return (-p * r if r < 0 else (1.0 - p) * r), -p if r < 0 else 1.0 - p if r > 0 else 0.0
    if loss == 6:
        e = math.exp(-abs(m)) if not math.isnan(m) else math.nan
        return max(-m, 0.0) + math.log1p(e), -y * (e / (1.0 + e) if m >= 0 else 1.0 / (1.0 + e))
    if loss == 7:
        return max(-m, 0.0), -y if m < 0 or (m == 0 and p != 0) else 0.0
    return max(1.0 - m, 0.0), -y if m < 1 else 0.0


def _summed(columns: np.ndarray, terms: np.ndarray) -> float:
    """The terms in eight sums by their column, and these in the order of the compiled core."""
    s = np.zeros(SUMS)
    np.add.at(s, columns % SUMS, terms)
    return float(((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])))


def _finite(smoothness: float) -> float:
    return float(smoothness) if math.isfinite(smoothness) else 0.0
