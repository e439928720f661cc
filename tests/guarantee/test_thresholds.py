"""`choose_threshold`: every measure, either label, equal rows, and sentences that say which rows they are about."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Peer

from surefit import SVC, LogisticRegression, choose_threshold
from surefit.theory.certificates.certificate import Standing

RNG = np.random.default_rng(1)
X = RNG.normal(size=(9000, 2))
Y = np.where(X[:, 0] + 0.6 * RNG.normal(size=9000) > 0.3, "ill", "well")
MODEL = LogisticRegression(lam=1e-3).fit(X[:500], Y[:500])
HELD, NEW = slice(500, 1100), slice(1100, 9000)


@pytest.mark.parametrize("label", ["ill", "well"])
@pytest.mark.parametrize("measure", ["recall", "precision", "specificity"])
def test_the_promise_is_kept_on_other_rows_and_answers_are_those_of_the_threshold(measure, label):
    found = choose_threshold(MODEL, X[HELD], Y[HELD], label=label, **{measure: 0.85})
    answers = found.predict(X[NEW])
    probability = MODEL.predict_proba(X[NEW])[:, 0 if label == "ill" else 1]
    np.testing.assert_array_equal(answers == label, probability >= found.threshold)
    right = {
        "recall": (answers == label)[Y[NEW] == label],
        "precision": (Y[NEW] == label)[answers == label],
        "specificity": (answers != label)[Y[NEW] != label],
    }
    assert right[measure].mean() > 0.85  # about 0.88; the standard error is 0.006
    assert found.observed[measure] == found.certificate.empirical > 0.85
    assert repr(label) in found.certificate.statement


@pytest.mark.parametrize("measure", ["recall", "precision", "specificity", "cost"])
def test_labels_written_otherwise_than_in_the_fit_are_refused(measure):
    """None of them was the label asked about, and specificity and cost were promised of rows that are all others."""
    with pytest.raises(ValueError, match="none of the labels in y_test, such as 'WELL', is among those of the fit"):
        choose_threshold(MODEL, X[HELD], np.char.upper(Y[HELD].astype(str)), **{measure: 0.6})


def test_labels_that_the_model_does_not_know_are_not_the_one_asked_about_and_named():
    some = np.where(np.arange(600) % 5 == 0, "dead", Y[HELD])
    found = choose_threshold(MODEL, X[HELD], some, specificity=0.5)
    assert "120 of 600 held-out rows have labels that were not in fit: 'dead'" in [
        one.evidence for one in found.certificate.assumptions if "count as not 'well'" in one.text
    ]


def test_a_stricter_promise_moves_the_threshold_to_the_safe_side():
    loose, strict = (choose_threshold(MODEL, X[HELD], Y[HELD], recall=level).threshold for level in (0.8, 0.95))
    assert strict < loose
    loose, strict = (choose_threshold(MODEL, X[HELD], Y[HELD], specificity=level).threshold for level in (0.8, 0.95))
    assert strict > loose


def test_costs_are_promised_from_the_threshold_that_they_imply():
    found = choose_threshold(MODEL, X[HELD], Y[HELD], cost=0.5, costs=(1.0, 4.0))
    assert found.threshold < 0.45
    assert "costs at most 0.5 a row on average" in found.certificate.statement
    assert found.certificate.method == "hoeffding-bentkus tests in a fixed sequence"
    even = choose_threshold(MODEL, X[HELD], Y[HELD], cost=0.3)
    wrong = np.mean(even.predict(X[HELD]) != Y[HELD])
    assert even.certificate.empirical == pytest.approx(wrong, abs=1e-12)


def test_models_without_probabilities_and_models_of_others_have_thresholds_too():
    machine = SVC(lam=1e-3).fit(X[:500], Y[:500])
    assert choose_threshold(machine, X[HELD], Y[HELD], recall=0.9).threshold < 0.5
    peer = choose_threshold(Peer().fit(X[:500], Y[:500]), X[HELD], Y[HELD], recall=0.9)
    assert peer.certificate.assumptions[1].standing is Standing.DECLARED


def test_equal_rows_count_once_unless_they_are_draws():
    """Each row three times: as copies they say less, so the threshold for a recall is lower."""
    rows, labels = np.repeat(X[HELD], 3, axis=0), np.repeat(Y[HELD], 3)
    copies = choose_threshold(MODEL, rows, labels, recall=0.9)
    draws = choose_threshold(MODEL, rows, labels, recall=0.9, equal_rows_are_draws=True)
    once = choose_threshold(MODEL, X[HELD], Y[HELD], recall=0.9)
    assert copies.threshold == once.threshold < draws.threshold


def test_scores_with_ties_are_said_to_need_more_for_a_precision():
    coarse = LogisticRegression(lam=1e-3).fit(X[:500].round(0), Y[:500])
    ties = choose_threshold(coarse, X[HELD].round(0), Y[HELD], precision=0.7, equal_rows_are_draws=True)
    assert ties.certificate.assumptions[-2].standing is Standing.UNVERIFIABLE
    plain = choose_threshold(MODEL, X[HELD], Y[HELD], precision=0.8)
    assert plain.certificate.assumptions[-2].standing is Standing.CHECKED


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "give one of recall, precision, specificity and cost, got none"),
        ({"recall": 0.9, "precision": 0.9}, "got recall, precision"),
        ({"recall": 0.9, "label": "dead"}, "label must be one of"),
        ({"cost": 0.2, "costs": 3}, "costs must be two numbers"),
        ({"recall": 0.999}, "rows cannot show a share of 0.999"),
    ],
)
def test_wishes_that_cannot_be_met_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        choose_threshold(MODEL, X[HELD], Y[HELD], **options)


def test_training_rows_and_other_numbers_of_labels_are_refused():
    with pytest.raises(ValueError, match="were used in fit"):
        choose_threshold(MODEL, X[:500], Y[:500], recall=0.9)
    three = LogisticRegression(lam=0.1).fit(X[:500], np.arange(500) % 3)
    with pytest.raises(ValueError, match="the model has 3 labels, and a threshold divides two"):
        choose_threshold(three, X[HELD], Y[HELD], recall=0.9)


@pytest.mark.parametrize("measure", ["recall", "precision", "specificity"])
def test_a_level_in_per_cent_is_refused_by_its_name(measure):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    model = LogisticRegression(lam=1e-3).fit(X[:150], y[:150])
    with pytest.raises(ValueError, match=f"^{measure} must lie between 0 and 1, got 80; use 0.9 for 90 %"):
        choose_threshold(model, X[150:], y[150:], **{measure: 80})
