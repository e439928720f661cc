"""Layer study: the models that compete, the cheapest first.

In: the task, the size of the table and the metric.  Out: `Entry` records: a name, a place in the order of simplicity,
a function that fits an estimator to rows, tuned by its own criterion on those rows alone, and what a fit is planned to
take.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from surefit.data.scale import weighted_median
from surefit.estimators.kernel_logistic import KernelLogistic
from surefit.estimators.kernel_ridge import KernelRidge
from surefit.estimators.lasso import ElasticNet, Lasso
from surefit.estimators.least_squares import LeastSquares
from surefit.estimators.logistic import LogisticRegression
from surefit.estimators.ridge import Ridge
from surefit.estimators.robust import NORMAL_MEDIAN, RobustRegression
from surefit.estimators.svr import SVR
from surefit.kernels.bandwidth import median_distance
from surefit.kernels.radial import Gaussian
from surefit.objective.penalty import L1, SquaredL2
from surefit.objective.regression import Absolute
from surefit.study.contest import reference
from surefit.study.contest.metrics import MAE, Measure

EXACT_ROWS = 1_200
"""Rows up to which kernel models keep all of them; beyond, landmarks stand for them."""

SVR_ROWS = 10_000
"""Rows up to which support vectors are sought."""

LANDMARKS = (300, 1000)
"""Numbers of landmarks that are tried, as time allows."""

NOTHING = 1e200
"""A penalty that leaves the intercept alone."""

FAR = 5.0
"""Standard deviations, told by medians, beyond which a target is a spike: of normal ones one in two million is."""

Make = Callable[[np.ndarray, np.ndarray, np.ndarray | None], Any]
"""Rows, targets and weights in, an estimator out that is still to be fitted to them."""


@dataclass(frozen=True)
class Entry:
    """A model that competes, or is shown beside those that do."""

    name: str
    family: str
    simplicity: int
    make: Make
    planned: Callable[[int, int, int], float] = lambda n, d, k: 0.0
    """Seconds that one fit is planned to take, for so many rows, features and classes."""
    refused: str = ""
    """Why it does not compete here, in a sentence; empty if it does."""
    landmarks: int = 0
    """Points that stand for all rows, where there are too many of these."""
    outside: bool = False
    """True for another library's model, which is shown and never chosen."""

    def fit(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> Any:
        """The fitted estimator.  Its warnings would come dozens of times: a study speaks by its checks."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = self.make(X, y, weight)
            return model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=weight)


def entries(task: str, n: int, d: int, seed: int = 0, measure: Measure | None = None) -> list[Entry]:
    """The models for a task with ``n`` training rows of ``d`` features, the cheapest first.

    The first is the constant that is best by the ``measure``: of absolute errors the median.
    """
    return _classifiers(n, seed) if task == "classification" else _regressors(n, d, seed, measure)


def by_cost(found: Sequence[Entry], n: int, d: int, k: int) -> list[Entry]:
    """The baseline, then the others by what fits to a table of this shape with ``k`` classes are planned to take.

    With few rows and many columns a kernel is cheaper than a linear model, which it is not in general.
    """
    first, *others = found
    cost = lambda entry: np.inf if entry.refused else entry.planned(n, d, k)
    return [first, *sorted(others, key=cost)]


def _regressors(n: int, d: int, seed: int, measure: Measure | None) -> list[Entry]:
    wide = f"{d:,} features are too many for {n:,} rows without a penalty" if 2 * d > n else ""
    many = f"{n:,} rows are too many for support vectors; kernel ridge has landmarks" if n > SVR_ROWS else ""
    few, more = _with_kernel("kernel ridge", "KernelRidge", n, _kernel_ridge)
    mean, median = Lasso(NOTHING), RobustRegression(Absolute(), L1(), NOTHING)
    return [
        _entry("baseline: the median", 0, median) if measure is MAE else _entry("baseline: the mean", 0, mean),
        _entry("ridge", 3, Ridge()),
        _entry("least squares", 4, LeastSquares(), wide),
        _entry("lasso", 1, Lasso(cv=5)),
        *few,
        Entry("Huber regression", "RobustRegression", 5, _huber, _planned(Ridge(), RobustRegression())),
        _entry("elastic net", 2, ElasticNet(cv=5)),
        Entry("support vectors (Gaussian kernel)", "SVR", 7, _support_vectors, _planned(SVR(Gaussian(1.0))), many),
        _outside("regression", seed),
        *more,
    ]


def _classifiers(n: int, seed: int) -> list[Entry]:
    few, more = _with_kernel("kernel logistic", "KernelLogistic", n, _kernel_logistic)
    return [
        _entry("baseline: the class shares", 0, LogisticRegression(NOTHING, l1_ratio=1.0)),
        _entry("logistic regression", 2, LogisticRegression()),
        _entry("logistic lasso", 1, LogisticRegression(l1_ratio=1.0)),
        *few,
        _outside("classification", seed),
        *more,
    ]


def _entry(name: str, simplicity: int, model: Any, refused: str = "") -> Entry:
    return Entry(name, type(model).__name__, simplicity, lambda X, y, weight: clone(model), _planned(model), refused)


def _outside(task: str, seed: int) -> Entry:
    make = lambda X, y, weight: reference.Boosting(task, seed)
    return Entry(reference.NAME, "HistGradientBoosting", 9, make, reference.planned, outside=True)


def _planned(*models: Any) -> Callable[[int, int, int], float]:
    """What fits of these models are planned to take together."""

    def seconds(n: int, d: int, k: int) -> float:
        return float(sum(model.plan(n, d, n_outputs=k or None).seconds for model in models))

    return seconds


def _with_kernel(name: str, family: str, n: int, make: Callable[[int], Make]) -> tuple[list[Entry], list[Entry]]:
    """With all rows as points where they are few, otherwise with few and with more landmarks."""
    few_rows = np.zeros((2, 1))
    planned = lambda count: _planned(make(count)(few_rows, few_rows[:, 0], None))
    if n <= EXACT_ROWS:
        return [Entry(f"{name} (Gaussian kernel)", family, 8, make(0), planned(0))], []
    few, more = (
        Entry(f"{name} ({count:,} landmarks)", family, 6 + 2 * place, make(count), planned(count), landmarks=count)
        for place, count in enumerate(LANDMARKS)
    )
    return [few], [more]


def _huber(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> Any:
    """Huber's loss with the penalty that ridge chooses by leave-one-out on the same rows, spikes cut.

    By squares a few spikes that nothing explains would decide, for a penalty that leaves nothing of the others.
    """
    return RobustRegression(penalty=SquaredL2(), lam=Ridge().fit(X, without_spikes(y, weight), weight).lam_)


def _support_vectors(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> Any:
    """A tube of a twentieth of the targets' standard deviation, spikes cut: all others would fit into a wider one."""
    return SVR(Gaussian(_bandwidth(X)), epsilon=0.05 * float(np.std(without_spikes(y, weight))))


def without_spikes(y: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Targets, those far from their median moved to `FAR` standard deviations from it.

    The deviation is that of a normal law with the same median distance from the median.  Targets that equal the
    median say nothing about it: most amounts of rain are 0.

    >>> without_spikes(np.array([0.0, 1, 2, 3, 4, 900])).round(1).tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0, 16.8]
    """
    weight = np.ones(len(y)) if weight is None else weight
    middle = weighted_median(y, weight)
    distance = np.abs(y - middle)
    apart = (distance > 0) & (weight > 0)
    if not np.any(apart):
        return y
    reach = FAR * weighted_median(distance[apart], weight[apart]) / NORMAL_MEDIAN
    return np.asarray(np.clip(y, middle - reach, middle + reach))


def _kernel_ridge(landmarks: int) -> Make:
    def make(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> Any:
        middle = _bandwidth(X)
        kernels = [Gaussian(middle), Gaussian(2 * middle)]
        return KernelRidge(kernels, solver="nystroem", n_landmarks=landmarks) if landmarks else KernelRidge(kernels)

    return make


def _kernel_logistic(landmarks: int) -> Make:
    def make(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> Any:
        kernel = Gaussian(_bandwidth(X))
        return KernelLogistic(kernel, solver="nystroem", n_landmarks=landmarks) if landmarks else KernelLogistic(kernel)

    return make


def _bandwidth(X: np.ndarray) -> float:
    """The median distance between rows; one where too many are equal."""
    try:
        return median_distance(X, max_rows=1000)
    except ValueError:
        return 1.0
