"""Layer export: scores, predictions, labels and probabilities of estimators as operators.

In: a fitted estimator and the name of its rows.  Out: outputs of the graph: ``prediction`` for numbers; ``label`` with
``probabilities``, or with ``scores`` where a model has no probabilities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from surefit.estimators.adaline import Adaline
from surefit.estimators.erm import ERM
from surefit.estimators.kernel_logistic import KernelLogistic
from surefit.estimators.kernel_ridge import KernelRidge
from surefit.estimators.kernel_ridge_classifier import KernelRidgeClassifier
from surefit.estimators.lasso import ElasticNet, Lasso
from surefit.estimators.least_squares import LeastSquares
from surefit.estimators.logistic import LogisticRegression
from surefit.estimators.perceptron import Perceptron
from surefit.estimators.ridge import Ridge
from surefit.estimators.robust import RobustRegression
from surefit.estimators.subset import SubsetRegression
from surefit.estimators.svc import SVC
from surefit.estimators.svr import SVR
from surefit.estimators.transformers import Nystroem, PivotedCholesky
from surefit.export.graph import DOUBLE, INT64, STRING, Graph
from surefit.export.kernels import kernel_values

LINEAR = (LeastSquares, Ridge, Lasso, ElasticNet, SubsetRegression, RobustRegression, ERM)
LINEAR_CLASSIFIERS = (LogisticRegression, Perceptron, Adaline)
KERNEL = (KernelRidge, SVR)
KERNEL_CLASSIFIERS = (KernelLogistic, KernelRidgeClassifier, SVC)
PROBABLE = (LogisticRegression, KernelLogistic)
KNOWN = (*LINEAR, *LINEAR_CLASSIFIERS, *KERNEL, *KERNEL_CLASSIFIERS)
FEATURES = (Nystroem, PivotedCholesky)


def features(graph: Graph, transformer: Any, rows: str) -> str:
    """The features of a low-rank kernel map."""
    found = transformer.map_
    values = kernel_values(graph, found.kernel, rows, _dense(found.landmarks))
    return graph.node("MatMul", values, graph.constant(found.whitener))


@dataclass(frozen=True)
class Called:
    """How the model of a study calls classes: their order, and the probability from which the last of two is called."""

    classes: tuple[str, ...]
    threshold: float


def answers(graph: Graph, model: Any, rows: str, called: Called | None = None) -> None:
    """Add the outputs of a model; of a study, probabilities come in the order of the classes of its table."""
    if isinstance(model, (*LINEAR, *KERNEL)):
        _numbers(graph, model, rows)
    elif isinstance(model, PROBABLE):
        _probable(graph, model, rows, called)
    else:
        _signed(graph, model, rows)


def refuse_unknown(model: Any) -> None:
    """Raise ``ValueError`` for models that cannot be written."""
    if type(model) not in KNOWN:
        names = ", ".join(one.__name__ for one in KNOWN)
        raise ValueError(f"{type(model).__name__} cannot be written as ONNX; these can: {names}")
    if isinstance(model, ERM) and (model.features is not None or model.activation_ != "identity"):
        raise ValueError("ERM is written as ONNX for losses of real targets and without features of its own")
    if isinstance(model, SVC) and len(getattr(model, "classes_", ())) > 2:
        raise ValueError(
            "SVC of more than two classes votes by pairs, which is not written as ONNX; use KernelLogistic"
        )


def _scores(graph: Graph, model: Any, rows: str) -> tuple[str, int]:
    """Scores ``(rows, k)``, and ``k``."""
    if hasattr(model, "coef_"):
        weights = np.atleast_2d(model.coef_).T
        values = graph.node("MatMul", rows, graph.constant(weights))
    else:
        points, weights = _expansion(model)
        near = rows if len(points) == 0 else kernel_values(graph, model.kernel_, rows, points)
        weights = weights if len(points) else np.zeros((points.shape[1], weights.shape[1]))
        values = graph.node("MatMul", near, graph.constant(weights))
    return graph.node("Add", values, graph.constant(np.reshape(model.intercept_, (1, -1)))), weights.shape[1]


def _expansion(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """The points of a kernel model and their weights ``(points, k)``."""
    vectors = isinstance(model, SVR | SVC)
    weights = model.dual_coef_.T if vectors else model.dual_coef_
    points = _dense(model.support_vectors_ if vectors else model.points_)
    return points, weights.reshape(len(points), -1) if len(points) else np.zeros((0, np.size(model.intercept_)))


def _dense(points: Any) -> np.ndarray:
    return np.asarray(points.toarray() if sparse.issparse(points) else points, dtype=np.float64)


def _flat(graph: Graph, column: str) -> str:
    return graph.node("Reshape", column, graph.constant(np.array([-1], dtype=np.int64)))


def _numbers(graph: Graph, model: Any, rows: str) -> None:
    values, k = _scores(graph, model, rows)
    several = np.ndim(model.coef_ if hasattr(model, "coef_") else model.dual_coef_) > 1
    graph.output("prediction", DOUBLE, values if several else _flat(graph, values), k if several else None)


def _probable(graph: Graph, model: Any, rows: str, called: Called | None) -> None:
    scores, k = _scores(graph, model, rows)
    if k == 1:
        first, second = (_logistic(graph, one) for one in (graph.node("Neg", scores), scores))
        found = graph.node("Concat", first, second, axis=1)
    else:
        found = graph.node("Softmax", scores, axis=1)
    costs = getattr(model, "costs", None)
    if costs is not None:
        expected = graph.node("MatMul", found, graph.constant(np.asarray(costs, dtype=np.float64)))
        place = graph.node("ArgMin", expected, axis=1, keepdims=0)
    else:
        place = _place(graph, scores, k)
    if called is None:
        _labelled(graph, model.classes_, place)
        graph.output("probabilities", DOUBLE, found, max(k, 2))
        return
    order = np.array([[float(str(one) == name) for name in called.classes] for one in model.classes_])
    found = graph.node("MatMul", found, graph.constant(order))
    if math.isfinite(called.threshold):
        last = _flat(graph, graph.node("Gather", found, graph.constant(np.array([1], dtype=np.int64)), axis=1))
        over = graph.node("GreaterOrEqual", last, graph.constant(called.threshold))
        _labelled(graph, np.array(called.classes), graph.node("Cast", over, to=INT64))
    else:
        _labelled(graph, model.classes_, place)
    graph.output("probabilities", DOUBLE, found, len(called.classes))


def _logistic(graph: Graph, scores: str) -> str:
    """``1 / (1 + exp(-s))``, which keeps its relative accuracy where it is tiny."""
    return graph.node(
        "Reciprocal", graph.node("Add", graph.node("Exp", graph.node("Neg", scores)), graph.constant(1.0))
    )


def _place(graph: Graph, scores: str, k: int, at_zero: bool = False) -> str:
    """The number of the class: by the sign of one score, or by the largest of several."""
    if k > 1:
        return graph.node("ArgMax", scores, axis=1, keepdims=0)
    positive = graph.node("GreaterOrEqual" if at_zero else "Greater", _flat(graph, scores), graph.constant(0.0))
    return graph.node("Cast", positive, to=INT64)


def _signed(graph: Graph, model: Any, rows: str) -> None:
    scores, k = _scores(graph, model, rows)
    place = _place(graph, scores, k, getattr(model, "sign_zero", None) == 1)
    _labelled(graph, model.classes_, place)
    graph.output("scores", DOUBLE, scores if k > 1 else _flat(graph, scores), k if k > 1 else None)


def _labelled(graph: Graph, classes: np.ndarray, place: str) -> None:
    """The label of the class of that number: a text, or a whole number where labels are numbers."""
    whole = all(isinstance(one, bool | int) for one in np.asarray(classes).tolist())
    labels = (
        graph.constant(np.asarray(classes, dtype=np.int64)) if whole else graph.texts([str(one) for one in classes])
    )
    graph.output("label", INT64 if whole else STRING, graph.node("Gather", labels, place, axis=0))
