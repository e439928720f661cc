"""Layer lab: three verdicts on a claim, and the smallest error that each would have caught.

In: the ratios observed / predicted of the experiments so far.  Out: a `Judgement`.  A claim cannot pass by having few
repeats: *holds* needs a confidence sequence inside the tolerance, *refuted* one that excludes the claim, and anything
else is *undecided*.  The sequence may be looked at after every experiment.

Means are judged by betting: ratios are not negative, so that bets against a mean of at most one need nothing else; bets
against a mean of at least one use what the claim declares, the largest ratio or the largest variance that its own
assumptions allow (`surefit.theory.means.unbounded`).  Both are exact at every number of experiments.  Ranks are judged
by an exact e-process too, on their whole distribution.  A true claim is refuted with probability `FALSE_ALARM` at most,
a true lab of 200 claims with probability 1e-6.  Exact claims and inequalities in every experiment leave nothing to
chance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, logsumexp

from surefit.lab.claim import Kind, Verdict
from surefit.theory.means.unbounded import nonnegative_sequence

FALSE_ALARM = 5e-9
"""Probability with which a true claim may be refuted: 1e-6 for the whole lab of at most 200 claims."""
BINS = 20
"""Bins of the histogram of ranks."""
TILTS = np.array([0.5, 0.8, 0.9, 1.1, 1.25, 2.0])
"""Powers ``k`` of the tilted densities that ranks are tried against."""
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
    ranks: bool = False
    """The claim is about a whole distribution: ends are one less and one plus the distance from it."""
    reason: str = ""
    """Why it is undecided, or why it is refuted where ends cannot say it."""

    @property
    def words(self) -> str:
        """The verdict in a few words.

        >>> Judgement(Verdict.HOLDS, 0.99, 1.02, 0.02, 500).words
        'holds within 2.0 %'
        """
        if self.verdict is not Verdict.HOLDS:
            return self.verdict.value
        if self.one_sided:
            return f"holds, {_percent(self.detectable)} to spare" if self.detectable > 1e-6 else "holds, attained"
        return f"holds within {_percent(max(self.high - 1, 1 - self.low))}"

    @property
    def sentence(self) -> str:
        """The verdict and what it stands on.

        >>> Judgement(Verdict.HOLDS, 0.99, 1.02, 0.02, 500).sentence
        'holds within 2.0 % (500 repeats; a constant wrong by 2.0 % would be caught)'
        """
        count = f"{self.repeats:,} repeat{'s' if self.repeats != 1 else ''}"
        if self.verdict is Verdict.HOLDS:
            least = "more than rounding" if self.detectable < 1e-6 else _percent(self.detectable)
            return f"{self.words} ({count}; a constant wrong by {least} would be caught)"
        if self.verdict is Verdict.UNDECIDED:
            return f"undecided after {count}: {self.reason}"
        if self.reason:
            return f"refuted: {self.reason} ({count})"
        if self.ranks:
            return f"refuted: ranks are {_percent(self.high - 1)} off an even distribution ({count})"
        return f"refuted: observed is {self.low:.4g} to {self.high:.4g} times what was predicted ({count})"


def judge(
    kind: Kind,
    ratios: np.ndarray,
    tolerance: float,
    finished: bool,
    *,
    variance: float = math.inf,
    largest: float = math.inf,
) -> Judgement:
    """The verdict on the ``ratios`` so far; ``finished``: as many as the claim asks for.

    ``variance`` and ``largest`` are what is known of the ratios if the claim is true.

    >>> judge(Kind.EXACT, np.array([1.0, 1.0 + 1e-12]), 1e-9, finished=True).verdict
    <Verdict.HOLDS: 'holds'>
    >>> judge(Kind.AT_MOST, np.array([0.9, 1.2]), 0.05, finished=False).verdict
    <Verdict.REFUTED: 'refuted'>
    """
    if not np.all(np.isfinite(ratios)):
        reason = "what was observed is no finite number"
        return Judgement(Verdict.REFUTED, -math.inf, math.inf, tolerance, len(ratios), reason=reason)
    if kind is Kind.RANKS:
        return _judge_ranks(ratios, tolerance)
    if kind is Kind.MEAN:
        return _judge_mean(ratios, tolerance, variance, largest)
    return _judge_each(kind, ratios, tolerance, finished)


def judge_infinite(observed: np.ndarray) -> Judgement:
    """What can be said of numbers whose mean is predicted to be infinite: how large it is at least.

    >>> judge_infinite(np.full(1000, 3.0)).reason
    'an infinite mean is predicted, which no sample can show; the observed one is at least 2.9'
    """
    low = nonnegative_sequence(observed, delta=FALSE_ALARM)[0]
    reason = f"an infinite mean is predicted, which no sample can show; the observed one is at least {low:.2g}"
    return Judgement(Verdict.UNDECIDED, low, math.inf, math.inf, len(observed), reason=reason)


def _judge_each(kind: Kind, ratios: np.ndarray, tolerance: float, finished: bool) -> Judgement:
    low, high = float(ratios.min()), float(ratios.max())
    if kind is Kind.EXACT:
        wrong, detectable = max(high - 1, 1 - low) > tolerance, tolerance
    else:
        wrong, detectable = high > 1 + ROUNDING, max(1 - high, ROUNDING)
    if wrong:
        reason = f"observed and predicted differ by up to {_percent(high - 1)}" if kind is Kind.EXACT else ""
        return Judgement(Verdict.REFUTED, low, high, detectable, len(ratios), reason=reason)
    one_sided = kind is Kind.AT_MOST
    if finished:
        return Judgement(Verdict.HOLDS, low, high, detectable, len(ratios), one_sided)
    reason = "nothing speaks against it, but the claim asks for more repeats"
    return Judgement(Verdict.UNDECIDED, low, high, detectable, len(ratios), one_sided, reason=reason)


def _judge_mean(ratios: np.ndarray, tolerance: float, variance: float, largest: float) -> Judgement:
    if ratios.min() < 0 or ratios.max() > largest:  # what cannot be if the claim is true
        low, high = float(ratios.min()), float(ratios.max())
        reason = f"a repeat observed {low if low < 0 else high:.4g} times what was predicted, which cannot be"
        return Judgement(Verdict.REFUTED, low, high, tolerance, len(ratios), reason=reason)
    low, high = nonnegative_sequence(ratios, variance, largest, FALSE_ALARM)
    reach = max(high - 1, 1 - low)
    if low > 1 or high < 1:
        return Judgement(Verdict.REFUTED, low, high, high - low, len(ratios))
    if reach <= tolerance:
        return Judgement(Verdict.HOLDS, low, high, reach, len(ratios))
    reason = (
        f"observed is {low:.4g} to {high:.4g} times what was predicted; to hold it must be within {_percent(tolerance)}"
    )
    if math.isinf(variance) and math.isinf(largest):
        reason = (
            f"observed is at least {low:.4g} times what was predicted; its variance is infinite, so no sample limits it"
        )
    return Judgement(Verdict.UNDECIDED, low, high, reach, len(ratios), reason=reason)


def _judge_ranks(ranks: np.ndarray, tolerance: float) -> Judgement:
    """Refuted by an e-process; holds when the band of Dvoretzky, Kiefer and Wolfowitz is inside the tolerance."""
    n = len(ranks)
    ordered = np.sort(ranks)
    distance = float(np.max(np.maximum(np.arange(1, n + 1) / n - ordered, ordered - np.arange(n) / n)))
    band = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * n))
    if log_evidence(ranks) > math.log(1 / FALSE_ALARM):
        return Judgement(Verdict.REFUTED, 1 - distance, 1 + distance, band, n, ranks=True)
    reach = distance + band
    if reach <= tolerance:
        return Judgement(Verdict.HOLDS, 1 - reach, 1 + reach, reach, n, ranks=True)
    reason = f"ranks may be {_percent(reach)} off an even distribution; to hold it must be within {_percent(tolerance)}"
    return Judgement(Verdict.UNDECIDED, 1 - reach, 1 + reach, reach, n, ranks=True, reason=reason)


def log_evidence(ranks: np.ndarray) -> float:
    """The logarithm of the e-value against evenly spread ranks.

    The mean of two e-values: a Dirichlet(1, ..., 1) mixture of histograms, which sees every departure in time, and
    densities ``k u**(k - 1)`` of the rank and of its mirror image, which see a tilt soon.

    >>> even = (np.arange(200) + 0.5) / 200
    >>> log_evidence(even) < 0 < log_evidence(even**2)
    True
    """
    n = len(ranks)
    counts = np.bincount(np.clip((ranks * BINS).astype(int), 0, BINS - 1), minlength=BINS)
    histogram = gammaln(BINS) - gammaln(n + BINS) + gammaln(counts + 1).sum() + n * math.log(BINS)
    logs = np.array([np.log(np.maximum(u, 1e-300)).sum() for u in (ranks, 1 - ranks)])
    tilted = n * np.log(TILTS) + (TILTS - 1) * logs[:, None]
    return float(np.logaddexp(histogram, logsumexp(tilted) - math.log(tilted.size)) - math.log(2))


def _percent(share: float) -> str:
    if share < 1e-6:
        return "rounding"
    if share < 1e-3:
        return f"{100 * share:.1g} %"
    return f"{100 * share:.1f} %"
