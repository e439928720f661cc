"""One number per label from any classifier."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC as LibSVM

from surefit import SVC, LogisticRegression, Perceptron
from surefit.guarantee.label_values import LabelValues

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 2))
THREE = np.array(["a", "b", "c"])[(X[:, 0] > 0) * 1 + (X[:, 1] > 0)]


def test_probabilities_are_preferred_and_decision_functions_get_a_column_each():
    values = LabelValues.of(LogisticRegression(lam=0.1).fit(X, THREE))
    assert values.probabilities
    np.testing.assert_allclose(values(X).sum(axis=1), 1.0)
    for model in (SVC(lam=0.1), Perceptron(weights="mean")):
        margins = LabelValues.of(model.fit(X, THREE == "a"))
        assert not margins.probabilities
        np.testing.assert_array_equal(margins(X).argmax(axis=1), model.predict(X) * 1)


def test_labels_are_numbered_and_unknown_ones_are_minus_one():
    values = LabelValues.of(KNeighborsClassifier().fit(X, THREE))
    assert values.numbers_of(np.array(["c", "z", "a"])).tolist() == [2, -1, 0]


def test_what_has_no_number_per_label_is_refused():
    with pytest.raises(ValueError, match="it has to give one number per label"):
        LabelValues.of(LibSVM(decision_function_shape="ovo").fit(X, np.arange(90) % 4))(X)
    with pytest.raises(ValueError, match="has no classes_"):
        LabelValues.of(LogisticRegression())

    class Bare:
        classes_ = (0, 1)

    with pytest.raises(ValueError, match="neither predict_proba nor decision_function"):
        LabelValues.of(Bare())
