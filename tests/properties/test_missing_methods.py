"""What some models offer and others cannot: the others say what to do instead, and still do not have it."""

import pickle
from copy import copy, deepcopy

import numpy as np
import pytest

from surefit import (
    SVC,
    SVR,
    KernelERM,
    KernelLogistic,
    KernelRidge,
    Lasso,
    LogisticRegression,
    NearestNeighbourClassifier,
    Ridge,
    RobustRegression,
)

CALIBRATE = r"hold rows out and use surefit.calibrate\(model, X_new, y_new\)"


@pytest.mark.parametrize(
    ("model", "name", "remedy"),
    [
        (Lasso(), "predict_interval", CALIBRATE),
        (SVR(), "predict_interval", CALIBRATE),
        (RobustRegression(), "predict_interval", CALIBRATE),
        (LogisticRegression(), "predict_interval", r"labels have no intervals; .*certificate\(X_test, y_test\)"),
        (KernelRidge(), "summary", "coefficients of columns exist only for linear models, such as Ridge"),
        (KernelLogistic(), "summary", "exist only for linear models, such as LogisticRegression"),
        (NearestNeighbourClassifier(), "summary", "exist only for linear models"),
        (SVC(), "predict_proba", "use KernelLogistic or LogisticRegression"),
        (Ridge(), "predict_proba", "it predicts numbers"),
    ],
    ids=str,
)
def test_a_method_that_is_missing_names_the_remedy(model, name, remedy):
    assert not hasattr(model, name)
    with pytest.raises(AttributeError, match=rf"^{type(model).__name__} has no {name}: .*{remedy}"):
        getattr(model, name)


def test_other_names_give_the_usual_error():
    with pytest.raises(AttributeError, match=r"^'Ridge' object has no attribute 'coeff_'"):
        Ridge().coeff_  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'decision_function'"):
        KernelERM().decision_function  # noqa: B018


@pytest.mark.parametrize("kind", [Lasso, SVR, KernelRidge, LogisticRegression])
def test_copies_and_objects_without_parameters_know_their_missing_methods(kind):
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = kind(lam=0.1).fit(X, X[:, 0] > 0)
    for twin in (copy(model), deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    bare = object.__new__(kind)
    assert not hasattr(bare, "__anything__")
    assert not hasattr(bare, "lam")
    assert not hasattr(bare, "predict_probability")
