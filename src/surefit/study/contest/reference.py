"""Layer study: the black box beside the candidates: scikit-learn's gradient boosting, as it comes.

In: the same encoded rows and folds.  Out: an estimator that the clock can stop between its trees.  It is shown so that
a reader knows what a model without any restriction gets, and never chosen: a model file holds models of ours alone.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_limits

from surefit.progress import Task

NAME = "black box: gradient boosting"
STEP = 10
"""Trees between looks at the clock."""

WORTH_SHARING = 1_000_000
"""Cells of a table from which on trees are grown by several threads.  These wait for each other by spinning: on a busy
machine a small table takes many times as long with two of them as with one."""

SECONDS_PER_CELL, SECONDS_PER_TREE = 1e-8, 5e-3
"""Of one tree, for each cell of the table and for its nodes."""


class Boosting(BaseEstimator):
    """``HistGradientBoostingRegressor`` or ``Classifier`` with its own defaults, grown a few trees at a time."""

    def __init__(self, task: str = "regression", random_state: int = 0):
        self.task = task
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> Boosting:
        """All trees, unless the clock stops it."""
        from sklearn import ensemble

        kind = "Classifier" if self.task == "classification" else "Regressor"
        model = getattr(ensemble, f"HistGradientBoosting{kind}")(
            warm_start=True, early_stopping=False, random_state=self.random_state
        )
        total, tell = model.max_iter, Task("growing trees", model.max_iter, "tree")
        with threadpool_limits(None if X.size >= WORTH_SHARING else 1, user_api="openmp"):
            for trees in range(STEP, total + 1, STEP):
                model.set_params(max_iter=trees).fit(X, y, sample_weight)
                tell(trees, np.nan)
        self.model_ = model
        return self

    @property
    def classes_(self) -> np.ndarray:
        return np.asarray(self.model_.classes_)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The target of every row."""
        return np.asarray(self.model_.predict(X))

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """The probability of every class."""
        return np.asarray(self.model_.predict_proba(X))


def planned(n: int, d: int, k: int) -> float:
    """Seconds that a fit of 100 trees is planned to take, one tree for each class where there are more than two."""
    return 100 * (k if k > 2 else 1) * (SECONDS_PER_TREE + SECONDS_PER_CELL * n * d)
