"""Bounds for one predictor and for finitely many.  Simulations accuse a right bound with probability below 1e-4."""

import numpy as np
import pytest
from scipy.stats import binom

from surefit.theory.bounds import finite_class_bound, single_predictor_bound, uniform_deviation_bound
from surefit.theory.bounds.finite import bounded_differences_deviation
from surefit.theory.bounds.record import deviation


def test_reference_numbers():
    """FX9, T-25, T-26."""
    np.testing.assert_allclose(finite_class_bound(0.0, 1000, 100).value, 0.061647800, atol=5e-10)
    np.testing.assert_allclose(single_predictor_bound(0.0, 1000).value, 0.038702276, atol=5e-10)
    assert finite_class_bound(0.2, 50, 1).value == single_predictor_bound(0.2, 50).value


@pytest.mark.verify
def test_the_finite_class_bound_holds_for_the_best_looking_coin_and_the_single_bound_does_not(protocol):
    """T-25: 100 fair coins, n = 50, the one with the fewest heads is reported; delta = 0.05."""
    rng, R = np.random.default_rng(0), protocol.repeats
    best = rng.binomial(50, 0.5, size=(R, 100)).min(axis=1) / 50
    allowed = protocol.allowed(R)
    assert sum(finite_class_bound(seen, 50, 100).value < 0.5 for seen in best) <= allowed
    assert sum(single_predictor_bound(seen, 50).value < 0.5 for seen in best) > allowed


def test_the_single_predictor_bound_holds_exactly_at_one_sided_confidence():
    """T-26, E-045: exact miss probabilities under binomial laws; half the deviation is refuted."""
    for n in (20, 100, 400):
        for p in (0.1, 0.3, 0.5, 0.8):
            seen = np.arange(n + 1) / n
            weight = binom.pmf(np.arange(n + 1), n, p)
            assert weight[seen + deviation(n, 0.05) < p].sum() <= 0.05
    half = np.arange(401) / 400 + deviation(400, 0.05) / 2 < 0.5
    assert binom.pmf(np.arange(401), 400, 0.5)[half].sum() > 0.05


def test_replacing_one_row_moves_the_largest_deviation_by_at_most_one_over_n():
    """T-28: 20 predictors with losses in [0, 1], every row replaced by its opposite."""
    rng = np.random.default_rng(1)
    losses, risks = rng.uniform(size=(20, 12)), np.full(20, 0.5)
    before = np.max(risks - losses.mean(axis=1))
    for i in range(12):
        changed = losses.copy()
        changed[:, i] = 1 - changed[:, i]
        assert abs(np.max(risks - changed.mean(axis=1)) - before) <= 1 / 12 + 1e-12


@pytest.mark.verify
def test_the_largest_deviation_over_a_class_concentrates(protocol):
    """T-28: sup(Risk - Rhat) over 100 coins, expectation by simulation; and without the deviation it is missed."""
    rng, R = np.random.default_rng(2), protocol.repeats
    suprema = 0.5 - rng.binomial(50, 0.5, size=(2 * R, 100)).min(axis=1) / 50
    expected, allowed = suprema[:R].mean(), protocol.allowed(R)
    bound = uniform_deviation_bound(expected, 50)
    assert np.sum(suprema[R:] > bound.value) <= allowed
    assert np.sum(suprema[R:] > expected) > allowed


def test_bounded_differences_reduce_to_hoeffding_for_means():
    """T-27."""
    np.testing.assert_allclose(bounded_differences_deviation([3.0 / 70] * 70, 0.1), deviation(70, 0.1, 3.0), rtol=1e-12)
