"""Layer theory: intervals around jackknife+ from what a stored linear fit can keep: a few hundred numbers, no rows.

In: a `LinearResponse`.  Out: a `LeftOutReach`, and from it intervals that contain those of jackknife+.  The left-out
fits are ``f_{-i}(x) = f(x) - g_i(x) e_i``, and the gains ``g_i(x) = G(x_i, x)`` are values of a positive semidefinite
function, so ``|g_i(x)| <= sqrt(h_i G(x, x))`` with the leverage ``h_i = G(x_i, x_i)`` (Cauchy and Schwarz).  Each end
``f_{-i}(x) -+ |e_i|`` therefore lies within ``|e_i| (1 + sqrt(h_i G(x, x)))`` of ``f(x)``.  Rows whose left-out
residuals are neighbours in size share the largest residual and leverage among them, which only widens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.data.centred import Centred
from surefit.data.design import Design
from surefit.theory.certificates.wording import at_least
from surefit.theory.fit.smoother import leverages
from surefit.theory.intervals.conformal import SOLVED, PredictionIntervals, Promise, conformal_rank
from surefit.theory.intervals.jackknife import CHUNK_ENTRIES, EXCHANGEABLE, FIXED, NOT_CONDITIONAL
from surefit.theory.intervals.response import LinearResponse


@dataclass(frozen=True)
class LeftOutReach:
    """What left-out fits of a linear model can reach: three numbers a group of rows, ``(d, rank)`` of the fit.

    ``A`` centres new rows and holds none; ``root`` gives ``G(x, x) = ||A(x) root||**2 + constant``.

    >>> from surefit.solvers.linear.factor import spectral_factor
    >>> factor = spectral_factor(Design.of([[0.0], [1], [2], [3]]), True)
    >>> reach = LeftOutReach.of(LinearResponse(factor, np.array([1.0, 3, 2, 5]), 0.0))
    >>> found = reach.intervals(np.array([[1.5]]), coverage=0.8)
    >>> found.lower.round(2), found.upper.round(2)                 # jackknife+: 0.25 and 5.07
    (array([-0.09]), array([5.59]))
    """

    A: Centred
    root: np.ndarray
    constant: float
    slopes: np.ndarray
    mean: float
    left_out: np.ndarray
    leverage: np.ndarray
    count: np.ndarray

    @staticmethod
    def of(response: LinearResponse) -> LeftOutReach:
        """From the response of a fit; no row of its design is kept."""
        factor, n = response.factor, len(response.y)
        shrink = factor.shrinkage(np.array([response.lam * n]))[0]
        root = factor.coef(np.diag(1 / factor.singular))
        target, size = factor.A.target(response.y), np.abs(response.left_out)
        order, starts = np.argsort(size), group_starts(n)
        return LeftOutReach(
            replace(factor.A, design=Design.of(np.zeros((1, factor.A.d)))),
            root * np.sqrt(shrink),
            1.0 / n if factor.A.fit_intercept else 0.0,
            root @ (shrink * factor.coordinates(target)),
            float(factor.A.target_mean(response.y)),
            np.maximum.reduceat(size[order], starts),
            np.maximum.reduceat(leverages(factor, np.array([response.lam]))[0][order], starts),
            np.diff(starts, append=n),
        )

    def intervals(
        self,
        X: Any,
        coverage: float = 0.9,
        broken: tuple[str, ...] = (),
        features: Callable[[Any], Any] | None = None,
    ) -> PredictionIntervals:
        """Intervals for the rows of ``X`` (``features`` of them) that contain those of jackknife+."""
        guaranteed = max(2 * coverage - 1, 0.0)
        promise = Promise(
            coverage, guaranteed, "jackknife+, bounded",
            f"A new target lies in its interval with probability at least {at_least(guaranteed)}, on average over "
            "training sets. A stored model knows its left-out fits only up to a bound, so these intervals contain "
            "those of jackknife+ before it was stored.",
            (EXCHANGEABLE, FIXED, NOT_CONDITIONAL), broken,
        )  # fmt: skip
        rank, chunk = conformal_rank(int(self.count.sum()), coverage), max(1, CHUNK_ENTRIES // len(self.count))
        ends = [self._ends(X[start : start + chunk], rank, features) for start in range(0, X.shape[0], chunk)]
        return promise.intervals(*np.concatenate(ends, axis=1))

    def values(self, X: Any) -> np.ndarray:
        """``f`` at the rows of ``X``."""
        return self.mean + self._centred(X) @ self.slopes

    def _centred(self, X: Any) -> np.ndarray:
        return replace(self.A, design=Design.of(X)).dense()

    def _ends(self, X: Any, rank: int, features: Callable[[Any], Any] | None) -> np.ndarray:
        centred = self._centred(X if features is None else features(X))
        own = np.sum((centred @ self.root) ** 2, axis=1) + self.constant
        reach = self.left_out * (1.0 + np.sqrt(self.leverage * own[:, None]))
        order = np.argsort(reach, axis=1)
        found = np.argmax(np.cumsum(self.count[order], axis=1) >= rank, axis=1)
        radius = np.take_along_axis(reach, np.take_along_axis(order, found[:, None], axis=1), axis=1)[:, 0]
        prediction = self.mean + centred @ self.slopes
        largest = np.max(self.left_out, where=np.isfinite(self.left_out), initial=0.0)
        radius = radius + SOLVED * (2.0 * np.abs(prediction) + radius + largest)
        return np.array([prediction - radius, prediction + radius])


def group_starts(n: int) -> np.ndarray:
    """Where groups of ``n`` sorted numbers begin: single ones at the top, each group a 32nd of what lies above it.

    >>> len(group_starts(20)), len(group_starts(10_000)), len(group_starts(1_000_000))
    (20, 237, 386)
    """
    ends = [0]
    while ends[-1] < n:
        ends.append(ends[-1] + max(1, ends[-1] // 32))
    return np.maximum(n - np.array(ends[1:]), 0)[::-1]
