"""Bets: the compiled loop against its twin, the order, the size, the wrong variants."""

import numpy as np
import pytest

from surefit.compiled.twins import betting as twins_betting
from surefit.theory.means.betting import STAR_GRID, STAR_LIMIT, betting, star, wsr


def test_star_is_the_lowest_candidate_before_the_first_that_stands():
    x = np.random.default_rng(0).beta(2, 8, size=60)
    wealth = [twins_betting._falls((1 - x).tolist(), j / STAR_GRID, np.log(20)) for j in range(1, STAR_GRID)]
    assert star(x) == pytest.approx(1 - wealth.index(False) / STAR_GRID)


def test_wsr_is_the_root_of_its_definition():
    """Wealth from the formulas, one loss at a time."""
    x = np.random.default_rng(1).beta(2, 8, size=90)
    n, target = len(x), np.log(20)
    m, log_wealth, peak, total, squares = wsr(x), 0.0, -np.inf, 0.5, 0.25
    variance = 0.25
    for t, value in enumerate(x, start=1):
        log_wealth += np.log1p(-min(1.0, np.sqrt(2 * target / (n * variance))) * (value - m))
        peak = max(peak, log_wealth)
        total += value
        squares += (value - total / (t + 1)) ** 2
        variance = squares / (t + 1)
    assert peak == pytest.approx(target, abs=1e-8)
    assert peak >= target


def test_a_sorted_file_gets_the_bound_of_a_shuffled_one():
    x = np.random.default_rng(2).permutation(np.repeat([1.0, 0.0], [30, 170]))
    rows = np.random.default_rng(0).permutation(200)
    shuffled = np.sort(x)[rows]
    assert betting(np.sort(x)) == star(shuffled)
    assert betting(np.sort(x), seed=7) != betting(np.sort(x), seed=8)
    assert betting(x, seed=3) == betting(x, seed=3)


def test_the_bets_of_wsr_on_a_sorted_file_are_wrong():
    """Small losses first look like small losses always: without the shuffle the bound is below the mean."""
    assert wsr(np.repeat([0.0, 1.0], [140, 60])) < 0.3


def test_large_samples_use_the_root_and_small_ones_the_grid():
    rng = np.random.default_rng(4)
    x = rng.random(STAR_LIMIT + 1)
    rows = np.random.default_rng(0).permutation(len(x))
    assert betting(x) == wsr(x[rows])
    assert betting(x[:100]) == star(x[np.random.default_rng(0).permutation(100)])


def test_a_million_losses_get_a_bound_within_a_thousandth():
    x = np.random.default_rng(5).beta(2, 8, size=10**6)
    assert 0 < betting(x) - x.mean() < 1e-3
