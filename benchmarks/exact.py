"""Least squares in rational arithmetic: fractions in, the exact answer out.

No rounding anywhere, so it says what a float64 method could at best have found: feed it ``Fraction(x)`` of the very
floats the method saw, or the printed decimals to reproduce certified values.  Meant for a few dozen rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass(frozen=True)
class ExactFit:
    """The least-squares answer without rounding error."""

    coef: tuple[Fraction, ...]
    coef_variance: tuple[Fraction, ...]  # residual_variance * diag((X'X)**-1)
    residual_variance: Fraction  # residual sum of squares / (n - p); zero if n == p
    residual_sum: Fraction


def exact_least_squares(rows: Sequence[Sequence[Fraction]], y: Sequence[Fraction]) -> ExactFit:
    """Minimise ``sum_i (y_i - <x_i, w>)**2`` exactly through the normal equations; rows of full column rank.

    >>> one = Fraction(1)
    >>> exact_least_squares([[one, Fraction(k)] for k in range(3)], [Fraction(v) for v in (1, 2, 4)]).coef
    (Fraction(5, 6), Fraction(3, 2))
    """
    columns = list(zip(*rows, strict=True))
    p = len(columns)
    gram = [[_dot(a, b) for b in columns] for a in columns]
    system = [
        [*gram[i], _dot(columns[i], y), *(Fraction(int(i == j)) for j in range(p))]  # [X'X | X'y | I]
        for i in range(p)
    ]
    _eliminate(system)
    coef = tuple(line[p] for line in system)
    residuals = [target - _dot(row, coef) for row, target in zip(rows, y, strict=True)]
    residual_sum = _dot(residuals, residuals)
    spare = len(y) - p
    variance = residual_sum / spare if spare else Fraction(0)
    diagonal = tuple(variance * system[j][p + 1 + j] for j in range(p))
    return ExactFit(coef, diagonal, variance, residual_sum)


def exact_fit_of_floats(X: np.ndarray, y: np.ndarray, fit_intercept: bool = True) -> ExactFit:
    """The exact answer for a float64 design and response, intercept first."""
    head = [Fraction(1)] if fit_intercept else []
    rows = [[*head, *(Fraction(float(value)) for value in row)] for row in X]
    return exact_least_squares(rows, [Fraction(float(value)) for value in y])


def _dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((u * v for u, v in zip(a, b, strict=True)), Fraction(0))


def _eliminate(system: list[list[Fraction]]) -> None:
    """Gauss-Jordan in place; exact, so any nonzero pivot serves, and a Gram matrix of full rank never lacks one."""
    for k, pivot_line in enumerate(system):
        pivot = pivot_line[k]
        if pivot == 0:
            raise ValueError(f"column {k} depends on the columns before it; drop it")
        pivot_line[:] = [value / pivot for value in pivot_line]
        for i, line in enumerate(system):
            factor = line[k]
            if i != k and factor:
                line[:] = [value - factor * lead for value, lead in zip(line, pivot_line, strict=True)]
