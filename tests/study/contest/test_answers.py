"""Probabilities stand in the order of the table's classes."""

import numpy as np

from surefit.study.contest.answers import spread


class Model:
    def __init__(self, classes):
        self.classes_ = np.array(classes)

    def predict_proba(self, X):
        return np.tile([0.7, 0.3], (len(X), 1))


def test_classes_by_name_and_by_number_and_those_that_are_lacking():
    X = np.zeros((1, 1))
    np.testing.assert_array_equal(spread(Model(["c", "a"]), X, ("a", "b", "c")), [[0.3, 0.0, 0.7]])
    np.testing.assert_array_equal(spread(Model([0, 2]), X, ("a", "b", "c")), [[0.7, 0.0, 0.3]])
