"""Layer theory: prediction intervals on a stream, whatever the stream does.

In: predictions and their targets, in order.  Out: intervals before each target is seen.  The level ``a`` follows the
misses, ``a <- a + step * ((1 - coverage) - miss)``, so that on *every* sequence, random or chosen by an opponent, the
share of misses after ``T`` rows differs from ``1 - coverage`` by at most ``(max(a_1, 1 - a_1) + step) / (step T)``
(Gibbs and Candes 2021).  The half-width is a quantile of the last absolute errors.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from surefit.parameters import positive, whole
from surefit.theory.means.arguments import checked_coverage


@dataclass(eq=False)
class AdaptiveIntervals:
    """The state: the level that is used now, the last errors, and what was counted.

    >>> intervals = AdaptiveIntervals(0.9)
    >>> rng = np.random.default_rng(0)
    >>> for error in rng.normal(size=2000):
    ...     low, high = intervals.update(0.0, error)
    >>> abs(intervals.miss_rate - 0.1) <= intervals.bound
    True
    """

    coverage: float = 0.9
    step: float = 0.01
    window: int = 1000
    errors: np.ndarray = field(default_factory=lambda: np.zeros(0))
    level: float = np.nan
    rows: int = 0
    misses: int = 0
    infinite: int = 0

    def __post_init__(self) -> None:
        self.coverage = checked_coverage(self.coverage)
        positive("step", self.step, "0.01 is the default: how far the level moves after each row")
        if len(self.errors) == 0:
            self.errors = np.zeros(whole("window", self.window, "it is a number of rows"))
            self.level = 1.0 - self.coverage

    def half_width(self) -> float:
        """Of the interval for the next row: infinite until the errors are enough, or where the level asks for it."""
        n = min(self.rows, len(self.errors))
        if self.level <= 0 or n == 0:
            return np.inf
        if self.level >= 1:
            return -np.inf
        rank = int(np.ceil((1.0 - self.level) * (n + 1)))
        return float(np.partition(self.errors[:n], rank - 1)[rank - 1]) if rank <= n else np.inf

    def update(self, prediction: float, target: float) -> tuple[float, float]:
        """The interval of a row, made before its target was seen; then the target is learnt from."""
        width = self.half_width()
        low, high = (prediction - width, prediction + width) if width > -np.inf else (np.nan, np.nan)
        missed = not low <= target <= high
        self.errors[self.rows % len(self.errors)] = abs(target - prediction)
        self.rows, self.misses, self.infinite = (
            self.rows + 1,
            self.misses + missed,
            self.infinite + bool(width == np.inf),
        )
        self.level += self.step * ((1.0 - self.coverage) - missed)
        return low, high

    @property
    def miss_rate(self) -> float:
        """The share of rows whose target was outside its interval."""
        return self.misses / self.rows if self.rows else np.nan

    @property
    def bound(self) -> float:
        """What the miss rate can differ from ``1 - coverage`` by, on every sequence of this length."""
        start = max(1.0 - self.coverage, self.coverage)
        return (start + self.step) / (self.step * self.rows) if self.rows else np.inf
