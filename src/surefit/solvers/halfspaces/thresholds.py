"""Layer solvers: the best threshold on one number, exactly.

In: numbers, binary responses, weights.  Out: the empirical risk of every threshold as a step function, and all of its
minimisers as left-open, right-closed intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

TIE = 1e-12
"""Risks closer than this are equal, unless a row is lighter: sums of many weights round differently."""


@dataclass(frozen=True, eq=False)
class ThresholdRisk:
    """The empirical risk of ``f_a(x) = 1[x >= a]`` for every ``a``: ``risks[k]`` on ``(cuts[k-1], cuts[k]]``.

    ``cuts`` are the m distinct values of x; ``risks`` has m + 1 entries, the first for ``a <= cuts[0]``, the last for
    ``a > cuts[-1]``.  Risks closer than ``tie`` are equal.
    """

    cuts: np.ndarray
    risks: np.ndarray
    tie: float = TIE

    @property
    def risk(self) -> float:
        """The smallest empirical risk."""
        return float(self.risks.min())

    @property
    def intervals(self) -> tuple[tuple[float, float], ...]:
        """All minimisers ``a`` as maximal intervals ``(low, high]``; the ends may be infinite."""
        best = np.concatenate([[False], self.risks <= self.risks.min() + self.tie, [False]])
        starts, stops = np.flatnonzero(best[1:] & ~best[:-1]), np.flatnonzero(~best[1:] & best[:-1])
        ends = np.concatenate([[-np.inf], self.cuts, [np.inf]])
        return tuple((float(ends[k]), float(ends[m])) for k, m in zip(starts, stops, strict=True))

    @property
    def threshold(self) -> float:
        """One minimiser: the middle of the widest bounded interval, else the finite end of an unbounded one."""
        bounded = [(high - low, low, high) for low, high in self.intervals if np.isfinite(high - low)]
        if bounded:
            _, low, high = max(bounded)
            middle = 0.5 * low + 0.5 * high
            return middle if middle > low else high
        low, high = self.intervals[0]
        return high if np.isfinite(high) else float(np.nextafter(low, np.inf))

    def at(self, threshold: Any) -> np.ndarray:
        """The empirical risk of any thresholds."""
        return self.risks[np.searchsorted(self.cuts, threshold, side="left")]


def threshold_risk(x: Any, y: Any, sample_weight: Any = None) -> ThresholdRisk:
    """Empirical risk minimisation over ``f_a(x) = 1[x >= a]``, exactly, in O(n log n).  Catalogue A-40, X-06, X-07.

    ``x`` (n,), ``y`` (n,) in {0, 1}; the risk is the weighted share of wrong predictions.  Equal ``x`` move together.

    >>> found = threshold_risk([-4, -1, 3, 4], [0, 0, 1, 1])
    >>> found.risks.tolist(), found.intervals, found.risk, found.threshold
    ([0.5, 0.25, 0.0, 0.25, 0.5], ((-1.0, 3.0),), 0.0, 1.0)
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y)
    weight = np.ones(len(x)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if x.ndim != 1 or y.shape != x.shape or weight.shape != x.shape or len(x) == 0:
        raise ValueError(f"need x, y and weights of one length, got {x.shape}, {y.shape}, {weight.shape}; reshape them")
    if not np.isin(y, (0, 1)).all() or np.isnan(x).any():
        raise ValueError("y must be 0 or 1 and x free of NaN; write (y == positive).astype(int)")
    if not (np.all(weight >= 0) and 0 < weight.sum() < np.inf):
        raise ValueError("sample_weight must be finite and >= 0 with a positive sum; drop the rows that do not count")
    counted = weight > 0
    cuts, place = np.unique(x[counted], return_inverse=True)
    mass, ones, total = weight[counted], y[counted] == 1, float(weight.sum())
    gains = np.bincount(place, np.where(ones, mass, -mass), len(cuts))  # moving a above a cut: its ones become wrong
    start = float(mass[~ones].sum())
    risks = np.clip((start + np.concatenate([[0.0], np.cumsum(gains)])) / total, 0.0, 1.0)
    tie = float(np.clip(0.25 * mass.min() / total, np.finfo(float).eps, TIE))
    return ThresholdRisk(cuts, np.where(risks < tie, 0.0, risks), tie)
