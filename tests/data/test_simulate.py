"""Simulators know their own truth.  Monte-Carlo comparisons allow 5 standard errors (false alarm 6e-7 each)."""

import numpy as np
import pytest
from scipy.stats import norm

from surefit.data.simulate import (
    NOISES,
    additive_noise,
    as_generator,
    draw_noise,
    fixed_design,
    gaussian_design,
    threshold_model,
)


def within_five_standard_errors(draws, expected):
    error = np.std(draws, axis=0, ddof=1) / np.sqrt(len(draws))
    np.testing.assert_array_less(np.abs(np.mean(draws, axis=0) - expected), 5 * error + 1e-12)


@pytest.mark.parametrize("noise", sorted(NOISES))
def test_every_noise_has_mean_zero_and_variance_sigma_squared(noise):
    """D-05: second-moment results need nothing else."""
    draws = draw_noise(7, 40_000, sigma=1.5, noise=noise)
    within_five_standard_errors(draws, 0.0)
    within_five_standard_errors(draws**2, 2.25)


def test_noises_are_four_different_laws():
    """D-05: fourth moments 3, 9/5, 6, 1; tolerance 5 standard errors of Laplace's, sqrt(2520 - 36) / 200 = 0.25."""
    fourth = {noise: np.mean(draw_noise(1, 40_000, noise=noise) ** 4) for noise in NOISES}
    for noise, expected in {"gaussian": 3.0, "uniform": 1.8, "laplace": 6.0, "rademacher": 1.0}.items():
        assert abs(fourth[noise] - expected) < 5 * 0.25 * (expected / 6.0)


@pytest.mark.parametrize("noise", sorted(NOISES))
def test_fixed_design_excess_risk_is_what_fresh_responses_measure(noise):
    """T-08: E mean((y' - X th)**2) - sigma**2 = ||th - theta||**2 in the norm of X^T X / n."""
    rng = np.random.default_rng(2)
    sample = fixed_design(rng, rng.standard_normal((12, 3)), theta=[1.0, -2.0, 0.5], sigma=0.7, noise=noise)
    coef = np.array([0.5, -1.0, 0.0])
    losses = np.mean((sample.responses(rng, 20_000) - sample.X @ coef) ** 2, axis=1)
    within_five_standard_errors(losses, sample.risk(coef))
    shift = coef - sample.theta
    np.testing.assert_allclose(sample.excess_risk(coef), shift @ sample.second_moment @ shift, rtol=1e-12)


def test_excess_risk_takes_a_stack_of_coefficients_and_an_intercept():
    """T-08, T-18: vectorised over the leading axes; the intercept enters as a constant column would."""
    rng = np.random.default_rng(3)
    fixed = fixed_design(rng, rng.standard_normal((9, 2)), sigma=0.1)
    random = gaussian_design(rng, 9, 2, covariance=np.array([[2.0, 0.5], [0.5, 1.0]]))
    coefs, intercepts = rng.standard_normal((4, 2)), rng.standard_normal(4)
    for sample in (fixed, random):
        one_by_one = [sample.excess_risk(c, b) for c, b in zip(coefs, intercepts, strict=True)]
        np.testing.assert_allclose(sample.excess_risk(coefs, intercepts), one_by_one, rtol=1e-13)
    with_constant = np.column_stack([np.ones(9), fixed.X])
    padded = fixed_design(0, with_constant, theta=[0.0, 1.0, 1.0])
    np.testing.assert_allclose(
        padded.excess_risk(np.column_stack([intercepts, coefs])), fixed.excess_risk(coefs, intercepts), rtol=1e-12
    )


def test_random_design_excess_risk_is_what_fresh_rows_measure():
    """D-06, T-18: E (y - <th, x> - b)**2 - sigma**2 = ||th - theta||**2 in the norm of Sigma, plus b**2."""
    covariance = np.array([[2.0, 0.6, 0.0], [0.6, 1.0, -0.3], [0.0, -0.3, 0.5]])
    sample = gaussian_design(4, n=10, d=3, sigma=0.8, covariance=covariance, noise="laplace")
    coef, intercept = np.array([0.0, 2.0, 1.0]), 0.4
    test = sample.fresh(5, n=40_000)
    within_five_standard_errors((test.y - test.X @ coef - intercept) ** 2, sample.risk(coef, intercept))
    within_five_standard_errors(test.X[:, :, None] * test.X[:, None, :], covariance)


def test_random_design_regression_function_is_linear_in_theta():
    """D-06: E[Y | X] = <theta, X>: the residual is uncorrelated with every feature."""
    sample = gaussian_design(6, n=30_000, d=2, theta=[3.0, -1.0], sigma=2.0)
    residual = sample.y - sample.X @ sample.theta
    within_five_standard_errors(residual[:, None] * sample.X, 0.0)


def test_singular_covariance_stays_on_its_subspace():
    """D-06: with Sigma of rank 1 every row lies on one line."""
    direction = np.array([3.0, 4.0])
    sample = gaussian_design(0, n=20, d=2, covariance=np.outer(direction, direction))
    np.testing.assert_allclose(sample.X @ np.array([4.0, -3.0]), 0.0, atol=1e-6)


