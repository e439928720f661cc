"""Certificates from held-out losses."""

import numpy as np
import pytest
from scipy.stats import binom

from surefit.testing import check_certificate
from surefit.theory.certificates.certificate import Standing, Verdict
from surefit.theory.certificates.compared import Baseline
from surefit.theory.certificates.holdout import (
    Cautious,
    classifier_certificate,
    error_quantile,
    mean_certificate,
    regressor_certificate,
    rows_needed,
    share_of,
    upper_rank,
    weaker,
)
from surefit.theory.certificates.shuffle import Shuffle

TEN_OF_500 = np.repeat([1, 0], [10, 490])


@pytest.mark.parametrize(("models", "bound"), [(1, 0.0337), (5, 0.0399), (20, 0.0446), (100, 0.0497)])
def test_a_classifier_pays_for_every_model_tried(models, bound):
    certificate = classifier_certificate(TEN_OF_500, n_models_fixed=models)
    assert round(certificate.bound, 4) == bound
    assert certificate.empirical == 0.02
    assert (f"{models} models that were fixed before" in certificate.statement) == (models > 1)
    check_certificate(certificate)


@pytest.mark.parametrize("models", [0, -1, 1.5])
def test_models_are_counted_in_whole_numbers(models):
    with pytest.raises(ValueError, match="n_models_fixed must be a whole number"):
        share_of(0.05, models)


def test_a_classifier_is_compared_with_the_constant():
    better = classifier_certificate(TEN_OF_500, baseline=Baseline(np.repeat([1, 0], [200, 300]), constant="a"))
    assert better.status is Verdict.INFORMATIVE
    assert "Always answering 'a' errs on 40.0 % of the same rows." in better.further[0].statement
    same = classifier_certificate(TEN_OF_500, baseline=Baseline(TEN_OF_500, constant="a"))
    assert same.status is Verdict.NO_BETTER
    assert classifier_certificate(np.ones(20)).status is Verdict.VACUOUS


@pytest.mark.parametrize(
    ("n", "rank"), [(29, 29), (50, 49), (100, 96), (200, 188), (500, 462), (1000, 916), (5000, 4536)]
)
def test_quantile_ranks_equal_their_published_numbers(n, rank):
    assert upper_rank(n) == rank
    assert binom.cdf(rank - 1, n, 0.9) >= 0.95 > binom.cdf(rank - 2, n, 0.9)


def test_too_few_rows_are_named_with_the_remedy():
    assert rows_needed(0.9, 0.05) == 29
    assert np.isinf(error_quantile(np.ones(28)))
    assert np.isfinite(error_quantile(np.ones(29)))
    certificate = regressor_certificate(np.ones(28))
    assert certificate.statement == (
        "No promise about 90 % of future errors: 28 held-out rows are too few for 95 % confidence; hold out at least "
        "29 rows."
    )
    assert certificate.status is Verdict.VACUOUS


def test_three_statements_share_delta():
    errors = np.abs(np.random.default_rng(0).normal(size=300))
    certificate = regressor_certificate(errors, baseline=Baseline(4 * errors, 8.0, 0.0))
    assert certificate.inputs["delta_each"] == pytest.approx(0.05 / 3)
    assert [one.delta for one in certificate.further] == pytest.approx([0.05 / 3] * 2)
    assert certificate.bound == error_quantile(errors, 0.9, 0.05 / 3)
    assert certificate.status is Verdict.INFORMATIVE
    assert regressor_certificate(errors, baseline=Baseline(errors, 8.0, 0.0)).status is Verdict.NO_BETTER


def test_the_capped_mean_names_its_cap_and_what_exceeds_it():
    errors = np.append(np.full(199, 0.5), 100.0)
    capped = regressor_certificate(errors, baseline=Baseline(errors, 1.0, 0.0)).further[1]
    assert capped.empirical == pytest.approx((199 * 0.25 + 1.0) / 200)
    assert capped.empirical < capped.bound < 0.35
    assert 0.005 < capped.inputs["above_cap"] < 0.05


@pytest.mark.parametrize(("cap", "told"), [(2.0, True), (1.05, False), (0.5, False)])
def test_a_capped_mean_that_says_hardly_more_than_its_cap_is_no_promise(cap, told):
    """Squares of one: the mean is near a cap of 1.05, and every row exceeds one of 0.5."""
    found = regressor_certificate(np.ones(200), baseline=Baseline(np.full(200, 3.0), cap, 0.0))
    mean = found.further[1]
    assert ("how far is not bounded" in mean.statement) == told
    assert mean.statement.startswith("No useful bound") == mean.vacuous == (not told)


def test_possible_copies_that_count_as_errors_are_not_called_observed():
    """Sixty errors of a half count as unknown: nothing was observed that speaks for the constant."""
    observed, counted = np.full(60, 0.5), np.full(60, np.inf)
    constant = Baseline(np.zeros(60), 9.0, 1.5)
    for found in (
        regressor_certificate(Cautious(counted, observed), baseline=constant),
        classifier_certificate(Cautious(np.ones(60), np.zeros(60)), baseline=constant),
        mean_certificate(Cautious(np.ones(60), observed), baseline=constant),
    ):
        assert found.further[0].statement.startswith(
            "Taking possible copies at their worst, this model cannot be shown"
        )
    plain = regressor_certificate(observed, baseline=constant).further[0].statement
    assert "no smaller on these rows" in plain


def test_a_mean_certificate_records_seed_and_range():
    certificate = mean_certificate(np.linspace(0, 2, 200), upper=4.0)
    assert certificate.inputs["seed"] == Shuffle.of(np.linspace(0, 0.5, 200)[::-1]).seed
    assert [one.standing for one in certificate.assumptions[-2:]] == [Standing.DECLARED, Standing.CHECKED]
    assert certificate.empirical < certificate.bound < 1.2
    assert mean_certificate(np.ones(30)).vacuous
    check_certificate(certificate)


def test_missing_errors_are_refused():
    with pytest.raises(ValueError, match="must be finite"):
        regressor_certificate([0.1, np.nan])
    with pytest.raises(ValueError, match="coverage"):
        error_quantile(np.ones(5), coverage=90)


def test_what_two_certificates_say_together_is_the_weaker_of_everything():
    """Each holds under one reading of the data; bounds grow, the constant's floor falls, the status is the worse."""
    rng = np.random.default_rng(0)
    y, wide = rng.normal(size=200), 3 * rng.normal(size=120)
    one = regressor_certificate(0.1 * np.abs(y), baseline=Baseline(np.abs(y), 4.0, 0.0))
    other = regressor_certificate(0.2 * np.abs(wide), baseline=Baseline(np.abs(wide), 4.0, 0.0))
    both = weaker(one, other)
    assert both == weaker(other, one)
    assert both.bound == max(one.bound, other.bound)
    assert both.further[0].bound == min(one.further[0].bound, other.further[0].bound)
    assert both.further[1].bound == max(one.further[1].bound, other.further[1].bound)
    assert one.status is other.status is Verdict.INFORMATIVE
    small = regressor_certificate(0.1 * np.abs(wide), baseline=Baseline(np.abs(wide), 4.0, 0.0))
    assert small.bound > one.bound
    assert weaker(one, small).status is Verdict.INFORMATIVE
    poor = regressor_certificate(2.0 * np.abs(wide), baseline=Baseline(np.abs(wide), 4.0, 0.0))
    assert weaker(one, poor).status is Verdict.NO_BETTER
    few = regressor_certificate(np.ones(5), baseline=Baseline(np.ones(5), 4.0, 0.0))
    assert weaker(one, few).status is Verdict.VACUOUS
