"""One API: a method has the same signature on every model that has it, and a method that can only refuse is absent."""

import inspect

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import surefit
from surefit import (
    ERM,
    SVR,
    Certified,
    ElasticNet,
    Lasso,
    LeastSquares,
    Perceptron,
    Ridge,
    RobustRegression,
    SubsetRegression,
)
from surefit.estimators.kinds.planned import Planned
from surefit.kernels import Linear
from tests.properties.models import public_estimators

PUBLIC = [getattr(surefit, name) for name in surefit._MODELS]
MODELS = [one for one in PUBLIC if inspect.isclass(one) and issubclass(one, Planned)]  # online learners see no table
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = X @ [1.0, 2.0] + RNG.normal(size=40)


@pytest.mark.parametrize("name", ["plan", "explain", "certificate", "predict_interval", "leave_one_out"])
def test_a_method_has_one_signature_on_all_models(name):
    found = {str(inspect.signature(getattr(kind, name))) for kind in MODELS if hasattr(kind, name)}
    assert len(found) == 1


def test_certified_asks_for_a_certificate_as_models_do():
    """Its ``delta`` and ``coverage`` default to those of its constructor; names and order are the same."""
    ours, theirs = (inspect.signature(kind.certificate).parameters.values() for kind in (Certified, Ridge))
    assert [(one.name, one.kind) for one in ours] == [(one.name, one.kind) for one in theirs]


def test_every_tolerance_says_what_it_bounds():
    """``tol`` bounds the gap, in units of the null objective; models without a gap have another name for it."""
    asked = {kind.__name__: set(inspect.signature(kind).parameters) for kind in public_estimators()}
    with_gap = {"Lasso", "ElasticNet", "RobustRegression", "ERM", "LogisticRegression"}
    assert {name for name, given in asked.items() if "tol" in given} - {"PivotedCholesky"} == with_gap
    assert {name for name, given in asked.items() if "max_violation" in given} == {"SVR", "SVC"}
    assert {name for name, given in asked.items() if "max_residual" in given} == {
        "KernelRidge",
        "KernelRidgeClassifier",
    }
    with pytest.raises(TypeError, match="max_violation bounds the violation of the optimality conditions"):
        SVR(tol=1e-3)


@pytest.mark.parametrize("name", ["plan", "explain", "certificate"])
def test_every_model_has_these(name):
    assert len(MODELS) >= 16
    assert [kind.__name__ for kind in MODELS if not hasattr(kind, name)] == []


@pytest.mark.parametrize("name", ["inference", "summary"])
def test_what_these_are_asked_is_asked_by_name(name):
    for kind in public_estimators():
        if hasattr(kind, name):
            _, *given = inspect.signature(getattr(kind, name)).parameters.values()
            assert all(one.kind is inspect.Parameter.KEYWORD_ONLY for one in given), kind


@pytest.mark.parametrize(
    "model",
    [Lasso(0.1), ElasticNet(0.1), SubsetRegression(), RobustRegression(), ERM(), SVR(Linear(), 0.1)],
    ids=lambda model: type(model).__name__,
)
def test_a_model_without_standard_errors_has_no_inference_and_says_why(model):
    with pytest.raises(NotFittedError):
        model.inference()
    model.fit(X, Y)
    assert not hasattr(model, "inference")
    with pytest.raises(AttributeError, match=r"; (use|for inference fit|fit) "):
        model.inference()
    with pytest.raises(ValueError, match=r"; (use|for inference fit|fit) "):
        model.inference()


def test_models_with_standard_errors_have_it():
    assert hasattr(LeastSquares(), "inference")
    assert hasattr(Ridge(), "inference")
    assert not hasattr(Perceptron(), "inference")


def test_a_name_that_no_model_has_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'Lasso' object has no attribute 'colour'"):
        _ = Lasso().colour
