"""Layer theory: full conformal prediction, exactly, for fits that are linear in the targets.

In: a `Response` and new rows.  Out: for each new row the set of targets that would not look strange among the training
rows, exactly, and `PredictionIntervals` that cover it.  Adding the row ``(x, y)`` to the fit, ``n * lam`` fixed, turns
its residuals into ``r_i - g_i(x) t`` and gives the new row the residual ``t = (y - f(x)) / (1 + G(x, x))``: all affine
in ``y``, so the set is a union of intervals whose ends come from one sort.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.theory.certificates.wording import at_least
from surefit.theory.intervals.conformal import SOLVED, PredictionIntervals, Promise, conformal_rank
from surefit.theory.intervals.jackknife import EXCHANGEABLE, FIXED, NOT_CONDITIONAL, over_chunks
from surefit.theory.intervals.response import Gains, Response


def conformal_pieces(residual: np.ndarray, gain: np.ndarray, coverage: float, room: float = 0.0) -> np.ndarray:
    """All ``t`` for which ``|t|`` is among the ``ceil(coverage (n + 1))`` smallest of ``|r_i - g_i t|`` and itself.

    Shape ``(pieces, 2)``: disjoint closed intervals in increasing order, the outer ends may be infinite.  Each row
    contributes ``{t : |r_i - g_i t| >= |t|}``: between ``r_i / (g_i - 1)`` and ``r_i / (g_i + 1)`` if ``|g_i| <= 1``,
    outside of them if not; wanted is where at least ``floor((1 - coverage)(n + 1))`` of these sets overlap.  Each is
    widened by ``room``, so that sets which touch are not parted by rounding.

    >>> conformal_pieces(np.array([1.0, -2.0, 3.0]), np.zeros(3), 0.75)
    array([[-3.,  3.]])
    """
    wanted = len(residual) + 1 - conformal_rank(len(residual), coverage)
    inside = np.abs(gain) <= 1
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = residual / (gain + 1), residual / (gain - 1)
    first = np.where(gain == -1, np.copysign(np.inf, residual), first)  # the limit from inside
    second = np.where(gain == 1, -np.copysign(np.inf, residual), second)
    low, high = np.minimum(first, second), np.maximum(first, second)
    enters, leaves = np.where(inside, low, high), np.where(inside, high, low)
    enters, leaves = enters - room, leaves + room
    everything = ((residual == 0) & (np.abs(gain) >= 1)) | (~inside & (enters <= leaves))
    enters, leaves, inside = enters[~everything], leaves[~everything], inside[~everything]
    ends = np.concatenate([[-np.inf], enters, leaves, [np.inf]])
    steps = np.concatenate([[0], np.ones(len(enters)), -np.ones(len(leaves)), [0]]).astype(int)
    order = np.argsort(ends, kind="stable")  # at equal ends sets are entered before others are left: they are closed
    start = np.count_nonzero(everything) + np.count_nonzero(~inside)
    overlap = start + np.cumsum(steps[order])  # on the way from each end to the next
    held = np.concatenate([[False], overlap[:-1] >= wanted, [False]])
    edges = np.flatnonzero(held[1:] != held[:-1])
    return ends[order][edges].reshape(-1, 2)


def full_conformal_sets(response: Response, X_new: Any, coverage: float = 0.9) -> list[np.ndarray]:
    """For each new row the exact set of targets, ``(pieces, 2)``; see `full_conformal`.  O(n log n) a row."""
    return _sets(response.residual, response.at(X_new), coverage)


def _sets(residual: np.ndarray, gains: Gains, coverage: float) -> list[np.ndarray]:
    """In units of the target; a row that would decide its own fit has no strange target."""
    largest = np.max(np.abs(residual))
    return [
        prediction
        + (1 + own) * conformal_pieces(residual, gain, coverage, SOLVED * (abs(prediction) + largest) / (1 + own))
        if np.isfinite(own)
        else np.array([[-np.inf, np.inf]])
        for prediction, gain, own in zip(gains.prediction, gains.gain, gains.own, strict=True)
    ]


def full_conformal(
    response: Response, X_new: Any, coverage: float = 0.9, broken: tuple[str, ...] = ()
) -> PredictionIntervals:
    """The smallest interval around each exact full conformal set: probability at least ``coverage``, no factor two.

    A target ``y`` belongs to the set if, in the fit to all ``n + 1`` rows, fewer than ``ceil(coverage (n + 1))`` of the
    other residuals are smaller than its own.  Vovk, Gammerman and Shafer (2005), the ridge regression confidence
    machine.  `full_conformal_sets` gives the sets themselves, which are intervals but for rows of large leverage.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.linear.factor import spectral_factor
    >>> from surefit.theory.intervals.response import LinearResponse
    >>> response = LinearResponse(spectral_factor(Design.of([[0.0], [1], [2], [3]]), True), np.array([1.0, 3, 2, 5]), 0)
    >>> found = full_conformal(response, [[1.5]], coverage=0.8)
    >>> found.lower.round(6), found.upper.round(6), found.guaranteed
    (array([1.416667]), array([4.916667]), 0.8)
    """

    def ends(gains: Gains) -> np.ndarray:
        return np.transpose([pieces[[0, -1], [0, 1]] for pieces in _sets(response.residual, gains, coverage)])

    promise = Promise(
        coverage, coverage, "full conformal",
        f"A new target lies in its interval with probability at least {at_least(coverage)}, on average over training "
        "sets.",
        (EXCHANGEABLE, FIXED, NOT_CONDITIONAL), broken,
    )  # fmt: skip
    lower, upper = over_chunks(response, X_new, ends)
    return promise.intervals(lower, upper)
