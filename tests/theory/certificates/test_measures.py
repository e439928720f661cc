"""Certificates of probabilities, recall and ranking: the losses, the bounds, and the constants to compare with."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss

from surefit.theory.certificates.certificate import Verdict
from surefit.theory.certificates.measures import (
    LARGEST_LOSS,
    auc_certificate,
    brier_losses,
    log_losses,
    probability_certificate,
    recall_certificate,
)
from surefit.theory.certificates.unequal import Terms
from surefit.theory.means.concentration import clopper_pearson, lower_bound

RNG = np.random.default_rng(0)
P = RNG.dirichlet([0.5, 0.5, 0.5], size=500)
LABEL = np.argmax(np.cumsum(P, axis=1) > RNG.random((500, 1)), axis=1)
HALVES = np.full(3, 1 / 3)


def test_losses_are_those_of_scikit_learn():
    two, label = np.column_stack([P[:, 0], 1 - P[:, 0]]), (LABEL > 0) * 1
    assert brier_losses(two, label).mean() == pytest.approx(brier_score_loss(label, two[:, 1]), abs=1e-12)
    far = np.clip(P, 0.01, None) / np.clip(P, 0.01, None).sum(axis=1, keepdims=True)
    assert log_losses(far, LABEL).mean() == pytest.approx(log_loss(LABEL, far, labels=[0, 1, 2]), abs=1e-9)


def test_labels_that_the_model_does_not_know_lose_the_most():
    assert brier_losses(np.array([[1.0, 0.0]]), np.array([-1])) == pytest.approx(1.0)
    assert log_losses(np.array([[1.0, 0.0]]), np.array([-1])) == pytest.approx(LARGEST_LOSS)


@pytest.mark.parametrize("measure", ["brier", "log-loss"])
def test_good_probabilities_beat_the_frequencies_and_frequencies_do_not_beat_themselves(measure):
    good = probability_certificate(measure, P, LABEL, HALVES, Terms())
    same = probability_certificate(measure, np.tile(HALVES, (500, 1)), LABEL, HALVES, Terms())
    assert good.status is Verdict.INFORMATIVE
    assert same.status is Verdict.NO_BETTER
    assert good.empirical < good.bound < same.bound
    assert "do not show that" in same.further[0].statement


def test_recall_is_clopper_and_pearson_within_each_label_at_a_share_of_delta():
    correct = RNG.random(500) < 0.9
    found = recall_certificate(correct, LABEL, [0, 1, 2], Terms())
    exact = [lower_bound(clopper_pearson, 1.0 * correct[k == LABEL], 0.05 / 3) for k in range(3)]
    np.testing.assert_allclose([one.bound for one in found.further], exact, rtol=1e-10)
    assert found.bound == pytest.approx(min(exact))


def test_a_constant_answer_and_a_label_without_rows_are_vacuous():
    constant = recall_certificate(LABEL == 0, LABEL, [0, 1, 2], Terms())
    assert constant.vacuous
    assert "No bound on the recall of" in constant.statement
    assert recall_certificate(np.ones(500, bool), LABEL, [0, 1, 2, 3], Terms()).vacuous


def test_scores_that_guess_are_no_better_than_a_constant():
    event = RNG.random(500) < 0.3
    guess, good = RNG.normal(size=500), RNG.normal(size=500) + 2 * event
    assert auc_certificate(guess, event, "ill", Terms()).status is Verdict.NO_BETTER
    found = auc_certificate(good, event, "ill", Terms())
    assert found.status is Verdict.INFORMATIVE
    assert 0.8 < found.bound < found.empirical


def test_several_models_cost_their_share():
    event = RNG.random(500) < 0.3
    good = RNG.normal(size=500) + 2 * event
    one, ten = (auc_certificate(good, event, 1, Terms(n_models_fixed=k)).bound for k in (1, 10))
    assert ten < one


def test_an_area_needs_rows_of_both_kinds():
    with pytest.raises(ValueError, match="0 held-out rows are labelled 'ill' and 3 otherwise"):
        auc_certificate(np.arange(3.0), np.zeros(3, bool), "ill", Terms())
