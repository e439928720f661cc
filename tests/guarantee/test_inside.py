"""Models of ours inside pipelines, searches, wrapped targets, ensembles: looked through, not held out from within."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    RandomForestRegressor,
    StackingClassifier,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.feature_selection import RFE
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from surefit import Certified, LogisticRegression, Ridge, calibrate, certify
from surefit.guarantee.inside import remembered

X, Y = load_diabetes(return_X_y=True)
XC, YC = load_breast_cancer(return_X_y=True)
SCALED = make_pipeline(StandardScaler(), Ridge(0.1))

REGRESSORS = {
    "pipeline": SCALED,
    "rotated": make_pipeline(StandardScaler(), PCA(8), Ridge(0.1)),
    "nested": make_pipeline(StandardScaler(), make_pipeline(PCA(8), Ridge(0.1))),
    "alone": Pipeline([("model", Ridge(0.1))]),
    "search": GridSearchCV(SCALED, {"ridge__lam": [0.1, 1.0]}, cv=3),
    "inner search": make_pipeline(StandardScaler(), GridSearchCV(Ridge(), {"lam": [0.1, 1.0]}, cv=3)),
    "bagging": BaggingRegressor(Ridge(0.1), 3, random_state=0),
    "pipelines in an ensemble": VotingRegressor([("one", SCALED), ("two", DecisionTreeRegressor(max_depth=2))]),
    "ensemble in a pipeline": make_pipeline(StandardScaler(), BaggingRegressor(Ridge(0.1), 3, random_state=0)),
    "chosen columns": RFE(Ridge(0.1), n_features_to_select=3),
    "wrapped target": TransformedTargetRegressor(SCALED, func=np.log, inverse_func=np.exp),
}


@pytest.mark.parametrize("model", REGRESSORS.values(), ids=REGRESSORS.keys())
@pytest.mark.parametrize("judge", [certify, calibrate])
def test_training_rows_are_recognised_through_every_wrapper(model, judge):
    model.fit(X[:300], Y[:300])
    with pytest.raises(ValueError, match=r"held-out rows (were used in fit|equal training rows)"):
        judge(model, X[:300], Y[:300])
    judge(model, X[300:], Y[300:])
    again = FrozenEstimator(model)
    with pytest.raises(ValueError, match=r"held-out rows (were used in fit|equal training rows)"):
        judge(again, X[:300], Y[:300])


@pytest.mark.parametrize("judge", [certify, calibrate])
def test_classifiers_too(judge):
    model = FixedThresholdClassifier(make_pipeline(StandardScaler(), LogisticRegression(0.1)), threshold=0.6)
    model.fit(XC[:400], YC[:400])
    with pytest.raises(ValueError, match="held-out rows were used in fit"):
        judge(model, XC[:400], YC[:400])
    judge(model, XC[400:], YC[400:])


def test_members_of_an_ensemble_have_numbers_for_its_labels():
    """Votes, bags, calibrated and stacked models with ours among them: coins that these remember are not certified."""
    rng = np.random.default_rng(0)
    rows, coins = rng.normal(size=(300, 40)), rng.choice(["heads", "tails"], 300)
    one = LogisticRegression(0.1)
    for model in (
        VotingClassifier([("one", one), ("other", KNeighborsClassifier(1))]),
        BaggingClassifier(one, 3, random_state=0),
        CalibratedClassifierCV(one, cv=3),
        StackingClassifier([("one", one)], LogisticRegression(0.1)),
    ):
        model.fit(rows[:200], coins[:200])
        with pytest.raises(ValueError, match="held-out rows were used in fit"):
            certify(model, rows[:100], coins[:100])
        assert certify(model, rows[200:], coins[200:]).bound > 0.4


@pytest.mark.parametrize("judge", [certify, calibrate])
def test_models_of_others_are_told_their_training_rows(judge):
    model = RandomForestRegressor(5, random_state=0).fit(X[:300], Y[:300])
    judge(model, X[:300], Y[:300])  # nobody remembers, and the certificate says so
    with pytest.raises(ValueError, match="held-out rows were used in fit"):
        judge(model, X[:300], Y[:300], training=(X[:300], Y[:300]))
    judge(model, X[300:], Y[300:], training=(X[:300], Y[:300]))
    with pytest.raises(ValueError, match="training must be the pair"):
        judge(model, X[300:], Y[300:], training=X)


def test_through_a_pipeline_the_certificate_is_that_of_the_model_inside():
    pipeline = SCALED.fit(X[:300], Y[:300])
    rows = SCALED[0].transform(X)
    inside = Ridge(0.1).fit(rows[:300], Y[:300]).certificate(rows[300:], Y[300:])
    around = certify(pipeline, X[300:], Y[300:])
    assert around.bound == inside.bound
    constants = [
        found.further[0].statement.partition(" (observed")[0].partition(" smaller")[2] for found in (around, inside)
    ]
    assert constants[0] == constants[1] != ""


def test_the_constant_of_a_wrapped_target_is_not_one_of_the_users_targets():
    model = REGRESSORS["wrapped target"].fit(X[:300], Y[:300])
    assert remembered(model).baseline is None
    assert remembered(SCALED.fit(X[:300], Y[:300])).baseline.constant == pytest.approx(Y[:300].mean())


def test_what_nobody_remembers():
    assert remembered(BaggingRegressor(Ridge(0.1), 3, max_features=0.5, random_state=0).fit(X, Y)) is None
    assert remembered(OneVsRestClassifier(LogisticRegression(0.1)).fit(X, np.digitize(Y, [100, 200]))) is None
    assert remembered(BaseEstimator()) is None
    assert remembered(Ridge()) is None


def test_a_hold_out_inside_is_refused_with_the_line_that_does_it_right():
    inside = r"is fitting Ridge.*Certified\(pipeline, holdout=0.2\).fit\(X, y\)"
    with pytest.raises(ValueError, match=inside):
        SCALED.fit(X, Y, ridge__certify=0.2)
    with pytest.raises(ValueError, match=inside):
        GridSearchCV(Ridge(), {"lam": [0.1, 1.0]}, error_score="raise").fit(X, Y, certify=0.2)
    with pytest.raises(ValueError, match=inside):
        cross_val_score(Ridge(0.1), X, Y, params={"certify": 0.2}, error_score="raise")
    with pytest.raises(ValueError, match=inside):
        TransformedTargetRegressor(Ridge(0.1), func=np.log, inverse_func=np.exp).fit(X, Y, certify=0.2)


def test_hold_outs_around_everything_are_welcome_anywhere():
    assert np.all(np.isfinite(cross_val_score(Certified(SCALED), X, Y, cv=3)))
    Certified(Ridge(0.1)).fit(X, Y)
    Ridge(0.1).fit(X, Y, certify=0.2)
