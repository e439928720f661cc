"""Layer theory: prediction intervals from the errors of a model on rows it has not seen.

In: held-out scores (how far each target fell outside the band that was predicted for it).  Out: how much wider the
band must be so that a new target falls into it with the probability asked for, and the record `PredictionIntervals`
that says what was promised and on which assumptions.  No distribution is assumed; rows must be exchangeable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import special

from surefit.page import Page, Readable, Table, measured, number
from surefit.parameters import whole
from surefit.theory.certificates.holdout import rows_needed, upper_rank
from surefit.theory.certificates.wording import at_least, confidence
from surefit.theory.means.arguments import checked_coverage, failure_probability, kept_promise

ROUNDING = 1e-10
"""Room for ``coverage * (n + 1)`` to be a whole number although its factors are rounded."""
ADDED, SOLVED = 2.0**-50, 2.0**-38
"""What rounding can do to an end of an interval, in shares of the numbers that it is a sum of or was solved from.

Ends are moved outwards by so much: a target that equals the one that made an end has to lie in the closed interval.
"""


@dataclass(frozen=True, eq=False, repr=False)
class PredictionIntervals(Readable):
    """Intervals ``[lower, upper]``, one for each new row, and what is known about them.

    ``coverage`` was asked for; ``guaranteed`` is what the theorem promises (zero if an assumption is known to fail:
    then ``broken`` says which); ``statement`` is the promise in one sentence; ``assumptions`` are what it rests on.
    """

    lower: np.ndarray
    upper: np.ndarray
    coverage: float
    guaranteed: float
    method: str
    statement: str
    assumptions: tuple[str, ...]
    broken: tuple[str, ...] = field(default=())

    @property
    def width(self) -> np.ndarray:
        return self.upper - self.lower

    def _page(self) -> Page:
        def cells(j: int, room: int) -> list[str]:
            low, high, width = float(self.lower[j]), float(self.upper[j]), float(self.width[j])
            return [measured(low, width / 10, room), measured(high, width / 10, room), number(width, 3)]

        rows = Table([str(j) for j in range(len(self.lower))], ("lower", "upper", "width"), cells, "row", rows=10)
        median = number(float(np.median(self.width))) if len(self.width) else "-"
        facts = (("Rows", f"{len(self.lower):,}"), ("Median width", median))
        notes = [self.statement, *(f"{'Needed' if self.broken else 'Assumed'}: {text}." for text in self.assumptions)]
        return Page(f"Prediction intervals by {self.method}", facts, rows, notes)

    def _columns(self) -> tuple[dict[str, np.ndarray], Any, str]:
        return {"lower": self.lower, "upper": self.upper}, range(len(self.lower)), "row"


@dataclass(frozen=True)
class Covered:
    """The words for a target that is covered: of one new row, and of many; and for what covers them."""

    one: str
    many: str
    what: str


INTERVALS = Covered("a new target lies in its interval", "of new targets lie in their interval", "intervals")
SETS = Covered("a new row has its true label in its set", "of new rows have their true label in their set", "sets")


@dataclass(frozen=True)
class Promise:
    """What a method promises before any interval is computed: the words and numbers of `PredictionIntervals`.

    ``remedy`` says what to do where an assumption is ``broken``, if not the usual.
    """

    coverage: float
    guaranteed: float
    method: str
    statement: str
    assumptions: tuple[str, ...]
    broken: tuple[str, ...] = ()
    remedy: str = ""

    def intervals(self, lower: np.ndarray, upper: np.ndarray) -> PredictionIntervals:
        """The record of these intervals."""
        statement, guaranteed = self.kept("intervals")
        return PredictionIntervals(
            lower, upper, self.coverage, guaranteed, self.method, statement, self.assumptions, self.broken
        )

    def kept(self, what: str) -> tuple[str, float]:
        """Statement and guarantee of ``what`` ("intervals", "sets").

        Where an assumption is known to fail nothing is guaranteed, the statement says so first and last what to do.
        """
        if not self.broken:
            return self.statement, self.guaranteed
        only_lam = all(text.startswith("lam ") for text in self.broken)
        first = "give a lam that does not come from these rows, or " if only_lam else ""
        remedy = self.remedy or f"{first}use surefit.calibrate(model, X_new, y_new) with rows held out"
        return (
            f"No theorem covers these {what}: {'; '.join(self.broken)}. Had that not been so: {self.statement} For "
            f"{what} with a promise, {remedy}.",
            0.0,
        )


def conformal_rank(n: int, coverage: float) -> int:
    """``ceil(coverage * (n + 1))``: which of ``n`` sorted scores a new exchangeable one exceeds with small probability.

    ``P(new score <= the score of this rank) >= coverage``; the first, however little is asked for.

    >>> conformal_rank(9, 0.9), conformal_rank(100, 0.9), conformal_rank(100, 1e-20)
    (9, 91, 1)
    """
    n, coverage = whole("n", n, "it counts the rows", least=0), checked_coverage(coverage)
    rank = max(1, int(np.ceil(coverage * (n + 1) - ROUNDING)))
    if rank > n:
        needed = max(1, int(np.ceil(coverage / (1 - coverage) - ROUNDING)))
        raise ValueError(
            f"{n} rows are too few for {coverage!r} coverage: at least {needed} needed; ask for less coverage "
            "or give more rows"
        )
    return rank


def pac_rank(n: int, coverage: float, delta: float = 0.05) -> int:
    """Smallest ``k`` with ``P(Bin(n, coverage) <= k - 1) >= 1 - delta``: the order statistic that bounds a quantile.

    With probability ``1 - delta`` over the draw of ``n`` independent scores, at least a share ``coverage`` of all new
    ones lies at or below the ``k``-th smallest.

    >>> [pac_rank(n, 0.9) for n in (29, 50, 100, 1000)]
    [29, 49, 96, 916]
    >>> pac_rank(28, 0.9)
    Traceback (most recent call last):
        ...
    ValueError: 28 rows cannot show a 0.9 quantile with confidence 0.95: at least 29 needed; give more rows, ...
    """
    delta, coverage = kept_promise(delta), checked_coverage(coverage)
    rank = upper_rank(n, coverage, delta)
    if rank > n:
        raise ValueError(
            f"{n} rows cannot show a {coverage!r} quantile with confidence {at_least(1 - delta)}: at least "
            f"{rows_needed(coverage, delta)} needed; give more rows, less coverage or a larger delta"
        )
    return rank


def unlucky_coverage(n: int, coverage: float, delta: float = 0.05) -> float:
    """The true coverage that split conformal with ``n`` calibration rows exceeds with probability ``1 - delta``.

    Given those rows it is ``Beta(k, n + 1 - k)`` with ``k`` the `conformal_rank`, for scores without ties.

    >>> [round(unlucky_coverage(n, 0.9), 3) for n in (50, 100, 500, 5000)]
    [0.826, 0.848, 0.877, 0.893]
    """
    rank = conformal_rank(n, coverage)
    return float(special.betaincinv(rank, n + 1 - rank, failure_probability(delta)))


def split_promise(n: int, coverage: float, words: Covered = INTERVALS) -> Promise:
    """Split conformal from ``n`` calibration rows: ``coverage`` on average over them."""
    unlucky = unlucky_coverage(n, coverage)
    return Promise(
        coverage, coverage, "split conformal",
        f"{capitalised(words.one)} with probability at least {at_least(coverage)}, on average over hold-outs; for 19 "
        f"in 20 hold-outs of {_rows(n)} the true coverage is at least {at_least(unlucky, 3)}.",
        ("the held-out rows and the new row are exchangeable", "the model has not seen the held-out rows"),
    )  # fmt: skip


def pac_promise(n: int, coverage: float, delta: float, words: Covered = INTERVALS) -> Promise:
    """The order statistic of `pac_rank`: ``coverage`` for all but a share ``delta`` of hold-outs."""
    return Promise(
        coverage, coverage, "pac quantile",
        f"With {confidence(delta)} confidence over the draw of the {n} held-out rows, at least "
        f"{at_least(100 * coverage)} % {words.many}.",
        ("the held-out rows and the new rows are independent draws of one law",
         "the model has not seen the held-out rows"),
    )  # fmt: skip


def not_at_once(count: int, what: str, delta: float) -> str:
    """That a promise with confidence is made to each part by itself, and what to ask for all of them at once.

    >>> not_at_once(5, "labels", 0.05)
    'The confidence is of each of the 5 labels by itself; for all of them at once ask with delta=0.01.'
    """
    return (
        f"The confidence is of each of the {count} {what} by itself; for all of them at once ask with "
        f"delta={delta / count:.3g}."
    )


def capitalised(sentence: str) -> str:
    """With a capital at its beginning, all else as it is."""
    return sentence[:1].upper() + sentence[1:]


def _rows(n: int) -> str:
    return "one row" if n == 1 else f"{n} rows"


def ranked(scores: np.ndarray, rank: int) -> float:
    """The ``rank``-th smallest score, counted from one."""
    return float(np.partition(scores, rank - 1)[rank - 1])


def band_scores(lower: np.ndarray, upper: np.ndarray, y: np.ndarray) -> np.ndarray:
    """``max(lower - y, y - upper)``: how far each target lies outside its band, negative inside.

    With ``lower = upper = f`` these are absolute errors; with two quantile fits, the scores of conformalised quantile
    regression.

    >>> band_scores(np.array([0.0, 1.0]), np.array([2.0, 1.0]), np.array([1.5, 4.0]))
    array([-0.5,  3. ])
    """
    return np.maximum(lower - y, y - upper)


def widened(lower: np.ndarray, upper: np.ndarray, amount: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """``[lower - amount, upper + amount]``; where a negative amount leaves nothing, the middle of the band.

    >>> widened(np.array([0.0]), np.array([2.0]), -1.5)
    (array([1.]), array([1.]))
    """
    middle = lower + (upper - lower) / 2
    amount = amount + ADDED * (np.abs(lower) + np.abs(upper) + np.abs(amount))
    return np.minimum(lower - amount, middle), np.maximum(upper + amount, middle)
