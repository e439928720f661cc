"""The smallest ratio that a valid bound can have, which re-splits of real tables are compared with."""

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.resplits import least_rate, truth_and_least
from surefit.theory.certificates.holdout import upper_rank
from surefit.theory.means.concentration import binomial_upper


@pytest.mark.parametrize("m", [60, 300, 1000])
@pytest.mark.parametrize("rate", [0.01, 0.05, 0.2])
def test_the_exact_bound_is_not_below_the_least_and_hardly_above(rate, m):
    """Clopper and Pearson's bound at the median number of errors; a whole number of errors may cost a step."""
    least = least_rate(rate, m)
    k = int(binom.median(m, rate))
    below = binomial_upper(k - 1, m, 0.05) if k else rate
    assert below <= least <= binomial_upper(k, m, 0.05)


def test_a_bound_that_is_sharper_is_not_valid():
    """Rejecting for one error more has more than 5 % at the least rate."""
    least = least_rate(0.05, 300)
    k = int(binom.ppf(0.05, 300, least))
    assert binom.cdf(k - 1, 300, least) <= 0.05 < binom.cdf(k, 300, least)


def test_a_quantile_cannot_be_bounded_below_an_order_statistic_by_much():
    errors = np.linspace(0.0, 1.0, 20_001)
    truth, least = truth_and_least(True, errors, np.zeros_like(errors), 300)
    assert truth == pytest.approx(0.9, abs=1e-3)
    assert (upper_rank(300) - 2) / 300 <= least <= upper_rank(300) / 300
