"""Ridge risk curves.  Monte-Carlo comparisons allow 5 standard errors (false alarm 6e-7 each)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.data.simulate import fixed_design
from surefit.theory.risk.least_squares import fixed_design_bias_variance, training_optimism
from surefit.theory.risk.ridge import (
    dimension_free_bound,
    mean_ridge_coefficients,
    mean_squared_row_norm,
    oracle_lam,
    plug_in_lam,
    ridge_risk_curve,
    ridge_training_risk,
)

LAMS = np.concatenate([[0.0], np.geomspace(1e-4, 1e4, 60)])


def ridge_map(X, lam):
    n, d = X.shape
    return np.linalg.solve(X.T @ X + n * lam * np.eye(d), X.T)


def random_problem(seed, n=12, d=4):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * rng.uniform(0.1, 3, d), rng.standard_normal(d)


seeds = st.integers(0, 10_000)


@given(seeds, st.floats(1e-4, 1e4))
def test_curve_equals_the_general_linear_formula(seed, lam):
    """T-15, R-09: one decomposition gives what the matrices of each ridge estimator give."""
    X, theta = random_problem(seed)
    curve = ridge_risk_curve(X, theta, 0.7, [lam])
    brute = fixed_design_bias_variance(X, ridge_map(X, lam), theta, 0.7)
    np.testing.assert_allclose(curve.squared_bias[0], brute.squared_bias, rtol=1e-8, atol=1e-14)
    np.testing.assert_allclose(curve.variance[0], brute.variance, rtol=1e-9)


def test_simulated_ridge_matches_the_curve():
    """T-15: n = 50, d = 10, lam = 0.3, 4 000 response vectors of Gaussian and of sign noise."""
    rng = np.random.default_rng(1)
    for noise in ("gaussian", "rademacher"):
        sample = fixed_design(rng, rng.standard_normal((50, 10)), noise=noise)
        excess = sample.excess_risk(sample.responses(rng, 4_000) @ ridge_map(sample.X, 0.3).T)
        predicted = ridge_risk_curve(sample.X, sample.theta, 1.0, 0.3).excess[0]
        assert abs(excess.mean() - predicted) < 5 * excess.std() / np.sqrt(4_000)
        least_squares = 0.2
        assert abs(predicted - least_squares) > 50 * excess.std() / np.sqrt(4_000)


@given(seeds)
def test_bias_grows_and_variance_falls_with_lam(seed):
    """T-15, S-08: monotone on the whole grid, from least squares to the zero predictor."""
    X, theta = random_problem(seed)
    curve = ridge_risk_curve(X, theta, 1.0, np.append(LAMS, np.inf))
    assert (np.diff(curve.squared_bias) >= -1e-15).all()
    assert (np.diff(curve.variance) < 0).all()
    np.testing.assert_allclose([curve.squared_bias[0], curve.variance[0]], [0.0, 4 / 12], atol=1e-14)
    np.testing.assert_allclose(curve.squared_bias[-1], np.mean((X @ theta) ** 2), rtol=1e-12)
    assert curve.variance[-1] == 0.0


@given(seeds)
def test_slope_is_the_derivative_and_negative_at_zero(seed):
    """T-15: -2 (sigma**2 / n) tr(S^-1) at 0, so lam = 0 is never optimal with noise; central differences elsewhere."""
    X, theta = random_problem(seed)
    S = X.T @ X / 12
    slope = ridge_risk_curve(X, theta, 0.8, 0.0).slope[0]
    np.testing.assert_allclose(slope, -2 * 0.64 / 12 * np.trace(np.linalg.inv(S)), rtol=1e-9)
    lam, h = 0.5, 1e-5
    low, high = ridge_risk_curve(X, theta, 0.8, [lam - h, lam + h]).excess
    np.testing.assert_allclose(ridge_risk_curve(X, theta, 0.8, lam).slope[0], (high - low) / (2 * h), atol=1e-7)
    a_little = ridge_risk_curve(X, theta, 0.8, [0.0, 1e-6 * np.linalg.eigvalsh(S)[0]]).excess
    assert a_little[1] < a_little[0]


def test_best_lam_of_the_grid_is_the_best_simulated_one():
    """S-08: the exact minimiser and the Monte-Carlo one (500 common response vectors) agree to one grid step (1.5)."""
    rng = np.random.default_rng(3)
    sample = fixed_design(rng, rng.standard_normal((30, 8)), theta=np.full(8, 0.3))
    lams = np.geomspace(1e-2, 1e2, 24)
    curve = ridge_risk_curve(sample.X, sample.theta, 1.0, lams)
    responses = sample.responses(rng, 500)
    simulated = [sample.excess_risk(responses @ ridge_map(sample.X, lam).T).mean() for lam in lams]
    assert abs(int(np.argmin(simulated)) - int(np.argmin(curve.excess))) <= 1
    assert curve.best_lam == lams[np.argmin(curve.excess)]
    assert 0 < np.argmin(curve.excess) < 23


@given(seeds)
def test_mean_of_ridge_has_two_equal_forms(seed):
    """T-14: theta - lam (S + lam)^-1 theta = (S + lam)^-1 S theta, and ridge on noiseless responses gives it."""
    X, theta = random_problem(seed)
    S, lam = X.T @ X / 12, 0.4
    mean = mean_ridge_coefficients(X, theta, lam)[0]
    resolvent = np.linalg.inv(S + lam * np.eye(4))
    np.testing.assert_allclose(mean, theta - lam * resolvent @ theta, atol=1e-12)
    np.testing.assert_allclose(mean, resolvent @ S @ theta, atol=1e-12)
    np.testing.assert_allclose(mean, ridge_map(X, lam) @ X @ theta, atol=1e-12)


def test_wide_designs_lose_what_they_never_see():
    """T-14, T-15: d > n; at lam = 0 the mean is the projection on the row space and the variance sigma**2 rank / n."""
    X, theta = random_problem(5, n=3, d=7)
    projection = np.linalg.pinv(X) @ X
    np.testing.assert_allclose(mean_ridge_coefficients(X, theta, 0.0)[0], projection @ theta, atol=1e-12)
    curve = ridge_risk_curve(X, theta, 1.0, [0.0, 0.5])
    np.testing.assert_allclose([curve.squared_bias[0], curve.variance[0]], [0.0, 1.0], atol=1e-12)
    brute = fixed_design_bias_variance(X, ridge_map(X, 0.5), theta, 1.0)
    np.testing.assert_allclose(curve.excess[1], brute.excess, rtol=1e-10)


@given(seeds)
def test_training_risk_agrees_with_the_smoother_matrix(seed):
    """R-11, S-10: optimism 2 sigma**2 df1 / n; at lam = 0 sigma**2 (1 -+ d / n) (T-12)."""
    X, theta = random_problem(seed)
    curve = ridge_training_risk(X, theta, 0.9, [0.0, 0.6])
    np.testing.assert_allclose([curve.training[0], curve.fresh[0]], [0.81 * 8 / 12, 0.81 * 16 / 12], rtol=1e-10)
    brute = training_optimism(X @ ridge_map(X, 0.6), X @ theta, 0.9)
    np.testing.assert_allclose([curve.training[1], curve.fresh[1]], [brute.training, brute.fresh], rtol=1e-9)
    np.testing.assert_allclose(curve.optimism[1], brute.optimism, rtol=1e-9)


def test_sharp_slow_rate_holds_on_two_thousand_random_problems():
    """T-16, E-039: excess(lam*) <= half the printed bound, always; the ratio comes close to 1/2."""
    rng = np.random.default_rng(6)
    ratios = []
    for _ in range(2_000):
        d = int(rng.integers(1, 5))
        X = rng.standard_normal((6, d)) * 10 ** rng.uniform(-1, 1, d)
        theta, sigma = rng.standard_normal(d), 10 ** rng.uniform(-2, 1)
        choice = oracle_lam(X, theta, sigma)
        ratios.append(ridge_risk_curve(X, theta, sigma, choice.lam).excess[0] / choice.bound)
    assert max(ratios) <= 0.5 * (1 + 1e-12)
    assert max(ratios) > 0.49


def test_sharp_slow_rate_is_attained_in_one_dimension():
    """T-16: d = 1, mu = lam: equality with the halved bound, so it cannot be halved again."""
    X, theta = np.ones((4, 1)), [0.5]
    choice = oracle_lam(X, theta, 1.0)
    assert choice.lam == 1.0 == mean_squared_row_norm(X)
    np.testing.assert_allclose(ridge_risk_curve(X, theta, 1.0, 1.0).excess[0], choice.sharp_bound, rtol=1e-14)


def test_oracle_lam_at_its_edges():
    """T-16: theta = 0 gives lam = inf and excess 0; sigma = 0 gives lam = 0 and excess 0."""
    X, theta = random_problem(7)
    nothing, noiseless = oracle_lam(X, np.zeros(4), 1.0), oracle_lam(X, theta, 0.0)
    assert (nothing.lam, nothing.sharp_bound) == (np.inf, 0.0)
    assert (noiseless.lam, noiseless.sharp_bound) == (0.0, 0.0)
    assert ridge_risk_curve(X, np.zeros(4), 1.0, nothing.lam).excess[0] == 0.0
    assert ridge_risk_curve(X, theta, 0.0, noiseless.lam).excess[0] == 0.0


def test_plug_in_lam_approaches_the_oracle():
    """S-07: relative errors of sigma and ||theta|| are O(1/sqrt n); 5 % covers 5 sd at n = 20 000."""
    rng = np.random.default_rng(8)
    sample = fixed_design(rng, rng.standard_normal((20_000, 3)), theta=[1.0, 2.0, -1.0], sigma=0.5)
    oracle = oracle_lam(sample.X, sample.theta, 0.5)
    assert plug_in_lam(sample.X, sample.y).lam == pytest.approx(oracle.lam, rel=0.05)
    with pytest.raises(ValueError, match="nothing to estimate sigma"):
        plug_in_lam(np.eye(3), np.ones(3))


@given(seeds)
def test_trace_is_the_mean_squared_row_norm_and_bounded_by_the_largest(seed):
    """T-17: tr Sigma_hat = mean ||x_i||**2 <= R**2, so the dimension-free bound is the larger one."""
    X, theta = random_problem(seed)
    np.testing.assert_allclose(mean_squared_row_norm(X), np.trace(X.T @ X / 12), rtol=1e-12)
    largest = np.linalg.norm(X, axis=1).max()
    free = dimension_free_bound(largest, np.linalg.norm(theta), 1.0, 12)
    assert oracle_lam(X, theta, 1.0).sharp_bound <= free.sharp_bound
    assert ridge_risk_curve(X, theta, 1.0, free.lam).excess[0] <= free.sharp_bound


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ridge_risk_curve(np.eye(2), [1, 1], 1.0, -1.0), "lam must be >= 0, got -1.0; use lam=0"),
        (lambda: ridge_risk_curve(np.eye(2), [1, 1], 1.0, np.nan), "lam must be >= 0"),
        (lambda: ridge_risk_curve(np.eye(2), [1], 1.0, 1.0), r"theta must have shape \(2,\)"),
        (lambda: mean_ridge_coefficients(np.ones(3), [1.0], 1.0), "reshape a single feature"),
        (lambda: dimension_free_bound(-1.0, 1.0, 1.0, 3), "pass norms"),
    ],
)
def test_wrong_inputs_are_refused_with_a_remedy(call, message):
    """T-14..T-17."""
    with pytest.raises(ValueError, match=message):
        call()
