"""Layer study: the models that compete, the cheapest first.

In: the task, the size of the table, and seconds.  Out: `Entry` records: a name, a place in the order of simplicity, and
a function that fits an estimator of ours to rows, tuned by its own criterion on those rows alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.estimators.kernel_logistic import KernelLogistic
from surefit.estimators.kernel_ridge import KernelRidge
from surefit.estimators.lasso import ElasticNet, Lasso
from surefit.estimators.least_squares import LeastSquares
from surefit.estimators.logistic import LogisticRegression
from surefit.estimators.ridge import Ridge
from surefit.estimators.robust import RobustRegression
from surefit.estimators.svr import SVR
from surefit.kernels.bandwidth import median_distance
from surefit.kernels.radial import Gaussian
from surefit.objective.penalty import SquaredL2

EXACT_ROWS = 1_200
"""Rows up to which kernel models keep all of them; beyond, landmarks stand for them."""

SVR_ROWS = 10_000
"""Rows up to which support vectors are sought."""

LANDMARKS = (300, 1000)
"""Numbers of landmarks that are tried, as time allows."""

NOTHING = 1e200
"""A penalty that leaves the intercept alone."""

Fit = Callable[[np.ndarray, np.ndarray, np.ndarray | None], Any]
"""Rows, targets and weights in, a fitted estimator out."""


@dataclass(frozen=True)
class Entry:
    """A model that competes.  ``power``: its cost grows like the number of rows to this power."""

    name: str
    family: str
    simplicity: int
    fit: Fit
    power: float = 1.0
    refused: str = ""
    """Why it does not compete here, in a sentence; empty if it does."""
    landmarks: int = 0
    """Points that stand for all rows, where there are too many of these."""


def entries(task: str, n: int, d: int) -> list[Entry]:
    """The models for a task with ``n`` training rows of ``d`` features, the cheapest first."""
    return _classifiers(n) if task == "classification" else _regressors(n, d)


def _regressors(n: int, d: int) -> list[Entry]:
    wide = f"{d:,} features are too many for {n:,} rows without a penalty" if 2 * d > n else ""
    many = f"{n:,} rows are too many for support vectors; kernel ridge has landmarks" if n > SVR_ROWS else ""
    few, more = _with_kernel("kernel ridge", "KernelRidge", n, _kernel_ridge)
    return [
        Entry("baseline: the mean", "Lasso", 0, _quiet(lambda X, y, w: Lasso(NOTHING).fit(X, y, w))),
        Entry("ridge", "Ridge", 3, _quiet(lambda X, y, w: Ridge().fit(X, y, w))),
        Entry("least squares", "LeastSquares", 4, _quiet(lambda X, y, w: LeastSquares().fit(X, y, w)), refused=wide),
        Entry("lasso", "Lasso", 1, _quiet(lambda X, y, w: Lasso(cv=5).fit(X, y, w))),
        Entry("support vectors (Gaussian kernel)", "SVR", 7, _quiet(_support_vectors), 2.0, many),
        *few,
        Entry("Huber regression", "RobustRegression", 5, _quiet(_huber)),
        Entry("elastic net", "ElasticNet", 2, _quiet(lambda X, y, w: ElasticNet(cv=5).fit(X, y, w))),
        *more,
    ]


def _classifiers(n: int) -> list[Entry]:
    few, more = _with_kernel("kernel logistic", "KernelLogistic", n, _kernel_logistic)
    return [
        Entry("baseline: the class shares", "LogisticRegression", 0,
              _quiet(lambda X, y, w: LogisticRegression(NOTHING, l1_ratio=1.0).fit(X, y, w))),
        Entry("logistic regression", "LogisticRegression", 2,
              _quiet(lambda X, y, w: LogisticRegression().fit(X, y, w))),
        Entry("logistic lasso", "LogisticRegression", 1,
              _quiet(lambda X, y, w: LogisticRegression(l1_ratio=1.0).fit(X, y, w))),
        *few,
        *more,
    ]  # fmt: skip


def _with_kernel(name: str, family: str, n: int, fit: Callable[[int], Fit]) -> tuple[list[Entry], list[Entry]]:
    """With all rows as points where they are few, otherwise with few and with more landmarks."""
    if n <= EXACT_ROWS:
        return [Entry(f"{name} (Gaussian kernel)", family, 8, _quiet(fit(0)), 3.0)], []
    few, more = (
        Entry(f"{name} ({count:,} landmarks)", family, 6 + 2 * place, _quiet(fit(count)), landmarks=count)
        for place, count in enumerate(LANDMARKS)
    )
    return [few], [more]


def _quiet(fit: Fit) -> Fit:
    """A study says what there is to say by its checks; warnings of single fits would come dozens of times."""

    def silent(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fit(X, y, weight)

    return silent


def _huber(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> Any:
    """Huber's loss with the penalty that ridge chooses by leave-one-out on the same rows."""
    lam = Ridge().fit(X, y, weight).lam_
    return RobustRegression(penalty=SquaredL2(), lam=lam).fit(X, y, weight)


def _support_vectors(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> Any:
    """A tube of a twentieth of the targets' standard deviation; the penalty by the rule of thumb of `SVR`."""
    return SVR(Gaussian(_bandwidth(X)), epsilon=0.05 * float(np.std(y))).fit(X, y, weight)


def _kernel_ridge(landmarks: int) -> Fit:
    def fit(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> Any:
        middle = _bandwidth(X)
        kernels = [Gaussian(middle), Gaussian(2 * middle)]
        if not landmarks:
            return KernelRidge(kernels).fit(X, y, weight)
        return KernelRidge(kernels, solver="nystroem", n_landmarks=landmarks).fit(X, y, weight)

    return fit


def _kernel_logistic(landmarks: int) -> Fit:
    def fit(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> Any:
        kernel = Gaussian(_bandwidth(X))
        if not landmarks:
            return KernelLogistic(kernel).fit(X, y, weight)
        return KernelLogistic(kernel, solver="nystroem", n_landmarks=landmarks).fit(X, y, weight)

    return fit


def _bandwidth(X: np.ndarray) -> float:
    """The median distance between rows; one where too many are equal."""
    try:
        return median_distance(X, max_rows=1000)
    except ValueError:
        return 1.0
