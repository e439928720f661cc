"""Layer solvers: the perceptron, in order or by random draws, on rows or through a kernel.

In: rows (dense or sparse) or a function that computes a row of the kernel matrix, and labels -1 or +1.  Out: a record
with the last and the mean weights and the count of updates.  Refused: rows of zeros that could be updated for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from surefit.compiled import door
from surefit.data.plain import plain
from surefit.progress import Task


@dataclass(frozen=True, eq=False)
class PerceptronRun:
    """What a run of the perceptron left behind.

    ``coef`` (d,) and ``intercept``: the last weights; ``mean_coef`` and ``mean_intercept``: their mean over all visits
    of a row.  For a kernel the weights are those of the rows, ``f(x) = sum_i coef_i k(x_i, x)``.  ``mistakes`` (n,):
    how often each row caused an update; ``n_updates`` is their sum.  ``converged``: every row is right at the end.
    """

    coef: np.ndarray
    intercept: float
    mean_coef: np.ndarray
    mean_intercept: float
    mistakes: np.ndarray
    n_epochs: int
    converged: bool

    @property
    def n_updates(self) -> int:
        return int(self.mistakes.sum())


def perceptron(
    X: Any,
    labels: np.ndarray,
    *,
    fit_intercept: bool = False,
    sign_zero: int | None = None,
    draws: np.random.Generator | None = None,
    max_epochs: int = 1000,
    on_epoch: Callable[[np.ndarray], None] | None = None,
) -> PerceptronRun:
    """``w <- w + t_i x_i`` for every row on the wrong side, from ``w = 0``.  Catalogue A-33, A-34, T-55, C-06.

    ``X`` (n, d) dense or CSR, labels -1 or +1.  ``draws=None``: sweep in order until an epoch is clean; a generator: n
    rows drawn with replacement make an epoch, and all rows are tried after each.  ``sign_zero=None``: a score of 0 is a
    mistake for either label (update if ``t f <= 0``), so the result separates strictly; -1 or +1: a score of 0 counts
    as that label, so the run may end with rows on the plane.  ``fit_intercept`` appends a constant 1 to the rows.
    ``on_epoch`` gets the rows that caused updates, in order, after every epoch.

    Separable rows need at most `MaxMargin.perceptron_bound` updates, in any order; others never stop by themselves.

    >>> corners = np.array([[0.0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]])
    >>> run = perceptron(corners, np.array([-1.0, -1, -1, 1]))
    >>> run.coef, run.n_updates, run.n_epochs, run.converged
    (array([ 3.,  2., -4.]), 18, 9, True)
    """
    t = np.ascontiguousarray(labels, dtype=np.float64)
    n, d = X.shape
    _check_rows(X, t, fit_intercept, sign_zero)
    rows, order, updated = stream_rows(X), np.arange(n), np.empty(n, dtype=np.int64)
    coef, lag, mistakes = np.zeros(d), np.zeros(d), np.zeros(n, dtype=np.int64)
    b = lag_b = 0.0
    converged, epoch, tell = False, 0, Task("perceptron", max_epochs)
    while epoch < max_epochs and not converged:
        order = order if draws is None else draws.integers(n, size=n)
        b, lag_b, count = door.perceptron_pass(
            rows, t, order, sign_zero or 0, fit_intercept, coef, lag, (b, lag_b), epoch * n, updated
        )
        epoch += 1
        mistakes += np.bincount(updated[:count], minlength=n)
        if on_epoch is not None:
            on_epoch(updated[:count].copy())
        converged = count == 0 if draws is None else not np.any(_mistaken(t, np.asarray(X @ coef) + b, sign_zero))
        tell(epoch, count / n)
    visits = max(epoch * n, 1)
    return PerceptronRun(coef, b, coef - lag / visits, b - lag_b / visits, mistakes, epoch, converged)


def kernel_perceptron(
    kernel_row: Callable[[int], np.ndarray],
    labels: np.ndarray,
    *,
    sign_zero: int | None = None,
    draws: np.random.Generator | None = None,
    max_epochs: int = 1000,
) -> PerceptronRun:
    """The same algorithm in a feature space: ``coef_i = t_i * mistakes_i``.  Catalogue A-33.

    ``kernel_row(i)`` is ``k(x_i, x_j)`` for all j, shape (n,); it is asked once for each row that causes an update.
    With the linear kernel the run is that of `perceptron`; add 1 to the kernel for an intercept.

    >>> corners = np.array([[0.0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]])
    >>> run = kernel_perceptron((corners @ corners.T).__getitem__, np.array([-1.0, -1, -1, 1]))
    >>> run.coef @ corners, run.n_updates, run.n_epochs
    (array([ 3.,  2., -4.]), 18, 9)
    """
    t = np.asarray(labels, dtype=np.float64)
    n = len(t)
    known: dict[int, np.ndarray] = {}
    scores, lag, mistakes = np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64)
    order, converged, epoch, tell = np.arange(n), False, 0, Task("kernel perceptron", max_epochs)
    while epoch < max_epochs and not converged:
        order = order if draws is None else draws.integers(n, size=n)
        place, count = 0, 0
        while (ahead := _mistaken(t, scores, sign_zero)[order[place:]]).any():
            place += int(np.argmax(ahead))
            i = int(order[place])
            if i not in known:
                known[i] = _checked_row(kernel_row(i), i)
            scores += t[i] * known[i]
            mistakes[i] += 1
            lag[i] += t[i] * (epoch * n + place)
            place, count = place + 1, count + 1
        epoch += 1
        converged = count == 0 if draws is None else not np.any(_mistaken(t, scores, sign_zero))
        tell(epoch, count / n)
    coef = t * mistakes
    return PerceptronRun(coef, 0.0, coef - lag / max(epoch * n, 1), 0.0, mistakes, epoch, converged)


def stream_rows(X: Any) -> Any:
    """Rows as the compiled streams take them: a dense float64 matrix, or ``(indptr, indices, data)``."""
    if not sparse.issparse(X):
        return np.ascontiguousarray(X, dtype=np.float64)
    X = plain(X.tocsr())
    return X.indptr, X.indices, X.data.astype(np.float64, copy=False)


def squared_lengths(X: Any) -> np.ndarray:
    """``||x_i||**2`` of every row, dense or sparse."""
    with np.errstate(over="ignore"):
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)
    if not np.all(np.isfinite(squares)):
        raise ValueError("the squared length of a row overflows; divide the columns by their largest entries")
    return squares


def _mistaken(t: np.ndarray, scores: np.ndarray, sign_zero: int | None) -> np.ndarray:
    margin = t * scores
    return margin <= 0 if sign_zero is None else (margin < 0) | ((margin == 0) & (t != sign_zero))


def _check_rows(X: Any, t: np.ndarray, fit_intercept: bool, sign_zero: int | None) -> None:
    if sign_zero not in (None, -1, 1):
        raise ValueError(f"sign_zero must be None, -1 or +1, got {sign_zero!r}; it is the label given to a score of 0")
    stuck = (squared_lengths(X) == 0) & (t != sign_zero)
    if np.any(stuck) and not fit_intercept:
        raise ValueError(
            f"row {int(np.argmax(stuck))} is zero, so its score is 0 whatever the weights and it would be updated for "
            "ever; drop such rows, or learn an intercept"
        )


def _checked_row(row: np.ndarray, i: int) -> np.ndarray:
    if not row[i] > 0:
        raise ValueError(f"k(x, x) = {row[i]:g} for row {i}, so updates never change its score; drop it, or add 1 to k")
    return row
