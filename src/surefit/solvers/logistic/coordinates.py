"""Layer solvers: the same logistic problem with columns centred and scaled, copied only where that is needed.

In: a `LogisticProblem` in the user's units.  Out: `Coordinates`: a problem with the same values and the way back.
Small dense designs are centred and scaled; large ones stay as they are unless a sample of their rows shows wild
columns; sparse ones are scaled, never centred.  The penalty is transformed exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from surefit.data.design import Design
from surefit.data.scale import CONSTANT, EPS, column_sizes, power_of_two
from surefit.solvers.logistic import limits
from surefit.solvers.logistic.problem import LogisticProblem

HIDDEN = 1e3
"""The sample has missed an outlier if an entry is this many times the spread of its column in the sample."""


TOGETHER = 1e-6
"""Such a column has most of its entries within this share of its range."""

FARTHEST = 2.0**-300
"""Least ratio of a unit to the distance of the farthest outlier: squares beyond would overflow."""


@dataclass(frozen=True)
class Coordinates:
    """A problem for columns ``(x - shift) / scale``, and the way back."""

    problem: LogisticProblem
    scale: np.ndarray
    shift: np.ndarray

    def restore(self, V: np.ndarray) -> np.ndarray:
        """A point of `problem` in the user's units; class scores that can move together are centred."""
        W = V[:-1] / self.scale[:, None]
        b = V[-1] - self.shift @ W if self.problem.fit_intercept else V[-1]
        if self.problem.width > 1:
            free = (self.problem.absolute == 0) & (self.problem.square == 0)
            W[free] -= W[free].mean(axis=1, keepdims=True)
            b = b - b.mean() if self.problem.fit_intercept else b
        return np.vstack([W, b])

    def lost(self, V: np.ndarray, gradient: np.ndarray) -> float:
        """What rounding the intercept of `restore` can add to the objective at ``V``, where ``gradient`` is its slope.

        Where columns are far from zero, intercept and ``shift @ W`` nearly cancel, and each is known to its last digit.
        Coefficients are divided by powers of two, which is exact.  A logistic loss bends by at most 1/4 along a score,
        by 1/2 if there are several.
        """
        if not self.problem.fit_intercept:
            return 0.0
        moved = np.abs(self.shift) @ np.abs(V[:-1] / self.scale[:, None]) + np.abs(V[-1])
        reach = (len(self.shift) + 2.0) * EPS * moved if np.any(self.shift != 0.0) else EPS * moved
        bends = 0.25 if self.problem.width == 1 else 0.5
        return float(np.abs(gradient[-1]) @ reach + 0.5 * bends * np.sum(reach**2))

    def enter(self, V: np.ndarray) -> np.ndarray:
        """A point in the user's units as one of `problem`."""
        b = V[-1] + self.shift @ V[:-1] if self.problem.fit_intercept else V[-1]
        return np.vstack([V[:-1] * self.scale[:, None], b])


def good_coordinates(problem: LogisticProblem, always: bool = False) -> Coordinates:
    """``problem`` as it is where its columns are tame, centred and scaled otherwise."""
    if problem.is_sparse:
        return _scaled_sparse(problem)
    if always or problem.n * problem.d <= limits.WORTH_A_COPY or not _tame(problem):
        return _centred(problem)
    return Coordinates(problem, np.ones(problem.d), np.zeros(problem.d))


