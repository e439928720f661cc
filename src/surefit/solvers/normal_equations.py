"""Layer solvers: the weighted, centred, ridged normal equations that a Newton step solves.

In: a design (dense or sparse), non-negative weights, a diagonal ridge.  Out: the shortest solution and what it leaves
unexplained.  The smaller of the two sides is factorised.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse

from surefit.data.gram import gram_matrix
from surefit.data.threads import blas_threads_for, one_blas_thread

FLOOR = 1e-9
"""Least curvature of a smoothed kink, as a share of its largest: keeps a system regular, slows nothing."""

TINY = 1e-200
"""Curvature below this is none."""

WEAK_PIVOT = 1e-12
"""A Cholesky pivot below this share of the largest one: the system is solved by its eigenvalues instead."""


def solve_tall(
    X: Any, curvature: np.ndarray, centre: np.ndarray, ridge: np.ndarray, target: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Solution and residual of ``((X - centre)' diag(curvature) (X - centre) + diag(ridge)) coef = target``."""
    system = weighted_gram(X, curvature) - curvature.sum() * np.multiply.outer(centre, centre)
    system[np.diag_indices_from(system)] += ridge
    coef = solve_psd(system, target)
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
        return np.asarray((X.T @ X.multiply(curvature[:, None])).todense())
    counted = curvature > 0
    if np.count_nonzero(counted) < 0.7 * len(counted):
        X, curvature = X[counted], curvature[counted]
    return gram_matrix(X, np.sqrt(curvature))[0]


def solve_psd(system: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The shortest solution of a positive semidefinite system; directions without curvature are left alone."""
    if not len(system):
        return target
    diagonal = np.sqrt(np.maximum(np.diag(system), 0.0))
    unit = np.where(diagonal > 0, diagonal, 1.0)
    scaled = system / unit / unit[:, None]
    try:
        with blas_threads_for(len(scaled) ** 3):
            lower = np.linalg.cholesky(scaled)  # by NumPy, as the products: the threads of two BLAS fight
        pivots = np.diag(lower)
        if pivots.min() ** 2 > WEAK_PIVOT * pivots.max() ** 2:
            return _solved(lower, target / unit) / unit
    except np.linalg.LinAlgError:
        pass
    with blas_threads_for(len(system) ** 3):
        values, vectors = np.linalg.eigh(system)
    kept = values > len(values) * np.finfo(float).eps * max(values[-1], 0.0) * 4
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=kept)
    return vectors @ (inverse * (vectors.T @ target))


def _solved(lower: np.ndarray, right: np.ndarray) -> np.ndarray:
    """``(L L')^{-1} right`` for one vector: too little for threads, whatever the size."""
    with one_blas_thread():
        return np.asarray(linalg.cho_solve((lower, True), right, check_finite=False))
