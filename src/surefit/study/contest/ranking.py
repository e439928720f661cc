"""Layer study: which candidates can be told apart.

In: the losses of every candidate on the same rows, each row answered by the fold that did not train on it.  Out: ranks
with ties, by one simultaneous test of all pairs.

The differences of losses of two candidates on a row are compared with zero for all pairs at once: ``|t|`` of each pair
against the distribution of the largest ``|t|``, which a Gaussian multiplier bootstrap gives (Chernozhukov, Chetverikov
and Kato 2013; for losses of folds Bayle, Bayle, Janson and Mackey 2020).  Pairs that are told apart take no part in the
largest ``|t|`` that the others are held against (Romano and Wolf 2005), so that a baseline far behind does not hide
what is near.  As all pairs are tested together, the best may be picked afterwards.  A rank ends with the first
candidate, by score, that is told from its best.

Few rows can carry most of a difference: on the prices of houses five of 2,344 make up nine tenths of its variance.
Then the test has little power, and a tie may hide a real loss.  Hence ``behind``: how far a candidate's mean loss is
above the best one's, in standard errors of the difference.
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
    """What is known of each candidate, in the order they were given."""

    ranks: tuple[int, ...]
    """From one."""
    p_values: tuple[float, ...]
    """Of being as good as the best."""
    behind: tuple[float, ...]
    """Mean loss above that of the best, in standard errors of the difference; 0 for the best."""


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
        return Ranking((1,), (1.0,), (0.0,))
    p, t = _tested(_joined(losses, units, seed), seed)
    ranks, rank, rest = np.zeros(len(order), dtype=int), 0, list(order)
    while rest:
        rank += 1
        apart = [place for place, j in enumerate(rest) if place and p[j, rest[0]] <= level]
        same = rest[: apart[0]] if apart else rest
        ranks[same] = rank
        rest = rest[len(same) :]
    best = order[0]
    return Ranking(tuple(map(int, ranks)), tuple(map(float, p[best])), tuple(map(float, t[best])))


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


def _tested(losses: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """For every pair its p-value among all pairs, and ``|t|``; 1 and 0 where losses are equal."""
    n, k = losses.shape
    first, second = np.triu_indices(k, 1)
    differences = losses[:, first] - losses[:, second]
    means = differences.mean(axis=0)
    spread = differences.std(axis=0, ddof=1) if n > 1 else np.zeros(len(first))
    size = np.maximum(np.abs(losses).max(axis=0)[first], np.abs(losses).max(axis=0)[second])
    told = spread > 1e-12 * size
    t, p = np.zeros(len(first)), np.ones(len(first))
    t[told] = np.sqrt(n) * np.abs(means[told]) / spread[told]
    scaled = (differences[:, told] - means[told]) / (spread[told] * np.sqrt(n))
    p[told] = _stepped_down(np.abs(np.random.default_rng(seed).standard_normal((DRAWS, n)) @ scaled), t[told])
    whole_p, whole_t = np.ones((k, k)), np.zeros((k, k))
    whole_p[first, second] = whole_p[second, first] = p
    whole_t[first, second] = whole_t[second, first] = t
    return whole_p, whole_t


def _stepped_down(draws: np.ndarray, t: np.ndarray) -> np.ndarray:
    """How often the largest draw of pairs of no larger ``|t|`` reaches a pair's own; never below a larger one's."""
    order = np.argsort(t, kind="stable")
    largest = np.maximum.accumulate(draws[:, order], axis=1)
    share = (1 + np.count_nonzero(largest >= t[order], axis=0)) / (1 + len(draws))
    found = np.empty(len(t))
    found[order] = np.maximum.accumulate(share[::-1])[::-1]
    return found
