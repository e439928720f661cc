"""Least squares at fixed and random design.  Monte-Carlo comparisons allow 5 standard errors (6e-7 each)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.data.simulate import fixed_design, gaussian_design
from surefit.theory.risk.least_squares import (
    covariance_optimism,
    fixed_design_bias_variance,
    gaussian_design_excess,
    least_squares_covariance,
    least_squares_geometry,
    least_squares_risk,
    random_design_excess_given_rows,
    replicated_fixed_design_split,
    simulated_random_design_excess,
    training_optimism,
)


def within_five_standard_errors(draws, expected):
    error = np.std(draws, axis=0, ddof=1) / np.sqrt(len(draws))
    np.testing.assert_array_less(np.abs(np.mean(draws, axis=0) - expected), 5 * error)


def ridge_map(X, lam):
    n, d = X.shape
    return np.linalg.solve(X.T @ X + n * lam * np.eye(d), X.T)


def noisy_sample(n=50, d=10, seed=0, noise="gaussian"):
    rng = np.random.default_rng(seed)
    return fixed_design(rng, rng.standard_normal((n, d)), sigma=1.0, noise=noise)


@given(st.integers(1, 8), st.integers(1, 5), st.integers(1, 5), st.integers(0, 99))
def test_fitted_values_are_a_projection(n, d, inner, seed):
    """T-05: P is symmetric and idempotent, P X = X, residuals are orthogonal to the columns; unique iff rank = d."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, inner)) @ rng.standard_normal((inner, d))
    geometry = least_squares_geometry(X)
    P, y = geometry.projection, rng.standard_normal(n)
    np.testing.assert_allclose(P, P.T, atol=1e-14)
    np.testing.assert_allclose(P @ P, P, atol=1e-13)
    np.testing.assert_allclose(P @ X, X, atol=1e-11)
    np.testing.assert_allclose(X.T @ (y - P @ y), 0, atol=1e-11)
    np.testing.assert_allclose(np.trace(P), geometry.rank, atol=1e-12)
    assert geometry.rank == min(n, d, inner)
    assert geometry.unique == (geometry.rank == d)


def test_normal_equations_have_many_solutions_without_full_rank_and_one_fit():
    """T-05: adding a null vector of X changes the coefficients and not the fitted values."""
    X = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    y = np.array([1.0, 2.0])
    for coef in (np.array([0.0, 1.0, 1.0]), np.array([0.0, 1.0, 1.0]) + 5 * np.array([1.0, -1.0, 1.0])):
        np.testing.assert_allclose(X.T @ (X @ coef - y), 0, atol=1e-14)
        np.testing.assert_allclose(X @ coef, least_squares_geometry(X).projection @ y, atol=1e-14)


@pytest.mark.parametrize("noise", ["gaussian", "rademacher", "laplace"])
def test_coefficients_have_the_stated_mean_and_covariance(noise):
    """T-09: mean theta, covariance sigma**2 (X^T X)^-1, entry by entry and whatever the shape of the noise."""
    sample = noisy_sample(n=12, d=3, noise=noise)
    coefs = sample.responses(1, 20_000) @ np.linalg.pinv(sample.X).T
    within_five_standard_errors(coefs, sample.theta)
    centred = coefs - sample.theta
    within_five_standard_errors(centred[:, :, None] * centred[:, None, :], least_squares_covariance(sample.X, 1.0))


def test_covariance_shrinks_with_the_second_moment():
    """T-09: (sigma**2 / n) Sigma_hat^-1."""
    sample = noisy_sample(n=12, d=3)
    expected = 0.25 / 12 * np.linalg.inv(sample.second_moment)
    np.testing.assert_allclose(least_squares_covariance(sample.X, 0.5), expected, rtol=1e-12)


def test_published_risks_of_fifty_rows_and_ten_features():
    """T-11, T-12, X-15: excess 0.2, training 0.8, fresh 1.2."""
    risk = least_squares_risk(50, 10, 1.0)
    np.testing.assert_allclose([risk.excess, risk.training, risk.fresh], [0.2, 0.8, 1.2], rtol=1e-14)


@pytest.mark.parametrize("noise", ["gaussian", "uniform"])
def test_simulated_least_squares_matches_its_expected_risks(noise):
    """T-11, T-12: 2 000 runs; a run's excess has sd sqrt(2 d) / n = 0.0894 under Gaussian noise."""
    sample = noisy_sample(noise=noise)
    responses = sample.responses(2, 2_000)
    coefs = responses @ np.linalg.pinv(sample.X).T
    excess = sample.excess_risk(coefs)
    within_five_standard_errors(excess, 0.2)
    within_five_standard_errors(np.mean((responses - coefs @ sample.X.T) ** 2, axis=1), 0.8)
    assert noise != "gaussian" or excess.std() == pytest.approx(np.sqrt(20) / 50, rel=0.1)