def test_additive_noise_knows_its_excess_risk():
    """D-07: the risk of any predictor on fresh responses is sigma**2 + mean((h - f)**2)."""
    inputs = np.linspace(-1.0, 1.0, 15)
    sample = additive_noise(8, inputs, np.sin, sigma=0.5, noise="uniform")
    fresh = sample.responses(9, 20_000)
    within_five_standard_errors(np.mean((fresh - inputs) ** 2, axis=1), sample.risk(lambda x: x))
    assert sample.excess_risk(np.sin) == 0.0
    np.testing.assert_allclose(sample.excess_risk(np.stack([inputs, inputs])), sample.excess_risk(inputs), rtol=1e-15)


def test_perfect_predictor_under_noise_has_risk_sigma_squared():
    """X-03: Y = X + eps, f(x) = x, sigma = 2: risk 4."""
    sample = additive_noise(10, np.random.default_rng(10).standard_normal(20_000), lambda x: x, sigma=2.0)
    assert sample.risk(lambda x: x) == 4.0
    within_five_standard_errors((sample.y - sample.X) ** 2, 4.0)


def test_threshold_risks_are_the_published_ones():
    """D-08, X-08, X-09."""
    risk = threshold_model(0, n=3).risk(np.array([1.0, 0.5, 2.0, -1.0, 0.0]))
    expected = [0.3413447461, 0.1914624613, 0.4772498681, 0.3413447461, 0.0]
    np.testing.assert_allclose(risk, expected, atol=5e-11)
    np.testing.assert_allclose(risk[0], norm.cdf(1) - 0.5, rtol=1e-14)


def test_threshold_empirical_risk_is_unbiased():
    """R-02, D-08: over fresh samples the empirical risk of a fixed f_a averages to |Phi(a) - 1/2|."""
    rng = np.random.default_rng(11)
    thresholds = np.array([-0.7, 0.3, 1.2])
    runs = np.array([threshold_model(rng, 20).empirical_risk(thresholds) for _ in range(2_000)])
    within_five_standard_errors(runs, threshold_model(0, 1).risk(thresholds))


def test_threshold_empirical_risk_matches_the_separable_example():
    """X-06: data (-4,0), (-1,0), (3,1), (4,1): 1/2, 1/4, 0, 1/4, 1/2, with left-open, right-closed pieces."""
    sample = threshold_model(0, 1).__class__(np.array([-4.0, -1.0, 3.0, 4.0]), np.array([0, 0, 1, 1]))
    thresholds = [-4.0, -3.9, -1.0, -0.9, 3.0, 3.1, 4.0, 4.1]
    assert sample.empirical_risk(thresholds).tolist() == [0.5, 0.25, 0.25, 0.0, 0.0, 0.25, 0.25, 0.5]


def test_same_seed_same_sample_and_fresh_keeps_the_truth():
    """D-05..D-08: an integer seed and the generator it makes give the same numbers."""
    X = np.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(fixed_design(5, X).y, fixed_design(np.random.default_rng(5), X).y)
    sample = fixed_design(5, X)
    again = sample.fresh(6)
    assert again.X is sample.X
    assert again.theta is sample.theta
    assert not np.array_equal(again.y, sample.y)
    other = gaussian_design(5, n=4, d=2)
    assert other.fresh(1).X.shape == (4, 2)
    assert other.fresh(1, n=7).y.shape == (7,)
    assert threshold_model(0, 4).fresh(1).x.shape == (4,)
    assert not np.array_equal(additive_noise(0, X, lambda x: x[:, 0]).fresh(1).y, X[:, 0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fixed_design(0, np.eye(2), sigma=-1.0), "sigma must be finite and >= 0, got -1.0"),
        (lambda: fixed_design(0, np.eye(2), sigma=np.nan), "sigma must be finite"),
        (lambda: fixed_design(0, np.eye(2), noise="cauchy"), "noise 'cauchy' is unknown; use one of gaussian"),
        (lambda: fixed_design(0, np.ones(3)), r"reshape a single feature to \(n, 1\)"),
        (lambda: fixed_design(0, np.eye(2), theta=[1.0]), "do not fit 2 features"),
        (lambda: gaussian_design(0, n=0, d=2), "n must be a whole number >= 1"),
        (lambda: gaussian_design(0, n=3, d=2, covariance=np.eye(3)), r"covariance must have shape \(2, 2\)"),
        (lambda: gaussian_design(0, n=3, d=2, covariance=np.diag([1.0, -1.0])), "positive semi-definite"),
        (lambda: gaussian_design(0, n=3, d=2, covariance=[[1.0, 1.0], [0.0, 1.0]]), "positive semi-definite"),
        (lambda: additive_noise(0, np.eye(2), lambda x: x), "return one value per row"),
        (lambda: additive_noise(0, np.ones(3), np.sin).excess_risk(np.zeros(2)), "one value for each of the 3 inputs"),
    ],
)
def test_wrong_inputs_are_refused_with_a_remedy(call, message):
    """D-05..D-07: cause, then remedy."""
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("rng", [None, 1.5, True, "seed"])
def test_only_generators_and_integers_are_seeds(rng):
    """D-05: an unseeded draw is refused."""
    with pytest.raises(TypeError, match="integer seed"):
        as_generator(rng)
