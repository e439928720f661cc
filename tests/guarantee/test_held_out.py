"""One way from answers to a certificate: models of ours, `certify` and `Certified` say the same of the same rows."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from surefit import ERM, Certified, LogisticRegression, Ridge, certify
from surefit.guarantee.fit_record import FitRecord, GivenRows
from surefit.guarantee.held_out import Answering, remembered, with_rows
from surefit.objective import Hinge

XR, YR = load_diabetes(return_X_y=True)
XC, YC = load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize(
    ("model", "X", "y"),
    [(Ridge(0.1), XR, YR), (LogisticRegression(0.01), XC, YC), (ERM(Hinge(), lam=0.1), XC, 2 * YC - 1)],
    ids=["numbers", "labels", "signs"],
)
def test_three_doors_one_certificate(model, X, y):
    n = len(y) - 100
    fitted = model.fit(X[:n], y[:n])
    own = fitted.certificate(X[n:], y[n:])
    assert certify(fitted, X[n:], y[n:]) == own
    assert certify(fitted, X[n:], y[n:], training=(X[:n], y[:n])).bound == own.bound


@pytest.mark.parametrize(("model", "X", "y"), [(Ridge(0.1), XR, YR), (LogisticRegression(0.01), XC, YC)])
def test_a_wrapper_holds_the_same_rows_out_and_says_the_same_but_for_who_could_have_seen_them(model, X, y):
    inside, around = model.fit(X, y, certify=0.3).certificate(), Certified(model, holdout=0.3).fit(X, y).certificate_
    assert around.bound == inside.bound
    assert around.statement == inside.statement
    others = [one for one in around.assumptions if one not in inside.assumptions]
    assert [one.text for one in others] == ["the held-out rows were not used to train this model"]


def test_a_wrapper_takes_a_loss_too():
    model = Certified(Ridge(0.1), holdout=0.3).fit(XR, YR)
    loss = lambda y, f: np.minimum(np.abs(y - f) / 400, 1.0)
    assert model.certificate(loss=loss).bound == Ridge(0.1).fit(XR, YR, certify=0.3).certificate(loss=loss).bound


def test_the_constant_and_the_cap_come_from_training_rows_only():
    record = Ridge(0.1).fit(XR[:300], YR[:300])._fit_record
    assert record.constant == pytest.approx(YR[:300].mean())
    again = with_rows(
        FitRecord(), Answering.of(Ridge(0.1).fit(XR[:300], YR[:300])), GivenRows(XR[:300], YR[:300], None)
    )
    assert again.cap == record.cap


def test_models_of_others_remember_nothing():
    assert remembered(object()) is None
    unfinished = Ridge(0.1)
    unfinished._fit_record = replace(FitRecord(), target_name="price")
    assert remembered(unfinished) is None
