"""Full conformal ridge on a stream: equal to the batch sets, p-values that are uniform, coverage."""

import numpy as np
from scipy.stats import kstest

from surefit.data.design import Design
from surefit.solvers.linear.factor import spectral_factor
from surefit.theory.intervals.full import full_conformal_sets
from surefit.theory.intervals.online_ridge import ConformalRidge
from surefit.theory.intervals.response import LinearResponse


def stream(n=80, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + rng.standard_t(3, size=n)


def test_intervals_are_those_of_the_batch_at_every_row():
    """The ends of the exact sets of `full_conformal_sets`, rows of large leverage included."""
    X, y = stream()
    X[40] *= 30
    state = ConformalRidge(3, lam_sum=0.5, coverage=0.8)
    for t, (x, target) in enumerate(zip(X, y, strict=True)):
        low, high = state.interval(x)
        if t >= 10:
            response = LinearResponse(spectral_factor(Design.of(X[:t]), True), y[:t], 0.5 / t)
            pieces = full_conformal_sets(response, x[None], 0.8)[0]
            np.testing.assert_allclose([low, high], [pieces[0, 0], pieces[-1, 1]], rtol=1e-6, atol=1e-6)
        assert state.step(x, target)[:2] == (low, high)


def test_p_values_are_uniform_and_the_coverage_is_as_asked():
    """Exchangeable rows: 600 p-values (Kolmogorov-Smirnov at 1e-4), misses within five standard errors of a tenth."""
    X, y = stream(600, seed=1)
    state, p, missed = ConformalRidge(3), [], 0
    for x, target in zip(X, y, strict=True):
        low, high, p_value = state.step(x, target)
        missed += not low <= target <= high
        p.append(p_value)
    assert kstest(p, "uniform").pvalue > 1e-4
    assert missed / 600 < 0.1 + 5 * 0.3 / np.sqrt(600)
    assert missed > 20


def test_the_first_rows_have_no_strange_target():
    state = ConformalRidge(2)
    assert state.interval(np.zeros(2)) == (-np.inf, np.inf)
    for x, target in zip(*stream(5, d=2), strict=True):
        assert state.interval(x) == (-np.inf, np.inf)
        assert 0 <= state.step(x, target)[2] <= 1
