"""Layer study: which candidates can be told apart.

In: the losses of every candidate on the same rows, each row answered by the fold that did not train on it.  Out: ranks
with ties, by one simultaneous test of all pairs.

The differences of losses of two candidates on a row are compared with zero for all pairs at once: ``|t|`` of each pair
against the distribution of the largest ``|t|`` of all pairs, which a Gaussian multiplier bootstrap gives (Chernozhukov,
Chetverikov and Kato 2013; for losses of folds Bayle, Bayle, Janson and Mackey 2020).  As all pairs are tested together,
the best may be picked afterwards.  A rank ends with the first candidate, by score, that is told from its best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LEVEL = 0.05
"""Probability that two candidates are told apart although all of them are equally good."""

DRAWS = 2_000
"""Draws of the bootstrap."""

MOST_UNITS = 2_000
"""Rows are joined at random into so many units, whose means are tested."""


@dataclass(frozen=True)
class Ranking:
    """Ranks from one, and the p-value of each candidate being as good as the best; in the order they were given."""

    ranks: tuple[int, ...]
    p_values: tuple[float, ...]


def ranked(losses: np.ndarray, units: np.ndarray | None = None, level: float = LEVEL, seed: int = 0) -> Ranking:
    """Ranks of candidates by their ``losses`` (rows, candidates); ``units`` are groups of rows that are one draw each.

    >>> rng = np.random.default_rng(0)
    >>> noise = rng.normal(size=(400, 1))
    >>> ranked(np.hstack([1 + noise, 1.001 + noise + rng.normal(size=(400, 1)), 2 + noise])).ranks
    (1, 1, 2)
    """
    means = losses.mean(axis=0)
    order = np.argsort(means, kind="stable")
    if len(order) == 1:
        return Ranking((1,), (1.0,))
    p = _p_values(_joined(losses, units, seed), seed)
    ranks, rank, rest = np.zeros(len(order), dtype=int), 0, list(order)
    while rest:
        rank += 1
        apart = [place for place, j in enumerate(rest) if place and p[j, rest[0]] <= level]
        same = rest[: apart[0]] if apart else rest
        ranks[same] = rank
        rest = rest[len(same) :]
    return Ranking(tuple(int(one) for one in ranks), tuple(float(one) for one in p[order[0]]))


def _joined(losses: np.ndarray, units: np.ndarray | None, seed: int) -> np.ndarray:
    """Losses summed over units and scaled so that their means stay what they are; ``(units, candidates)``."""
    n = len(losses)
    if units is None:
        count = min(n, MOST_UNITS)
        member = np.random.default_rng(seed).permutation(n) % count
    else:
        _, member = np.unique(units, return_inverse=True)
        count = int(member.max()) + 1
    sums = np.stack([np.bincount(member, column, minlength=count) for column in losses.T], axis=1)
    return sums * (count / n)


def _p_values(losses: np.ndarray, seed: int) -> np.ndarray:
    """For every pair, how often the largest ``|t|`` of all pairs is as large as its own; 1 where losses are equal."""
    n, k = losses.shape
    first, second = np.triu_indices(k, 1)
    differences = losses[:, first] - losses[:, second]
    means = differences.mean(axis=0)
    spread = differences.std(axis=0, ddof=1) if n > 1 else np.zeros(len(first))
    size = np.maximum(np.abs(losses).max(axis=0)[first], np.abs(losses).max(axis=0)[second])
    told = spread > 1e-12 * size
    t = np.zeros(len(first))
    t[told] = np.sqrt(n) * np.abs(means[told]) / spread[told]
    scaled = (differences[:, told] - means[told]) / (spread[told] * np.sqrt(n))
    largest = np.abs(np.random.default_rng(seed).standard_normal((DRAWS, n)) @ scaled).max(axis=1, initial=0.0)
    share = (1 + np.count_nonzero(largest[:, None] >= t, axis=0)) / (1 + DRAWS)
    found = np.ones((k, k))
    found[first, second] = found[second, first] = np.where(told, share, 1.0)
    return found
