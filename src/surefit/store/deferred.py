"""Layer store: a linear model that answers from its stored numbers, before its class is imported.

In: a model file.  Out: what `load` gives, except that a linear estimator inside is a `Deferred`: it predicts by the
formula that the estimators use, and becomes the estimator itself when anything else is asked of it.  Classes of
estimators import scikit-learn, which takes longer than all that a short list of predictions needs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from surefit.data.scores import all_probabilities, labels_of_scores, linear_scores
from surefit.store.decode import Decoded
from surefit.store.encode import Node
from surefit.store.file import read
from surefit.store.refusal import ModelFileError

REGRESSORS = frozenset(f"model {name}" for name in ("ElasticNet", "Lasso", "LeastSquares", "Ridge", "RobustRegression"))
CLASSIFIER = "model LogisticRegression"


def load_soon(path: str | os.PathLike[str]) -> Any:
    """As `load`, for predictions: linear estimators are built only when more than answers is asked of them."""
    return read(path, _Deferring)


class Deferred:
    """A stored linear estimator; ``predict`` and ``predict_proba`` take rows of finite numbers, ``(n, d)``."""

    def __init__(self, node: Node, arrays: Mapping[str, np.ndarray]):
        self._node, self._arrays = node, arrays
        held = lambda name: Decoded(arrays).value(node["holds"].get(name))
        self.coef_, self.intercept_ = held("coef_"), np.asarray(held("intercept_"))
        self._labels = held("classes_")
        if not self._fits_together():
            raise ModelFileError("a linear model has coefficients, an intercept and classes that do not fit together")

    def _fits_together(self) -> bool:
        numbers = (self.coef_, self.intercept_)
        if not all(isinstance(one, np.ndarray) and one.dtype.kind == "f" for one in numbers) or not self.coef_.ndim:
            return False
        rows, labels = self.coef_.shape[:-1], self._labels
        if labels is None:
            return self.intercept_.shape in ((), rows)
        k = len(labels) if isinstance(labels, np.ndarray) and labels.ndim == 1 else 0
        return self.intercept_.shape == rows == ((1,) if k == 2 else (k,))

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Numbers, or labels."""
        scores = self._scores(X)
        if self._labels is None:
            return scores
        return labels_of_scores(self._labels, scores[:, 0] if scores.shape[1] == 1 else scores)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """The probability of every class."""
        return all_probabilities(self._scores(X))

    def _scores(self, X: np.ndarray) -> np.ndarray:
        if X.shape[1] != self.coef_.shape[-1]:
            raise ModelFileError(f"the model has {self.coef_.shape[-1]} coefficients for {X.shape[1]} features")
        return linear_scores(X, self.coef_, self.intercept_)

    @property
    def classes_(self) -> np.ndarray:
        """Labels in the order of the probabilities."""
        found: np.ndarray = self._labels
        return found

    @cached_property
    def whole(self) -> Any:
        """The estimator."""
        return Decoded(self._arrays).value(self._node)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.whole, name)


class _Deferring(Decoded):
    """Leaves linear estimators as they are stored."""

    def value(self, node: Node) -> Any:
        if isinstance(node, dict) and _is_linear(node):
            self.asked |= self.arrays.keys() & set(_texts(node))
            return Deferred(node, self.arrays)
        return super().value(node)


def _is_linear(node: dict[str, Any]) -> bool:
    kind, held = node.get("is"), node.get("holds")
    if not isinstance(held, dict) or held.get("coef_") is None or held.get("intercept_") is None:
        return False
    if kind == CLASSIFIER:
        return held.get("classes_") is not None and held.get("costs") is None
    return isinstance(kind, str) and kind in REGRESSORS


def _texts(node: Node) -> Iterator[str]:
    """All texts inside a node, among them the names of its arrays."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict | list):
        for one in node.values() if isinstance(node, dict) else node:
            yield from _texts(one)
