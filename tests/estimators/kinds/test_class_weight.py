"""Factors of classes, and names that are no class.  Catalogue A-29."""

import numpy as np
import pytest

from surefit import LogisticRegression
from surefit.estimators.kinds.class_weight import class_factors

CLASSES, CODES = np.array(["no", "yes"]), np.array([0, 1, 1, 0])
X = np.array([[0.0], [1.0], [2.0], [1.5]])


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
