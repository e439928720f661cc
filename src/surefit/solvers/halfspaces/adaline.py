"""Layer solvers: Adaline, least squares on labels -1 and +1, one row at a time.

In: rows (dense or sparse), labels, a step.  Out: the last and the mean weights.  Steps beyond the limit of stability
are not refused, because a run may stay finite: the caller looks at the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.compiled import door
from surefit.progress import Task
from surefit.solvers.halfspaces.perceptron import squared_lengths, stream_rows


@dataclass(frozen=True, eq=False)
class AdalineRun:
    """The last weights and their mean over the last half of the epochs (all visits of a row)."""

    coef: np.ndarray
    intercept: float
    mean_coef: np.ndarray
    mean_intercept: float
    step: float


def adaline(
    X: Any,
    labels: np.ndarray,
    *,
    step: float | None = None,
    fit_intercept: bool = True,
    draws: np.random.Generator | None = None,
    epochs: int = 100,
) -> AdalineRun:
    """``w <- w + step * (t_i - w . x_i) x_i`` over all rows, ``epochs`` times, from 0.  Catalogue A-35, L-13, E-104.

    The factor 2 of the gradient of ``(t - f)**2`` is in ``step``.  No row overshoots while ``step * ||x||**2 <= 1``
    (an intercept counts 1 in ``||x||**2``), and rows are stable below 2; ``step=None`` takes 1/4 for the longest row.
    With a constant step the last weights keep moving around the least-squares fit, at a distance of the order of the
    step; their mean is closer.  ``draws``: a generator, to draw rows with replacement instead of taking them in order.

    >>> run = adaline(np.array([[0.0], [1], [2], [3]]), np.array([-1, 1, -1, 1]), step=0.1, epochs=1)
    >>> run.coef.round(9), round(run.intercept, 9)
    (array([0.3203]), 0.0391)
    """
    n, d = X.shape
    t = np.ascontiguousarray(labels, dtype=np.float64)
    length = _checked_step(step, X, fit_intercept)
    rows, order, tell = stream_rows(X), np.arange(n), Task("adaline", epochs, "epoch")
    coef, lag, b, lag_b = np.zeros(d), np.zeros(d), 0.0, 0.0
    half = epochs // 2
    for epoch in range(epochs):
        if epoch == half:  # the mean starts here: lags are counted from it
            lag, lag_b = np.zeros(d), 0.0
        order = order if draws is None else draws.integers(n, size=n)
        seen = (epoch - half if epoch >= half else epoch) * n
        b, lag_b = door.adaline_pass(rows, t, order, length, fit_intercept, coef, lag, (b, lag_b), seen)
        tell(epoch + 1, float(np.max(np.abs(coef), initial=0.0)))
        if not np.all(np.isfinite(coef)):
            break
    visits = (epochs - half) * n
    return AdalineRun(coef, b, coef - lag / visits, b - lag_b / visits, length)


def _checked_step(step: float | None, X: Any, fit_intercept: bool) -> float:
    if step is None:
        longest = float(np.max(squared_lengths(X), initial=0.0)) + float(fit_intercept)
        return 0.25 / longest if longest > 0 else 1.0
    if not 0 < step < np.inf:
        raise ValueError(f"step must be finite and > 0, got {step!r}; leave it None to have it chosen")
    return float(step)
