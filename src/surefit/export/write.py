"""Layer export: `to_onnx`, the door.

In: a fitted model and a path.  Out: an ``.onnx`` file, written whole or not at all, in double precision.
"""

from __future__ import annotations

import os
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from surefit.export.encoder import columns, is_table_model
from surefit.export.graph import DOUBLE, Graph
from surefit.export.models import FEATURES, Called, answers, features, refuse_unknown
from surefit.guarantee.certify import Certified
from surefit.store.atomic import replacing


def to_onnx(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model as an ONNX graph, which answers as the model does, in double precision.

    Models: linear regressors, `LogisticRegression`, `Perceptron`, `Adaline`, `KernelRidge`, `SVR`, `SVC`,
    `KernelRidgeClassifier` and `KernelLogistic`, pipelines of `Nystroem` or `PivotedCholesky` and one of these,
    `Certified` ones, and models of a study together with their encoder.  Input: ``X``, doubles ``(rows, columns)``; of
    a study one input per column of the table, ``(rows, 1)``: numbers as doubles (nan is missing), categories as texts
    without blanks around them, written as in the fit (an empty one is missing; truth values may have small or large
    letters), dates as doubles, in days since 1970 (by the clock of the fit, whose zone the kind of the column has).
    Output: ``prediction``; or ``label`` with ``probabilities`` or ``scores``.
    """
    graph = Graph()
    called = None
    if is_table_model(model):
        rows, called = columns(graph, model.encoder), Called(model.target.classes, model.threshold)
        model = model.estimator
    else:
        model = _inside(model)
        check_is_fitted(model)
        first = model.steps[0][1] if isinstance(model, Pipeline) else model
        rows = graph.input("X", DOUBLE, int(first.n_features_in_))
    model, rows = _through(graph, model, rows)
    refuse_unknown(model)
    check_is_fitted(model)
    answers(graph, model, rows, called)
    found = graph.model(f"{type(model).__name__} of surefit")
    with replacing(path) as file:
        file.write(found.SerializeToString())


def _inside(model: Any) -> Any:
    """The model that a wrapper certifies."""
    return model.estimator_ if isinstance(model, Certified) else model


def _through(graph: Graph, model: Any, rows: str) -> tuple[Any, str]:
    """The last step of a pipeline, and its rows after the steps before."""
    if not isinstance(model, Pipeline):
        return model, rows
    for _, step in model.steps[:-1]:
        if not isinstance(step, FEATURES):
            raise ValueError(
                f"{type(step).__name__} in a pipeline cannot be written as ONNX; Nystroem and PivotedCholesky can"
            )
        rows = features(graph, step, rows)
    return model.steps[-1][1], rows
