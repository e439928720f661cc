"""Certificates of models where groups, time, weights or another measure are declared: through every door."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.naive_bayes import GaussianNB

from surefit import SVC, Certified, Lasso, LogisticRegression, Ridge, certify
from surefit.guarantee.declared import is_measure
from surefit.theory.certificates.certificate import Certificate, Standing, Verdict
from surefit.warnings import DriftWarning

RNG = np.random.default_rng(0)
GROUPS = np.repeat(np.arange(120), 5)
X = RNG.normal(size=(600, 3))
Y = X[:, 0] + 0.5 * RNG.normal(size=120)[GROUPS] + 0.3 * RNG.normal(size=600)
STEADY = X[:, 0] + 0.5 * RNG.normal(size=600)  # rows of a group that follow each other would be an order
LABELS = np.where(Y > 0, "yes", "no")
TRAIN, TEST = slice(0, 300), slice(300, 600)
RIDGE = Ridge(1e-3).fit(X[TRAIN], Y[TRAIN])
LOGISTIC = LogisticRegression(lam=1e-3).fit(X[TRAIN], LABELS[TRAIN])


def doors(model, X_test, y_test, **declared):
    """The same certificate of a model of ours, of `certify`, and of a model wrapped in `Certified`."""
    return model.certificate(X_test, y_test, **declared), certify(model, X_test, y_test, **declared)


@pytest.mark.parametrize("model", [RIDGE, LOGISTIC], ids=["numbers", "labels"])
def test_groups_are_draws_and_the_bound_for_the_same_groups_stands_beside(model):
    y = Y if model is RIDGE else LABELS
    one, other = doors(model, X[TEST], y[TEST], groups=GROUPS[TEST])
    assert one == other
    assert "60 held-out groups" in one.statement
    assert one.further[-1].statement.startswith("If new rows come from these same 60 held-out groups")
    assert one.bound > one.further[-1].bound
    assert one.status is Verdict.INFORMATIVE


def test_weights_are_density_ratios_and_the_statement_says_which():
    ratio = np.where(X[TEST][:, 1] > 0, 1.5, 0.5)
    ratio /= ratio.mean()
    known = LOGISTIC.certificate(X[TEST], LABELS[TEST], weights=ratio, weights_are_known=True)
    estimated = certify(LOGISTIC, X[TEST], LABELS[TEST], weights=ratio)
    assert known.bound == estimated.bound
    assert "if the estimated weights are right" in estimated.statement
    assert known.assumptions[1].standing is Standing.DECLARED
    with pytest.raises(ValueError, match="the mean of the weights is 3"):
        RIDGE.certificate(X[TEST], Y[TEST], weights=np.full(300, 3.0))


def test_a_loss_of_ones_own_goes_with_groups():
    capped = lambda y, f: np.minimum(np.abs(y - f), 1.0)
    found = RIDGE.certificate(X[TEST], Y[TEST], loss=capped, groups=GROUPS[TEST])
    assert found.empirical == pytest.approx(np.mean(capped(Y[TEST], RIDGE.predict(X[TEST]))))
    assert found.method == "betting, by whole groups"


@pytest.mark.parametrize("model", [RIDGE, LOGISTIC], ids=["numbers", "labels"])
def test_time_is_named_and_tested(model):
    y, time = STEADY if model is RIDGE else LABELS, np.datetime64("2024-01-01") + np.arange(300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model.certificate(X[TEST], y[TEST], time=time)
    assert "These rows are the latest, from 2024-01-01 to 2024-10-26" in found.statement
    assert found.assumptions[-1].standing is Standing.TESTED
    assert found.bound == model.certificate(X[TEST], y[TEST]).bound


def test_a_drift_is_warned_of_and_leaves_no_guarantee_for_a_later_time():
    with pytest.warns(DriftWarning, match="errors on the held-out rows change from 0 to 299"):
        found = RIDGE.certificate(X[TEST], STEADY[TEST] + np.arange(300) / 100, time=np.arange(300))
    assert found.vacuous
    assert found.statement.startswith("No guarantee for a later time")
    assert found.further == ()  # which would speak of future rows
    labels = np.where(np.arange(300) > 150, np.where(LABELS[TEST] == "yes", "no", "yes"), LABELS[TEST])
    with pytest.warns(DriftWarning):
        LOGISTIC.certificate(X[TEST], labels, time=np.arange(300))


@pytest.mark.parametrize("loss", ["log-loss", "brier", "recall", "auc"])
def test_measures_of_a_classifier(loss):
    one, other = doors(LOGISTIC, X[TEST], LABELS[TEST], loss=loss)
    assert one == other
    assert one.status is Verdict.INFORMATIVE
    assert (one.bound < one.empirical) == (loss in ("recall", "auc"))
    assert Certificate.from_json(one.to_json()) == one
    held_out = LogisticRegression(lam=1e-3).fit(X, LABELS, certify=0.4).certificate(loss=loss)
    assert held_out.inputs["n"] == 240
    wrapped = Certified(GaussianNB(), holdout=0.4).fit(X, LABELS).certificate(loss=loss)
    assert wrapped.inputs["n"] == 240


def test_measures_say_what_they_need():
    with pytest.raises(ValueError, match=r"loss must be a function, a Loss or one of \('log-loss'"):
        is_measure("accuracy")
    with pytest.raises(ValueError, match="loss='auc' is about labels, and this model predicts numbers"):
        RIDGE.certificate(X[TEST], Y[TEST], loss="auc")
    machine = SVC(lam=0.01).fit(X[TRAIN], LABELS[TRAIN])
    assert machine.certificate(X[TEST], LABELS[TEST], loss="auc").bound > 0.5
    with pytest.raises(ValueError, match="is about probabilities, which this model has not; use calibrate_probab"):
        machine.certificate(X[TEST], LABELS[TEST], loss="brier")
    three = LogisticRegression(lam=0.1).fit(X[TRAIN], np.arange(300) % 3)
    with pytest.raises(ValueError, match="an AUC is about two labels, and the model has 3"):
        three.certificate(X[TEST], np.arange(300) % 3, loss="auc")
    with pytest.raises(ValueError, match="draws, all alike; leave groups and weights out"):
        LOGISTIC.certificate(X[TEST], LABELS[TEST], loss="brier", groups=GROUPS[TEST])


@pytest.mark.parametrize("loss", ["log-loss", "brier", "recall", "auc", None])
def test_equal_rows_never_sharpen_a_bound(loss):
    """Each row four times, as copies: no better than once, for any measure and with weights."""
    rows, labels = np.repeat(X[TEST], 4, axis=0), np.repeat(LABELS[TEST], 4)
    once, copied = (LOGISTIC.certificate(*pair, loss=loss) for pair in ((X[TEST], LABELS[TEST]), (rows, labels)))
    sign = -1 if loss in ("recall", "auc") else 1
    assert sign * copied.bound >= sign * once.bound - 0.02
    if loss is None:
        weighted = LOGISTIC.certificate(rows, labels, weights=np.ones(1200))
        assert weighted.bound >= once.bound - 0.01


def test_a_fit_holds_out_whole_groups_and_certifies_new_ones():
    model = Lasso(cv=4).fit(X, Y, certify=0.3, groups=GROUPS)
    found = model.certificate()
    assert "36 held-out groups" in found.statement
    assert "whole groups, each by a hash of its name and random_state=0" in str(found.assumptions[1])
    again = Lasso(cv=4).fit(X[::-1], Y[::-1], certify=0.3, groups=GROUPS[::-1]).certificate()
    assert again.bound == pytest.approx(found.bound, rel=1e-6)


def test_a_fit_holds_out_the_latest_rows_and_speaks_of_their_time():
    model = LogisticRegression(lam=1e-3).fit(X, LABELS, certify=0.25, time=np.arange(600))
    found = model.certificate()
    assert "from 450 to 599" in found.statement
    assert "the latest of all rows" in str(found.assumptions[1])
    with pytest.raises(ValueError, match="time decides what rows certify holds out, and certify is not given"):
        Ridge(0.1).fit(X, Y, time=np.arange(600))


def test_the_wrapper_does_both_and_searches_by_groups():
    search = GridSearchCV(Ridge(0.1), {"lam": [1e-3, 1.0]}, cv=GroupKFold(3))
    found = Certified(search, holdout=0.3).fit(X, Y, groups=GROUPS)
    assert "36 held-out groups" in found.certificate_.statement
    late = Certified(LinearRegression(), holdout=0.3).fit(X, STEADY, time=np.arange(600))
    assert "from 420 to 599" in late.certificate_.statement
    inner = Certified(Lasso(cv=GroupKFold(3)), holdout=0.3).fit(X, Y, groups=GROUPS)
    assert inner.certificate_.status is Verdict.INFORMATIVE


def test_rows_that_fit_held_out_are_described_to_fit():
    model = Ridge(0.1).fit(X, Y, certify=0.2)
    with pytest.raises(ValueError, match="of rows that fit holds out, give groups or time to fit"):
        model.certificate(groups=GROUPS)
    with pytest.raises(ValueError, match="of rows that fit holds out, give groups or time to fit"):
        Certified(Ridge(0.1)).fit(X, Y).certificate(weights=np.ones(600))


def test_groups_do_not_stay_with_a_fitted_model():
    for options in ({}, {"certify": 0.3}):
        assert "_fit_groups" not in vars(Lasso(cv=4).fit(X, Y, groups=GROUPS, **options))
