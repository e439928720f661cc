"""Labels of any kind become codes, and rows that do not count make no class."""

import numpy as np
import pytest

from surefit.estimators.labels import encode_labels, labels_of_scores


@pytest.mark.parametrize("y", [["b", "a", "b"], [1, -1, 1], [1, 0, 1], [True, False, True]])
def test_codes_name_the_class_of_every_row(y):
    classes, codes = encode_labels(y)
    assert classes[codes].tolist() == list(y)
    assert codes.tolist() == [1, 0, 1]


def test_a_class_whose_rows_weigh_nothing_is_no_class():
    classes, codes = encode_labels(["a", "b", "c"], np.array([1.0, 1.0, 0.0]))
    assert classes.tolist() == ["a", "b"]
    assert codes.tolist() == [0, 1, -1]


@pytest.mark.parametrize("weight", [None, np.array([1.0, 0.0])])
def test_one_class_is_refused_with_its_name(weight):
    y = ["a", "a"] if weight is None else ["a", "b"]
    with pytest.raises(ValueError, match="one class only: \\['a'\\]"):
        encode_labels(y, weight)


def test_continuous_targets_are_refused():
    with pytest.raises(ValueError, match="continuous"):
        encode_labels([0.5, 1.25, 3.1])


def test_labels_that_cannot_be_compared_are_refused():
    with pytest.raises(ValueError, match=r"all strings or all numbers|nknown label type"):
        encode_labels(np.array(["a", 1, "b", 2], dtype=object))


def test_labels_follow_the_sign_of_one_score_or_the_largest_of_several():
    classes = np.array(["a", "b", "c"])
    assert labels_of_scores(classes[:2], np.array([-1.0, 0.0, 1e-300])).tolist() == ["a", "a", "b"]
    assert labels_of_scores(classes, np.array([[0.0, 2.0, 1.0], [3.0, 3.0, 1.0]])).tolist() == ["b", "a"]
