"""The verification protocol for sets, thresholds, probabilities, groups, shifts and tests of order.

Coverage that is promised on average is counted over samples with one new row each; promises with confidence are missed
by at most 5 % of hold-outs.  A right promise is accused with probability at most 1e-4; each has a sabotaged twin that
has to be accused.
"""

import numpy as np
import pytest
from scipy.stats import binom, norm

from surefit.theory.certificates.thresholds import shown_for
from surefit.theory.certificates.unequal import by_groups, by_weights, unequal_classifier
from surefit.theory.intervals.class_sets import label_scores, members, quantile_of
from surefit.theory.intervals.venn_abers import VennAbers
from surefit.theory.intervals.weighted import group_weights, weighted_quantile
from surefit.theory.means.auc import auc, auc_lower, auc_u_statistic
from surefit.theory.means.concentration import binomial_p
from surefit.theory.means.exchangeability import evidence_of_order
from surefit.theory.means.fixed_sequence import rejected, share_quantile

pytestmark = pytest.mark.verify


def labelled(rng, n, K=4):
    """Probabilities that a model gives (sharper than the true ones) and labels drawn with the true ones."""
    p = rng.dirichlet(np.full(K, 0.6), size=n)
    y = np.argmax(np.cumsum(p, axis=1) > rng.random((n, 1)), axis=1)
    sharp = p**2 / np.sum(p**2, axis=1, keepdims=True)
    return sharp, y


def set_misses(score, R, n=60, rank=0, by_label=False):
    """How often the set of one new row lacks its label; ``rank`` moves the order statistic."""
    rng, missed = np.random.default_rng(1), 0
    for _ in range(R):
        values, y = labelled(rng, n + 1)
        scores = label_scores(values, score)
        true = scores[np.arange(n + 1), y]
        among = true[:-1][y[:-1] == y[-1]] if by_label else true[:-1]
        if by_label and len(among) < 9:
            continue
        q = quantile_of(among, 0.9, None) if rank == 0 else np.sort(among)[int(0.9 * len(among)) - 1 + rank]
        missed += not members(scores[-1:], q)[0, y[-1]]
    return missed


@pytest.mark.parametrize("by_label", [False, True], ids=["all rows", "by label"])
@pytest.mark.parametrize("score", ["lac", "aps", "margin"])
def test_sets_have_the_label_and_a_rank_too_few_is_caught(score, by_label, protocol):
    R = protocol.of(2000)
    assert set_misses(score, R, by_label=by_label) <= protocol.allowed(R, 0.1)
    if not by_label:
        assert set_misses(score, R, rank=-4) > protocol.allowed(R, 0.1)


def two_bells(rng, n=400):
    """Scores of positive rows are N(2, 1), of others N(0, 1), half of each; and the true measures at a threshold."""
    event = rng.random(n) < 0.5

    def truth(t):
        recall, alarm = norm.sf(t - 2), norm.sf(t)
        return {"recall": recall, "specificity": 1 - alarm, "precision": recall / max(recall + alarm, 1e-300)}

    return rng.normal(size=n) + 2 * event, event, truth


def flat(rng, n=400):
    """Scores that say nothing: the precision is just below 0.9 at every threshold, so that each of them is wrong."""
    return rng.normal(size=n), rng.random(n) < 0.9 - 1e-9, lambda t: {"precision": 0.9 - 1e-9}


def in_sequence(scores, event, measure):
    try:
        found = shown_for(scores, event, measure, 0.9)
    except ValueError:  # no threshold is shown to keep the promise: none is promised
        return None
    return found.high if measure == "recall" else found.low


def looked_at_all(scores, event, measure):
    """The sabotage: the same exact tests, and the lowest threshold of all that pass, wherever they stand."""
    ordered = np.sort(scores)[::-1]
    hits, count = np.cumsum(event[np.argsort(-scores)]), np.arange(1, len(scores) + 1)
    passed = np.flatnonzero(binomial_p(hits, count, 0.9) <= 0.05)
    return ordered[passed[-1]] if len(passed) else None


