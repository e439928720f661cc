"""The verification protocol for bands, quantiles, heavy tails and the certificate of a regressor as a whole."""

import numpy as np
import pytest
from scipy.stats import norm

from surefit.theory.certificates.compared import Baseline
from surefit.theory.certificates.holdout import error_quantile, regressor_certificate
from surefit.theory.intervals.conformal import conformal_rank, pac_rank
from surefit.theory.means.concentration import catoni, dkw_slack

pytestmark = pytest.mark.verify

HEAVY = {
    # name: (draw, mean, variance)
    "Student, 3 degrees": (lambda rng, shape: rng.standard_t(3, size=shape), 0.0, 3.0),
    "Pareto, index 2.5": (lambda rng, shape: rng.pareto(2.5, size=shape), 1 / 1.5, 2.5 / (1.5**2 * 0.5)),
    "minus Pareto": (lambda rng, shape: -rng.pareto(2.5, size=shape), -1 / 1.5, 2.5 / (1.5**2 * 0.5)),
    "log-normal": (lambda rng, shape: rng.lognormal(size=shape), np.exp(0.5), (np.e - 1) * np.e),
    "two points": (lambda rng, shape: np.where(rng.random(shape) < 0.9, 0.0, 10.0), 1.0, 9.0),
}


def catoni_misses(law, n, R, declared=1.0):
    draw, mean, variance = HEAVY[law]
    return int(np.sum(catoni(draw(np.random.default_rng(n), (R, n)), variance_bound=declared * variance) < mean))


@pytest.mark.parametrize("law", HEAVY)
def test_catoni_covers_heavy_tails(law, protocol):
    for n in protocol.sizes:
        assert catoni_misses(law, n, protocol.repeats) <= protocol.allowed(protocol.repeats)


def test_catoni_with_a_variance_declared_too_small_is_caught(protocol):
    assert catoni_misses("two points", 200, 2000, declared=0.1) > protocol.allowed(2000)


@pytest.mark.parametrize("levels", [None, 5], ids=["continuous", "five values"])
def test_the_dkw_band_covers_the_whole_distribution(levels, protocol):
    """Uniform numbers, and the same rounded up to five values: the band is one-sided, for all points at once.  Half
    its height is caught on the continuous law, where it is sharp."""
    R = protocol.repeats
    for n in protocol.sizes:
        U = np.sort(np.random.default_rng(2).random((R, n)), axis=-1)
        if levels is None:
            rise = np.max(np.arange(1, n + 1) / n - U, axis=-1)  # sup of empirical minus true
        else:
            points = np.arange(1, levels + 1) / levels
            rise = np.max([np.mean(point >= U, axis=-1) - point for point in points], axis=0)
        assert np.sum(rise > dkw_slack(n)) <= protocol.allowed(R)
        if levels is None:
            assert np.sum(rise > dkw_slack(n)) >= 0.015 * R
            assert np.sum(rise > dkw_slack(n) / 2) > protocol.allowed(R)


SCORES = {
    "exponential": lambda u: -np.log1p(-u),
    "Cauchy squared": lambda u: np.tan(np.pi * u / 2) ** 2,
    "whole numbers": lambda u: np.floor(20 * u),
}
"""Scores from uniform numbers: the true coverage of a bound is the share of uniform numbers at or below it."""


def quantile_misses(rank, n, law, R):
    """How often the true coverage of the ``rank``-th smallest of ``n`` scores is below 0.9."""
    U = np.sort(np.random.default_rng(n).random((R, n)), axis=1)[:, rank - 1]
    reached = (np.floor(20 * U) + 1) / 20 if law == "whole numbers" else U
    bound = SCORES[law](U)
    assert np.all(SCORES[law](reached - 1e-9) <= bound + 1e-6 * np.abs(bound))
    return int(np.count_nonzero(reached < 0.9))


@pytest.mark.parametrize("law", SCORES)
@pytest.mark.parametrize("n", [29, 50, 200, 1000])
def test_pac_quantiles_fail_at_most_delta_of_the_time(law, n, protocol):
    """The rank below (what `conformal_rank` or an off-by-one would give) must be caught where scores have no ties."""
    R = protocol.repeats
    assert quantile_misses(pac_rank(n, 0.9), n, law, R) <= protocol.allowed(R)
    if law != "whole numbers":
        sabotaged = min(conformal_rank(n, 0.9), pac_rank(n, 0.9) - 1)
        assert quantile_misses(sabotaged, n, law, R) > protocol.allowed(R)


def test_the_error_quantile_is_the_ranked_error():
    errors = np.random.default_rng(0).exponential(size=200)
    assert error_quantile(errors) == np.sort(errors)[pac_rank(200, 0.9) - 1]


CAP = 4.0


def statements_missed(errors, quantile, capped, above, gain):
    """Which of the statements of one certificate are false; the constant is off by twice as much as the model."""
    whole = regressor_certificate(errors, baseline=Baseline(2 * errors, CAP, 0.0))
    compared, mean = whole.further
    return (
        whole.bound < quantile,
        compared.bound > gain,
        mean.bound < capped,
        mean.inputs["above_cap"] < above,
    )


@pytest.mark.parametrize("heavy", [False, True], ids=["normal", "exponential"])
def test_a_regressor_certificate_holds_as_a_whole(heavy, protocol):
    """All statements about |normal| or exponential errors at once, n = 60: 200 samples in the suite, 5000 under ``make
    verify``.  The truth in closed form: E min(e**2, 4)."""
    rng, R = np.random.default_rng(7), protocol.of(200)
    if heavy:
        quantile, above, capped = np.log(10), np.exp(-2), 2 - 6 * np.exp(-2)  # int_0^2 2 t exp(-t) dt
        within_one = 2 - 4 * np.exp(-1)
        draw = lambda: rng.exponential(size=60)
    else:
        quantile, above = norm.ppf(0.95), 2 * norm.sf(2)
        capped = 1 - above - 4 * norm.pdf(2) + CAP * above  # E[z**2; |z| <= 2] by parts
        within_one = 1 - 2 * norm.pdf(1)
        draw = lambda: np.abs(rng.standard_normal(60))
    gain = 4 * within_one - capped  # E min((2 e)**2, 4) - E min(e**2, 4)
    sample = np.minimum((rng.exponential(size=10**6) if heavy else rng.standard_normal(10**6)) ** 2, CAP)
    assert sample.mean() == pytest.approx(capped, abs=0.006)
    missed = np.array([statements_missed(draw(), quantile, capped, above, gain) for _ in range(R)])
    assert missed.any(axis=1).sum() <= protocol.allowed(R)
    if protocol.full:  # each statement has its share, and the shares add up to delta
        assert np.all(missed.mean(axis=0) <= 0.05 / 3 + 0.012)


def test_a_cap_taken_from_the_held_out_errors_is_caught(protocol):
    """Sabotage of the capped mean: the cap at the largest error that was seen makes the rest of the tail invisible.
    Errors are 0 or 10; in half the samples of 60 none is 10."""
    rng, R, missed = np.random.default_rng(1), protocol.of(200, 1000), 0
    for _ in range(R):
        errors = np.where(rng.random(60) < 0.011, 10.0, 0.1)
        cap = float(np.max(errors) ** 2)
        mean = regressor_certificate(errors, baseline=Baseline(errors, cap, 0.0)).further[1]
        missed += mean.bound < 0.011 * 100 + 0.989 * 0.01
    assert missed > protocol.allowed(R)
