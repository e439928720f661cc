"""Risk decompositions.  Monte-Carlo comparisons allow 5 standard errors (false alarm 6e-7 each)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ellipe

from surefit.data.simulate import additive_noise, threshold_model
from surefit.theory.risk.risk import (
    ball_approximation,
    decompose_excess_risk,
    empirical_risk,
    estimated_risk,
    estimation_by_uniform_deviation,
    lipschitz_approximation_bound,
    pointwise_bias_variance,
    replicated_bias_variance,
)


def square(y, f):
    return (y - f) ** 2


def test_empirical_risk_is_unbiased_for_a_fixed_predictor():
    """R-01, R-02, X-03: Y = X + eps with sigma = 2, f(x) = x: the average over samples is 4."""
    rng = np.random.default_rng(0)
    noise = 2 * rng.standard_normal((4_000, 10))
    risks = empirical_risk(square, np.zeros(10), noise)
    assert abs(risks.mean() - 4.0) < 5 * risks.std() / np.sqrt(4_000)


def test_weighted_empirical_risk_repeats_rows():
    """R-02: an integer weight k equals repeating the row k times."""
    y, f, weights = np.array([1.0, 2.0, 4.0]), np.array([0.0, 5.0, 4.5]), np.array([1, 3, 2])
    repeated = empirical_risk(square, np.repeat(y, weights), np.repeat(f, weights))
    np.testing.assert_allclose(empirical_risk(square, y, f, weights), repeated, rtol=1e-14)


def test_estimated_risk_covers_the_exact_risk_of_a_threshold():
    """R-01, X-08: 0-1 losses of f_1 average to 0.3413447461."""
    sample = threshold_model(1, 20_000)
    estimate = estimated_risk(lambda y, f: y != f, sample.y, sample.x >= 1.0)
    assert abs(estimate.value - 0.3413447461) < 5 * estimate.standard_error
    np.testing.assert_allclose(estimate.standard_error, np.sqrt(0.3413 * 0.6587 / 20_000), rtol=0.02)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_estimation_and_approximation_add_up(bayes, gap, more):
    """R-04, R-05."""
    parts = decompose_excess_risk(bayes + gap + more, bayes + gap, bayes)
    np.testing.assert_allclose(parts.total, gap + more, atol=1e-15)
    assert min(parts.estimation, parts.approximation) >= -1e-15


@pytest.mark.parametrize("chosen", [None, 3])
def test_uniform_deviation_bounds_the_estimation_error_in_every_run(chosen):
    """R-06: thresholds on the toy model, 300 samples of 15 points; ERM, and a member chosen blindly."""
    rng = np.random.default_rng(2)
    thresholds = np.linspace(-2, 2, 21)
    for _ in range(300):
        sample = threshold_model(rng, 15)
        terms = estimation_by_uniform_deviation(sample.risk(thresholds), sample.empirical_risk(thresholds), chosen)
        assert terms.estimation_error <= terms.bound + 1e-15
        assert terms.bound <= terms.two_sided_bound + 1e-15
        assert chosen is not None or terms.optimisation <= 0


def test_the_one_sided_deviation_bound_can_be_attained():
    """R-06: two members, one too optimistic and one too pessimistic: equality, so no smaller constant will do."""
    terms = estimation_by_uniform_deviation([0.5, 0.3], [0.4, 0.4], chosen=0)
    np.testing.assert_allclose([terms.estimation_error, terms.bound, terms.two_sided_bound], 0.2, rtol=1e-12)


def test_the_three_terms_of_the_deviation_bound_are_told_apart():
    """R-06: Risk is above Rhat by <= 0.05, below by <= 0.2, and a middle term > 0 for a member ERM would not take."""
    terms = estimation_by_uniform_deviation([0.2, 0.3, 0.4], [0.4, 0.25, 0.45], chosen=2)
    parts = [terms.estimation_error, terms.risk_above, terms.optimisation, terms.risk_below, terms.two_sided_bound]
    np.testing.assert_allclose(parts, [0.2, 0.05, 0.05, 0.2, 0.45], rtol=1e-12)


def test_ball_constrained_minimum_beats_every_point_of_the_ball():
    """R-07: brute force on the circle, which carries the minimum when theta is outside."""
    second_moment, theta = np.diag([1.0, 0.01]), np.array([1.0, 3.0])
    split = ball_approximation(second_moment, theta, radius=1.0, misfit=0.2)
    angles = np.linspace(0, 2 * np.pi, 100_001)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    gaps = ((circle - theta) ** 2) @ np.diag(second_moment)
    np.testing.assert_allclose(split.constrained, gaps.min(), rtol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(split.coef), 1.0, rtol=1e-10)
    np.testing.assert_allclose(split.total, split.constrained + 0.2, rtol=1e-14)


def test_a_ball_that_contains_theta_costs_nothing():
    """R-07, R-08: zero if ||theta|| <= radius; also when theta is only shortened along directions never seen."""
    assert ball_approximation(np.eye(2), [0.6, 0.8], 1.0).constrained < 1e-30
    assert ball_approximation(np.diag([1.0, 0.0]), [0.5, 7.0], 1.0).constrained < 1e-30
    assert lipschitz_approximation_bound(1.0, 3.0, [0.6, 0.8], 1.0) == pytest.approx(0.0, abs=1e-15)


def test_lipschitz_bound_and_its_published_numbers():
    """R-08, E-050: absolute loss, phi ~ N(0, diag(1, .01)), theta = (1, 3), ball of radius 1, no noise.

    There Risk(th) = sqrt(2/pi) ||th - theta||_Sigma, so the ball's argmin is that of squared loss.
    """
    theta = np.array([1.0, 3.0])
    split = ball_approximation(np.diag([1.0, 0.01]), theta, radius=1.0)
    gap = np.sqrt(2 / np.pi * split.constrained)
    mean_norm = np.sqrt(2 / np.pi) * ellipe(1 - 0.01)  # E ||phi|| of a two-dimensional Gaussian
    bound = lipschitz_approximation_bound(1.0, mean_norm, theta, radius=1.0)
    assert gap == pytest.approx(0.21733, abs=5e-6)
    assert bound == pytest.approx(1.752841, abs=5e-7)  # the catalogue's 'about 1.756' is a simulated E ||phi||
    assert np.linalg.norm(split.coef - theta) == pytest.approx(2.6387, abs=5e-5)
    assert np.linalg.norm(theta) - 1 == pytest.approx(2.1623, abs=5e-5)
    draws = np.random.default_rng(3).standard_normal((100_000, 2)) * [1.0, 0.1]
    norms = np.linalg.norm(draws, axis=1)
    assert abs(norms.mean() - mean_norm) < 5 * norms.std() / np.sqrt(100_000)


def test_shrunken_mean_has_risk_2_025():
    """R-10, T-82: c ybar with c = 1/2, mu = 2, s = 1, n = 10: noise 1, squared bias 1, variance 0.025."""
    exact = pointwise_bias_variance(np.full((1, 10), 0.05), np.full(10, 2.0), [2.0], sigma=1.0)
    np.testing.assert_allclose([exact.noise, *exact.squared_bias, *exact.variance], [1, 1, 0.025], rtol=1e-14)
    rng = np.random.default_rng(4)
    training = additive_noise(rng, np.zeros(10), lambda x: x + 2.0).responses(rng, 20_000)
    predictions, fresh = 0.5 * training.mean(axis=1), 2.0 + rng.standard_normal(20_000)
    losses = (predictions - fresh) ** 2
    assert abs(losses.mean() - 2.025) < 5 * losses.std() / np.sqrt(20_000)
    seen = replicated_bias_variance(predictions[:, None], [2.0], sigma=1.0)
    # var(mean**2) ~ 4 bias**2 var / R and var of the variance ~ 2 var**2 / R
    assert abs(seen.squared_bias[0] - 1.0) < 5 * np.sqrt(4 * 0.025 / 20_000)
    assert abs(seen.variance[0] - 0.025) < 5 * 0.025 * np.sqrt(2 / 20_000)


def test_replicated_squared_bias_is_unbiased_with_two_replicates():
    """R-10: an unbiased predictor of variance 1; without the correction the mean would be 1/2.  5 standard errors."""
    runs = np.random.default_rng(5).standard_normal((2, 20_000))
    split = replicated_bias_variance(runs, np.zeros(20_000), sigma=1.0)
    for part, expected in ((split.squared_bias, 0.0), (split.variance, 1.0)):
        assert abs(part.mean() - expected) < 5 * part.std() / np.sqrt(20_000)


def test_bias_variance_needs_test_noise_independent_of_training():
    """R-10, E-109: judged on its own training response, 'predict y' has error 0, not noise + variance = 2."""
    split = pointwise_bias_variance(np.eye(3), np.zeros(3), np.zeros(3), sigma=1.0)
    np.testing.assert_array_equal(split.total, 2.0)


def test_polynomial_bias_falls_and_variance_grows_with_the_degree():
    """R-10, F-11: least squares on nested bases, exact at every point by its weights."""
    x = np.linspace(-1, 1, 25)
    signal = np.sin(3 * x)
    parts = []
    for degree in range(6):
        Q = np.linalg.qr(np.vander(x, degree + 1))[0]
        split = pointwise_bias_variance(Q @ Q.T, signal, signal, sigma=0.3)
        parts.append((split.squared_bias.mean(), split.variance.mean()))
        np.testing.assert_allclose(split.variance.mean(), 0.09 * (degree + 1) / 25, rtol=1e-12)
    bias, _ = np.array(parts).T
    assert (np.diff(bias) <= 1e-15).all()
    assert bias[0] > 100 * bias[5]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: empirical_risk(square, np.ones(3), np.ones(2)), "one prediction per response"),
        (lambda: empirical_risk(square, np.ones(0), np.ones(0)), "one prediction per response"),
        (lambda: estimated_risk(square, np.ones(1), np.ones(1)), "add test points"),
        (lambda: decompose_excess_risk(0.1, 0.3, 0.2), "no risk can be below the Bayes risk"),
        (lambda: estimation_by_uniform_deviation([0.1], [0.1, 0.2]), "one of each per member"),
        (lambda: ball_approximation(np.eye(2), [1, 1], radius=0.0), "radius must be > 0"),
        (lambda: lipschitz_approximation_bound(-1.0, 1.0, [1.0], 1.0), "must be >= 0"),
        (lambda: replicated_bias_variance([[1.0]], [1.0], 1.0), "repeat the training"),
    ],
)
def test_wrong_inputs_are_refused_with_a_remedy(call, message):
    """R-02..R-10."""
    with pytest.raises(ValueError, match=message):
        call()