def threshold_misses(choose, measure, law, R):
    """How often the true measure at the chosen threshold is below 0.9."""
    rng, missed = np.random.default_rng(0), 0
    for _ in range(R):
        scores, event, truth = law(rng)
        t = choose(scores, event, measure)
        missed += t is not None and truth(t)[measure] < 0.9
    return missed


def allowed_in_a_million(R, delta=0.05):
    """A promise kept with probability ``1 - delta`` is missed more often than this with probability below 1e-6."""
    return int(binom.ppf(1 - 1e-6, R, delta))


@pytest.mark.parametrize(
    ("measure", "law"),
    [("recall", two_bells), ("specificity", two_bells), ("precision", two_bells), ("precision", flat)],
    ids=["recall", "specificity", "precision", "precision of scores that say nothing"],
)
def test_thresholds_keep_their_promise(measure, law, protocol):
    """2,000 hold-outs of 400, or 20,000: a right method fails this with probability below 1e-6, at any seed."""
    R = protocol.of(2000, 20_000)
    assert threshold_misses(in_sequence, measure, law, R) <= allowed_in_a_million(R)


def test_without_a_fixed_sequence_the_same_tests_are_caught(protocol):
    """Every threshold is wrong, and each test alone says otherwise in one case of twenty; one of 400 does far more."""
    R = protocol.of(1000, 5000)
    assert threshold_misses(looked_at_all, "precision", flat, R) > allowed_in_a_million(R)


def test_venn_abers_probabilities_are_calibrated_and_the_other_one_of_both_is_not(protocol):
    """The one that belongs to the true label: within five bins its mean is that of the events, up to 4.5 standard
    errors.  The other one of the two is not calibrated."""
    rng, R = np.random.default_rng(3), protocol.of(3000)
    right, wrong, events = np.empty(R), np.empty(R), np.empty(R)
    for r in range(R):
        x = rng.normal(size=31)
        y = rng.random(31) < norm.cdf(x)
        low, high = (one[0] for one in VennAbers.of(x[:-1], y[:-1]).at(x[-1:]))
        right[r], wrong[r], events[r] = (high, low, 1.0) if y[-1] else (low, high, 0.0)

    def worst(p):
        bins = np.digitize(p, [0.15, 0.4, 0.6, 0.85])
        parts = [bins == b for b in range(5) if np.any(bins == b)]
        return max(abs(events[of].mean() - p[of].mean()) / np.sqrt(0.25 / of.sum()) for of in parts)

    assert worst(right) < 4.5
    assert worst(wrong) > 4.5


def grouped(rng, K, size):
    """Errors of rows that share most of their noise within a group."""
    return np.abs(1.5 * rng.normal(size=(K, 1)) + 0.5 * rng.normal(size=(K, size)))


def test_a_row_of_a_new_group_is_covered_and_rows_as_draws_are_caught(protocol):
    """30 groups of 10 rows, on average over hold-outs.  With one group of many rows, rows as draws fail."""
    rng, R = np.random.default_rng(4), protocol.of(2000)
    groups, missed = np.repeat(np.arange(13), [*[4] * 12, 300]), np.zeros(2, dtype=int)
    for _ in range(R):
        e = np.concatenate([grouped(rng, 12, 4).ravel(), grouped(rng, 1, 300).ravel()])
        new = grouped(rng, 1, 1)[0, 0]
        missed[0] += new > weighted_quantile(e, group_weights(groups), 0.9, 1.0)[0]
        missed[1] += new > weighted_quantile(e, np.ones(348), 0.9, 1.0)[0]
    assert missed[0] <= protocol.allowed(R, 0.1)
    assert missed[1] > protocol.allowed(R, 0.1)


def test_quantiles_of_new_groups_hold_with_confidence_and_rows_as_draws_are_caught(protocol):
    """60 groups of 10.  `share_quantile` is below the true quantile only if the test there rejects, which is tried."""
    rng, R, limit = np.random.default_rng(9), protocol.of(1000), 2 * norm.sf(1.0)
    above = np.array([grouped(rng, 60, 10) > np.sqrt(1.5**2 + 0.5**2) for _ in range(R)])
    assert rejections(above.mean(axis=2), limit) <= protocol.allowed(R)
    assert rejections(above.reshape(R, 600).astype(float), limit) > protocol.allowed(R)
    few = grouped(rng, 60, 10).ravel()
    r = share_quantile(few, np.repeat(np.arange(60), 10), np.full(600, 0.1), limit)
    assert np.mean(few > r) < limit


