"""Layer theory: jackknife+ and CV+ in closed form, for fits that are linear in the targets.

In: a `Response` and new rows.  Out: `PredictionIntervals`.  One factorisation replaces the ``n`` (or ``K``) refits, and
new rows are taken a chunk at a time, so that no matrix of all training rows by all new rows is ever held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from surefit.progress import Task
from surefit.theory.certificates.wording import at_least
from surefit.theory.intervals.conformal import SOLVED, PredictionIntervals, Promise, conformal_rank
from surefit.theory.intervals.response import Gains, Response
from surefit.threads import map_in_order

CHUNK_ENTRIES = 200_000
"""Entries of a block of new rows by training rows; a few such blocks are held per core."""

OUTWARD = np.array([[-1.0], [1.0]])
EXCHANGEABLE = "the training rows and the new row are exchangeable"
FIXED = "everything but the fit itself (lam, kernel, features) was fixed before these rows were seen"
NOT_CONDITIONAL = "the probability is over training sets too: nothing is promised for this one"


def jackknife_plus(
    response: Response, X_new: Any, coverage: float = 0.9, broken: tuple[str, ...] = ()
) -> PredictionIntervals:
    """Barber, Candes, Ramdas and Tibshirani (2021): the left-out fits at the new row, each -+ its left-out residual.

    With ``e_i`` the left-out residuals and ``f_{-i}(x) = f(x) - g_i(x) e_i``, the interval reaches from the
    ``floor((1 - coverage)(n + 1))``-th smallest ``f_{-i}(x) - |e_i|`` to the ``ceil(coverage (n + 1))``-th smallest
    ``f_{-i}(x) + |e_i|``.  It covers with probability at least ``2 coverage - 1``, typically about ``coverage``.  The
    left-out fits keep ``n * lam`` fixed.  ``broken`` names assumptions known to fail.  Catalogue T-76, S-04.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.linear.factor import spectral_factor
    >>> from surefit.theory.intervals.response import LinearResponse
    >>> factor = spectral_factor(Design.of([[0.0], [1], [2], [3]]), True)
    >>> found = jackknife_plus(LinearResponse(factor, np.array([1.0, 3, 2, 5]), 0.0), [[1.5]], coverage=0.8)
    >>> found.lower.round(6), found.upper.round(6), round(found.guaranteed, 12)
    (array([0.25]), array([5.071429]), 0.6)
    """
    left_out = response.left_out
    finite = np.where(np.isfinite(left_out), left_out, 0.0)
    guaranteed = max(2 * coverage - 1, 0.0)
    promise = Promise(
        coverage, guaranteed, "jackknife+",
        f"A new target lies in its interval with probability at least {at_least(guaranteed)}, on average over training "
        f"sets; typically with about {at_least(coverage)}.",
        (EXCHANGEABLE, FIXED, NOT_CONDITIONAL), broken,
    )  # fmt: skip
    return _plus(response, X_new, left_out, lambda gain: gain * finite, promise)


def cv_plus(
    response: Response, X_new: Any, folds: np.ndarray, coverage: float = 0.9, broken: tuple[str, ...] = ()
) -> PredictionIntervals:
    """As `jackknife_plus`, with whole folds left out: ``folds`` gives the number of each row's fold, shape ``(n,)``.

    ``e_S = (I - H_SS)^{-1} r_S`` for each fold ``S``.  With ``K`` folds of equal size it covers with probability at
    least ``2 coverage - 1 - min(2 (1 - 1/K) / (n/K + 1), (1 - K/n) / (K + 1))``.  Sizes that differ by more than one
    row break that promise.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.linear.factor import spectral_factor
    >>> from surefit.theory.intervals.response import LinearResponse
    >>> response = LinearResponse(spectral_factor(Design.of([[0.0], [1], [2], [3]]), True), np.array([1.0, 3, 2, 5]), 0)
    >>> one_each = cv_plus(response, [[1.5]], np.arange(4), coverage=0.8)
    >>> one_each.upper.round(6)                                       # jackknife+ is CV+ with as many folds as rows
    array([5.071429])
    """
    n, K = len(folds), len(np.unique(folds))
    if n != len(response.residual) or K < 2:
        raise ValueError(f"folds must number the {len(response.residual)} training rows with at least two folds")
    members = [np.flatnonzero(folds == k) for k in np.unique(folds)]
    left_out = np.empty(n)
    for rows in members:
        left_out[rows] = response.left_out_together(rows)
    sizes = [len(rows) for rows in members]
    if max(sizes) - min(sizes) > 1:
        unequal = f"folds have from {min(sizes)} to {max(sizes)} rows, and the theorem is about folds of equal size"
        broken = (*broken, unequal)
    loss = min(2 * (1 - 1 / K) / (n / K + 1), (1 - K / n) / (K + 1))
    guaranteed = max(2 * coverage - 1 - loss, 0.0)
    promise = Promise(
        coverage, guaranteed, f"cv+ ({K} folds)",
        f"A new target lies in its interval with probability at least {at_least(guaranteed)}, on average over training "
        f"sets; typically with about {at_least(coverage)}.",
        (EXCHANGEABLE, FIXED, "folds were drawn without looking at the rows", NOT_CONDITIONAL), broken,
    )  # fmt: skip
    return _plus(response, X_new, left_out, lambda gain: pull_of_folds(gain, left_out, members), promise)


def pull_of_folds(gain: np.ndarray, left_out: np.ndarray, members: Sequence[np.ndarray]) -> np.ndarray:
    pull = np.empty_like(gain)
    for rows in members:
        pull[:, rows] = (gain[:, rows] @ left_out[rows])[:, None]
    return pull


def _plus(
    response: Response, X_new: Any, left_out: np.ndarray, pull: Callable[[np.ndarray], np.ndarray], promise: Promise
) -> PredictionIntervals:
    """From ``pull``: gains ``(m, n)`` into ``f(x) - f_{-i}(x)``; left-out fits that are undefined reach everywhere."""
    n, undefined = len(left_out), ~np.isfinite(left_out)
    rank, reach, largest = conformal_rank(n, promise.coverage), np.abs(left_out), np.max(np.abs(response.residual))

    def ends(gains: Gains) -> np.ndarray:
        left_out_fits = gains.prediction[:, None] - pull(gains.gain)
        low, high = left_out_fits - reach, left_out_fits + reach
        low[:, undefined], high[:, undefined] = -np.inf, np.inf
        low.partition(n - rank, axis=1)
        high.partition(rank - 1, axis=1)
        found = np.array([low[:, n - rank], high[:, rank - 1]])
        return found + OUTWARD * SOLVED * (np.abs(gains.prediction) + largest + np.abs(found))

    lower, upper = over_chunks(response, X_new, ends)
    return promise.intervals(lower, upper)


def over_chunks(response: Response, X_new: Any, ends: Callable[[Gains], np.ndarray]) -> np.ndarray:
    """``ends`` of the gains at all new rows, ``(2, m)``, a chunk of rows at a time on all cores."""
    X_new = X_new if hasattr(X_new, "shape") else np.asarray(X_new, dtype=float)
    size = max(1, CHUNK_ENTRIES // len(response.residual))
    starts = range(0, X_new.shape[0], size)
    response.at(X_new[:1])  # what is computed once is computed before the threads start
    tell = Task("prediction intervals", len(starts), "block")
    found = []
    for ended in map_in_order(lambda start: ends(response.at(X_new[start : start + size])), starts):
        found.append(ended)
        tell(len(found), len(starts) - len(found))
    return np.concatenate(found, axis=1)
