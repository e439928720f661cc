"""The bet against rows in random order: exact p values, fair capital, and drifts that it finds."""

import numpy as np
import pytest

from surefit.theory.means.exchangeability import ENOUGH, RICH, evidence_of_order, order_p_values


def test_p_values_are_ranks_among_the_rows_so_far():
    scores = np.array([3.0, 1.0, 2.0, 5.0, 2.0])
    ties = np.random.default_rng(4).random(5)
    above = [0, 1, 1, 0, 2]  # earlier scores that are larger
    equal = [0, 0, 0, 0, 1]
    wanted = [(a + u * (1 + e)) / (t + 1) for t, (a, e, u) in enumerate(zip(above, equal, ties, strict=True))]
    np.testing.assert_allclose(order_p_values(scores, seed=4), wanted, rtol=1e-14)


def test_capital_is_fair_over_all_orders():
    """The mean over all 24 orders of four rows, and over ties, is one: the bettor has no edge.  Exact in the orders,
    simulated in the ties: 200 seeds, five standard errors."""
    from itertools import permutations

    values = [0.1, 0.4, 0.5, 0.9]
    means = [np.mean([evidence_of_order(order, seed).e for order in permutations(values)]) for seed in range(200)]
    assert abs(np.mean(means) - 1.0) < 5 * np.std(means) / np.sqrt(200)


@pytest.mark.parametrize("drift", ["rise", "fall", "jump", "waves"])
def test_drifts_are_found(drift):
    rng, t = np.random.default_rng(0), np.arange(600)
    factor = {"rise": 1 + t / 200, "fall": 4 - t / 200, "jump": 1 + 2.0 * (t > 300), "waves": 1.5 + np.sin(t / 60)}
    found = evidence_of_order(rng.exponential(size=600) * factor[drift], seed=1)
    assert found.found
    assert found.highest >= ENOUGH


def test_a_sorted_file_stops_the_bettor_long_before_its_numbers_overflow():
    found = evidence_of_order(np.arange(20_000.0), seed=0)
    assert RICH <= found.e < 10 * RICH
    assert found.after < 1000


def test_scores_that_are_missing_are_refused():
    with pytest.raises(ValueError, match="one number per row, in the order of time"):
        evidence_of_order([1.0, np.nan], seed=0)