def hides_outliers(problem: LogisticProblem, coordinates: Coordinates) -> bool:
    """Whether rows that were left as they came have entries far beyond what the sample of them showed."""
    if coordinates.problem is not problem:
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        spread = problem.X[:: max(problem.n // limits.COLUMN_SAMPLE, 1)].std(axis=0)
    return bool(np.any(column_sizes(Design(problem.X, problem.share)) > HIDDEN * spread))


def _tame(problem: LogisticProblem) -> bool:
    """Whether on some rows every column has a size near one and a mean that does not dwarf its spread."""
    rows = problem.X[:: max(problem.n // limits.COLUMN_SAMPLE, 1)]
    with np.errstate(over="ignore", invalid="ignore"):
        mean, spread = rows.mean(axis=0), rows.std(axis=0)
        known = spread > 0
        return bool(np.all((spread > 1e-3) & (spread < 1e3) & (np.abs(mean) < 10 * spread) | ~known & (mean == 0)))


def _centred(problem: LogisticProblem) -> Coordinates:
    size = column_sizes(Design(problem.X, problem.share))
    unit = power_of_two(size)
    X = problem.X / unit
    shift = np.zeros(problem.d)
    lonely = _lonely(X)
    if problem.fit_intercept:
        shift = problem.share @ X
        shift[lonely] = np.median(X[:, lonely], axis=0)
        X -= shift
        left = np.where(lonely, 0.0, problem.share @ X)  # what rounding left of the mean
        X -= left
        shift = shift + left
    spread = np.maximum(X.max(axis=0), -X.min(axis=0))
    flat = spread <= CONSTANT * (size / unit)
    X[:, flat] = 0.0
    spread[lonely] = np.maximum(typical_sizes(X[:, lonely]), FARTHEST * spread[lonely])
    more = power_of_two(np.where(flat, 0.0, spread))
    X /= more
    scale = unit * more
    return Coordinates(_rescaled(problem, X, scale), scale, shift * unit)


def _lonely(X: np.ndarray) -> np.ndarray:
    """Columns (of size one) most of whose entries lie together while a few are a million times as far away.

    Their mean and their range are those of the few, and in such units the others would be rounded away.
    """
    rows = X[:: max(len(X) // limits.NEIGHBOURS, 1)]
    change = np.abs(np.diff(rows, axis=0))
    near = np.count_nonzero((change > 0) & (change < TOGETHER), axis=0)
    lonely = 2 * near > np.count_nonzero(change, axis=0)
    if np.any(lonely):
        some = X[:, lonely]
        away = some - np.median(some, axis=0)
        lonely[lonely] = typical_sizes(away) < TOGETHER * np.max(np.abs(away), axis=0)
    return lonely


def typical_sizes(X: Any) -> np.ndarray:
    """Median size of the entries of each column that are not zero; 1 where there are none.

    >>> typical_sizes(np.array([[0.0, 0.0], [-2.0, 0.0], [3.0, 0.0], [1e9, 0.0]])).tolist()
    [3.0, 1.0]
    """
    d = X.shape[1]
    if not sparse.issparse(X):
        sizes = np.sort(np.abs(X), axis=0)
        zeros = np.count_nonzero(sizes == 0, axis=0)
        middle = np.minimum(zeros + (len(X) - zeros) // 2, len(X) - 1)
        median = sizes[middle, np.arange(d)]
        return np.where(median > 0, median, 1.0)
    columns = sparse.csc_array(X, copy=True)
    columns.eliminate_zeros()
    counts, size = np.diff(columns.indptr), np.abs(columns.data)
    size = size[np.lexsort((size, np.repeat(np.arange(d), counts)))]
    unit = np.ones(d)
    unit[counts > 0] = size[(columns.indptr[:-1] + counts // 2)[counts > 0]]
    return unit


def _scaled_sparse(problem: LogisticProblem) -> Coordinates:
    design = Design(problem.X, problem.share)
    settled = design.settled() if problem.fit_intercept else design
    scale = power_of_two(column_sizes(settled))
    X = settled.X if np.all(scale == 1.0) else _divided(settled.X.tocsr(), scale)
    shift = np.zeros(problem.d) if settled.offset is None else settled.offset
    return Coordinates(_rescaled(problem, X, scale), scale, shift)


def _divided(X: Any, scale: np.ndarray) -> Any:
    """Sparse rows with every column divided by its scale."""
    return sparse.csr_array((X.data / scale[X.indices], X.indices, X.indptr), shape=X.shape)


def _rescaled(problem: LogisticProblem, X: object, scale: np.ndarray) -> LogisticProblem:
    with np.errstate(over="ignore"):  # infinite where squares of the column vanish, which the caller refuses
        return replace(problem, X=X, absolute=problem.absolute / scale, square=problem.square / scale / scale)
