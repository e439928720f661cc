"""Layer theory: a quantile bounded with confidence where rows do not count alike: groups of rows, weighted rows.

In: one error per row, the draw that the row belongs to, and the share of that draw which it stands for.  Out: a number
that, on average over draws, no more than a given share exceeds.  For rows that are draws themselves and count alike
this is the order statistic of `error_quantile`; here the share above a number is a mean of draws in ``[0, 1]``, which
are tested by betting, from the largest error downwards.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.compiled.door import star_rejections
from surefit.parameters import whole, within
from surefit.theory.means.arguments import failure_probability, loss_array
from surefit.theory.means.concentration import hoeffding_bentkus

MOST_STEPS = 5e7
"""Bets that a search may take; with more, the test is one that needs no walk over all errors."""
CHUNK = 1 << 21


def share_quantile(errors: Any, draws: Any, shares: Any, limit: float, delta: float = 0.05, *, seed: int = 0) -> float:
    """The smallest ``r`` for which the mean share of errors above ``r`` is certified to be at most ``limit``.

    Row ``i`` belongs to the draw ``draws[i]`` (numbers from 0) and stands for ``shares[i]`` of it; the shares of a draw
    sum to at most one.  With ``L_k(r)`` the sum of shares of draw ``k`` with errors above ``r``, independent over
    ``k``, ``E L(r)`` falls in ``r``.  From the largest error down, ``E L(r) >= limit`` is tested at level ``delta``;
    the answer is the last ``r`` before the first test that does not reject.  It is too small only if the test at the
    true quantile rejects wrongly, which is one test: no correction for their number is needed.  Infinite if the first
    does not reject.

    >>> share_quantile(np.arange(100.0), np.arange(100), np.ones(100), 0.1)           # an order statistic, nearly
    94.0
    >>> share_quantile(np.arange(100.0), np.arange(100) // 50, np.full(100, 0.02), 0.1)       # two draws say nothing
    inf
    """
    errors = loss_array(errors)
    member, share = np.asarray(draws, dtype=np.int64), np.asarray(shares, dtype=float)
    limit = within("limit", limit, (0.0, 1.0), "it is the share of errors above the bound")
    delta, seed = failure_probability(delta), whole("seed", seed, "it decides the order of the draws", least=0)
    K, order = int(member.max()) + 1, np.argsort(-errors, kind="stable")
    place = np.random.default_rng(seed).permutation(K)[member[order]]
    ordered = errors[order]
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))  # the last row of each distinct error
    if K * len(errors) * limit > MOST_STEPS:
        return _by_mean(ordered, share[order] / K, ends, (K, limit, delta))
    best, above, start, size = np.inf, np.zeros(K), 0, max(1, CHUNK // K)
    while start < len(ends):
        block = ends[start : start + size]
        steps = np.zeros((len(block), K))
        first = 0 if start == 0 else ends[start - 1] + 1
        rows = np.arange(first, block[-1] + 1)
        np.add.at(steps, (np.searchsorted(block, rows), place[rows]), share[order][rows])
        after = above + np.cumsum(steps, axis=0)
        losses = np.vstack([above, after[:-1]])  # what lies strictly above each distinct error
        fallen = rejected(losses, limit, delta)
        stop = int(np.argmin(fallen)) if not fallen.all() else len(block)
        if stop:
            best = float(ordered[block[stop - 1]])
        if stop < len(block):
            return best
        above, start = after[-1], start + len(block)
    return best


def rejected(losses: np.ndarray, limit: float, delta: float) -> np.ndarray:
    """For each row of losses ``(r, K)``, whether a mean of ``limit`` or more is rejected."""
    fallen = np.empty(len(losses), dtype=np.int64)
    gains = np.ascontiguousarray(np.clip(1.0 - losses, 0.0, 1.0))
    star_rejections(gains, -np.log(delta), np.array([1.0 - limit]), fallen)
    return fallen == 1


def _by_mean(errors: np.ndarray, parts: np.ndarray, ends: np.ndarray, asked: tuple[int, float, float]) -> float:
    """The same by a test that only looks at the mean of the losses, and so rejects less and less on the way down."""
    K, limit, delta = asked
    above = np.minimum(np.concatenate([[0.0], np.cumsum(parts)[ends[:-1]]]), 1.0)
    low, high = 0, len(ends)  # rejected below low, not from high on
    while low < high:
        middle = (low + high) // 2
        spread = np.full(K, above[middle])  # losses with this mean; the bound knows nothing else of them
        if float(hoeffding_bentkus(spread, delta)) <= limit:
            low = middle + 1
        else:
            high = middle
    return float(errors[ends[low - 1]]) if low else np.inf
