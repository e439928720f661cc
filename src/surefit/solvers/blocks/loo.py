"""Layer solvers: exact leave-one-out errors of ridge along a grid of ``lam``, by one more pass.

In: the spectrum of all rows and blocks.  Out: the sums of ``(r / (1 - h))**2`` and of their squares, for every ``lam``.
A row's residual and leverage come from one product each with all ``lam`` at once (catalogue T-76).

The sum of squares itself is known from the triangle.  What a row left out adds to it is about a share ``d / n`` of it,
and is summed here, so that single precision suffices where ``d / n`` is so small that its rounding is below 1e-11.
Rows are left out one by one, also where some are equal: to find equal rows, all of them would have to be kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.data.blocks.block import Block
from surefit.data.blocks.layout import Features
from surefit.solvers.blocks.factor import Target, numbers_of
from surefit.solvers.blocks.products import loops
from surefit.solvers.blocks.small import Small

ROUNDING = 1e-11
"""Share of the criterion that rounding in single precision may come to."""


@dataclass(frozen=True)
class Spectrum:
    """``R = U diag(s) V'`` of the centred rows, the residuals' coefficients (r, L) and shrinkage (r, L) for all lam."""

    turn: np.ndarray
    """(d, r): a centred row of the matrix times this are its coordinates ``U``."""
    coef: np.ndarray
    share: np.ndarray
    mean: float
    at_mean: np.ndarray
    weight: float
    single: bool


def spectrum(small: Small, layout: Features, lams: np.ndarray) -> Spectrum:
    """What the pass needs, from the triangle of all rows."""
    units = layout.units(layout.labels)
    U, s, Vt = np.linalg.svd(small.R, full_matrices=False)
    keep = s > len(s) * np.finfo(float).eps * s.max(initial=0.0)
    U, s, Vt = U[:, keep], s[keep], Vt[keep]
    share = s[:, None] ** 2 / (s[:, None] ** 2 + small.weight * lams)
    coef = share * (U.T @ small.t)[:, None]
    turn = (Vt.T / s) * units[:, None]
    at_mean = ((small.means - layout.origins(layout.labels)) / units) @ turn
    condition = float(s.max(initial=1.0) / s.min(initial=np.inf)) if len(s) else 1.0
    noise = len(s) / small.n * 4.0 * float(np.finfo(np.float32).eps) * max(condition, 1.0)
    return Spectrum(turn, coef, share, small.mean, at_mean if small.fit_intercept else 0.0 * at_mean, small.weight,
                    noise <= ROUNDING)  # fmt: skip


@dataclass(frozen=True)
class LeaveOut:
    """For a block: what leaving rows out adds to the sum of squares (L,), and the sum of fourth powers (L,)."""

    layout: Features
    target: Target
    at: Spectrum
    fit_intercept: bool

    def __call__(self, block: Block) -> np.ndarray:
        turn = np.vstack([-self.at.at_mean, self.at.turn])
        y, own = numbers_of(block) - self.at.mean, 1.0 / self.at.weight if self.fit_intercept else 0.0
        weight = np.ones(len(block)) if block.weight is None else block.weight
        total = np.zeros((2, self.at.coef.shape[1]))
        for rows, table in self.layout.tables(block):
            given = turn, self.at.coef, self.at.share, y[rows], weight[rows], own, self.at.single
            loops(table).table_left_out(*table[:4], *given, total)
        return total


def merge(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The sums of both."""
    return left + right


def curve(small: Small, sums: np.ndarray, coefs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean squared leave-one-out error and its standard error, for coefficients (L, d)."""
    with np.errstate(invalid="ignore"):
        mean = small.mean_squares(coefs) + sums[0] / small.weight
        spread = np.maximum(sums[1] / small.weight - mean**2, 0.0)
    mean = np.where(np.isfinite(mean), mean, np.inf)
    return mean, np.sqrt(spread / max(small.n - 1, 1))
