"""Layer solvers: the weighted, centred, ridged normal equations that a Newton step solves.

In: a design (dense or sparse), non-negative weights, a diagonal ridge.  Out: the minimum-norm solution and its
residual.  The smaller of the two sides is factorised.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse

from surefit.data.gram import gram_matrix
from surefit.threads import blas_threads_for, one_blas_thread

FLOOR = 1e-9
"""Least curvature of a smoothed kink, as a share of its largest: keeps a system regular, slows nothing."""

TINY = 1e-200
"""Curvature below this is none."""

FEW_ENTRIES = 20_000
"""Sparse products of a matrix with at most so many entries, zeros included, take longer to prepare than dense ones."""

WEAK_PIVOT = 1e-12
"""A Cholesky pivot below this share of the largest one: the system is solved by its eigenvalues instead."""


def solve_tall(
    X: Any,
    curvature: np.ndarray,
    centre: np.ndarray,
    ridge: np.ndarray,
    target: np.ndarray,
    still: Callable[[], np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Solution and residual of ``((X - centre)' diag(curvature) (X - centre) + diag(ridge)) coef = target``.

    ``still`` gives the projection on the directions in which no system of these columns has curvature.
    """
    system = weighted_gram(X, curvature) - curvature.sum() * np.multiply.outer(centre, centre)
    system[np.diag_indices_from(system)] += ridge
    coef = solve_psd(system, target, still)
    return coef, target - system @ coef


def solve_wide(
    X: Any, curvature: np.ndarray, centre: np.ndarray, ridge: np.ndarray, target: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same with more columns than rows: Woodbury on an ``n x n`` system, a vanishing ridge where there is none."""
    root = np.sqrt(curvature)
    squares = X.multiply(X).T @ curvature if hasattr(X, "tocsr") else np.einsum("ij,ij,i->j", X, X, curvature)
    largest = float(np.max(squares, initial=0.0))
    if largest < TINY and np.min(ridge, initial=np.inf) < TINY:  # no curvature at all: nothing can be solved
        return np.zeros_like(target), target
    ridge = np.maximum(ridge, FLOOR * largest)
    tilted = X @ sparse.diags_array(1 / ridge) if hasattr(X, "tocsr") else X / ridge
    kernel = tilted @ X.T
    kernel = np.asarray(kernel.todense()) if hasattr(kernel, "todense") else kernel
    cross = np.asarray(tilted @ centre)
    kernel = (kernel - cross[:, None] - cross + centre @ (centre / ridge)) * root * root[:, None]
    kernel[np.diag_indices_from(kernel)] += 1.0
    with blas_threads_for(len(kernel) ** 3):
        lower = np.linalg.cholesky(kernel)
    forward = lambda coef: root * (np.asarray(X @ coef) - centre @ coef)
    back = lambda dual: np.asarray(X.T @ (root * dual)) - centre * float(root @ dual)
    invert = lambda rhs: (rhs - back(_solved(lower, forward(rhs / ridge)))) / ridge
    coef = invert(target)
    coef = coef + invert(target - back(forward(coef)) - ridge * coef)  # one refinement: the ridge may be tiny
    return coef, target - back(forward(coef)) - ridge * coef


def weighted_gram(X: Any, curvature: np.ndarray) -> np.ndarray:
    """``X' diag(curvature) X`` for ``curvature >= 0``, from the rows that count."""
    if hasattr(X, "tocsr"):
        if X.shape[0] * X.shape[1] > FEW_ENTRIES:
            return np.asarray((X.T @ X.multiply(curvature[:, None])).todense())
        X = X.toarray()
    counted = curvature > 0
    if np.count_nonzero(counted) < 0.7 * len(counted):
        X, curvature = X[counted], curvature[counted]
    return gram_matrix(X, np.sqrt(curvature))[0]


def solve_psd(system: np.ndarray, target: np.ndarray, still: Callable[[], np.ndarray] | None = None) -> np.ndarray:
    """The shortest solution of a positive semidefinite system; directions without curvature are left alone.

    Where these are known, the projection on them is ``still()``: with a curvature of their own the system can be
    factorised, and the projected target has the shortest solution.
    """
    if not len(system):
        return target
    solution = _by_cholesky(system, target)
    if solution is None and still is not None:
        projection = still()
        held = system + float(np.mean(np.diag(system))) * projection
        solution = _by_cholesky(held, target - projection @ target)
    if solution is not None:
        return solution
    with blas_threads_for(len(system) ** 3):
        values, vectors = np.linalg.eigh(system)
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=_curved(values))
    return vectors @ (inverse * (vectors.T @ target))


def _by_cholesky(system: np.ndarray, target: np.ndarray) -> np.ndarray | None:
    """The solution, or None where the system is nearly singular."""
    diagonal = np.sqrt(np.maximum(np.diag(system), 0.0))
    unit = np.where(diagonal > 0, diagonal, 1.0)
    try:
        with blas_threads_for(len(system) ** 3):
            lower = np.linalg.cholesky(
                system / unit / unit[:, None]
            )  # by NumPy, as the products: the threads of two BLAS fight
    except np.linalg.LinAlgError:
        return None
    pivots = np.diag(lower)
    if not pivots.min() ** 2 > WEAK_PIVOT * pivots.max() ** 2:
        return None
    return _solved(lower, target / unit) / unit


def _solved(lower: np.ndarray, right: np.ndarray) -> np.ndarray:
    """``(L L')^{-1} right`` for one vector: too little for threads, whatever the size."""
    with one_blas_thread():
        return np.asarray(linalg.cho_solve((lower, True), right, check_finite=False))


def _curved(values: np.ndarray) -> np.ndarray:
    """Which of these increasing eigenvalues are more than rounding."""
    return values > len(values) * np.finfo(float).eps * max(values[-1], 0.0) * 4


def flat_directions(X: Any, fit_intercept: bool) -> np.ndarray:
    """The projection ``(d, d)`` on the coefficients that give every row the same score, 0 without an intercept.

    >>> flat_directions(np.array([[1.0, 1.0], [0.0, 0.0]]), True).round(12).tolist()
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    n = X.shape[0]
    centre = np.asarray(X.sum(axis=0)).ravel() / n if fit_intercept else np.zeros(X.shape[1])
    gram = weighted_gram(X, np.full(n, 1.0 / n)) - np.multiply.outer(centre, centre)
    with blas_threads_for(len(gram) ** 3):
        values, vectors = np.linalg.eigh(gram)
    flat = vectors[:, ~_curved(values)]
    return flat @ flat.T
