"""The verification protocol for losses in the order of time: confidence sequences over all times, dependent losses.

A confidence sequence may be looked at after every loss, so what must be rare is a miss at *any* time.
"""

import numpy as np
import pytest
from scipy.special import betaln, xlog1py, xlogy

from surefit.testing.certificate import LAWS, bernoulli
from surefit.theory.means.concentration import chernoff, hoeffding
from surefit.theory.means.sequences import (
    RATES,
    STAKES,
    bernoulli_sequence,
    betting_sequence,
    martingale_bernstein,
    martingale_kl,
)

pytestmark = pytest.mark.verify
named = {"ids": lambda one: getattr(one, "name", None) or one.__name__}


def evidence(losses, p):
    """Log of the mixture's wealth against ``p`` after each loss: `bernoulli_sequence` is below ``p`` where it is above
    ``ln(1/delta)``, by its definition."""
    total, count = np.cumsum(losses, axis=-1), np.arange(1, losses.shape[-1] + 1)
    mixture = betaln(0.5 + total, 0.5 + count - total) - betaln(0.5, 0.5)
    above = mixture - xlogy(total, p) - xlog1py(count - total, -p)
    return np.where(total / count < p, above, -np.inf)  # an upper bound is missed from below only


def test_the_evidence_decides_the_misses_of_the_sequence():
    x = bernoulli(0.3).draw(np.random.default_rng(0), (300, 40))
    below = np.transpose([bernoulli_sequence(x[:, :t], 0.5) < 0.3 for t in range(1, 41)])
    assert below.sum() > 100
    np.testing.assert_array_equal(evidence(x, 0.3) >= np.log(2), below)


