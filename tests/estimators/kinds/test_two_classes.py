"""What the two-class models share: labels of any kind, one class, more classes, unseen labels, features of zeros."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier

from surefit import (
    Adaline,
    KernelPerceptron,
    Memoriser,
    NearestNeighbourClassifier,
    Perceptron,
    PlugInClassifier,
    ThresholdClassifier,
)
from surefit.kernels import Linear

TWO_CLASSES = [Perceptron(), KernelPerceptron(), Adaline(), ThresholdClassifier()]
ALL = [*TWO_CLASSES, Memoriser(), NearestNeighbourClassifier(), PlugInClassifier()]
WEIGHTED = [ThresholdClassifier(), Memoriser(), NearestNeighbourClassifier(1), PlugInClassifier()]

RNG = np.random.default_rng(0)
X = np.vstack([RNG.standard_normal((20, 2)) + 3, RNG.standard_normal((20, 2)) - 3])
CODES = np.repeat([1, 0], 20)
LABELS = [np.array(["no", "yes"]), np.array([0, 1]), np.array([-1, 1]), np.array([False, True]), np.array([1.0, 2.0])]


def named(model):
    return type(model).__name__


@pytest.mark.parametrize("model", ALL, ids=named)
@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_labels_of_any_kind_come_back_as_they_went_in(model, labels):
    y = labels[CODES]
    model.fit(X, y)
    assert model.classes_.tolist() == labels.tolist()
    assert model.predict(X).dtype == y.dtype
    assert model.score(X, y) == 1


@pytest.mark.parametrize("model", ALL, ids=named)
def test_one_class_is_refused(model):
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X, np.zeros(40))


@pytest.mark.parametrize("model", WEIGHTED, ids=named)
def test_a_class_without_weight_is_no_class(model):
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X, CODES, sample_weight=CODES)
    three = np.where(np.arange(40) % 20 == 0, 7, CODES)
    model.fit(X, three, sample_weight=(three != 7).astype(float))
    assert model.classes_.tolist() == [0, 1]
    assert model.score(X[three != 7], CODES[three != 7]) == 1


@pytest.mark.parametrize("model", TWO_CLASSES, ids=named)
def test_three_classes_are_refused_with_the_remedy_which_works(model):
    corners = np.array([[0.0, 6], [6, -4], [-6, -4]])
    three = np.arange(60) % 3
    rows = corners[three] + np.random.default_rng(1).standard_normal((60, 2))
    with pytest.raises(ValueError, match=r"Only binary classification is supported.*3 classes.*OneVsRestClassifier"):
        model.fit(rows, three)
    assert OneVsRestClassifier(model).fit(rows, three).score(rows, three) > 0.9


@pytest.mark.parametrize("model", ALL, ids=named)
def test_labels_never_seen_in_training_only_count_as_mistakes(model):
    model.fit(X, CODES)
    assert model.score(X, np.where(np.arange(40) < 10, 5, CODES)) == 0.75
    assert set(model.predict(X)) == {0, 1}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "model",
    [
        Perceptron(),
        KernelPerceptron(Linear()),
        Adaline(),
        ThresholdClassifier(),
        Memoriser(),
        NearestNeighbourClassifier(40),
    ],
    ids=named,
)
def test_features_of_zeros_leave_a_constant_answer(model):
    y = np.repeat([0, 1], [10, 30])
    predicted = model.fit(np.zeros((40, 2)), y).predict(np.zeros((5, 2)))
    assert len(set(predicted)) == 1
    if not isinstance(model, Perceptron | KernelPerceptron):
        assert predicted[0] == 1  # the majority


@pytest.mark.parametrize("model", [Perceptron(), KernelPerceptron(), Adaline()], ids=named)
def test_scores_answer_in_the_precision_of_the_rows(model):
    single = model.fit(X.astype(np.float32), CODES)
    assert single.decision_function(X.astype(np.float32)).dtype == np.float32
    assert model.fit(X, CODES).decision_function(X).dtype == np.float64


def test_a_perceptron_that_does_not_settle_warns_with_the_remedy_and_its_mean_does_not():
    y = np.arange(40) % 2
    with pytest.warns(ConvergenceWarning, match="weights='mean'"):
        Perceptron(max_epochs=5).fit(X, y)
    assert not Perceptron(weights="mean", max_epochs=5).fit(X, y).converged_
