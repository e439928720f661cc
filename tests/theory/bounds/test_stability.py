"""Uniform stability, on kernel ridge regression."""

import numpy as np
import pytest

from surefit.theory.bounds import loo_stability_bound, stability_bound, uniform_stability


@pytest.mark.parametrize(("lam", "gaps"), [(1.0, (".157", ".049")), (0.1, ("1.4", ".44")), (0.01, ("14", "4.4"))])
def test_reference_gaps_of_kernel_ridge_regression(lam, gaps):
    """M_y = 1 taken on trust, n = 5000 and 50000: vacuous unless lam is near 1."""
    for n, gap in zip((5000, 50_000), gaps, strict=True):
        found = stability_bound(0.0, n, uniform_stability(n, lam, lipschitz=2.0))
        digits = len(gap.split(".")[1]) if "." in gap else 0
        assert round(found.value, digits) == float(gap)
        assert found.vacuous == (float(gap) >= 1)


@pytest.mark.parametrize("lam", [0.01, 0.1, 1.0])
def test_removing_a_row_moves_no_loss_by_more_than_the_stability(lam):
    """Kernel ridge regression with a Gaussian kernel, y in [-1, 1], n * lam kept; sigma = 2 B (1 + 1 / sqrt(lam)).
    Losses at 200 new points with y = +-1; a stability a thousand times smaller is refuted."""
    rng, n = np.random.default_rng(0), 30
    x, new = rng.uniform(-3, 3, n), np.linspace(-3, 3, 200)
    y = np.sign(x)
    kernel = lambda a, b: np.exp(-(np.subtract.outer(a, b) ** 2))
    fit = lambda keep: (
        kernel(new, x[keep]) @ np.linalg.solve(kernel(x[keep], x[keep]) + n * lam * np.eye(keep.sum()), y[keep])
    )
    beta = uniform_stability(n, lam, lipschitz=2 * (1 + 1 / np.sqrt(lam)))
    full, largest = fit(np.ones(n, bool)), 0.0
    for i in range(n):
        without = fit(np.arange(n) != i)
        largest = max(largest, *(np.abs((full - t) ** 2 - (without - t) ** 2).max() for t in (-1, 1)))
    assert beta / 1000 < largest <= beta


def test_the_loo_bound_pays_one_beta_where_the_empirical_one_pays_two():
    two, one = stability_bound(0.1, 100, 0.001), loo_stability_bound(0.1, 100, 0.001)
    np.testing.assert_allclose(two.value - one.value, 0.001, rtol=1e-9)


def test_no_penalty_has_no_stability():
    with pytest.raises(ValueError, match="no stability"):
        uniform_stability(10, 0.0, lipschitz=1.0)
    with pytest.raises(ValueError, match="uniform_stability"):
        stability_bound(0.0, 10, -1.0)
