"""Scores become probabilities and labels."""

import numpy as np
import pytest

from surefit.data.scores import all_probabilities, class_probabilities, labels_of_scores, linear_scores


def test_one_row_of_coefficients_gives_one_score_a_row_and_several_give_columns():
    X = np.array([[1.0, 2.0], [0.0, -1.0]])
    assert linear_scores(X, np.array([3.0, 1.0]), 10.0).tolist() == [15.0, 9.0]
    assert linear_scores(X, np.array([[3.0, 1.0], [0.0, 1.0]]), np.array([0.0, 1.0])).tolist() == [[5, 3], [-1, 0]]


def test_probabilities_of_all_classes_sum_to_one_and_do_not_overflow():
    """Log-odds of two classes are the softmax of (0, score)."""
    score = np.array([[-800.0], [-1.0], [0.0], [40.0], [800.0]])
    two = all_probabilities(score)
    np.testing.assert_allclose(two, class_probabilities(np.hstack([np.zeros_like(score), score])), rtol=1e-14)
    np.testing.assert_allclose(two.sum(axis=1), 1.0, rtol=1e-15)
    assert two[3, 0] == pytest.approx(np.exp(-40.0), rel=1e-14)
    assert np.all(np.isfinite(class_probabilities(np.array([[1e300, -1e300, 0.0]]))))


def test_labels_follow_the_sign_of_one_score_or_the_largest_of_several():
    classes = np.array(["a", "b", "c"])
    assert labels_of_scores(classes[:2], np.array([-1.0, 0.0, 1e-300])).tolist() == ["a", "a", "b"]
    assert labels_of_scores(classes, np.array([[0.0, 2.0, 1.0], [3.0, 3.0, 1.0]])).tolist() == ["b", "a"]
