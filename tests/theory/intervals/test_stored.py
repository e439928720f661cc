"""Intervals from what a stored fit keeps contain those of jackknife+."""

import numpy as np
import pytest

from surefit.data.design import Design
from surefit.solvers.linear.factor import spectral_factor
from surefit.theory.intervals.jackknife import jackknife_plus
from surefit.theory.intervals.response import LinearResponse
from surefit.theory.intervals.stored import LeftOutReach, group_starts


def responses(n, d, lam, intercept, seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)) + 3.0, rng.standard_t(3, size=n)
    return LinearResponse(spectral_factor(Design.of(X), intercept, lam * n), y, lam), rng.normal(size=(40, d)) + 3.0


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("n", "d", "lam"), [(30, 3, 0.0), (30, 12, 0.0), (30, 50, 0.1), (400, 8, 1e-3), (25, 1, 10.0)])
def test_it_contains_jackknife_plus(n, d, lam, intercept):
    response, new = responses(n, d, lam, intercept)
    reach = LeftOutReach.of(response)
    for coverage in (0.5, 0.8, 0.9):
        exact, found = jackknife_plus(response, new, coverage), reach.intervals(new, coverage)
        assert np.all(found.lower <= exact.lower + 1e-12)
        assert np.all(found.upper >= exact.upper - 1e-12)
        assert found.guaranteed == exact.guaranteed


def test_many_rows_cost_little_width_and_few_numbers():
    response, new = responses(5000, 4, 0.01, True)
    reach = LeftOutReach.of(response)
    assert len(reach.left_out) == len(reach.leverage) == len(reach.count) < 250
    assert reach.count.sum() == 5000
    assert np.mean(reach.intervals(new).width) < 1.02 * np.mean(jackknife_plus(response, new).width)


def test_a_row_that_decides_its_own_fit_reaches_everywhere():
    X, y = np.array([[0.0]] * 9 + [[1.0]]), np.arange(10.0)
    reach = LeftOutReach.of(LinearResponse(spectral_factor(Design.of(X), True), y, 0.0))
    assert np.isinf(reach.intervals(np.array([[1.0]]), 0.9).upper[0])
    assert np.isfinite(reach.intervals(np.array([[1.0]]), 0.5).upper[0])


@pytest.mark.parametrize("n", [1, 2, 33, 100, 12_345])
def test_groups_cover_all_rows_once(n):
    starts = group_starts(n)
    assert starts[0] == 0
    assert np.all(np.diff(starts) > 0)
    assert starts[-1] == n - 1
