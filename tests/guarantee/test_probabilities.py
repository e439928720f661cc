"""Calibrated probabilities of any classifier: bounds, their merger, and what they are for two and for more labels."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from surefit import SVC, LogisticRegression, Ridge, calibrate_probabilities
from surefit.theory.intervals.venn_abers import VennAbers

RNG = np.random.default_rng(0)
X = np.repeat(RNG.normal(size=(1500, 2)), 2, axis=1) + 1e-6 * RNG.normal(size=(1500, 4))  # columns twice
Y = X[:, 0] + RNG.normal(size=1500) > 0
TRAIN, HELD, NEW = slice(0, 400), slice(400, 900), slice(900, 1500)
NAIVE = GaussianNB().fit(X[TRAIN], Y[TRAIN])


def test_bounds_are_those_of_the_scores_of_the_second_label_and_the_first_is_its_mirror():
    found = calibrate_probabilities(NAIVE, X[HELD], Y[HELD]).predict_bounds(X[NEW])
    table = VennAbers.of(NAIVE.predict_proba(X[HELD])[:, 1], Y[HELD])
    lower, upper = table.at(NAIVE.predict_proba(X[NEW])[:, 1])
    np.testing.assert_array_equal(found.lower[:, 1], lower)
    np.testing.assert_allclose(found.lower[:, 0], 1 - upper)
    assert np.all(found.width > 0)


def test_overconfident_probabilities_get_better():
    """Naive Bayes counts each column twice; its log-loss falls to that of logistic regression, which does not."""
    calibrated = calibrate_probabilities(NAIVE, X[HELD], Y[HELD]).predict_proba(X[NEW])
    fair = LogisticRegression(lam=1e-4).fit(X[TRAIN], Y[TRAIN]).predict_proba(X[NEW])
    loss = [-np.mean(np.log(p[np.arange(600), Y[NEW] * 1])) for p in (NAIVE.predict_proba(X[NEW]), calibrated, fair)]
    assert loss[1] < loss[0] - 0.02
    assert loss[1] < loss[2] + 0.02


def test_decision_functions_and_several_labels_get_probabilities_that_sum_to_one():
    three = (X[:, 0] > 0) * 1 + (X[:, 2] > 0)
    for model, labels in ((SVC(lam=0.01), Y), (LogisticRegression(lam=0.01), three)):
        found = calibrate_probabilities(model.fit(X[TRAIN], labels[TRAIN]), X[HELD], labels[HELD])
        p = found.predict_proba(X[NEW])
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        assert np.mean(found.predict(X[NEW]) == labels[NEW]) > 0.6
        bounds = found.predict_bounds(X[NEW])
        assert np.all(bounds.lower < bounds.upper)


def test_it_prints_and_becomes_a_frame():
    bounds = calibrate_probabilities(NAIVE, X[HELD], Y[HELD]).predict_bounds(X[NEW])
    assert "one of the two probabilities of a new row is calibrated" in " ".join(str(bounds).split())
    assert list(bounds.to_frame().columns) == ["False lower", "False upper", "True lower", "True upper"]
    assert bounds._repr_html_().startswith("<div")


def test_training_rows_numbers_and_foreign_labels_are_refused():
    ours = LogisticRegression(lam=0.01).fit(X[TRAIN], Y[TRAIN])
    with pytest.raises(ValueError, match="were used in fit"):
        calibrate_probabilities(ours, X[TRAIN], Y[TRAIN])
    with pytest.raises(ValueError, match="Ridge predicts numbers"):
        calibrate_probabilities(Ridge(0.1).fit(X[TRAIN], X[TRAIN, 0]), X[HELD], Y[HELD])
    with pytest.raises(ValueError, match="none of the labels"):
        calibrate_probabilities(ours, X[HELD], np.full(500, "yes"))
