import numpy as np
import pytest

from surefit.data.simulate import fixed_design
from surefit.theory.fit.criteria import aic, bic, gaussian_log_likelihood, gcv, mallows_cp, noise_variance

RSS = np.array([8.75, 2.7, 2.45])  # fixture one: constant, line, parabola


def test_mallows_cp_of_fixture_one_picks_the_line():
    """Catalogue S-01, FX1."""
    variance = noise_variance(2.45, n=4, dof=3)
    cp = mallows_cp(RSS, [1, 2, 3], variance)
    np.testing.assert_allclose(cp, [13.65, 12.5, 17.15], rtol=1e-14)
    assert np.argmin(cp) == 1


def test_classical_cp_is_an_affine_map_of_ours():
    """Catalogue S-01: RSS / s2 - n + 2p."""
    classical = RSS / 2.45 - 4 + 2 * np.array([1, 2, 3])
    np.testing.assert_allclose(mallows_cp(RSS, [1, 2, 3], 2.45) / 2.45 - 4, classical, rtol=1e-14)


def test_aic_with_known_variance_is_cp_up_to_a_constant():
    """Catalogue T-77: -2 s2 (loglik - p) = RSS + 2 p s2 + const."""
    for variance in (0.5, 1.0, 2.45):
        dof = np.array([1, 2, 3])
        shifted = variance * aic(gaussian_log_likelihood(RSS, 4, variance), dof) - mallows_cp(RSS, dof, variance)
        np.testing.assert_allclose(shifted, shifted[0], rtol=1e-12)
    log_likelihood = gaussian_log_likelihood(2.7, 4, variance=1.0)
    np.testing.assert_allclose(log_likelihood - 2, -7.025754133, atol=5e-10)
    np.testing.assert_allclose(aic(log_likelihood, 2), 2.7 + 4 + 4 * np.log(2 * np.pi), rtol=1e-14)


def test_profiled_likelihood_is_the_maximum_over_the_variance():
    """Catalogue S-02, FX1: -4.889668957; infinite for an interpolating fit."""
    grid = np.linspace(0.3, 2.0, 20001)
    best = max(float(gaussian_log_likelihood(2.7, 4, v)) for v in grid)
    np.testing.assert_allclose(gaussian_log_likelihood(2.7, 4), -4.889668957, atol=5e-10)
    np.testing.assert_allclose(best, -4.889668957, atol=1e-8)
    assert gaussian_log_likelihood(0.0, 4) == np.inf


def test_bic_charges_more_than_aic_from_eight_rows_on():
    assert bic(0.0, 1, 8) > aic(0.0, 1) > bic(0.0, 1, 7)


def test_gcv_is_exact_leave_one_out_where_all_leverages_agree():
    """Balanced design: two points, twice each; every leverage is 1/2."""
    x, y = np.array([-1.0, -1, 1, 1]), np.array([1.0, 2, 4, 8])
    fitted = np.repeat([1.5, 6.0], 2)
    rss = np.sum((y - fitted) ** 2)
    loo = np.mean(((y - fitted) / (1 - 0.5)) ** 2)
    np.testing.assert_allclose(gcv(rss, 2, 4), loo, rtol=1e-14)
    assert gcv(0.0, 4, 4) == np.inf
    assert len(x) == 4


def test_noise_variance_needs_room():
    """Catalogue S-01: n <= p."""
    with pytest.raises(ValueError, match="pass a known variance"):
        noise_variance(1.0, n=3, dof=3)


def test_cp_is_unbiased_for_the_risk_only_with_the_intercept_counted():
    """Catalogue T-75, E-087: seeded, 4000 draws; 5 standard errors (6e-7 false alarm)."""
    rng = np.random.default_rng(7)
    n = 30
    Z = rng.normal(size=(n, 3))
    small, full = np.column_stack([np.ones(n), Z[:, :1]]), np.column_stack([np.ones(n), Z])
    H, F = (A @ np.linalg.pinv(A) for A in (small, full))
    sample = fixed_design(rng, full, np.array([1.0, 1.0, 0.5, 0.3]), 1.0)
    mean = full @ np.array([1.0, 1.0, 0.5, 0.3])
    assert sample.y.shape == (n,)
    Y, fresh = mean + rng.normal(size=(4000, n)), mean + rng.normal(size=(4000, n))
    rss, risk = np.sum((Y - Y @ H) ** 2, axis=1), np.sum((fresh - Y @ H) ** 2, axis=1)
    s2 = np.sum((Y - Y @ F) ** 2, axis=1) / (n - 4)
    for dof, unbiased in ((2, True), (1, False)):
        difference = rss + 2 * dof * s2 - risk
        error = 5 * difference.std() / np.sqrt(4000)
        assert (abs(difference.mean()) < error) == unbiased
