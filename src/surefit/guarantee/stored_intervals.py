"""Layer guarantee: what a stored model keeps for `predict_interval`: numbers about its rows, not the rows.

In: the factored rows of a fit.  Out: `StoredIntervals`, or the reason why there are none, in words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.theory.inference.stored import WORK
from surefit.theory.intervals.conformal import PredictionIntervals
from surefit.theory.intervals.stored import LeftOutReach

MOST_NUMBERS = 1_000_000
"""Numbers that a stored model may carry for its intervals: 8 MB."""


@dataclass(frozen=True)
class StoredIntervals:
    """Reaches of the left-out fits, and what breaks their promise, unless equal rows are draws and without that."""

    reach: LeftOutReach | None
    reason: str
    broken: tuple[str, ...] = ()
    broken_if_draws: tuple[str, ...] = ()

    @staticmethod
    def of(rows: Any, broken: tuple[str, ...], broken_if_draws: tuple[str, ...]) -> StoredIntervals:
        """From factored rows; where left-out fits cost too much or do not exist, the reason."""
        n, d = rows.size
        if n * d * min(n, d) > WORK or d * min(n, d) > MOST_NUMBERS:
            return StoredIntervals(None, "its rows and columns are too many to keep what intervals need")
        try:
            with np.errstate(all="ignore"):
                return StoredIntervals(LeftOutReach.of(rows.response), "", broken, broken_if_draws)
        except ValueError as error:
            return StoredIntervals(None, str(error))

    def intervals(
        self, X: Any, asked: tuple[float, str, bool], features: Callable[[Any], Any] | None = None
    ) -> PredictionIntervals:
        """Intervals at the rows of ``X``; ``asked`` are coverage, method, and whether equal rows are draws."""
        coverage, method, draws = asked
        if self.reach is None:
            raise ValueError(
                f"this model was stored without intervals: {self.reason}; fit again, or calibrate on a hold-out "
                "(surefit.calibrate), whose result can be stored"
            )
        if method != "jackknife+":
            raise ValueError(
                f"method={method!r} needs the training rows, which do not travel with a stored model; use "
                "method='jackknife+', fit again, or store the result of surefit.calibrate"
            )
        return self.reach.intervals(X, coverage, self.broken_if_draws if draws else self.broken, features)


@dataclass(frozen=True)
class StoredTargets:
    """What exact kernel ridge adds to its points, which it keeps anyway: targets, weights, and what was tuned."""

    targets: np.ndarray
    weight: np.ndarray
    tuned: tuple[str, ...]
