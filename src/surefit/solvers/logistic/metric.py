"""Layer solvers: approximate inverse Hessians for quasi-Newton steps on large logistic problems, from a sample of rows.

In: a `LogisticProblem` and a point.  Out: a `Metric`, which multiplies by an approximate inverse of the Hessian.  With
a good one correlated columns need few evaluations; the answer does not depend on it, so single precision will do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import linalg

from surefit.data.scores import class_probabilities
from surefit.solvers.logistic import limits
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.threads import map_in_order

Metric = Callable[[np.ndarray], np.ndarray]


def sampled(problem: LogisticProblem, rows: int) -> LogisticProblem:
    """Every so-many-th row, about ``rows`` of them."""
    step = max(problem.n // rows, 1)
    share = problem.share[::step]
    return replace(problem, X=problem.X[::step], codes=problem.codes[::step], share=share / share.sum())


def metric_rows(problem: LogisticProblem) -> int:
    """Rows that a metric is measured on."""
    return min(problem.n, max(3 * problem.d, problem.n // (4 if problem.d <= limits.FEW_COLUMNS else 8)))


def entangled(problem: LogisticProblem) -> bool:
    """Whether a few rows show columns correlated enough for a metric to pay from the start.

    The squared correlations of a column with all others are summed and averaged over the columns; independent columns
    would show ``(d - 1) / rows`` by chance alone, which is subtracted.
    """
    rows = np.asarray(problem.X[:: max(problem.n // limits.LOOK_ROWS, 1)], dtype=np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        rows = rows - rows.mean(axis=0)
        spread = np.sqrt(np.mean(np.square(rows), axis=0))
        rows = rows[:, spread > 0] / spread[spread > 0]
        m, d = rows.shape
        squares = float(np.sum(np.square(rows @ rows.T), dtype=float)) / (m**2 * max(d, 1))
    return squares - 1.0 - (d - 1) / m > limits.ENTANGLED


def diagonal_metric(problem: LogisticProblem) -> Metric:
    """Division by the mean squares of the columns of a few rows, times the curvature of the null model."""
    few = sampled(problem, 500)
    bend = problem.frequency * (1 - problem.frequency) if problem.width > 1 else np.array([np.prod(problem.frequency)])
    square = np.append(few.mean_square, 1.0)[:, None] * bend + np.append(2 * problem.square, 0.0)[:, None]
    square = np.where(square > 0, square, 1.0)
    return lambda G: G / square


def single_metric(problem: LogisticProblem, V: np.ndarray) -> Metric | None:
    """The metric of a Gram matrix in single precision."""
    return factorised(problem, V, single_gram(problem, V, metric_rows(problem)))


def factorised(problem: LogisticProblem, V: np.ndarray, gram: np.ndarray) -> Metric | None:
    """Solves with the Hessian that ``gram`` makes, factorised in single precision; None if it has no factor.

    For several classes the Hessian is taken as ``S x G``, the mean covariance of the class indicators (k, k) times the
    Gram matrix of the columns: in the eigenbasis of ``S`` it falls into ``k`` blocks.
    """
    levels, basis = np.ones(1), np.ones((1, 1))
    if problem.width > 1:
        sample = sampled(problem, limits.SPREAD_ROWS)
        q = class_probabilities(_rough_scores(sample.X, V))
        levels, basis = np.linalg.eigh(np.diag(sample.share @ q) - (sample.share[:, None] * q).T @ q)
    floor = 1e-6 * float(levels.max())  # the class scores may move together: no gradient points there
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            factors = [_factor(np.float32(max(level, floor)) * gram, problem) for level in levels]
    except (linalg.LinAlgError, ValueError):
        return None

    def solve(G: np.ndarray) -> np.ndarray:
        turned = G @ basis
        columns = [_solved(L, (turned[:, k] / unit).astype(np.float32)) / unit for k, (L, unit) in enumerate(factors)]
        solved = np.column_stack(columns) @ basis.T
        if not problem.fit_intercept:
            solved[-1] = 0.0
        return solved

    return solve


def _rough_scores(X: Any, V: np.ndarray) -> np.ndarray:
    """Scores in the precision of the rows; without a product where there are no coefficients yet."""
    if not np.any(V[:-1]):
        return np.broadcast_to(V[-1], (X.shape[0], V.shape[1]))
    return np.asarray(X @ V[:-1].astype(X.dtype)) + V[-1]


def _bends(X: Any, share: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Weights of the rows in the Gram matrix: with two classes times the variance of theirs."""
    if V.shape[1] > 1:
        return share
    q = class_probabilities(_rough_scores(X, V))[:, 0]
    return share * q * (1 - q)


def _factor(H: np.ndarray, problem: LogisticProblem) -> tuple[np.ndarray, np.ndarray]:
    """Cholesky factor of ``H`` plus the squares of the penalty at unit diagonal, and the units."""
    H[np.diag_indices_from(H)] += np.append(2 * problem.square, 0.0).astype(np.float32)
    unit = np.sqrt(np.maximum(np.diag(H), np.finfo(np.float32).tiny))
    H /= unit
    H /= unit[:, None]
    H[np.diag_indices_from(H)] += np.float32(1e-6)
    return linalg.cho_factor(H, lower=True, overwrite_a=True)[0], unit.astype(float)


def _solved(L: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``(L L')**-1 b``; for one right-hand side two sweeps beat the general solver."""
    half = linalg.blas.strsv(L, b, lower=1, overwrite_x=1)
    return linalg.blas.strsv(L, half, lower=1, trans=1, overwrite_x=1)


def single_gram(problem: LogisticProblem, V: np.ndarray, rows: int) -> np.ndarray:
    """``A' diag(bend) A`` over about ``rows`` rows in single precision, ``A`` with a column of ones."""
    d, samples, is_sparse = problem.d, _runs(problem.n, rows), problem.is_sparse
    together = max(500_000 // (d + 1), 4 * (d + 1)) // max(len(range(problem.n)[samples[0]]), 1) + 1

    def block(first: int) -> tuple[np.ndarray, float]:
        runs = samples[first : first + together]
        share = np.concatenate([problem.share[run] for run in runs])
        scaled = np.ones((len(share), d + 1), dtype=np.float32)
        end = 0
        for run in runs:
            X = problem.X[run].toarray() if is_sparse else problem.X[run]
            scaled[end : end + len(X), :-1] = X
            end += len(X)
        scaled *= np.sqrt(_bends(scaled[:, :-1], problem.n * share, V)).astype(np.float32)[:, None]
        return scaled.T @ scaled, float(share.sum())

    with np.errstate(over="ignore", invalid="ignore"):
        parts = list(map_in_order(block, range(0, len(samples), together)))
        gram, weight = sum(part[0] for part in parts), sum(part[1] for part in parts)
        return np.asarray(gram) / np.float32(problem.n * weight)


def _runs(n: int, rows: int) -> list[slice]:
    """Evenly spaced runs of neighbouring rows, which are read fastest, about ``rows`` in all; single rows of a few."""
    step = max(n // rows, 1)
    if step == 1 or n < 8 * step * limits.RUN:
        size = max(min(500, rows) * step, 1)
        return [slice(start, min(start + size, n), step) for start in range(0, n, size)]
    return [slice(start, start + limits.RUN) for start in range(0, n - limits.RUN + 1, step * limits.RUN)]
