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
    columns: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    y: np.ndarray = field(default_factory=lambda: np.zeros(0))
    gram: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    moment: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        whole("d", self.d, "it is the number of columns")
        non_negative("lam_sum", self.lam_sum, "it is the penalty against the sum of squares")
        self.coverage = checked_coverage(self.coverage)
        p = self.d + int(self.fit_intercept)
        if len(self.gram) == 0:
            self.columns, self.y = np.zeros((p, FIRST_ROOM)), np.zeros(FIRST_ROOM)
            self.gram, self.moment = np.zeros((p, p)), np.zeros(p)
            self.gram[np.arange(self.d), np.arange(self.d)] = self.lam_sum

    def interval(self, x: np.ndarray) -> tuple[float, float]:
        """The smallest interval around the exact set for the target of ``x`` (d,)."""
        found = self._affine(self._row(x))
        return (-np.inf, np.inf) if found is None else found.ends(self.coverage)

    def step(self, x: np.ndarray, target: float) -> tuple[float, float, float]:
        """The interval of a row, then its target is learnt from: the ends, and the smoothed p-value of the target."""
        z = self._row(x)
        found = self._affine(z)
        low, high, p = -np.inf, np.inf, uniform(self.seed, self.rows)
        if found is not None:
            low, high = found.ends(self.coverage)
            larger, equal = found.stranger(target)
            p = (larger + p * (1 + equal)) / (self.rows + 1)
        if self.rows == len(self.y):
            self.columns = np.hstack([self.columns, np.zeros_like(self.columns)])
            self.y = np.append(self.y, np.zeros_like(self.y))
        self.columns[:, self.rows], self.y[self.rows] = z, target
        self.gram += z[:, None] * z
        self.moment += target * z
        self.rows += 1
        return low, high, p

    def _row(self, x: np.ndarray) -> np.ndarray:
        z = np.ones(len(self.moment))
        z[: self.d] = x
        return z

    def _affine(self, z: np.ndarray) -> Affine | None:
        """The fit with ``z`` as the next row, for every target at once; None while the fit is not determined."""
        if self.rows == 0:
            return None
        factor, failed = lapack.dpotrf(self.gram, lower=True)
        diagonal = factor.diagonal()
        if failed or diagonal.min() <= 1e-7 * diagonal.max():
            return None
        solved, _ = lapack.dpotrs(factor, np.array([self.moment, z]).T, lower=True)
        prediction, own = (z @ solved).tolist()
        fitted, gain = solved.T @ self.columns[:, : self.rows]
        return Affine(prediction, own, self.y[: self.rows] - fitted, gain)


class Affine:
    """Residuals in the fit to all rows and a new one: ``r - g t``, where ``t`` is the residual of the new row itself.

    ``t = (target - prediction) / (1 + own)``.  An old row is as strange as the new one while ``|r - g t| >= |t|``; with
    ``|g| < 1`` that is an interval around 0, from ``-|r| / (1 - s g)`` to ``|r| / (1 + s g)`` with the sign ``s`` of
    ``r``, so that fewer and fewer of them are left the farther out ``t`` is.
    """

    def __init__(self, prediction: float, own: float, residual: np.ndarray, gain: np.ndarray) -> None:
        self.prediction, self.own, self.residual, self.gain = prediction, own, residual, gain
        self.nested = bool(gain.max() < 1 and gain.min() > -1)
        if self.nested:
            size, turned = np.abs(residual), np.copysign(1.0, residual) * gain
            self.low, self.high = size / (turned - 1.0), size / (turned + 1.0)

    def ends(self, coverage: float) -> tuple[float, float]:
        """The ends of the conformal set, without a sort where no gain exceeds one."""
        n = len(self.residual)
        if int(np.ceil(coverage * (n + 1) - 1e-9)) > n:  # too few rows for any target to look strange
            return -np.inf, np.inf
        if self.nested:
            wanted = n + 1 - conformal_rank(n, coverage)
            self.low.partition(wanted - 1)
            self.high.partition(n - wanted)
            ends = float(self.low[wanted - 1]), float(self.high[n - wanted])
        else:
            pieces = conformal_pieces(self.residual, self.gain, coverage)
            ends = (float(pieces[0, 0]), float(pieces[-1, 1])) if len(pieces) else (0.0, 0.0)
        return self.prediction + (1 + self.own) * ends[0], self.prediction + (1 + self.own) * ends[1]

    def stranger(self, target: float) -> tuple[int, int]:
        """How many rows are stranger than the new one with this target, and how many are just as strange."""
        t = (target - self.prediction) / (1 + self.own)
        if self.nested and t != 0:
            reach, distance = (self.high, t) if t > 0 else (-self.low, -t)
        else:
            reach, distance = np.abs(self.residual - self.gain * t), abs(t)
        larger = int(np.count_nonzero(reach > distance))
        return larger, int(np.count_nonzero(reach >= distance)) - larger


def uniform(seed: int, row: int) -> float:
    """A number in [0, 1) that the seed and the number of the row decide.

    >>> uniform(0, 1) == uniform(0, 1), 0 <= uniform(0, 2) < 1
    (True, True)
    """
    mixed = (seed * 0x9E3779B97F4A7C15 + (row + 1) * 0xD1B54A32D192ED03) & MASK
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = ((mixed ^ (mixed >> shift)) * factor) & MASK
    return ((mixed ^ (mixed >> 31)) >> 11) / 2.0**53
