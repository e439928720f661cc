"""`certify` and `Certified`: right use and wrong use."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from surefit import Certified, Ridge, certify
from surefit.objective.margin import ZeroOne
from surefit.testing import check_certificate
from surefit.theory.betting import betting
from surefit.theory.certificate import Certificate, Standing, Verdict
from surefit.theory.concentration import clopper_pearson
from surefit.theory.holdout import error_quantile

X, Y = load_diabetes(return_X_y=True)
TRAIN, TEST = (X[:300], Y[:300]), (X[300:], Y[300:])
FITTED = Ridge(lam=1e-3).fit(*TRAIN)
XC, YC = load_breast_cancer(return_X_y=True)
CLASSIFIER = DecisionTreeClassifier(random_state=0).fit(XC[:400], YC[:400])


@parametrize_with_checks([Certified(Ridge(lam=0.1)), Certified(LogisticRegression())])
def test_certified_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def test_a_regressor_gets_the_quantile_of_its_errors():
    model = LinearRegression().fit(*TRAIN)
    certificate = certify(model, *TEST)
    assert certificate.bound == error_quantile(np.abs(TEST[1] - model.predict(TEST[0])))
    assert certificate.assumptions[1].standing is Standing.DECLARED
    check_certificate(certificate)


@pytest.mark.parametrize("loss", [None, lambda y, f: np.minimum(np.abs(y - f) / 400, 1.0)])
def test_our_models_remember_what_they_were_fitted_to(loss):
    """The constant and the capped mean too: certify says what the model's own method says."""
    ours = certify(FITTED, *TEST, loss=loss)
    assert ours == FITTED.certificate(*TEST, loss=loss)
    assert ours.assumptions[1].standing is Standing.CHECKED
    assert len(ours.further) == (2 if loss is None else 0)


def test_with_the_training_rows_a_regressor_is_compared_with_the_constant():
    certificate = certify(FITTED, *TEST, training=TRAIN)
    constant, capped = certificate.further
    assert certificate.status is Verdict.INFORMATIVE
    assert certificate.bound < constant.bound
    assert f"Always answering {Y[:300].mean():.4g}" in constant.statement
    assert capped.empirical < capped.bound < capped.inputs["cap"]
    assert certificate.assumptions[1].standing is Standing.CHECKED
    check_certificate(certificate)


def test_the_cap_does_not_look_at_the_held_out_rows():
    wild = TEST[1].copy()
    wild[0] = 1e6
    caps = [certify(FITTED, TEST[0], y, training=TRAIN).further[1].inputs["cap"] for y in (TEST[1], wild)]
    assert caps[0] == caps[1]


def test_a_useless_model_is_called_no_better_than_a_constant():
    noise = np.random.default_rng(0).normal(size=(600, 2))
    y = np.random.default_rng(1).normal(size=600)
    tree = DecisionTreeRegressor(random_state=0).fit(noise[:300], y[:300])
    certificate = certify(tree, noise[300:], y[300:], training=(noise[:300], y[:300]))
    assert certificate.status is Verdict.NO_BETTER


def test_an_interpolator_still_gets_a_cap():
    model = KNeighborsRegressor(1).fit(*TRAIN)
    capped = certify(model, *TEST, training=TRAIN).further[1]
    assert capped.inputs["cap"] == pytest.approx(np.median((TRAIN[1] - TRAIN[1].mean()) ** 2))


def test_a_classifier_gets_the_exact_bound_on_its_error_rate():
    errors = CLASSIFIER.predict(XC[400:]) != YC[400:]
    certificate = certify(CLASSIFIER, XC[400:], YC[400:], training=(XC[:400], YC[:400]), n_models_tried=4)
    assert certificate.bound == clopper_pearson(errors, 0.05 / 4)
    assert "Always answering" in certificate.further[0].statement
    check_certificate(certificate)


def test_any_loss_in_the_unit_interval_gets_the_betting_bound():
    zero_one = certify(CLASSIFIER, XC[400:], YC[400:], loss=lambda y, f: (y != f).astype(float))
    assert zero_one.bound == betting((CLASSIFIER.predict(XC[400:]) != YC[400:]).astype(float))
    signs = DecisionTreeClassifier(random_state=0).fit(XC[:400], 2 * YC[:400] - 1)
    ours = certify(signs, XC[400:], 2 * YC[400:] - 1, loss=ZeroOne())
    assert ours.bound == zero_one.bound
    with pytest.raises(ValueError, match=r"losses must lie in \[0, 1\]"):
        certify(FITTED, *TEST, loss=lambda y, f: (y - f) ** 2)


