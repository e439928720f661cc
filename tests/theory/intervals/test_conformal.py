"""Ranks, promises and scores behind split conformal prediction and PAC quantiles."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from surefit.theory.intervals.conformal import (
    Promise,
    band_scores,
    conformal_rank,
    pac_promise,
    pac_rank,
    ranked,
    split_promise,
    unlucky_coverage,
    widened,
)


@pytest.mark.parametrize(
    ("n", "rank"), [(29, 29), (50, 49), (100, 96), (200, 188), (500, 462), (1000, 916), (5000, 4536)]
)
def test_pac_ranks_of_the_90_percent_quantile_at_95_percent_confidence(n, rank):
    assert pac_rank(n, 0.9, 0.05) == rank


def test_fewer_than_29_rows_cannot_show_a_90_percent_quantile():
    with pytest.raises(
        ValueError, match=r"28 rows cannot show a 0\.9 quantile with confidence 0\.95: at least 29 needed"
    ):
        pac_rank(28, 0.9, 0.05)


@given(st.integers(1, 400), st.floats(0.05, 0.99), st.floats(0.001, 0.5))
def test_the_pac_rank_is_the_smallest_that_keeps_its_promise(n, coverage, delta):
    """By the binomial law itself; where no rank does, the number said to be needed is the smallest that does."""
    if binom.cdf(n - 1, n, coverage) < 1 - delta:
        with pytest.raises(ValueError, match="at least") as refused:
            pac_rank(n, coverage, delta)
        needed = int(str(refused.value).split("at least ")[1].split()[0])
        assert coverage**needed <= delta * (1 + 1e-9)
        assert coverage ** (needed - 1) > delta * (1 - 1e-9)
        return
    rank = pac_rank(n, coverage, delta)
    assert binom.cdf(rank - 1, n, coverage) >= (1 - delta) * (1 - 1e-12)  # up to rounding
    assert rank == 1 or binom.cdf(rank - 2, n, coverage) < (1 - delta) * (1 + 1e-12)  # up to rounding


@pytest.mark.parametrize(("n", "coverage"), [(50, 0.826), (100, 0.848), (500, 0.877), (5000, 0.893)])
def test_unlucky_coverage_of_split_conformal(n, coverage):
    assert round(unlucky_coverage(n, 0.9), 3) == coverage
    k = conformal_rank(n, 0.9)
    assert unlucky_coverage(n, 0.9) == pytest.approx(beta(k, n + 1 - k).ppf(0.05), rel=1e-9)


def test_ranks_are_not_fooled_by_rounding():
    """0.7 * 10 and 0.9 * 10 are whole numbers although their factors are not exact."""
    assert [conformal_rank(9, c) for c in (0.1, 0.3, 0.6, 0.7, 0.9)] == [1, 3, 6, 7, 9]


def test_too_few_rows_for_the_coverage_are_refused_with_the_number_needed():
    with pytest.raises(ValueError, match=r"8 rows are too few for 0\.9 coverage: at least 9 needed"):
        conformal_rank(8, 0.9)
    assert conformal_rank(9, 0.9) == 9


@pytest.mark.parametrize("coverage", [0.0, 1.0, -0.5, 90, np.nan])
def test_a_coverage_outside_0_and_1_is_refused(coverage):
    with pytest.raises(ValueError, match="coverage must lie between 0 and 1"):
        conformal_rank(100, coverage)
    with pytest.raises(ValueError, match="coverage must lie between 0 and 1"):
        pac_rank(100, coverage)


def test_a_delta_outside_0_and_1_is_refused():
    with pytest.raises(ValueError, match="delta must lie strictly between 0 and 1, got 5"):
        pac_rank(100, 0.9, 5)


def split_misses(rank, n, R):
    scores = np.random.default_rng(1).standard_cauchy(size=(R, n + 1)) ** 2
    return np.count_nonzero(scores[:, -1] > np.sort(scores[:, :-1], axis=1)[:, rank - 1])


@pytest.mark.verify
@pytest.mark.parametrize("n", [9, 50, 199])
def test_split_conformal_covers_and_at_its_exact_rate(n, protocol):
    """Coverage is exactly k / (n + 1) without ties; a simulation far above it would be as wrong as one below."""
    R, k = protocol.repeats, conformal_rank(n, 0.9)
    exact = 1 - k / (n + 1)
    assert binom.ppf(1e-4, R, exact) <= split_misses(k, n, R) <= protocol.allowed(R, exact) <= protocol.allowed(R, 0.1)


@pytest.mark.verify
def test_the_plain_quantile_is_caught(protocol):
    """The rank ceil(0.9 n) - 1 of a plain quantile at n = 9."""
    assert split_misses(8, 9, protocol.repeats) > protocol.allowed(protocol.repeats, 0.1)


def test_scores_of_a_point_are_absolute_errors_and_of_a_band_signed_distances():
    f, y = np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.5, 3.0])
    np.testing.assert_array_equal(band_scores(f, f, y), np.abs(y - f))
    np.testing.assert_array_equal(band_scores(f - 1, f + 1, y), np.abs(y - f) - 1)


def test_widening_by_the_score_of_a_target_puts_it_on_the_edge():
    low, high, y = np.array([0.0]), np.array([1.0]), np.array([4.0])
    assert widened(low, high, band_scores(low, high, y)[0])[1] == pytest.approx(y, rel=1e-14)


def test_rounding_does_not_lose_the_target_that_made_the_edge():
    """``f + (y - f)`` is often a hair below ``y``, and all new targets of that value would then be missed."""
    rng = np.random.default_rng(0)
    f, y = rng.uniform(-12, -11, 1000), rng.choice([-20.0, -10.0, 10.0], 1000)
    assert np.any(f + (y - f) < y)
    low, high = widened(f, f, band_scores(f, f, y))
    assert np.all((low <= y) & (y <= high))
    assert np.all(high - low <= 2 * np.abs(y - f) * (1 + 1e-13))


def test_the_ranked_score_is_that_of_the_sorted_ones():
    scores = np.random.default_rng(0).normal(size=30)
    assert [ranked(scores, k) for k in (1, 17, 30)] == [np.sort(scores)[k - 1] for k in (1, 17, 30)]


def test_a_broken_assumption_takes_the_guarantee_away_and_is_said_first():
    promise = Promise(
        0.9, 0.8, "some method", "It covers.", ("rows are exchangeable",), ("lam was chosen on these rows",)
    )
    found = promise.intervals(np.zeros(2), np.ones(2))
    assert found.guaranteed == 0.0
    assert found.statement.startswith("No theorem covers these intervals: lam was chosen on these rows.")
    assert "give a lam that does not come from these rows, or use surefit.calibrate(model, X_new" in found.statement
    assert " ".join(str(found).split()).count("lam was chosen") == 1
    other = replace(promise, broken=("lam was chosen", "landmarks were drawn")).intervals(np.zeros(2), np.ones(2))
    assert "For intervals with a promise, use surefit.calibrate(model, X_new, y_new)" in other.statement
    assert "Needed: rows are exchangeable" in str(found)
    np.testing.assert_array_equal(found.width, [1.0, 1.0])


def test_promises_say_what_they_average_over():
    assert "19 in 20 hold-outs of 100 rows the true coverage is at least 0.848" in split_promise(100, 0.9).statement
    assert pac_promise(100, 0.9, 0.05).statement.startswith(
        "With 95 % confidence over the draw of the 100 held-out rows"
    )


def test_promises_are_printed_to_their_safe_side():
    """What is printed as "at least" is never more than the number, and nothing reads as certain that is not."""
    statement = pac_promise(10**6, 0.99999, 1e-7).statement
    assert statement.startswith("With 99.99999 % confidence")
    assert "at least 99.99 % of new targets" in statement
    for n in range(10, 400, 7):
        shown = float(split_promise(n, 0.9).statement.split()[-1].rstrip("."))
        assert unlucky_coverage(n, 0.9) - 1e-3 < shown <= unlucky_coverage(n, 0.9)
    assert "probability at least 0.9999," in split_promise(10**6, 0.99996).statement
