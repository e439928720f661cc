"""Means of numbers without a largest value: no miss beyond the promise at any time, sabotaged twins caught."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import binom

from surefit.theory.means.unbounded import RATES, STAKES, log_wealth_above, log_wealth_below, nonnegative_sequence


def gamma(rng, size, variance):
    return rng.gamma(1 / variance, variance, size)


def coins(rng, size, variance):
    """Zero, or a rare large number: the worst that a variance allows."""
    return (1 + variance) * (rng.random(size) < 1 / (1 + variance))


def highest(rows, variance):
    """Largest log wealth over all times against a mean of one, from above and from below, of every row."""
    found = [np.full(len(rows), -np.inf) for _ in range(2)]
    money, total = np.zeros((len(rows), len(STAKES))), np.zeros(len(rows))
    for t, x in enumerate(rows.T, start=1):
        money += np.log1p(STAKES * (x[:, None] - 1))
        total += 1 - x
        gains = RATES * total[:, None] - t * variance * (np.expm1(RATES) - RATES)
        for most, logs in zip(found, (money, gains), strict=True):
            np.maximum(most, logsumexp(logs, axis=1) - np.log(logs.shape[1]), out=most)
    return found


@pytest.mark.verify
@pytest.mark.parametrize("law", [gamma, coins])
@pytest.mark.parametrize("variance", [0.2, 2.0])
def test_a_true_mean_is_refuted_as_rarely_as_promised(law, variance, protocol):
    """Wealth 1,000 at any time, in 2,000 streams of 200 (50,000 of 1,000 under ``make verify``): on each side with
    probability 1e-3 at most, by an exact binomial test at 1e-4."""
    R, n = (50_000, 1000) if protocol.full else (2000, 200)
    false = [
        np.sum(most >= np.log(1000)) for most in highest(law(np.random.default_rng(7), (R, n), variance), variance)
    ]
    print(f"{law.__name__}, variance {variance}: {false} of {R}")
    assert max(false) <= binom.ppf(1 - 1e-4, R, 1e-3)


def test_the_wealth_of_the_simulation_is_that_of_the_library():
    rows = gamma(np.random.default_rng(6), (5, 40), 0.5)
    above = [max(log_wealth_above(row[:t], 1.0) for t in range(1, 41)) for row in rows]
    below = [max(log_wealth_below(row[:t], 1.0, 0.5) for t in range(1, 41)) for row in rows]
    np.testing.assert_allclose([above, below], highest(rows, 0.5), atol=1e-9)


def test_a_variance_that_is_declared_too_small_is_caught():
    """The sabotaged twin: a tenth of the variance refutes far more than one true mean in twenty."""
    false = np.sum(highest(coins(np.random.default_rng(8), (400, 200), 2.0), 0.2)[1] >= np.log(20))
    assert false > binom.ppf(1 - 1e-4, 400, 0.05)


def test_ends_are_where_wealth_refutes():
    values = np.random.default_rng(9).gamma(2.0, 0.5, 3000)
    low, high = nonnegative_sequence(values, variance=0.5, delta=0.01)
    assert low < 1 < high
    assert log_wealth_above(values, low) == pytest.approx(np.log(200), abs=1e-2)
    assert log_wealth_below(values, high, 0.5) == pytest.approx(np.log(200), abs=1e-2)


def test_units_do_not_matter():
    values = np.random.default_rng(10).gamma(2.0, 0.5, 500)
    np.testing.assert_allclose(
        nonnegative_sequence(1e6 * values, variance=0.5), 1e6 * np.array(nonnegative_sequence(values, variance=0.5))
    )


@pytest.mark.parametrize("values", [[], [0.0, 0.0], [1.0, np.inf]])
def test_numbers_that_say_nothing_leave_everything_open(values):
    assert nonnegative_sequence(np.array(values), variance=1.0) == (0.0, np.inf)


def test_numbers_beyond_what_is_known_are_refused():
    with pytest.raises(ValueError, match="must not be negative, got -1; add a constant"):
        nonnegative_sequence(np.array([1.0, -1.0]))
    with pytest.raises(ValueError, match="exceeds the largest one"):
        nonnegative_sequence(np.array([1.0, 5.0]), largest=2.0)