@pytest.mark.parametrize("delta", [0.0, 1.0, 95])
def test_an_impossible_delta_is_refused(delta):
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        certify(FITTED, *TEST, delta=delta)


def test_a_hold_out_that_was_trained_on_is_refused():
    with pytest.raises(ValueError, match="142 of the 142 held-out rows were used in fit"):
        certify(Ridge(lam=1.0).fit(X, Y), *TEST, training=(X, Y))


def test_too_few_rows_give_a_vacuous_certificate_with_the_remedy():
    certificate = certify(LinearRegression().fit(*TRAIN), X[300:328], Y[300:328])
    assert certificate.vacuous
    assert "at least 29 needed for a 90 % quantile at 95 %" in certificate.statement


def test_sorted_rows_change_nothing():
    order = np.argsort(YC[400:])
    sorted_rows = certify(CLASSIFIER, XC[400:][order], YC[400:][order])
    assert sorted_rows.bound == certify(CLASSIFIER, XC[400:], YC[400:]).bound
    bets = certify(CLASSIFIER, XC[400:][order], YC[400:][order], loss=lambda y, f: 1.0 * (y != f))
    assert "shuffled with seed 0" in str(bets)


@pytest.mark.parametrize(
    ("y", "message"),
    [(np.full(142, np.nan), "NaN"), (np.ones(7), "inconsistent numbers of samples"), (np.ones((142, 2)), "1d array")],
)
def test_bad_targets_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        certify(FITTED, TEST[0], y)


def test_frames_of_words_and_pipelines_are_certified():
    frame = pd.DataFrame({"colour": np.random.default_rng(0).choice(list("abc"), 300)})
    y = np.where(frame["colour"] == "a", "warm", "cold")
    model = Certified(make_pipeline(OneHotEncoder(), LogisticRegression()), equal_rows_are_draws=True).fit(frame, y)
    assert model.certificate_.status is Verdict.INFORMATIVE
    assert model.certificate_.assumptions[2].standing is Standing.DECLARED
    assert set(model.predict(frame)) == {"warm", "cold"}


def test_certified_holds_rows_out_and_never_trains_on_them():
    model = Certified(make_pipeline(StandardScaler(), Ridge(lam=1e-3))).fit(X, Y)
    assert model.certificate_.inputs["n"] == 88
    assert Certified(clone(model.estimator)).fit(X, Y).certificate_ == model.certificate_
    with pytest.raises(ValueError, match="were used in fit"):
        model.certificate(X, Y)
    assert Certificate.from_json(model.certificate_.to_json()) == model.certificate_


def test_certified_certifies_on_new_rows_too():
    model = Certified(LinearRegression(), holdout=0.3).fit(*TRAIN)
    again = model.certificate(*TEST, delta=0.1, n_models_tried=2)
    assert again.delta == 0.1
    assert again.inputs["n"] == 142


def test_certified_certifies_a_search_and_sparse_rows():
    Z, z = make_classification(300, random_state=0)
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3)
    model = Certified(search).fit(sparse.csr_array(Z), z)
    assert model.certificate_.inputs["n"] == 60
    assert model.predict_proba(sparse.csr_array(Z)).shape == (300, 2)
    assert model.decision_function(Z).shape == (300,)
    assert model.score(Z, z) > 0.8
    assert model.classes_.tolist() == [0, 1]


def test_a_constant_target_is_certified():
    certificate = Certified(Ridge(lam=1.0)).fit(X, np.full(len(X), 3.0)).certificate_
    assert certificate.bound <= 1e-8
    assert certificate.status is Verdict.NO_BETTER


@pytest.mark.parametrize("holdout", [0.0, 1.0, -0.2, "a fifth"])
def test_an_impossible_share_is_refused(holdout):
    with pytest.raises(ValueError, match="holdout must lie strictly between 0 and 1"):
        Certified(Ridge(lam=1.0), holdout=holdout).fit(X, Y)
