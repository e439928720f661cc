"""Plug-in classifiers are Bayes under the probabilities that they are given."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import LinearSVC

from surefit import LeastSquares, NearestNeighbourClassifier, PlugInClassifier
from surefit.estimators.exhibits.plug_in import least_cost_class
from surefit.theory.risk.finite_law import FiniteJoint, plug_in_classifier

ETA = np.array([0.1, 0.6, 0.5])
LAW = FiniteJoint.binary([0.5, 0.3, 0.2], ETA)


class Truth(ClassifierMixin, BaseEstimator):
    """Knows ``P(Y | X)``; its rows are indices of points."""

    def __init__(self, table=None):
        self.table = table

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(self.table)[np.asarray(X)[:, 0].astype(int)]


def test_both_rules_differ_only_at_one_half_and_have_the_same_risk():
    """A-44, R-03, E-028: 1[eta >= 1/2] and 1[eta > 1/2] both reach the Bayes risk 0.27."""
    table = np.column_stack([1 - ETA, ETA])
    first, last = least_cost_class(table), least_cost_class(table, ties="last")
    assert (first.tolist(), last.tolist()) == ([0, 1, 0], [0, 1, 1])
    np.testing.assert_array_equal(last, plug_in_classifier(ETA))
    np.testing.assert_array_equal(first, plug_in_classifier(ETA, at_half=0))
    for rule in (first, last):
        assert LAW.risk(lambda y, z: y != z, rule) == pytest.approx(0.27, abs=1e-12)


def test_costs_give_the_bayes_classifier_of_those_costs():
    """A-43, A-44: against the exact minimiser on random laws with three classes."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        law = FiniteJoint(rng.dirichlet(np.ones(12)).reshape(4, 3))
        costs = rng.uniform(0, 3, (3, 3))
        answers = least_cost_class(law.y_given_x, costs)
        loss = lambda y, z, costs=costs: costs[y, z]
        np.testing.assert_array_equal(answers, law.bayes_predictor(loss, actions=np.arange(3)))


def test_the_estimator_with_the_true_probabilities_is_bayes():
    X, y = np.arange(3.0)[:, None], ["no", "yes", "no"]
    truth = Truth(np.column_stack([1 - ETA, ETA]).tolist())
    assert PlugInClassifier(truth).fit(X, y).predict(X).tolist() == ["no", "yes", "no"]
    assert PlugInClassifier(truth, ties="last").fit(X, y).predict(X).tolist() == ["no", "yes", "yes"]
    careful = PlugInClassifier(truth, costs=[[0, 1], [20, 0]]).fit(X, y)
    assert careful.predict(X).tolist() == ["yes", "yes", "yes"]
    assert careful.threshold_ == pytest.approx(1 / 21)


def test_the_threshold_is_where_the_expected_costs_meet():
    X, y = [[0.0], [1.0]], [0, 1]
    model = PlugInClassifier(NearestNeighbourClassifier(1), costs=[[0, 3], [1, 0]]).fit(X, y)
    assert model.threshold_ == 0.75
    assert least_cost_class([[0.26, 0.74], [0.24, 0.76]], [[0, 3], [1, 0]]).tolist() == [0, 1]
    assert np.isnan(PlugInClassifier(NearestNeighbourClassifier(1), costs=np.zeros((2, 2))).fit(X, y).threshold_)


def test_a_regressor_estimates_eta_and_is_cut_to_probabilities():
    """A-44 with least squares on 1[y = second class]."""
    X, y = np.array([[0.0], [1], [2], [3]]), ["a", "b", "a", "b"]
    model = PlugInClassifier(LeastSquares()).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[0.0], [10.0], [-10.0]]), [[0.8, 0.2], [0, 1], [1, 0]], atol=1e-12)
    assert model.predict(X).tolist() == ["a", "a", "b", "b"]
    with pytest.raises(ValueError, match="Only binary"):
        PlugInClassifier(LeastSquares()).fit(X, [0, 1, 2, 0])


def test_three_classes_with_costs():
    X, y = np.array([[0.0], [0.1], [5], [5.1], [9], [9.1]]), ["a", "a", "b", "b", "c", "c"]
    afraid_of_c = [[0, 1, 1], [1, 0, 1], [9, 9, 0]]
    model = PlugInClassifier(NearestNeighbourClassifier(3), costs=afraid_of_c).fit(X, y)
    assert model.threshold_ is None
    assert model.predict([[0.0], [7.05]]).tolist() == ["a", "c"]


def test_weights_reach_the_estimator():
    X, y = np.zeros((4, 1)), [0, 0, 0, 1]
    assert PlugInClassifier(NearestNeighbourClassifier(1)).fit(X, y).predict([[0.0]])[0] == 0
    assert PlugInClassifier(NearestNeighbourClassifier(1)).fit(X, y, [1, 1, 1, 5]).predict([[0.0]])[0] == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"costs": [[0, 1]]}, r"costs must be a finite \(2, 2\) table"),
        ({"costs": [[0, np.inf], [1, 0]]}, "entries that are not finite"),
        ({"estimator": LinearSVC()}, "has no predict_proba"),
    ],
)
def test_what_cannot_work_is_refused_at_fit(parameters, message):
    with pytest.raises(ValueError, match=message):
        PlugInClassifier(**parameters).fit(np.arange(10.0)[:, None], np.arange(10) % 2)


@pytest.mark.parametrize(
    ("P", "ties", "message"),
    [([[2.0, -1.0]], "first", "probabilities"), ([0.5, 0.5], "first", "shape"), ([[0.5, 0.5]], "random", "ties must")],
)
def test_scores_are_no_probabilities_and_ties_have_two_rules(P, ties, message):
    with pytest.raises(ValueError, match=message):
        least_cost_class(P, ties=ties)
