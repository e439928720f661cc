"""Layer theory: does the order of the rows say something?  A bet against the claim that it does not.

In: one score per row (how far off a prediction was), in the order of time.  Out: `Evidence`: what a bettor who started
with one coin owns at the end, and the most that they owned on the way.  If every order of the rows is equally likely,
the capital is a martingale: it ever reaches ``c`` with probability at most ``1 / c`` (Ville), and its value at the end
is an e-value.  Vovk, Petej, Nouretdinov, Ahlberg, Carlsson and Gammerman (2021), the simple jumper.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.parameters import finite_vector, whole

SLOPES = np.array([-1.0, 0.0, 1.0])
"""Bets ``1 + slope (p - 1/2)``: that scores rise, nothing, that scores fall."""
JUMPS = np.array([0.001, 0.01, 0.1])[:, None]
"""Share of the capital that is dealt out anew before each bet: small for changes that last, large for short ones."""
ENOUGH = 100.0
"""Capital from which on there is evidence: rows in random order get there less than once in a hundred times."""
RICH = 1e12
"""Capital at which the bettor stops; a martingale that is stopped is still one."""


@dataclass(frozen=True)
class Evidence:
    """What the bet against exchangeable rows came to.

    ``e`` is the capital at the end, ``highest`` the most on the way, ``after`` the number of rows at that time, ``n``
    the number of rows.

    >>> steady = evidence_of_order(np.sin(np.arange(200.0) ** 2), seed=0)
    >>> drifting = evidence_of_order(np.arange(200.0), seed=0)
    >>> steady.found, drifting.found
    (False, True)
    """

    e: float
    highest: float
    after: int
    n: int

    @property
    def found(self) -> bool:
        """Whether there is evidence that the order matters; wrongly with probability at most 1 / 100."""
        return self.highest >= ENOUGH


def evidence_of_order(scores: Any, seed: int) -> Evidence:
    """Bet on scores that rise or fall with time; ``seed`` breaks ties, and must not depend on the order.

    >>> evidence_of_order(np.ones(50), seed=1).found                     # all alike: nothing can be seen
    False
    """
    p = order_p_values(scores, seed)
    capital = np.full((len(JUMPS), len(SLOPES)), 1.0 / (len(JUMPS) * len(SLOPES)))
    total, highest, after = 1.0, 1.0, 0
    for t, value in enumerate(p.tolist(), start=1):
        capital += JUMPS * (capital.mean(axis=1, keepdims=True) - capital)
        capital *= 1.0 + SLOPES * (value - 0.5)
        total = float(capital.sum())
        if total > highest:
            highest, after = total, t
        if total >= RICH:
            break
    return Evidence(total, highest, after, len(p))


def order_p_values(scores: Any, seed: int) -> np.ndarray:
    """For each row the share of rows up to it with larger scores, ties broken at random: independent and uniform.

    ``p_t = (#{i < t : s_i > s_t} + u_t (1 + #{i < t : s_i = s_t})) / t`` with independent uniform ``u_t``, if every
    order of the rows is equally likely.

    >>> order_p_values([1.0, 2.0, 0.5], seed=0).round(2)
    array([0.64, 0.13, 0.68])
    """
    scores = finite_vector("scores", scores, "give one number per row, in the order of time")
    seed = whole("seed", seed, "it breaks ties", least=0)
    ties, found = np.random.default_rng(seed).random(len(scores)), np.empty(len(scores))
    seen: list[float] = []
    for t, score in enumerate(scores.tolist()):
        below, up_to = bisect_left(seen, score), bisect_right(seen, score)
        found[t] = (t - up_to + ties[t] * (1 + up_to - below)) / (t + 1)
        insort(seen, score)
    return found
