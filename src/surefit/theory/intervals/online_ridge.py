"""Layer theory: exact full conformal prediction for ridge on a stream: each row in turn is the new one.

In: rows and targets in order.  Out: for each row, before its target is seen, the exact set of targets that would not
look strange among the rows so far, and afterwards its p-value.  Holds under exchangeability, at every row.  One row
costs ``O(n d + d**3)``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import lapack

from surefit.parameters import non_negative, whole
from surefit.theory.intervals.conformal import conformal_rank
from surefit.theory.intervals.full import conformal_pieces
from surefit.theory.means.arguments import checked_coverage

FIRST_ROOM = 64
MASK = 2**64 - 1


@dataclass(eq=False)
class ConformalRidge:
    """Ridge on all rows so far, ``sum((y - X w - b)**2) + lam_sum * ||w||**2``, and the rows themselves.

    >>> rng = np.random.default_rng(0)
    >>> ridge = ConformalRidge(2)
    >>> X = rng.normal(size=(60, 2))
    >>> for x, y in zip(X, X @ [1.0, 2.0] + 0.1 * rng.normal(size=60)):
    ...     low, high, p = ridge.step(x, y)
    >>> bool(high - low < 1)
    True
    """

    d: int
    lam_sum: float = 1.0
    coverage: float = 0.9
    fit_intercept: bool = True
    seed: int = 0
    rows: int = 0
    Z: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    y: np.ndarray = field(default_factory=lambda: np.zeros(0))
    gram: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    moment: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        whole("d", self.d, "it is the number of columns")
        non_negative("lam_sum", self.lam_sum, "it is the penalty against the sum of squares")
        self.coverage = checked_coverage(self.coverage)
        p = self.d + int(self.fit_intercept)
        if len(self.gram) == 0:
            self.Z, self.y = np.zeros((FIRST_ROOM, p)), np.zeros(FIRST_ROOM)
            self.gram, self.moment = np.zeros((p, p)), np.zeros(p)
            self.gram[np.arange(self.d), np.arange(self.d)] = self.lam_sum

    def interval(self, x: np.ndarray) -> tuple[float, float]:
        """The smallest interval around the exact set for the target of ``x`` (d,)."""
        return self._ends(self._affine(self._row(x)))

    def step(self, x: np.ndarray, target: float) -> tuple[float, float, float]:
        """The interval of a row, then its target is learnt from: the ends, and the smoothed p-value of the target."""
        z = self._row(x)
        found = self._affine(z)
        low, high = self._ends(found)
        p = noise = uniform(self.seed, self.rows)
        if found is not None:
            prediction, own, residual, gain = found
            t = (target - prediction) / (1 + own)
            others, mine = np.abs(residual - gain * t), abs(t)
            larger = np.count_nonzero(others > mine)
            equal = np.count_nonzero(others >= mine) - larger
            p = (larger + noise * (1 + equal)) / (self.rows + 1)
        if self.rows == len(self.y):
            self.Z = np.vstack([self.Z, np.zeros_like(self.Z)])
            self.y = np.append(self.y, np.zeros_like(self.y))
        self.Z[self.rows], self.y[self.rows] = z, target
        self.gram += z[:, None] * z
        self.moment += target * z
        self.rows += 1
        return low, high, float(p)

    def _ends(self, found: tuple[float, float, np.ndarray, np.ndarray] | None) -> tuple[float, float]:
        if found is None:
            return -np.inf, np.inf
        prediction, own, residual, gain = found
        low, high = _ends(residual, gain, self.coverage)
        return prediction + (1 + own) * low, prediction + (1 + own) * high

    def _row(self, x: np.ndarray) -> np.ndarray:
        x = np.asarray(x, dtype=np.float64)
        return np.append(x, 1.0) if self.fit_intercept else x

    def _affine(self, z: np.ndarray) -> tuple[float, float, np.ndarray, np.ndarray] | None:
        """Prediction, own gain, residuals and gains at ``z``; None while the fit is not determined."""
        if self.rows == 0:
            return None
        factor, failed = lapack.dpotrf(self.gram, lower=True)
        diagonal = np.abs(np.diagonal(factor))
        if failed or diagonal.min() <= 1e-7 * diagonal.max():
            return None
        solved, _ = lapack.dpotrs(factor, np.array([self.moment, z]).T, lower=True)
        rows = self.Z[: self.rows]
        prediction, own = z @ solved
        return float(prediction), float(own), self.y[: self.rows] - rows @ solved[:, 0], rows @ solved[:, 1]


def uniform(seed: int, row: int) -> float:
    """A number in [0, 1) that the seed and the number of the row decide.

    >>> uniform(0, 1) == uniform(0, 1), 0 <= uniform(0, 2) < 1
    (True, True)
    """
    mixed = (seed * 0x9E3779B97F4A7C15 + (row + 1) * 0xD1B54A32D192ED03) & MASK
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = ((mixed ^ (mixed >> shift)) * factor) & MASK
    return ((mixed ^ (mixed >> 31)) >> 11) / 2.0**53


def _ends(residual: np.ndarray, gain: np.ndarray, coverage: float) -> tuple[float, float]:
    """The ends of the conformal set in units of the new residual; without a sort where no gain exceeds one."""
    n = len(residual)
    if int(np.ceil(coverage * (n + 1) - 1e-9)) > n:  # too few rows for any target to look strange
        return -np.inf, np.inf
    wanted = n + 1 - conformal_rank(n, coverage)
    if (
        gain.max() < 1 and gain.min() > -1
    ):  # every row's set is an interval around 0, so that their overlap falls outwards
        first, second = residual / (1 + gain), residual / (gain - 1)
        low, high = np.minimum(first, second), np.maximum(first, second)
        low.partition(wanted - 1)
        high.partition(n - wanted)
        return float(low[wanted - 1]), float(high[n - wanted])
    pieces = conformal_pieces(residual, gain, coverage)
    return (float(pieces[0, 0]), float(pieces[-1, 1])) if len(pieces) else (0.0, 0.0)
