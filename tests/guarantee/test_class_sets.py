"""Sets of labels of fitted classifiers: every kind of score, labels, categories, groups and weights."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.ensemble import RandomForestClassifier

from surefit import SVC, LogisticRegression, calibrate
from surefit.guarantee.class_sets import CalibratedSets
from surefit.theory.certificates.wording import at_least
from surefit.theory.intervals.conformal import unlucky_coverage

X, Y = load_iris(return_X_y=True)
ORDER = np.random.default_rng(0).permutation(150)
TRAIN, HELD, NEW = ORDER[:60], ORDER[60:120], ORDER[120:]
MODEL = LogisticRegression(lam=1e-3).fit(X[TRAIN], Y[TRAIN])
DRAWS = {"equal_rows_are_draws": True}
SETS = calibrate(MODEL, X[HELD], Y[HELD], **DRAWS)


def test_a_classifier_gets_sets_and_prints_what_it_has():
    assert isinstance(SETS, CalibratedSets)
    assert repr(SETS).startswith("Calibrated on 60 held-out rows. predict_set(X, coverage)")
    found = SETS.predict_set(X[NEW])
    assert found.guaranteed == 0.9
    assert found.method == "split conformal (lac)"
    assert np.all(found.size >= 1)
    assert found.contains(Y[NEW]).mean() > 0.8


@pytest.mark.parametrize("score", ["lac", "aps"])
def test_more_coverage_makes_larger_sets_and_confidence_costs_more(score):
    sizes = [SETS.predict_set(X[NEW], coverage, score=score).size.mean() for coverage in (0.5, 0.8, 0.97)]
    assert sizes == sorted(sizes)
    certain = SETS.predict_set(X[NEW], 0.8, "pac", score=score).size.mean()
    assert certain >= sizes[1]


def test_the_predicted_label_is_in_every_set_of_any_classifier():
    A, b = load_digits(return_X_y=True)
    forest = RandomForestClassifier(20, random_state=0).fit(A[:600], b[:600])
    machine = SVC(lam=1e-4).fit(X[TRAIN], Y[TRAIN])
    for model, rows, labels, new in ((forest, A[600:900], b[600:900], A[900:]), (machine, X[HELD], Y[HELD], X[NEW])):
        found = calibrate(model, rows, labels, **DRAWS).predict_set(new, 0.6)
        likeliest = model.classes_[
            np.argmax(model.predict_proba(new) if model is forest else model.decision_function(new), axis=1)
        ]
        assert np.all(found.contains(likeliest))


def test_a_model_without_probabilities_has_margins_alone():
    held_out = calibrate(SVC(lam=1e-4).fit(X[TRAIN], Y[TRAIN]), X[HELD], Y[HELD], **DRAWS)
    assert held_out.predict_set(X[NEW]).method == "split conformal (margin)"
    with pytest.raises(ValueError, match=r"score must be one of \('margin',\) for this model, got 'aps'"):
        held_out.predict_set(X[NEW], score="aps")


def test_class_wise_sets_have_a_quantile_for_each_label_and_keep_rare_labels_in():
    rare = np.concatenate([np.flatnonzero(Y[HELD] != 2), np.flatnonzero(Y[HELD] == 2)[:4]])
    held_out = calibrate(MODEL, X[HELD][rare], Y[HELD][rare], **DRAWS)
    found = held_out.predict_set(X[NEW], 0.9, class_wise=True)
    assert np.all(found.member[:, 2])
    assert "For the rows of each label by themselves" in found.statement
    assert "Of 2 too few rows are held out to leave it out of any set." in found.statement
    alone = calibrate(MODEL, X[HELD][Y[HELD] == 1], Y[HELD][Y[HELD] == 1], **DRAWS).predict_set(X[NEW], 0.9)
    np.testing.assert_array_equal(found.member[:, 1], alone.member[:, 1])


def test_class_wise_sets_promise_what_the_fewest_rows_of_a_label_allow():
    """Of a label with 20 of 60 held-out rows, an unlucky hold-out covers what 20 rows allow, not what 60 do."""
    found = calibrate(MODEL, X[HELD], Y[HELD], **DRAWS).predict_set(X[NEW], 0.9, class_wise=True)
    sizes = np.bincount(Y[HELD])
    assert len(set(sizes)) > 1
    fewest = min(sizes, key=lambda n: unlucky_coverage(n, 0.9))
    assert f"19 in 20 hold-outs of {fewest} rows the true coverage is at least" in found.statement
    assert at_least(unlucky_coverage(fewest, 0.9), 3) in found.statement


def test_categories_groups_and_weights_go_through():
    category = (X[HELD][:, 0] > 5.8) * 1
    within = calibrate(MODEL, X[HELD], Y[HELD], within=category, **DRAWS)
    assert "by category" in within.predict_set(X[NEW], 0.8, within=(X[NEW][:, 0] > 5.8) * 1).method
    groups = calibrate(MODEL, X[HELD], Y[HELD], groups=np.arange(60) // 3)
    assert groups.predict_set(X[NEW]).statement.startswith("In a new group, a new row has its true label in its set")
    ratio = lambda rows: 0.5 + (np.asarray(rows)[:, 0] > 5.8)
    known = calibrate(MODEL, X[HELD], Y[HELD], weights=ratio, weights_are_known=True, **DRAWS)
    given = calibrate(MODEL, X[HELD], Y[HELD], weights=ratio(X[HELD]), weights_are_known=True, **DRAWS)
    one, other = known.predict_set(X[NEW]), given.predict_set(X[NEW], weights=ratio(X[NEW]))
    np.testing.assert_array_equal(one.member, other.member)
    assert one.guaranteed == 0.9


def test_labels_that_the_model_does_not_know_count_as_missed():
    labels = np.where(np.arange(60) < 10, 7, Y[HELD])
    held_out = calibrate(MODEL, X[HELD], labels, **DRAWS)
    assert held_out.predict_set(X[NEW], 0.5).size.mean() >= SETS.predict_set(X[NEW], 0.5).size.mean()
    with pytest.raises(ValueError, match="10 of 60 held-out rows have labels that the model does not know"):
        held_out.predict_set(X[NEW], 0.9)
    with pytest.raises(ValueError, match="none of the labels in y"):
        calibrate(MODEL, X[HELD], np.full(60, "setosa"))


def test_training_rows_are_refused():
    with pytest.raises(ValueError, match="were used in fit"):
        calibrate(MODEL, X[TRAIN], Y[TRAIN])


def test_a_later_fit_changes_nothing():
    model = LogisticRegression(lam=1e-3).fit(X[TRAIN], Y[TRAIN])
    held_out = calibrate(model, X[HELD], Y[HELD], **DRAWS)
    before = held_out.predict_set(X[NEW]).member
    model.fit(X[NEW], Y[NEW])
    np.testing.assert_array_equal(held_out.predict_set(X[NEW]).member, before)


def test_who_asks_for_sets_or_intervals_at_the_wrong_place_is_told_the_right_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    model = LogisticRegression(0.1).fit(X[:30], y[:30])
    assert not hasattr(model, "predict_set")
    with pytest.raises(AttributeError, match=r"surefit\.calibrate\(model, X_new, y_new\)\.predict_set\(X\)"):
        model.predict_set(X)
    with pytest.raises(AttributeError, match=r"use predict_set\(X, coverage\)"):
        calibrate(model, X[30:], y[30:]).predict_interval(X)