@pytest.mark.parametrize("law", LAWS, **named)
def test_confidence_sequences_hold_at_all_times_at_once(law, protocol):
    """2000 streams of 200, under ``make verify`` 5000 of 1000; `betting_sequence` never rises, so its last is its
    smallest."""
    R, n = protocol.repeats, max(protocol.sizes)
    missed = np.zeros(2, dtype=int)
    for seed in range(10):
        x = law.draw(np.random.default_rng(seed), (R // 10, n))
        missed += np.sum(np.max(evidence(x, law.mean), axis=-1) >= np.log(20)), np.sum(betting_sequence(x) < law.mean)
    assert np.all(missed <= protocol.allowed(R))


def test_a_bound_for_one_time_only_does_not_hold_at_all_times(protocol):
    """Why sequences exist: the smallest Chernoff bound over all times misses more often than chance allows."""
    x = bernoulli(0.3).draw(np.random.default_rng(5), (2000, 400))
    smallest = np.min([chernoff(x[:, :t]) for t in range(5, 401, 5)], axis=0)
    assert int(np.sum(smallest < 0.3)) > protocol.allowed(2000)


def learner(rng, repeats, n):
    """Errors whose probability falls while errors are made, as a learner's does; and the mean of the probabilities."""
    losses, risks, p = np.empty((repeats, n)), np.empty((repeats, n)), np.full(repeats, 0.5)
    for t in range(n):
        risks[:, t], losses[:, t] = p, rng.random(repeats) < p
        p = np.maximum(p * np.where(losses[:, t] > 0, 0.9, 1.0), 0.05)
    return losses, risks.mean(axis=1)


def spiteful(rng, repeats, n):
    """Losses in [0, 1] whose mean is large after small ones and small after large ones, to lead a bettor astray."""
    losses, risks, last = np.empty((repeats, n)), np.empty((repeats, n)), np.full(repeats, 0.5)
    for t in range(n):
        risks[:, t] = np.where(last < 0.3, 0.5, 0.1)
        last = losses[:, t] = rng.beta(2 * risks[:, t], 2 * (1 - risks[:, t]))
    return losses, risks.mean(axis=1)


def drifting(rng, repeats, n):
    """Errors that get likelier with time, from 2 to 40 %, whatever was seen."""
    risks = np.linspace(0.02, 0.4, n)
    return (rng.random((repeats, n)) < risks).astype(float), np.full(repeats, risks.mean())


@pytest.mark.parametrize("process", [learner, spiteful, drifting], **named)
@pytest.mark.parametrize("bound", [martingale_kl, martingale_bernstein, hoeffding], **named)
def test_dependent_losses_are_covered(bound, process, protocol):
    for n in protocol.sizes:
        losses, risk = process(np.random.default_rng(3), protocol.repeats, n)
        assert int(np.sum(bound(losses) < risk)) <= protocol.allowed(protocol.repeats)


def test_bets_that_need_a_constant_mean_are_caught_on_losses_that_drift(protocol):
    """`betting_sequence` bets on small losses while they are small: valid for one mean only, hence not offered here."""
    losses, risk = drifting(np.random.default_rng(3), 2000, 200)
    assert int(np.sum(betting_sequence(losses) < risk)) > protocol.allowed(2000)


def wealths(losses, p, sabotaged=False):
    """Largest log wealth over all times of the four sequences against the true mean ``p``: a miss is ln(1/delta) or
    more, so that no root is needed.  One loop over time for all streams.

    Sabotaged, they are what one would write who forgets why each of them is valid: the likelihood of the best
    probability in place of the mixture, the best rate in hindsight in place of their mean, the best stake with half of
    the variance, and bets that know something of the loss that they bet on.
    """
    R = len(losses)
    total, spread, around = np.zeros(R), np.zeros(R), np.zeros(R)
    highest, bet = np.full((4, R), -np.inf), np.zeros(R)
    shrink, cost = np.log1p(p * np.expm1(-RATES)), (-np.log1p(-STAKES) - STAKES) * (0.5 if sabotaged else 1)
    combined = np.max if sabotaged else np.mean
    for m, x in enumerate(losses.T, start=1):
        past, before = (0.5 + total) / m, (0.25 + around) / m
        spread += (x - past) ** 2
        total += x
        around += (x - (0.5 + total) / (m + 1)) ** 2
        known = (0.25 + around) / (m + 1) * np.abs(x - p) if sabotaged else before
        stakes = np.sqrt(2 * np.log(20) / (m * np.log1p(m) * known))
        bet += np.log1p(np.minimum(stakes, 0.5 / (1 - p)) * (p - x))
        mixed = betaln(0.5 + total, 0.5 + m - total) - betaln(0.5, 0.5)
        best = xlogy(total, total / m) + xlog1py(m - total, -total / m)
        likelihood = (best if sabotaged else mixed) - xlogy(total, p) - xlog1py(m - total, -p)
        with np.errstate(divide="ignore"):
            kl = np.log(combined(np.exp(-np.outer(total, RATES) - m * shrink), axis=1))
            bernstein = np.log(combined(np.exp(np.outer(m * p - total, STAKES) - np.outer(spread, cost)), axis=1))
        np.maximum(highest, [np.where(total / m < p, likelihood, -np.inf), kl, bernstein, bet], out=highest)
    return highest


@pytest.mark.parametrize("p", [0.02, 0.3])
def test_sequences_hold_at_every_step_of_long_streams(p, protocol):
    """2,000 streams of 10,000 under ``make verify``, 1,000 of 300 in the suite; misses by an exact binomial test."""
    R, n = (2000, 10_000) if protocol.full else (1000, 300)
    x = np.random.default_rng(11).random((R, n)) < p
    missed = np.sum(wealths(x, p) >= np.log(20), axis=1)
    print(f"mean {p}: {missed} of {R} streams missed, {protocol.allowed(R)} allowed")
    assert np.all(missed <= protocol.allowed(R))


def test_sabotaged_sequences_are_caught_at_some_step(protocol):
    """The same test on the sabotaged twins, which must fail it."""
    R, n = (2000, 10_000) if protocol.full else (1000, 300)
    x = np.random.default_rng(13).random((R, n)) < 0.3
    missed = np.sum(wealths(x, 0.3, sabotaged=True) >= np.log(20), axis=1)
    print(f"sabotaged: {missed} of {R} streams missed, {protocol.allowed(R)} allowed")
    assert np.all(missed > protocol.allowed(R))


def test_wealth_at_the_true_mean_decides_the_misses_of_the_bounds():
    """Bounds at delta 0.05, of which the three others never look at delta before the end."""
    x = (np.random.default_rng(12).random((200, 60)) < 0.3).astype(float)
    found = wealths(x, 0.3)
    for row, bound, delta in (
        (0, bernoulli_sequence, 0.5),
        (1, martingale_kl, 0.5),
        (2, martingale_bernstein, 0.5),
        (3, betting_sequence, 0.05),
    ):
        missed = np.min([bound(x[:, :t], delta) for t in range(1, 61)], axis=0) < 0.3
        np.testing.assert_array_equal(found[row] > np.log(1 / delta), missed)
        assert missed.sum() > 1
