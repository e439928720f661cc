"""Layer theory: how well scores tell two classes apart: the area under the ROC curve, bounded from below.

In: held-out scores of positive and of negative rows.  Out: the area, which is the probability that a positive row gets
the larger score (ties count half), and lower bounds on it.  Pairs share rows, so they are no independent draws.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.parameters import finite_vector, whole
from surefit.theory.means.arguments import failure_probability
from surefit.theory.means.betting import betting
from surefit.theory.means.concentration import largest_mean


def auc(positive: Any, negative: Any) -> float:
    """The share of pairs of a positive and a negative row in which the positive has the larger score.

    >>> auc([0.9, 0.5], [0.1, 0.5])
    0.875
    """
    return float(np.mean(wins(*_scores(positive, negative))))


def wins(positive: np.ndarray, negative: np.ndarray) -> np.ndarray:
    """For each positive score the share of negative scores below it, ties counted half."""
    ordered = np.sort(negative)
    both = np.searchsorted(ordered, positive, "left") + np.searchsorted(ordered, positive, "right")
    return both / (2.0 * len(negative))


def auc_lower(positive: Any, negative: Any, delta: float = 0.05, *, seed: int = 0) -> float:
    """A number that the true area is below with probability at most ``delta``: bets on independent blocks of rows.

    Each row of the smaller class meets its own share of the larger one.  The share of these pairs that are in order is
    a draw in ``[0, 1]`` whose mean is the area, independent of the other blocks, and it varies less than a pair does:
    `betting` gains from that.  ``seed`` decides which rows meet.

    >>> z = np.linspace(-2, 2, 100)
    >>> [round(float(f(z + 1.5, z)), 2) for f in (auc, auc_lower, auc_u_statistic)]
    [0.8, 0.7, 0.7]
    """
    positive, negative = _scores(positive, negative)
    rng = np.random.default_rng(whole("seed", seed, "it decides which rows meet", least=0))
    positive, negative = rng.permutation(positive), rng.permutation(negative)
    blocks = min(len(positive), len(negative))
    if blocks == len(positive):
        lost = [1.0 - _met(one, many) for one, many in zip(positive, np.array_split(negative, blocks), strict=True)]
    else:
        lost = [_met(one, many) for one, many in zip(negative, np.array_split(positive, blocks), strict=True)]
    return float(1.0 - betting(np.array(lost), delta, seed=seed))


def _met(one: float, many: np.ndarray) -> float:
    """The share of ``many`` below ``one``, ties counted half."""
    return float(np.mean((many < one) + 0.5 * (many == one)))


def auc_u_statistic(positive: Any, negative: Any, delta: float = 0.05) -> float:
    """The classical bound: the smallest area ``a`` with ``m kl(1 - auc || 1 - a) <= ln(1/delta)``, ``m`` rows in the
    smaller class.

    The area is an average, over all ways to pair rows off, of means of ``m`` independent pairs; by convexity its
    exponential moments are at most those of one such mean (Hoeffding 1963), and Chernoff's bound follows.  Needs no
    seed, but knows nothing of the variance.
    """
    positive, negative = _scores(positive, negative)
    seen, m = float(np.mean(wins(positive, negative))), min(len(positive), len(negative))
    return float(1.0 - largest_mean(1.0 - seen, -np.log(failure_probability(delta)) / m))


def _scores(positive: Any, negative: Any) -> tuple[np.ndarray, np.ndarray]:
    remedy = "give the scores of at least one row of each class"
    return finite_vector("positive", positive, remedy), finite_vector("negative", negative, remedy)
