"""Layer theory: the threshold of a classifier chosen on held-out rows, with a promise about what it will do.

In: held-out scores, whether each row is positive, and what is wanted: recall, specificity, precision or a cost.  Out: a
range of thresholds that keep it: positive is
answered where the score is at least the threshold.

Thresholds are tested one after the other, in an order that was fixed before, each at the whole level ``delta``, until
the first that is not shown to keep the promise; the last before it is taken.  All numbers are tested in turn, not a
grid of them: what is counted changes only at held-out scores.  Let ``t`` be the first threshold in that order that
breaks the promise.  A threshold that breaks it is taken only if the test at ``t`` errs, and that is one exact test at a
fixed number: no correction for the number of tests is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betainc, rel_entr

from surefit.parameters import finite_vector, positive
from surefit.theory.certificates.holdout import rows_needed, upper_rank
from surefit.theory.means.arguments import checked_coverage, kept_promise
from surefit.theory.means.concentration import binomial_p

MEASURES = ("recall", "specificity", "precision")


@dataclass(frozen=True)
class Shown:
    """All thresholds from ``low`` to ``high`` keep the promise, with the confidence asked for, all at once.

    ``n`` is how many held-out rows the test at the chosen end looked at.
    """

    low: float
    high: float
    n: int

    def common(self, other: Shown) -> Shown:
        """What two sets of rows show: none, if ``low`` is above ``high``."""
        return Shown(max(self.low, other.low), min(self.high, other.high), min(self.n, other.n))


def shown_for(scores: Any, event: Any, measure: str, level: float, delta: float = 0.05) -> Shown:
    """Thresholds whose recall, specificity or precision is at least ``level`` with confidence ``1 - delta``.

    ``"recall"``: up to the largest that still finds a share ``level`` of positive rows, an order statistic of their
    scores.  ``"specificity"``: from the smallest that still leaves a share ``level`` of negative rows alone.
    ``"precision"``: from the smallest for which a share ``level`` of the rows above it is positive; see `_precision`.

    >>> rng = np.random.default_rng(0)
    >>> event = np.arange(400) < 200
    >>> scores = rng.normal(size=400) + 2 * event
    >>> found = shown_for(scores, event, "recall", 0.9)
    >>> round(found.high, 1), found.n
    (0.6, 200)
    """
    scores, event = _rows(scores, event)
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {MEASURES}, got {measure!r}")
    level, delta = checked_coverage(level, measure), kept_promise(delta)
    if measure == "precision":
        return _precision(scores, event, level, delta)
    if measure == "recall":
        high = _between(scores, -_reaching(-scores[event], level, delta, "positive"), below=True)
        return Shown(-np.inf, high, int(event.sum()))
    low = _between(scores, _reaching(scores[~event], level, delta, "negative"), below=False)
    return Shown(low, np.inf, int(np.sum(~event)))


def measured(scores: np.ndarray, event: np.ndarray, threshold: float) -> dict[str, float]:
    """Recall, specificity and precision on these rows; not a number where no row counts.

    >>> measured(np.array([0.1, 0.4, 0.8]), np.array([False, True, True]), 0.5)
    {'recall': 0.5, 'specificity': 1.0, 'precision': 1.0}
    """
    chosen = scores >= threshold
    parts = {"recall": chosen[event], "specificity": ~chosen[~event], "precision": event[chosen]}
    return {name: float(np.mean(part)) if len(part) else float("nan") for name, part in parts.items()}


def _rows(scores: Any, event: Any) -> tuple[np.ndarray, np.ndarray]:
    scores = finite_vector("scores", scores, "give one number per held-out row")
    event = np.asarray(event, dtype=bool).ravel()
    if len(event) != len(scores):
        raise ValueError(f"there are {len(scores)} scores and {len(event)} labels; give one of each per row")
    return scores, event


def _reaching(values: np.ndarray, level: float, delta: float, kind: str) -> float:
    """The smallest value that a share ``level`` of all such values stays at or below, by their order statistic."""
    rank = upper_rank(len(values), level, delta)
    if rank > len(values):
        raise ValueError(
            f"{len(values)} {kind} rows cannot show a share of {level!r} with confidence {1 - delta:g}: at least "
            f"{rows_needed(level, delta)} needed; hold out more rows, ask for less or take a larger delta"
        )
    return float(np.partition(values, rank - 1)[rank - 1])


def _between(scores: np.ndarray, at: float, below: bool) -> float:
    """Halfway between the score ``at`` and its neighbour: no held-out row changes sides, and no last bit decides."""
    others = scores[scores < at] if below else scores[scores > at]
    if len(others) == 0:
        return float(np.nextafter(at, -np.inf if below else np.inf))
    return _halfway(at, float(others.max() if below else others.min()))


def _halfway(one: float, other: float) -> float:
    """Between two scores, and where no number is, the larger of them."""
    middle = one + (other - one) / 2
    return middle if min(one, other) < middle < max(one, other) else max(one, other)


def first_count(n: int, level: float, delta: float) -> int:
    """How many of the highest of ``n`` scores the first test of a precision looks at; labels have no say in it.

    So many that the test succeeds if the share of positive rows among them is halfway between ``level`` and one; if
    that is more than a quarter of the rows, a quarter of them, but no fewer than it takes if all of them are positive.

    >>> first_count(1000, 0.9, 0.05), first_count(200, 0.9, 0.05), first_count(1000, 0.95, 0.05)
    (76, 50, 153)
    """
    least = rows_needed(level, delta)
    m = np.arange(least, n // 4 + 1)
    enough = binomial_p(m - np.floor(m * (1 - level) / 2), m, level) <= delta
    return int(m[np.argmax(enough)]) if enough.any() else max(least, n // 4)


def _precision(scores: np.ndarray, event: np.ndarray, level: float, delta: float) -> Shown:
    """From the `first_count` highest scores down, while the rows above are shown to be positive in a share ``level``.

    Given how many rows lie above a fixed threshold, the number of positive ones is binomial.  The walk begins at an
    order statistic of the scores, not at a fixed number.  Where scores have no ties this changes nothing: at a
    threshold where the precision crosses ``level``, rows above it are positive with probability ``level``
    whichever of them are seen.  With ties the same holds if higher scores are positive no less often than lower ones.
    """
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))  # the last row of each distinct score
    chosen, hits = ends + 1, np.cumsum(event[order])[ends]
    start = int(np.searchsorted(chosen, first_count(len(scores), level, delta)))
    kept = binomial_p(hits[start:], chosen[start:], level) <= delta
    if not kept[:1].any():
        m = int(chosen[min(start, len(ends) - 1)])
        seen = float(np.mean(event[order][:m]))
        raise ValueError(
            f"no threshold is shown to have a precision of {level!r}: of the {m} held-out rows with the highest scores "
            f"{100 * seen:.1f} % are positive, too few or too few rows to tell; ask for less, hold out more rows or "
            "improve the model"
        )
    last = start + (int(np.argmin(kept)) if not kept.all() else len(kept)) - 1
    low, high = (_between(scores, float(scores[order][ends[k]]), below=True) for k in (last, start))
    return Shown(low, high, int(chosen[last]))


def shown_for_cost(
    scores: Any, event: Any, limit: float, costs: tuple[float, float], delta: float = 0.05, *, start: float
) -> Shown:
    """Thresholds shown to cost at most ``limit`` a row on average.

    ``costs`` are those of a false positive and of a false negative.  The walk begins at ``start``, which must not come
    from these rows, at level ``delta``, and goes on to both sides at ``delta / 2`` each (a fixed sequence with a fork,
    Bretz, Maurer, Brannath and Posch 2009).  Tests are binomial if both costs are equal, else Hoeffding and Bentkus.

    >>> scores, event = np.linspace(0, 1, 200), np.arange(200) >= 100
    >>> found = shown_for_cost(scores, event, 0.1, (1.0, 1.0), start=0.5)
    >>> found.low < 0.5 < found.high
    True
    """
    scores, event = _rows(scores, event)
    false_positive, false_negative = (positive("costs", cost, "a mistake costs something") for cost in costs)
    limit, delta = positive("limit", limit, "it is the mean cost of a row"), kept_promise(delta)
    largest, n = max(false_positive, false_negative), len(scores)
    if limit >= largest:
        raise ValueError(
            f"a mean cost of {limit:g} is no promise: no mistake costs more than {largest:g}; ask for less"
        )
    distinct, mean = mean_costs(scores, event, (false_positive, false_negative))
    p = _p_of_mean(mean / largest, n, limit / largest, false_positive == false_negative)
    at = int(np.searchsorted(distinct, start))
    if not p[at] <= delta:
        raise ValueError(
            f"a mean cost of {limit:g} is not shown for the threshold {start:g}, where the search begins (observed "
            f"{mean[at]:.3g} on {n} rows); ask for more, or hold out more rows"
        )
    low = high = at
    while low > 0 and p[low - 1] <= delta / 2:
        low -= 1
    while high < len(distinct) and p[high + 1] <= delta / 2:
        high += 1
    below = min(float(start), _edge(distinct, low)) if low == at else _edge(distinct, low)
    above = max(float(start), _edge(distinct, high)) if high == at else _edge(distinct, high)
    return Shown(below, above, n)


def mean_costs(scores: np.ndarray, event: np.ndarray, costs: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """The distinct scores, increasing, and the mean cost at each of them as a threshold, and above all of them."""
    order, n = np.argsort(scores, kind="stable"), len(scores)
    distinct, first = np.unique(scores[order], return_index=True)
    edges = np.append(first, n)
    misses = np.concatenate([[0], np.cumsum(event[order])])[edges]  # positive rows below each threshold
    alarms = np.sum(~event) - np.concatenate([[0], np.cumsum(~event[order])])[edges]
    return distinct, (costs[0] * alarms + costs[1] * misses) / n


def cheapest(scores: np.ndarray, event: np.ndarray, costs: tuple[float, float], shown: Shown, start: float) -> float:
    """Of the thresholds shown, that of smallest cost on these rows; ``start`` if none is cheaper."""
    distinct, mean = mean_costs(scores, event, costs)
    edges = np.array([_edge(distinct, k) for k in range(len(distinct) + 1)])
    inside = np.flatnonzero((edges >= shown.low) & (edges <= shown.high))
    here = mean[int(np.searchsorted(distinct, start))]
    if len(inside) == 0 or mean[inside].min() >= here:
        return float(start)
    return float(edges[inside[np.argmin(mean[inside])]])


def _edge(distinct: np.ndarray, index: int) -> float:
    """A threshold that the scores from ``index`` on reach, and none before."""
    if index == 0:
        return float(np.nextafter(distinct[0], -np.inf))
    if index == len(distinct):
        return float(np.nextafter(distinct[-1], np.inf))
    return _halfway(float(distinct[index]), float(distinct[index - 1]))


def _p_of_mean(mean: np.ndarray, n: int, limit: float, binary: bool) -> np.ndarray:
    """How likely a mean so small is if the true one of ``n`` losses in ``[0, 1]`` is ``limit`` or more."""
    count = np.ceil(np.round(mean * n, 9))
    tail = np.where(count >= n, 1.0, betainc(np.maximum(n - count, 1e-12), count + 1.0, 1.0 - limit))
    if binary:
        return tail
    below = np.minimum(mean, limit)
    chernoff = np.exp(-n * (rel_entr(below, limit) + rel_entr(1.0 - below, 1.0 - limit)))
    return np.minimum(np.minimum(chernoff, np.e * tail), 1.0)
