"""The table of classes is complete, and closed."""

import dataclasses
import enum
import inspect

import pytest
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier

import surefit
from surefit import exhibits, features, kernels, objective
from surefit.guarantee.calibrate import Calibrated
from surefit.store.refusal import ModelFileError
from surefit.store.vocabulary import GROUPS, VOCABULARY, class_of, label_of
from surefit.theory import Certificate

NEED_FUNCTIONS = {"BasisFunctions", "Conformal", "FeatureMap", "FromFunction", "Mercer"}
"""Classes that hold functions of the user, which are code."""


def classes(*modules):
    return [value for module in modules for name in dir(module) if isinstance(value := getattr(module, name), type)]


def concrete_subclasses(kind):
    for one in kind.__subclasses__():
        if not inspect.isabstract(one) and one.__module__.startswith("surefit.") and not one.__name__.startswith("_"):
            yield one
        yield from concrete_subclasses(one)


def test_every_model_that_surefit_shows_can_be_stored():
    models = [one for one in classes(surefit, exhibits, features) if issubclass(one, BaseEstimator)]
    assert len(models) > 20
    assert {one.__name__ for one in models if label_of(one) is None} <= NEED_FUNCTIONS


@pytest.mark.parametrize("kind", [kernels.Kernel, objective.Loss, objective.Penalty], ids=lambda kind: kind.__name__)
def test_every_kernel_loss_and_penalty_can_be_stored(kind):
    inner = ("surefit.solvers.", "surefit.lab.")  # formulas that solvers and claims make for themselves
    found = [one for one in concrete_subclasses(kind) if not one.__module__.startswith(inner)]
    assert len(found) >= 5
    assert {one.__name__ for one in found if label_of(one) is None} <= NEED_FUNCTIONS


@pytest.mark.parametrize("label", VOCABULARY)
def test_every_name_leads_to_one_class_and_back(label):
    kind = class_of(label)
    assert label_of(kind) == label
    assert kind.__name__ == VOCABULARY[label][1]
    group = label.partition(" ")[0]
    assert (group == "word") is issubclass(kind, enum.Enum)
    assert (group == "record") is dataclasses.is_dataclass(kind)


def test_labels_differ_where_names_do_not():
    assert len(VOCABULARY) == sum(len(names.split()) for group in GROUPS.values() for names in group.values())
    assert label_of(kernels.Polynomial) == "kernel Polynomial"
    assert label_of(features.Polynomial) == "model Polynomial"
    assert label_of(objective.ElasticNet) == "penalty ElasticNet"
    assert label_of(surefit.ElasticNet) == "model ElasticNet"


def test_subclasses_and_classes_of_others_have_no_label():
    Mine = type("Ridge", (surefit.Ridge,), {})
    Disguised = type("Ridge", (), {"__module__": "surefit.estimators.ridge"})
    assert [label_of(one) for one in (Mine, Disguised, DecisionTreeClassifier, dict, type)] == [None] * 5


@pytest.mark.parametrize("label", ["os.system", "Ridge", "model ridge", "model os.system", "", "model Ridge "])
def test_a_name_that_is_not_in_the_table_is_refused(label):
    with pytest.raises(ModelFileError, match="which no model file may hold"):
        class_of(label)


def test_certificates_and_calibrated_models_have_labels():
    assert label_of(Certificate) == "record Certificate"
    assert label_of(Calibrated) == "record Calibrated"
