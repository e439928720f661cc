"""What cannot be certified or calibrated is refused by name, and odd numbers and shapes are taken for what they are."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from surefit import (
    Certified,
    KernelRidge,
    LeastSquares,
    LogisticRegression,
    Ridge,
    calibrate,
    calibrate_quantiles,
    certify,
)
from surefit.kernels import Gaussian
from surefit.theory.certificates.certificate import Certificate, Standing

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = X[:, 0] + RNG.normal(size=200)
SIGNS = np.where(Y > 0, 1, -1)
TRAIN, TEST = slice(100), slice(100, 200)
RIDGE = Ridge(0.1).fit(X[TRAIN], Y[TRAIN])
LOGISTIC = LogisticRegression(lam=0.1).fit(X[TRAIN], SIGNS[TRAIN])


class Column:
    """Answers in one column, as some libraries do."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(np.asarray(X)[:, :1] > 0, 1, -1)


class ColumnClassifier(Column, ClassifierMixin, BaseEstimator):
    pass


class ColumnRegressor(Column, RegressorMixin, BaseEstimator):
    pass


class Silent:
    def predict(self, X):
        return np.full(len(X), np.nan)


@pytest.mark.parametrize("tried", [3, np.int64(3), 3.0])
@pytest.mark.parametrize("delta", [0.05, np.float32(0.05), np.float64(0.05)])
def test_numbers_of_any_kind_travel_as_json(tried, delta):
    for found in (
        RIDGE.certificate(X[TEST], Y[TEST], n_models_fixed=tried, delta=delta),
        LOGISTIC.certificate(X[TEST], SIGNS[TEST], n_models_fixed=tried, delta=delta),
        RIDGE.certificate(n_models_fixed=tried, delta=delta),
    ):
        assert Certificate.from_json(found.to_json()).bound == found.bound
        assert Certificate.from_json(found.to_json()).inputs["n_models_fixed"] == 3


def test_one_column_of_answers_is_a_vector():
    labels = certify(ColumnClassifier().fit(X, SIGNS), X[TEST], SIGNS[TEST])
    assert labels.empirical == np.mean(np.where(X[TEST][:, 0] > 0, 1, -1) != SIGNS[TEST])
    numbers = certify(ColumnRegressor().fit(X, SIGNS), X[TEST], 1.0 * SIGNS[TEST])
    assert numbers.inputs["n"] == 100
    assert calibrate(ColumnRegressor().fit(X, SIGNS), X[TEST], Y[TEST]).scores.shape == (100,)


def test_answers_of_another_length_are_refused():
    two = LinearRegression().fit(X[TRAIN], np.c_[Y, Y][TRAIN])
    with pytest.raises(ValueError, match=r"answers with shape \(100, 2\) for 100 rows"):
        certify(two, X[TEST], Y[TEST])


@pytest.mark.parametrize("model", [Ridge(0.1), KernelRidge(Gaussian(1.0), 0.1), LeastSquares()])
def test_targets_whose_squares_are_no_numbers_are_refused_with_the_remedy(model):
    with pytest.raises(ValueError, match="divided by a power of ten"):
        model.fit(X, 1e160 * Y).certificate()


@pytest.mark.parametrize("tried", [10**400, 10**16, 0, 1.5, "3", np.inf, np.nan])
def test_numbers_of_models_that_cannot_be_are_refused(tried):
    for certificate in (lambda **n: RIDGE.certificate(**n), lambda **n: RIDGE.certificate(X[TEST], Y[TEST], **n)):
        with pytest.raises(ValueError, match="n_models_fixed must be a whole number from 1"):
            certificate(n_models_fixed=tried)


@pytest.mark.parametrize("delta", [0.500001, 0.95, 1 - 1e-12])
def test_promises_that_are_broken_more_often_than_kept_are_refused(delta):
    for certificate in (RIDGE.certificate, LOGISTIC.certificate, lambda **d: RIDGE.certificate(X[TEST], Y[TEST], **d)):
        with pytest.raises(ValueError, match="broken more often than kept"):
            certificate(delta=delta)


def test_words_are_no_targets_of_a_regressor():
    words = np.where(Y > 0, "up", "down")
    with pytest.raises(ValueError, match=r"predicts numbers, and targets such as .* are none; certify a classifier"):
        RIDGE.certificate(X[TEST], words[TEST])
    with pytest.raises(ValueError, match="predicts numbers"):
        certify(LinearRegression().fit(X[TRAIN], Y[TRAIN]), X[TEST], words[TEST])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (KMeans(2, n_init=1, random_state=0).fit(X), "KMeans is a clusterer"),
        (StandardScaler().fit(X), "does not predict"),
    ],
)
def test_what_predicts_no_target_is_neither_certified_nor_calibrated(model, message):
    with pytest.raises(ValueError, match=message):
        certify(model, X[TEST], Y[TEST])
    with pytest.raises(ValueError, match=message):
        calibrate(model, X[TEST], Y[TEST])


def test_models_without_numbers_for_answers_are_not_calibrated():
    with pytest.raises(ValueError, match="LogisticRegression answers labels, which have no quantiles"):
        calibrate_quantiles(LOGISTIC, RIDGE, X[TEST], 1.0 * SIGNS[TEST])
    with pytest.raises(ValueError, match="predicts values that are not finite"):
        calibrate(Silent(), X[TEST], Y[TEST])
    with pytest.raises(ValueError, match="held-out errors must be finite"):
        certify(Silent(), X[TEST], Y[TEST])


def test_groups_in_two_columns_are_refused_by_their_name():
    with pytest.raises(ValueError, match=r"groups must name one group for each of the 100 .* got shape \(100, 2\)"):
        calibrate(RIDGE, X[TEST], Y[TEST], groups=np.zeros((100, 2)))


def test_labels_that_the_model_does_not_know_are_named():
    zeros = np.where(SIGNS == 1, 1, 0)
    for found in (LOGISTIC.certificate(X[TEST], zeros[TEST]), certify(LOGISTIC, X[TEST], zeros[TEST])):
        (named,) = (one for one in found.assumptions if "does not know" in one.text)
        assert named.standing is Standing.DECLARED
        assert named.evidence == f"{np.sum(zeros[TEST] == 0)} of 100 held-out rows have labels that were not in fit: 0"
        assert found.empirical >= np.mean(zeros[TEST] == 0)
    many = np.where(np.arange(100) < 90, SIGNS[TEST], np.arange(100))
    evidence = LOGISTIC.certificate(X[TEST], many).assumptions[2].evidence
    assert evidence.endswith("90, 91, 92 and 7 more")


def test_only_what_was_checked_is_called_checked():
    """A search has looked at the held-out rows of every fold, and nobody checks that."""
    search = GridSearchCV(Certified(Ridge()), {"estimator__lam": [0.01, 0.1]}, cv=2).fit(X, Y)
    found = search.best_estimator_.certificate_
    checked = [one.text for one in found.assumptions if one.standing is Standing.CHECKED]
    assert checked == ["the held-out rows were not used to train this model"]
    assert "choose" not in " ".join(checked)


def test_sentences_read_well_for_one_row_and_for_a_floor_of_nothing():
    one = RIDGE.certificate(X[100:101], Y[100:101])
    assert "one held-out row is too few" in one.statement
    assert one.further[0].statement.startswith("This model is not certified to beat always answering")
    labels = LOGISTIC.certificate(X[TEST], np.full(100, LOGISTIC._fit_record.constant))
    text = "errs on 0.0 % of the same rows.  On these rows this model errs more often than that."
    assert text in labels.further[0].statement
