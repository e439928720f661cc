"""Fair coins: the deviation found has at least the probability asked for."""

import math

import pytest
from scipy.stats import binom

from surefit.lab.coin import coin_deviation, log_probability


@pytest.mark.parametrize("n", [100, 1001])
@pytest.mark.parametrize("delta", [0.01, 1e-10])
def test_the_tail_beyond_it_is_at_least_as_likely_as_asked(n, delta):
    t = coin_deviation(n, math.log(delta))
    assert binom.sf(round(n * (0.5 + t)) - 1, n, 0.5) >= delta
    assert binom.pmf(round(n * (0.5 + t)) + 1, n, 0.5) < delta


def test_probabilities_are_those_of_the_binomial_law():
    assert math.exp(log_probability(30, 12)) == pytest.approx(binom.pmf(12, 30, 0.5))
