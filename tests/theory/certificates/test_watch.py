"""Promises that are watched: refuted when they are broken, hardly ever when they are kept."""

import numpy as np
import pytest
from scipy.stats import binom

from surefit.theory.certificates.certificate import Certificate, Verdict
from surefit.theory.certificates.holdout import classifier_certificate, mean_certificate, regressor_certificate
from surefit.theory.certificates.measures import auc_certificate, recall_certificate
from surefit.theory.certificates.unequal import Terms, by_groups, unequal_classifier


def test_a_broken_promise_is_called_refuted_at_the_row_where_it_is():
    promise = classifier_certificate(np.repeat([1, 0], [10, 490]))  # at most 3.4 %
    losses = np.tile([1.0, 0, 0, 0], 50)
    whole = promise.watch(losses)
    assert whole.refuted
    one_by_one = promise.watch()
    for loss in losses:
        if one_by_one.update([loss]):
            break
    assert whole.refuted_at == one_by_one.refuted_at == one_by_one.rows
    text = " ".join(str(whole).split())
    assert text.startswith("REFUTED: promised were at most 3.4 % errors.")
    assert f"The alarm came at row {whole.refuted_at}; observed by now, after 200 rows: 25.0 %." in text
    assert "however long one watches. Whether it ever held, or something changed, is not shown" in text


def test_a_promise_that_is_kept_is_hardly_ever_called_refuted():
    """300 streams of 2,000 rows at the promised rate: more than 31 refutations have probability below 1e-4."""
    promise = classifier_certificate(np.repeat([1, 0], [10, 490]))
    rng = np.random.default_rng(0)
    refuted = sum(promise.watch(rng.random(2000) < promise.bound).refuted for _ in range(300))
    assert refuted <= binom.ppf(1 - 1e-4, 300, 0.05)


def test_every_kind_of_certificate_is_watched_in_its_own_units():
    quantile = regressor_certificate(np.arange(1.0, 101.0))  # 90 % within 96
    assert not quantile.watch(np.full(50, 95.0)).refuted
    assert quantile.watch(np.full(50, -97.0)).refuted
    assert "10.0 % of rows off by more than 96" in str(quantile.watch([1.0]))
    mean = mean_certificate(np.linspace(0.0, 20.0, 400), upper=100.0)
    assert mean.watch(np.full(200, 60.0)).refuted
    assert not mean.watch(np.full(200, 5.0)).refuted
    assert "mean loss of at most" in str(mean.watch())


def test_what_promises_nothing_cannot_be_refuted():
    vacuous = Certificate("Nothing.", 1.0, 0.5, 0.05, "clopper-pearson", (), Verdict.VACUOUS)
    with pytest.raises(ValueError, match="promises nothing"):
        vacuous.watch()
    zero = Certificate("Never.", 0.0, 0.0, 0.05, "clopper-pearson", (), Verdict.INFORMATIVE)
    with pytest.raises(ValueError, match="refuted by the first loss"):
        zero.watch()
    with pytest.raises(ValueError, match="missing"):
        regressor_certificate(np.arange(1.0, 101.0)).watch([np.nan])


def test_what_is_no_promise_of_few_errors_in_single_rows_is_not_watched_as_one():
    """A recall of at least 85 % was watched as at most 85 % errors; of groups, rows by themselves say nothing."""
    found = recall_certificate(np.arange(400) % 10 > 0, np.repeat(["a", "b"], 200), ["a", "b"], Terms())
    ranks = auc_certificate(np.arange(200.0), np.arange(200) >= 100, 1, Terms())
    for one in (found, ranks):
        with pytest.raises(ValueError, match="at least so large"):
            one.watch()
    with pytest.raises(ValueError, match="by groups or by weights"):
        unequal_classifier(1.0 * (np.arange(400) % 20 == 0), by_groups(np.arange(400) // 10)).watch()


def test_a_certificate_that_was_stored_is_watched_as_before():
    promise = regressor_certificate(np.arange(1.0, 101.0))
    again = Certificate.from_json(promise.to_json())
    losses = 200 * np.random.default_rng(1).random(300)
    assert again.watch(losses).refuted_at == promise.watch(losses).refuted_at