def rejections(draws, mean):
    """How many rows of draws ``(R, K)`` reject that their mean is ``mean``; bounds are below it only then."""
    return int(np.sum(rejected(draws, mean, 0.05)))


def test_error_rates_of_new_groups_and_of_shifted_rows_are_covered(protocol):
    """Groups differ in their error rate (mean 0.3); weighted rows have the risk of the new law (0.46).  Rows as draws,
    and rows without weights, are caught.  The bound is below the truth only if the test there rejects."""
    rng, R = np.random.default_rng(5), protocol.of(1000)
    errors = (rng.random((R, 40, 8)) < rng.beta(0.6, 1.4, size=(R, 40, 1))).astype(float)
    right = rng.random((R, 400)) < 0.5
    others = (rng.random((R, 400)) < np.where(right, 0.5, 0.1)).astype(float)
    weights = np.where(right, 1.8, 0.2)
    allowed = protocol.allowed(R)
    assert rejections(errors.mean(axis=2), 0.3) <= allowed
    assert rejections(errors.reshape(R, 320), 0.3) > allowed
    assert rejections(weights * others / 1.8, 0.46 / 1.8) <= allowed
    assert rejections(others, 0.46) > allowed
    one = unequal_classifier(others[0], by_weights(weights[0], True))
    assert one.bound > 0.46
    assert unequal_classifier(errors[0].ravel(), by_groups(np.repeat(np.arange(40), 8))).bound > 0.3


def test_weighted_quantiles_cover_rows_of_another_law(protocol):
    """Held-out features are uniform, new ones have density 2 x; errors grow with x.  Without weights it is caught."""
    rng, R = np.random.default_rng(6), protocol.of(3000)
    missed = np.zeros(2, dtype=int)
    for _ in range(R):
        x, new = rng.random(80), np.sqrt(rng.random())
        s, error = (0.2 + x) * np.abs(rng.normal(size=80)), (0.2 + new) * abs(rng.normal())
        missed[0] += error > weighted_quantile(s, 2 * x, 0.9, 2 * new)[0]
        missed[1] += error > weighted_quantile(s, np.ones(80), 0.9, 1.0)[0]
    assert missed[0] <= protocol.allowed(R, 0.1)
    assert missed[1] > protocol.allowed(R, 0.1)


def test_areas_are_bounded_from_below_and_pairs_as_draws_are_caught(protocol):
    """40 positive and 120 negative rows, N(1, 1) and N(0, 1).  The twin counts all 4,800 pairs as independent."""
    rng, R, truth = np.random.default_rng(7), protocol.of(400), norm.cdf(1 / np.sqrt(2))
    missed = np.zeros(3, dtype=int)
    for seed in range(R):
        positive, negative = rng.normal(size=40) + 1, rng.normal(size=120)
        missed[0] += auc_lower(positive, negative, seed=seed) > truth
        missed[1] += auc_u_statistic(positive, negative) > truth
        seen = auc(positive, negative)
        missed[2] += seen - np.sqrt(-np.log(0.05) / (2 * 4800)) > truth
    assert np.all(missed[:2] <= protocol.allowed(R))
    assert missed[2] > protocol.allowed(R)


def test_rows_in_random_order_are_seldom_accused_of_a_drift_and_rows_that_drift_are(protocol):
    """At most one in a hundred of 500 streams of 150, whatever the scores; half of the drifting ones at least."""
    rng, R = np.random.default_rng(8), protocol.of(200, 3000)
    for draw in (lambda: rng.exponential(size=150), lambda: 1.0 * (rng.random(150) < 0.1)):
        found = sum(evidence_of_order(draw(), seed).found for seed in range(R))
        assert found <= protocol.allowed(R, 0.01)
    drifting = sum(
        evidence_of_order(rng.exponential(size=150) * np.linspace(1, 4, 150), seed).found for seed in range(R)
    )
    assert drifting > R / 2
