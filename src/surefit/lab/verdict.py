"""Layer lab: three verdicts on a claim, and the smallest error that each would have caught.

In: the ratios observed / predicted of the experiments so far.  Out: a `Judgement`.  A claim cannot pass by having few
repeats: *holds* needs a confidence sequence inside the tolerance, *refuted* one that excludes the claim, and anything
else is *undecided*.  The sequence may be looked at after every experiment.

Means are judged by the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024): a
normal mixture with the observed standard deviation, valid at all times as experiments become many; nothing is decided
before `FEWEST` of them.  Ranks are judged by an exact e-process, a Dirichlet mixture of histograms that bets against
the even one.  With `FALSE_ALARM` for each claim a lab of 200 claims raises a false alarm with probability 1e-6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from surefit.lab.claim import Kind, Verdict

FALSE_ALARM = 5e-9
"""Probability with which a true claim may be refuted: 1e-6 for the whole lab of at most 200 claims."""
FEWEST = 300
"""Experiments before a mean is judged."""
BINS = 20
"""Bins of the histogram of ranks."""
ROUNDING = 1e-9
"""Share by which an inequality may be missed by rounding."""


@dataclass(frozen=True)
class Judgement:
    """A verdict, the interval it stands on, and the smallest error that would have been caught."""

    verdict: Verdict
    low: float
    high: float
    """The mean ratio (or the smallest and largest one) lies between these."""
    detectable: float
    """The smallest share by which the prediction could be wrong and would have been refuted; inf if none."""
    repeats: int
    one_sided: bool = False
    """The claim is an inequality: it holds, but not *within* anything."""

    @property
    def sentence(self) -> str:
        """The verdict in words.

        >>> Judgement(Verdict.HOLDS, 0.99, 1.02, 0.02, 500).sentence
        'holds within 2.0 % (500 experiments; a constant wrong by 2.0 % would be caught)'
        """
        count = f"{self.repeats:,} experiments"
        if self.verdict is Verdict.REFUTED:
            return f"refuted: observed is {self.low:.4g} to {self.high:.4g} times what was predicted ({count})"
        if self.verdict is Verdict.UNDECIDED:
            return f"undecided after {count}: observed is {self.low:.4g} to {self.high:.4g} times what was predicted"
        within = max(self.high - 1, 1 - self.low)
        said = "holds" if self.one_sided else f"holds within {_percent(within)}"
        return f"{said} ({count}; a constant wrong by {_percent(self.detectable)} would be caught)"


def judge(kind: Kind, ratios: np.ndarray, tolerance: float, finished: bool) -> Judgement:
    """The verdict on the ``ratios`` so far; ``finished``: no more will come.

    >>> judge(Kind.EXACT, np.array([1.0, 1.0 + 1e-12]), 1e-9, finished=True).verdict
    <Verdict.HOLDS: 'holds'>
    >>> judge(Kind.AT_MOST, np.array([0.9, 1.2]), 0.05, finished=False).verdict
    <Verdict.REFUTED: 'refuted'>
    """
    if kind is Kind.RANKS:
        return _judge_ranks(ratios, tolerance, finished)
    if kind in (Kind.EXACT, Kind.AT_MOST):
        return _judge_each(kind, ratios, tolerance, finished)
    return _judge_mean(kind, ratios, tolerance, finished)


def _judge_each(kind: Kind, ratios: np.ndarray, tolerance: float, finished: bool) -> Judgement:
    low, high = float(ratios.min()), float(ratios.max())
    if kind is Kind.EXACT:
        wrong, detectable = max(high - 1, 1 - low) > tolerance, tolerance
    else:
        wrong, detectable = high > 1 + ROUNDING, max(1 - high, ROUNDING)
    if not math.isfinite(low + high) or wrong:
        return Judgement(Verdict.REFUTED, low, high, detectable, len(ratios))
    verdict = Verdict.HOLDS if finished else Verdict.UNDECIDED
    return Judgement(verdict, low, high, detectable, len(ratios), kind is Kind.AT_MOST)


def _judge_mean(kind: Kind, ratios: np.ndarray, tolerance: float, finished: bool) -> Judgement:
    low, high = mean_sequence(ratios)
    n = len(ratios)
    if n < FEWEST:
        return Judgement(Verdict.UNDECIDED, low, high, math.inf, n)
    if low > 1 or (kind is Kind.MEAN and high < 1):
        return Judgement(Verdict.REFUTED, low, high, high - low, n)
    if kind is Kind.MEAN:
        reach = max(high - 1, 1 - low)
        return Judgement(Verdict.HOLDS if reach <= tolerance else Verdict.UNDECIDED, low, high, reach, n)
    sharp = high <= 1 and high - low <= tolerance
    verdict = Verdict.HOLDS if sharp or (finished and high <= 1) else Verdict.UNDECIDED
    return Judgement(verdict, low, high, max(1 - low, 0.0), n, True)


def mean_sequence(values: np.ndarray, delta: float = FALSE_ALARM) -> tuple[float, float]:
    """Ends of the asymptotic confidence sequence for a mean, after all of ``values``; tuned to some 1,000 of them.

    >>> low, high = mean_sequence(np.tile([0.0, 1.0], 5000))
    >>> round(low, 2), round(high, 2)
    (0.47, 0.53)
    """
    n = len(values)
    if n < 2:
        return -math.inf, math.inf
    mean, spread = float(np.mean(values)), float(np.std(values, ddof=1))
    rho = 1000 / (
        2 * math.log(1 / delta)
    )  # the number of values at which the sequence is tightest, in the mixture's units
    width = math.sqrt((n + rho) / n**2 * 2 * math.log(math.sqrt((n + rho) / rho) / delta)) * spread
    return mean - width, mean + width


def _judge_ranks(ranks: np.ndarray, tolerance: float, finished: bool) -> Judgement:
    """Refuted by an e-process; holds when the band of Dvoretzky, Kiefer and Wolfowitz is inside the tolerance."""
    n = len(ranks)
    counts = np.bincount(np.minimum((ranks * BINS).astype(int), BINS - 1), minlength=BINS)
    ordered = np.sort(ranks)
    distance = float(np.max(np.maximum(np.arange(1, n + 1) / n - ordered, ordered - np.arange(n) / n)))
    band = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * n))
    low, high = 1 - distance, 1 + distance
    if log_evidence(counts) > math.log(1 / FALSE_ALARM) or (finished and distance > band):
        return Judgement(Verdict.REFUTED, low, high, band, n)
    held = distance + band <= tolerance or (finished and n >= FEWEST)
    return Judgement(Verdict.HOLDS if held else Verdict.UNDECIDED, low, high, band, n)


def log_evidence(counts: np.ndarray) -> float:
    """The logarithm of the e-value against equal probabilities of all bins: a Dirichlet(1, ..., 1) mixture.

    >>> log_evidence(np.array([50, 50])) < 0 < log_evidence(np.array([95, 5]))
    True
    """
    n, bins = int(counts.sum()), len(counts)
    return float(gammaln(bins) - gammaln(n + bins) + gammaln(counts + 1).sum() + n * math.log(bins))


def _percent(share: float) -> str:
    if share < 1e-6:
        return "rounding"
    if share < 1e-3:
        return f"{100 * share:.1g} %"
    return f"{100 * share:.1f} %"
