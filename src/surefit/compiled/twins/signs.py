"""Layer compiled: the streams for two classes in plain Python, the specification of ``native/signs.cpp``.

Same arguments, same in-place updates, same results up to rounding.  ``rows`` is a dense matrix or the triple
``(indptr, indices, data)`` of compressed sparse rows.  The mean of the iterates is ``coef - lag / steps``.
"""

from typing import Any

import numpy as np


def perceptron_pass(  # noqa: PLR0913  the signature is that of the compiled loop
    rows: Any,
    labels: np.ndarray,
    order: np.ndarray,
    sign_zero: int,
    intercept: bool,
    coef: np.ndarray,
    lag: np.ndarray,
    intercepts: tuple[float, float],
    steps: int,
    updated: np.ndarray,
) -> tuple[float, float, int]:
    """One pass of the perceptron over the rows named by ``order``.  Catalogue A-33, A-34.

    ``w <- w + t x`` where ``t f(x) < 0``, and where ``f(x) = 0`` unless ``t = sign_zero`` (0: for both labels).  Writes
    the rows that caused an update to ``updated``; returns the intercept, its lag and the number of updates.
    """
    (b, lag_b), n_updated = intercepts, 0
    for i in order:
        columns, x = _row(rows, i)
        t = labels[i]
        margin = t * (x @ coef[columns] + b)
        if margin < 0 or (margin == 0 and t != sign_zero):
            coef[columns] += t * x
            lag[columns] += steps * t * x
            b, lag_b = (b + t, lag_b + steps * t) if intercept else (b, lag_b)
            updated[n_updated] = i
            n_updated += 1
        steps += 1
    return float(b), float(lag_b), n_updated


def adaline_pass(  # noqa: PLR0913  the signature is that of the compiled loop
    rows: Any,
    labels: np.ndarray,
    order: np.ndarray,
    step: float,
    intercept: bool,
    coef: np.ndarray,
    lag: np.ndarray,
    intercepts: tuple[float, float],
    steps: int,
) -> tuple[float, float]:
    """One pass of Adaline: ``w <- w + step * (t - f(x)) x``.  Returns the intercept and its lag.  Catalogue A-35."""
    b, lag_b = intercepts
    with np.errstate(over="ignore", invalid="ignore"):  # the caller names steps beyond stability
        for i in order:
            columns, x = _row(rows, i)
            move = step * (labels[i] - (x @ coef[columns] + b))
            coef[columns] += move * x
            lag[columns] += steps * move * x
            b, lag_b = (b + move, lag_b + steps * move) if intercept else (b, lag_b)
            steps += 1
    return float(b), float(lag_b)


def _row(rows: Any, i: int) -> tuple[Any, np.ndarray]:
    """Which columns row ``i`` touches, and its entries there."""
    if isinstance(rows, np.ndarray):
        return slice(None), rows[i]
    starts, columns, values = rows
    place = slice(starts[i], starts[i + 1])
    return columns[place], values[place]
