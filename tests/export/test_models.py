"""Models of every family, against their own answers."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from surefit import (
    ERM,
    SVC,
    SVR,
    Adaline,
    ElasticNet,
    KernelLogistic,
    KernelRidge,
    KernelRidgeClassifier,
    Lasso,
    LeastSquares,
    LogisticRegression,
    Perceptron,
    Ridge,
    RobustRegression,
    SubsetRegression,
)
from surefit.export.models import KNOWN
from surefit.kernels import Gaussian, Linear
from tests.export.running import answers, close

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3)) + 5
Y = X @ [1.0, 2.0, -1.0] + RNG.normal(size=90)
NEW = RNG.normal(size=(40, 3)) * 2 + 5
TWO = np.where(np.median(Y) < Y, "yes", "nö")
THREE = np.digitize(Y, np.quantile(Y, [0.3, 0.6])) - 1

REGRESSORS = [
    LeastSquares(), Ridge(), Lasso(0.1), ElasticNet(lam=0.1, l1_ratio=0.5), SubsetRegression(), RobustRegression(),
    ERM(),
    KernelRidge(Gaussian(1.0), lam=0.1), KernelRidge(Gaussian(1.0), lam=0.01, solver="nystroem", n_landmarks=20),
    SVR(lam=0.1), SVR(Linear(), lam=0.1),
]  # fmt: skip
CLASSIFIERS = [
    (LogisticRegression(0.1), TWO), (LogisticRegression(0.1), THREE), (KernelLogistic(Gaussian(2.0), lam=0.1), TWO),
    (KernelLogistic(Gaussian(2.0), lam=0.1), THREE), (SVC(Gaussian(2.0), lam=0.1), TWO), (SVC(Linear(), lam=0.1), TWO),
    (KernelRidgeClassifier(Gaussian(2.0), lam=0.1), TWO), (KernelRidgeClassifier(Gaussian(2.0), lam=0.1), THREE),
    (Perceptron(weights="mean"), TWO), (Adaline(), TWO),
]  # fmt: skip


@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
def test_numbers_are_those_of_the_model(model, tmp_path):
    model = clone(model).fit(X, Y)
    found = answers(model, NEW, tmp_path)
    assert found.keys() == {"prediction"}
    close(found["prediction"], model.predict(NEW))


@pytest.mark.parametrize(
    ("model", "y"), CLASSIFIERS, ids=lambda one: repr(one) if not isinstance(one, np.ndarray) else ""
)
def test_labels_and_probabilities_or_scores_are_those_of_the_model(model, y, tmp_path):
    model = clone(model).fit(X, y)
    found = answers(model, NEW, tmp_path)
    assert found["label"].tolist() == model.predict(NEW).tolist()
    if "probabilities" in found:
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(NEW), rtol=1e-9)
    else:
        close(found["scores"], model.decision_function(NEW))


def test_every_family_that_is_known_is_tried():
    tried = {type(one) for one in REGRESSORS} | {type(one) for one, _ in CLASSIFIERS}
    assert tried == set(KNOWN)


def test_several_targets_stay_several(tmp_path):
    for model in (Ridge(0.1), KernelRidge(Gaussian(1.0), lam=0.1)):
        model.fit(X, np.column_stack([Y, -Y]))
        close(answers(model, NEW, tmp_path)["prediction"], model.predict(NEW))


def test_costs_of_mistakes_are_heeded(tmp_path):
    model = LogisticRegression(0.1, costs=[[0, 1], [9, 0]]).fit(X, TWO)
    labels = answers(model, NEW, tmp_path)["label"].tolist()
    assert labels == model.predict(NEW).tolist()
    assert labels != LogisticRegression(0.1).fit(X, TWO).predict(NEW).tolist()


def test_tiny_probabilities_keep_their_digits(tmp_path):
    model = LogisticRegression(0.01).fit(X, TWO)
    found = answers(model, 20 * NEW, tmp_path)["probabilities"]
    assert found.min() < 1e-12
    np.testing.assert_allclose(found, model.predict_proba(20 * NEW), rtol=1e-9)


def test_sparse_points_and_single_precision_are_written_as_doubles(tmp_path):
    rows = np.where(np.abs(X) > 5, X, 0.0)
    model = KernelRidge(Gaussian(2.0), lam=0.1).fit(sparse.csr_array(rows), Y)
    close(answers(model, rows, tmp_path)["prediction"], model.predict(rows))
    single = Ridge(0.1).fit(X.astype(np.float32), Y)
    close(answers(single, NEW, tmp_path)["prediction"], single.predict(NEW))


def test_a_tube_without_support_vectors_is_a_constant(tmp_path):
    model = SVR(lam=0.1, epsilon=1e6).fit(X, Y)
    assert model.support_vectors_.shape[0] == 0
    close(answers(model, NEW, tmp_path)["prediction"], model.predict(NEW))