def test_rank_counts_and_not_columns():
    """T-11: rank 3, n = 30: 0.1 with minimum-norm least squares on 6 dependent columns."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((30, 3)) @ rng.standard_normal((3, 6))
    sample = fixed_design(rng, X)
    within_five_standard_errors(sample.excess_risk(sample.responses(4, 2_000) @ np.linalg.pinv(X).T), 0.1)
    assert least_squares_risk(30, least_squares_geometry(X).rank, 1.0).excess == pytest.approx(0.1)


def test_bias_variance_formula_covers_least_squares_and_a_random_linear_rule():
    """R-09, T-11: zero bias and sigma**2 d / n for least squares; simulation for an arbitrary A."""
    sample = noisy_sample(n=20, d=4)
    exact = fixed_design_bias_variance(sample.X, np.linalg.pinv(sample.X), sample.theta, 1.0)
    np.testing.assert_allclose([exact.squared_bias, exact.variance], [0, 0.2], atol=1e-14)
    A = np.random.default_rng(5).standard_normal((4, 20)) / 10
    split = fixed_design_bias_variance(sample.X, A, sample.theta, 1.0)
    within_five_standard_errors(sample.excess_risk(sample.responses(6, 10_000) @ A.T), split.excess)


def test_replicated_split_adds_up_exactly_and_approaches_the_formula():
    """R-09: an identity for the replicates' own moments; ridge bias within 5 standard errors of its formula."""
    sample = noisy_sample(n=20, d=4)
    A = ridge_map(sample.X, 0.3)
    coefs = sample.responses(7, 5_000) @ A.T
    seen, exact = (
        replicated_fixed_design_split(sample.X, coefs, sample.theta),
        fixed_design_bias_variance(sample.X, A, sample.theta, 1.0),
    )
    np.testing.assert_allclose(seen.excess, sample.excess_risk(coefs).mean(), rtol=1e-12)
    spread = sample.excess_risk(coefs).std() / np.sqrt(5_000)
    assert abs(seen.squared_bias - exact.squared_bias) < 5 * spread
    assert abs(seen.variance - exact.variance) < 5 * spread


@given(st.integers(1, 12), st.integers(0, 99))
def test_optimism_is_twice_sigma_squared_trace(n, seed):
    """R-11, S-10: (2 sigma**2 / n) tr H for any linear smoother, whatever the signal."""
    rng = np.random.default_rng(seed)
    H = rng.standard_normal((n, n))
    risk = training_optimism(H, rng.standard_normal(n), sigma=0.7)
    np.testing.assert_allclose(risk.optimism, 2 * 0.49 * np.trace(H) / n, rtol=1e-9, atol=1e-12)


def test_least_squares_optimism_is_the_published_gap():
    """R-11, T-12, X-15: a projection of rank 10 among 50: 0.8 and 1.2."""
    sample = noisy_sample()
    risk = training_optimism(least_squares_geometry(sample.X).projection, sample.signal, 1.0)
    np.testing.assert_allclose([risk.training, risk.fresh], [0.8, 1.2], rtol=1e-12)


def test_ridge_optimism_follows_tr_h_and_not_tr_h_squared():
    """R-11, E-038: ridge with n = 50, d = 10, lam = 0.3; covariances over 4 000 replicates.

    Var of (2/n) <fitted, eps> is about (4/n**2)(2 df2 + ||H f||**2); 5 standard errors separate df1 from df2.
    """
    sample = noisy_sample()
    H = sample.X @ ridge_map(sample.X, 0.3)
    responses = sample.responses(8, 4_000)
    seen = covariance_optimism(responses, responses @ H.T)
    df1, df2 = np.trace(H), np.sum(H**2)
    error = 2 / 50 * np.sqrt((2 * df2 + np.sum((H @ sample.signal) ** 2)) / 4_000)
    assert abs(seen - 2 * df1 / 50) < 5 * error
    assert abs(seen - 2 * df2 / 50) > 5 * error


