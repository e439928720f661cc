"""Layer guarantee: rows that equal others: draws that happen to agree, or copies of one draw?

In: fingerprints of rows.  Out: which held-out rows equal a training row or an earlier held-out row, and how likely
chance would fit a hold-out into the training rows as closely as it does.  Between draws of
continuous measurements equality has probability zero; between draws of a few yes-or-no answers it is common, and then
nothing in the rows tells draws from copies: a file drawn at random from fifty rows is a sample of a law with fifty
values.  So nothing here tries to.  Statements are made to hold under either reading, or a user declares which it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln

SMALL = 0.01
"""Share of rows that may equal others before a theorem about all of them is given up."""
FURTHEST = 40.0  # how far the logarithms that steer the bound on a chance may go


@dataclass(frozen=True)
class Equalities:
    """What is known of ``n`` held-out rows: which are the first of their kind, and which equal a training row.

    If equal rows are copies of one draw, the first of each kind are the draws, and nothing is known about those of
    them that equal a training row: the model may have seen them.  These count as if the model erred.
    """

    first: np.ndarray
    known: np.ndarray
    coarse: int = 0
    """How many more rows equal others as rows of a coarse table do; these are draws, and count as such."""
    nearly: int = 0
    """How many of the rows that may be copies equal others nearly, and not to the last digit."""
    near_seen: bool = False
    """Whether the table has enough columns of many values for changed copies to be seen."""
    mixed: int = 0
    """How many rows were seen to lie exactly between a training row and another; then none of them is a new row."""

    def without(self, draws: np.ndarray) -> Equalities:
        """The same where those of the rows that are ``draws`` (a mask) count by themselves, whatever they equal."""
        equal = self.known | ~self.first
        coarse = self.coarse + int(np.sum(equal & draws))
        return replace(self, first=self.first | draws, known=self.known & ~draws, coarse=coarse)

    @property
    def shared(self) -> int:
        """How many rows equal a training row."""
        return int(self.known.sum())

    @property
    def repeated(self) -> int:
        """How many others equal an earlier row."""
        return int(np.sum(~self.first & ~self.known))

    @property
    def any(self) -> bool:
        """Whether some rows equal others, so that it matters whether these are draws or copies."""
        return self.shared + self.repeated > 0

    def once(self, values: np.ndarray, unknown: float, among: np.ndarray | None = None) -> np.ndarray:
        """The values if equal rows are copies: each kind once, ``unknown`` where it equals a training row.

        ``among`` (a mask) picks some of the rows.

        >>> equalities(np.array([5, 5, 6, 7]), np.array([7])).once(np.array([0.1, 0.1, 0.2, 0.3]), np.inf)
        array([0.1, 0.2, inf])
        """
        rows = self.first if among is None else self.first & among
        return np.where(self.known, unknown, values)[rows]

    @property
    def many(self) -> bool:
        """Whether these are enough to spoil a statement about all rows, were they copies."""
        return self.shared + self.repeated > SMALL * len(self.first)


def equalities(held_out: np.ndarray, training: np.ndarray) -> Equalities:
    """Compare prints of held-out rows with those of training rows and with each other.

    >>> found = equalities(np.arange(100) // 25, np.array([0, 0]))               # every row 25 times
    >>> int(found.first.sum()), found.shared, found.repeated
    (4, 25, 72)
    """
    first = np.zeros(len(held_out), dtype=bool)
    first[np.unique(held_out, return_index=True)[1]] = True
    return Equalities(first, np.isin(held_out, training))


def chance_of_so_few_strangers(training: np.ndarray, held_out: np.ndarray) -> float:
    """A bound on the probability that so few held-out rows lack a training row of their own to equal.

    If all rows are draws of one law, or a file of copies was divided at random, then any ``m`` of the ``N`` rows are
    equally likely to be those held out.  Of a kind with ``c`` equal rows, ``h`` of them held out, ``max(2h - c, 0)``
    are strangers: they find no partner among the training rows.  Rows handed back from training are never strangers.
    Counting divisions by a generating function, for any ``z > 0`` and ``0 < w <= 1``::

        P(strangers <= u)  <=  prod over kinds of F_c(z, w)  /  (binomial(N, m) z**m w**u),
        F_c(z, w) = sum over h of binomial(c, h) z**h w**max(2h - c, 0)

    since all coefficients are positive; the smallest value over ``z`` and ``w`` is given.  No law is assumed, and
    columns may depend on each other in any way.

    >>> rng = np.random.default_rng(0)
    >>> training, others = rng.integers(0, 30, 60), rng.integers(0, 30, 60)
    >>> chance_of_so_few_strangers(training, training) < 1e-9, chance_of_so_few_strangers(training, others) > 0.1
    (True, True)
    """
    kinds, member = np.unique(np.concatenate([training, held_out]), return_inverse=True)
    total, held = np.bincount(member), np.bincount(member[len(training) :], minlength=len(kinds))
    strangers, m, N = float(np.maximum(2 * held - total, 0).sum()), len(held_out), len(member)
    sizes, times = np.unique(total, return_counts=True)
    starts = np.concatenate([[0], np.cumsum(sizes + 1)[:-1]])
    size = np.repeat(sizes, sizes + 1)
    h = np.arange(len(size)) - np.repeat(starts, sizes + 1)
    alone, ways = np.maximum(2 * h - size, 0), _log_binomial(size, h)

    def exponent(point: np.ndarray) -> tuple[float, np.ndarray]:
        terms = ways + h * point[0] + alone * point[1]
        sums = np.logaddexp.reduceat(terms, starts)
        shares = np.exp(terms - np.repeat(sums, sizes + 1)) * np.repeat(times, sizes + 1)
        value = times @ sums - _log_binomial(N, m) - m * point[0] - strangers * point[1]
        return float(value), np.array([shares @ h - m, shares @ alone - strangers])

    begin = np.array([np.log(m / max(len(training), 1)), 0.0])
    edges = [(-FURTHEST, FURTHEST), (-FURTHEST, 0.0)]
    found = minimize(exponent, begin, jac=True, method="L-BFGS-B", bounds=edges)
    return float(np.exp(min(found.fun, 0.0)))


def _log_binomial(n: np.ndarray | int, k: np.ndarray | int) -> np.ndarray:
    return gammaln(np.add(n, 1.0)) - gammaln(np.add(k, 1.0)) - gammaln(np.subtract(n, k) + 1.0)
