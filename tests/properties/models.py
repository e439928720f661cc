"""The one table of models that properties are crossed with: every public estimator, at settings that are quick.

``REGRESSORS``, ``CLASSIFIERS``, ``TRANSFORMERS`` hold each public class once.  ``ROUTES`` are further settings under
which rows, targets or weights are read by other code: a model that chooses, a sparse penalty, landmarks, features, a
solver of its own.  A new public class fails ``test_contract.py`` until it stands here.
"""

import inspect

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils import get_tags

import surefit
from surefit import (
    ERM,
    SVC,
    SVR,
    Adaline,
    Certified,
    ElasticNet,
    KernelERM,
    KernelLogistic,
    KernelPerceptron,
    KernelRidge,
    KernelRidgeClassifier,
    Lasso,
    LeastSquares,
    LogisticRegression,
    Nystroem,
    OnlineAdaline,
    OnlineClassifier,
    OnlinePerceptron,
    OnlineRegressor,
    OnlineSVR,
    Perceptron,
    PivotedCholesky,
    Ridge,
    RobustRegression,
    SubsetRegression,
    WidrowHoff,
    exhibits,
    features,
)
from surefit.kernels import Gaussian, Laplace, Linear
from surefit.objective import L1, Huber, Logistic

ROW_BY_ROW = ("Stream", "OnlineIntervals", "OnlineRidgeIntervals")
"""These learn one row after the other and have no ``fit``."""

REGRESSORS = [
    LeastSquares(),
    Ridge(),
    Lasso(0.1),
    ElasticNet(0.1),
    SubsetRegression(),
    RobustRegression(),
    ERM(),
    KernelRidge(lam=0.01),
    KernelERM(Huber(1.0), lam=1e-3, fit_intercept=True),
    SVR(Gaussian(1.0), lam=0.01, loss="quadratic"),
    exhibits.NearestNeighbourRegressor(),
    OnlineRegressor("huber", schedule="sqrt"),
    WidrowHoff(),
    OnlineSVR(),
    Certified(Ridge(0.1)),
]
CLASSIFIERS = [
    LogisticRegression(0.01),
    Perceptron(),
    Adaline(),
    KernelRidgeClassifier(lam=0.01),
    KernelLogistic(lam=0.01),
    KernelPerceptron(max_epochs=20),
    SVC(Linear(), lam=0.01),
    exhibits.ThresholdClassifier(),
    exhibits.Memoriser(),
    exhibits.NearestNeighbourClassifier(),
    exhibits.PlugInClassifier(),
    OnlineClassifier(weights="mean"),
    OnlinePerceptron(),
    OnlineAdaline(),
]
TRANSFORMERS = [
    Nystroem(),
    PivotedCholesky(),
    features.Polynomial(3, include_constant=True, scaling="range"),
    features.BooleanMonomials(),
    features.BasisFunctions([np.cos, np.square], include_constant=True),
]
ROUTES = [
    Ridge(0.1, standardise=True),
    Lasso(lams=[0.1, 1.0], cv=3, select="one_se", fit_intercept=False),
    Lasso(criterion="bic", lams=[0.1, 1.0], positive=True),
    SubsetRegression("aic", search="backward"),
    ERM(Huber(1.0), L1(), lam=0.1, features=features.Polynomial(2)),
    LogisticRegression(lams=[0.01, 0.1], cv=3),
    LogisticRegression(0.01, l1_ratio=0.5, class_weight="balanced"),
    LogisticRegression(0.01, solver="lbfgs"),
    KernelRidge([Gaussian(1.0), Laplace("median")], fit_intercept=True),
    KernelRidge(lam=0.01, solver="nystroem", n_landmarks=20),
    KernelRidgeClassifier([Gaussian(1.0), Laplace("median")], class_weight="balanced"),
    KernelLogistic(lams=[0.01, 0.1], cv=2, class_weight="balanced"),
    KernelLogistic(lam=0.01, solver="nystroem", n_landmarks=20),
    KernelERM(Logistic(), lam=0.1),
    SVR(Linear(), lam=0.1),
    SVR(lams=[0.01, 0.1], cv=2),
    SVC(lams=[0.01, 0.1], cv=2, class_weight="balanced", max_violation=1e-9),
    Perceptron(order="random", weights="mean", sign_zero=1),
    Adaline(order="random", weights="last", fit_intercept=False),
    exhibits.PlugInClassifier(LeastSquares()),
    Certified(LogisticRegression(0.1)),
]

IN_MEMORY = [
    one
    for one in (*REGRESSORS, *CLASSIFIERS)
    if ".online." not in type(one).__module__ and not isinstance(one, Certified)
]
"""The models that are fitted to all rows at once, each class once."""


def target_for(model: BaseEstimator, numbers: np.ndarray, two: np.ndarray, many: np.ndarray) -> np.ndarray:
    """Of three targets the one that a model takes: numbers, two labels, or many where it has no limit."""
    if not is_classifier(model):
        return numbers
    return many if get_tags(model).classifier_tags.multi_class else two


def public_estimators() -> list[type[BaseEstimator]]:
    """Every class that users are shown and that has a ``fit``."""
    shown = {getattr(one, name) for one in (surefit, exhibits, features) for name in one.__all__}
    kinds = [one for one in shown if inspect.isclass(one) and issubclass(one, BaseEstimator)]
    return sorted((kind for kind in kinds if kind.__name__ not in ROW_BY_ROW), key=lambda kind: kind.__name__)


def named(model: BaseEstimator) -> str:
    """The model in one short line, for the name of a test."""
    return " ".join(repr(model).split())[:60]