def test_covariance_optimism_equals_the_gap_of_means_for_a_nonlinear_rule():
    """R-11: hard thresholding of y; training and fresh errors measured directly, 5 standard errors of their gap."""
    rng = np.random.default_rng(9)
    y, fresh = rng.standard_normal((2, 20_000, 4))
    fitted = np.where(np.abs(y) > 1, y, 0.0)
    gaps = np.mean((fitted - fresh) ** 2, axis=1) - np.mean((fitted - y) ** 2, axis=1)
    error = gaps.std() / np.sqrt(20_000)
    assert abs(covariance_optimism(y, fitted) - gaps.mean()) < 5 * error


def test_conditional_random_design_excess_matches_simulated_noise():
    """T-18, T-19: given the rows, E ||coef - theta||_Sigma**2 = sigma**2 tr(Sigma (X^T X)^-1)."""
    covariance = np.array([[2.0, 0.5], [0.5, 1.0]])
    sample = gaussian_design(10, n=9, d=2, sigma=0.6, covariance=covariance)
    noise = 0.6 * np.random.default_rng(11).standard_normal((10_000, 9))
    coefs = sample.theta + noise @ np.linalg.pinv(sample.X).T
    within_five_standard_errors(sample.excess_risk(coefs), random_design_excess_given_rows(sample.X, covariance, 0.6))


@pytest.mark.parametrize(("n", "d", "expected"), [(50, 10, 0.256410), (20, 5, 0.357143), (4, 2, 2.0)])
def test_gaussian_design_excess_has_its_published_values(n, d, expected):
    """T-20: sigma**2 d / (n - d - 1), above the fixed-design sigma**2 d / n (T-19, Jensen)."""
    assert gaussian_design_excess(n, d, 1.0) == pytest.approx(expected, abs=5e-7)
    assert gaussian_design_excess(n, d, 1.0) > least_squares_risk(n, d, 1.0).excess


def test_gaussian_design_excess_matches_simulation_for_any_covariance():
    """T-19, T-20: the closed form, the average of the conditional formula, and whole fits from fresh samples."""
    root = np.random.default_rng(12).standard_normal((5, 5))
    covariance = root @ root.T + 0.1 * np.eye(5)
    exact = gaussian_design_excess(20, 5, 0.5)
    mean, error = simulated_random_design_excess(13, 20, covariance, 0.5, repeats=4_000)
    assert abs(mean - exact) < 5 * error
    rng = np.random.default_rng(14)
    sample = gaussian_design(rng, 20, 5, 0.5, covariance=covariance)
    fits = []
    for _ in range(1_500):
        sample = sample.fresh(rng)
        fits.append(sample.excess_risk(np.linalg.lstsq(sample.X, sample.y, rcond=None)[0]))
    within_five_standard_errors(np.array(fits), exact)


def test_mean_inverse_wishart():
    """T-20: E (Z^T Z)^-1 = I / (n - d - 1), entry by entry."""
    Z = np.random.default_rng(15).standard_normal((10_000, 12, 3))
    within_five_standard_errors(np.linalg.inv(np.swapaxes(Z, 1, 2) @ Z), np.eye(3) / 8)


def test_gaussian_design_excess_is_infinite_at_the_edge_and_refused_beyond():
    """T-20, E-043: infinite at n = d and n = d + 1, undefined for n < d."""
    assert gaussian_design_excess(10, 10, 1.0) == gaussian_design_excess(11, 10, 1.0) == np.inf
    assert gaussian_design_excess(12, 10, 1.0) == 10.0
    assert gaussian_design_excess(10, 10, 0.0) == 0.0
    with pytest.raises(ValueError, match="n = 9 < d = 10: least squares is not unique"):
        gaussian_design_excess(9, 10, 1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: least_squares_covariance(np.ones((3, 2)), 1.0), "dependent columns"),
        (lambda: least_squares_covariance(np.ones((1, 2)), 1.0), "dependent columns"),
        (lambda: least_squares_risk(5, 6, 1.0), "rank must lie between 0 and n"),
        (lambda: fixed_design_bias_variance(np.eye(2), np.eye(3), [1, 1], 1.0), r"must have shape \(2, 2\)"),
        (lambda: training_optimism(np.eye(2), np.ones(3), 1.0), r"smoother must have shape \(3, 3\)"),
        (lambda: covariance_optimism(np.ones((1, 3)), np.ones((1, 3))), "repeat the draw"),
        (lambda: gaussian_design_excess(3, 0, 1.0), "d must be >= 1"),
        (lambda: least_squares_geometry(np.ones(3)), "reshape a single feature"),
    ],
)
def test_wrong_inputs_are_refused_with_a_remedy(call, message):
    """T-05..T-20."""
    with pytest.raises(ValueError, match=message):
        call()
