"""Layer solvers: the same logistic problem in coordinates that a computer likes, copied only where that is needed.

In: a `LogisticProblem` in the user's units.  Out: `Coordinates`: a problem with the same values and the way back.
Small dense designs are centred and scaled; large ones stay where they are unless a sample of their rows shows wild
columns; sparse ones are scaled, never centred.  The penalty travels exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from surefit.data.centering import column_sizes, power_of_two
from surefit.data.design import Design
from surefit.solvers.logistic_problem import LogisticProblem

WORTH_A_COPY = 2_000_000
"""Entries up to which a dense design is copied without asking."""

SAMPLE = 300
"""Rows that speak for the columns of a large design."""

CONSTANT = 8 * np.finfo(float).eps
"""A centred column smaller than this share of its largest entry is rounding, and the column a constant."""


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

    def enter(self, V: np.ndarray) -> np.ndarray:
        """A point in the user's units as one of `problem`."""
        b = V[-1] + self.shift @ V[:-1] if self.problem.fit_intercept else V[-1]
        return np.vstack([V[:-1] * self.scale[:, None], b])


def good_coordinates(problem: LogisticProblem, always: bool = False) -> Coordinates:
    """``problem`` as it is where its columns are tame, centred and scaled otherwise."""
    if problem.is_sparse:
        return _scaled_sparse(problem)
    if always or problem.n * problem.d <= WORTH_A_COPY or not _tame(problem):
        return _centred(problem)
    return Coordinates(problem, np.ones(problem.d), np.zeros(problem.d))


def _tame(problem: LogisticProblem) -> bool:
    """Whether on some rows every column has a size near one and a mean that does not dwarf its spread."""
    rows = problem.X[:: max(problem.n // SAMPLE, 1)]
    with np.errstate(over="ignore", invalid="ignore"):
        mean, spread = rows.mean(axis=0), rows.std(axis=0)
        known = spread > 0
        return bool(np.all((spread > 1e-3) & (spread < 1e3) & (np.abs(mean) < 10 * spread) | ~known & (mean == 0)))


def _centred(problem: LogisticProblem) -> Coordinates:
    size = column_sizes(Design(problem.X, problem.share))
    unit = power_of_two(size)
    X = problem.X / unit
    shift = np.zeros(problem.d)
    if problem.fit_intercept:
        shift = problem.share @ X
        X -= shift
        left = problem.share @ X  # what rounding left of the mean
        X -= left
        shift = shift + left
    spread = np.maximum(X.max(axis=0), -X.min(axis=0))
    flat = spread <= CONSTANT * (size / unit)
    X[:, flat] = 0.0
    more = power_of_two(np.where(flat, 0.0, spread))
    X /= more
    scale = unit * more
    return Coordinates(_rescaled(problem, X, scale), scale, shift * unit)


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
    return replace(problem, X=X, absolute=problem.absolute / scale, square=problem.square / scale**2)
