"""Labels of any kind become codes, rows that do not count make no class, and classes have factors.  Catalogue A-29."""

import numpy as np
import pytest

from surefit import LogisticRegression
from surefit.estimators.kinds.labels import class_factors, encode_labels

CLASSES, CODES = np.array(["no", "yes"]), np.array([0, 1, 1, 0])
X = np.array([[0.0], [1.0], [2.0], [1.5]])


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


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (3, 4, 5), (7, 9, 20), (0, 2000), (2**62, 2**62 + 1)])
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_many_whole_numbers_are_counted_to_the_same_codes(labels, dtype):
    labels = np.array(labels) if dtype is np.int64 else np.array(labels) % 2**31
    y = np.random.default_rng(0).choice(labels.astype(dtype), 20_000)
    for weight in (None, np.ones(len(y)), np.where(y == y.max(), 0.0, 1.0)):
        if weight is not None and len(np.unique(y[weight > 0])) < 2:
            continue
        classes, codes = encode_labels(y, weight)
        expected, inverse = np.unique(y, return_inverse=True)
        if weight is not None and weight.min() == 0:
            expected, inverse = expected[:-1], np.where(inverse == len(expected) - 1, -1, inverse)
        assert classes.dtype == dtype
        assert np.array_equal(classes, expected)
        assert np.array_equal(codes, inverse)


def test_many_rows_of_one_whole_number_are_one_class():
    with pytest.raises(ValueError, match="one class only"):
        encode_labels(np.ones(20_000, dtype=int))


def factors(class_weight):
    return class_factors(class_weight, CLASSES, CODES, np.ones(4)).tolist()


def test_a_name_that_is_no_class_is_refused_while_a_class_has_none():
    with pytest.raises(ValueError, match=r"of which \['Yes'\] are no classes of y, and leaves out \['yes'\]"):
        LogisticRegression(lam=1.0, class_weight={"Yes": 50, "no": 1}).fit(X, CLASSES[CODES])
    with pytest.raises(ValueError, match="none of them a class of y"):
        factors({"Yes": 50})


def test_classes_may_be_left_out_and_absent_ones_named():
    assert factors({"yes": 50}) == [1.0, 50.0]
    assert factors({"yes": 50, "no": 2, "perhaps": 3}) == [2.0, 50.0]
    assert factors({}) == [1.0, 1.0]
    assert class_factors({np.int64(3): 2.0}, np.array([1, 3]), CODES, np.ones(4)).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("factor", [0.0, -1.0, np.nan, np.inf, "heavy", None, [1.0, 2.0]])
def test_factors_must_be_positive_numbers(factor):
    with pytest.raises(ValueError, match="class weights must be finite and > 0"):
        factors({"yes": factor})


def test_booleans_held_as_objects_are_booleans():
    classes, codes = encode_labels(np.array([True, False, True], dtype=object))
    assert classes.dtype == bool
    assert codes.tolist() == [1, 0, 1]


def test_labels_that_are_none_are_located():
    with pytest.raises(ValueError, match="y has 1 missing label in row 1; drop these rows"):
        encode_labels(np.array(["a", None, "b"], dtype=object))
    for rest in (["a", "b"], [1, 2]):  # in the first row, where scikit-learn looks for the kind of labels
        with pytest.raises(ValueError, match="y has 2 missing labels, the first in row 0; drop"):
            encode_labels(np.array([None, *rest, None], dtype=object))
