"""Layer solvers: products of columns in twice the working precision, for a stream of rows.

In: blocks of at most 512 rows whose columns are at most two in size.  Out: ``A' A`` as an unevaluated sum of two
doubles.  Entries are cut into slices of 22 bits, whose products and their sums over a block are whole numbers below
``2**53``: every matrix product is exact, in whatever order it is computed, and only their sum is rounded, to 106 bits
(the splitting of Ozaki and others, 2012).

With these products, coefficients from the triangle of one pass are corrected as a second pass would (`refined`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surefit.compiled.doubled import two_product, two_sum
from surefit.data.scale import EPS

BITS = 22
SLICES = 5
MOST_ROWS = 2 ** (53 - 2 * BITS)
MAX_ROUNDS = 8

Pair = tuple[np.ndarray, np.ndarray]
"""A number or array as an unevaluated sum of two doubles, the larger first."""


def exact_products(rows: np.ndarray) -> Pair:
    """``rows' rows`` in 106 bits; ``rows`` (m, p) with ``m <= 512`` and entries of size at most two.

    >>> high, low = exact_products(np.array([[1.0 + 2.0**-40], [1.0]]))
    >>> float(high[0, 0] - 2.0 - 2.0**-39), float(low[0, 0]) == 2.0**-80
    (0.0, True)
    """
    slices, rest = [], rows / 2.0
    for k in range(1, SLICES + 1):
        unit = 2.0 ** (BITS * k)
        part = np.round(rest * unit) / unit
        slices.append(part)
        rest = rest - part
    high, low = np.zeros((rows.shape[1],) * 2), np.zeros((rows.shape[1],) * 2)
    for total in range(SLICES - 1, -1, -1):  # the smallest first
        for s in range(total // 2 + 1):
            product = slices[s].T @ slices[total - s]
            high, low = plus((high, low), (product, 0.0 * product))
            if s != total - s:
                high, low = plus((high, low), (product.T, 0.0 * product))
    return 4.0 * high, 4.0 * low


def plus(a: Pair, b: Pair) -> Pair:
    """The sum of two pairs."""
    high, error = two_sum(a[0], b[0])
    return two_sum(high, error + (a[1] + b[1]))


def times(a: Pair, b: Pair) -> Pair:
    """The product of two pairs."""
    high, error = two_product(a[0], b[0])
    return two_sum(high, error + (a[0] * b[1] + a[1] * b[0]))


def over(a: Pair, b: Pair) -> Pair:
    """The quotient of two pairs."""
    first = a[0] / b[0]
    rest = plus(a, times((-first, 0.0 * first), b))
    return two_sum(first, (rest[0] + rest[1]) / b[0])


def centred(products: Pair) -> Pair:
    """Products of the other columns about their means, from products with the constant as the first column."""
    across = (products[0][:1, 1:], products[1][:1, 1:])
    outer = times((across[0].T, across[1].T), over(across, (products[0][:1, :1], products[1][:1, :1])))
    return plus((products[0][1:, 1:], products[1][1:, 1:]), (-outer[0], -outer[1]))


@dataclass(frozen=True)
class Refined:
    """Coefficients as a pair, the excess of their objective over the minimum (of the sum), and the corrections made."""

    coef: Pair
    excess: float
    rounds: int


def refined(
    products: Pair, penalty: np.ndarray, coef: np.ndarray, solve: Callable[[np.ndarray], np.ndarray]
) -> Refined:
    """Correct ``coef`` (d,), a minimiser of ``||t - A c||**2 + sum(penalty c**2)``, with residuals of 106 bits.

    ``products`` are those of ``[A, t]``; ``solve`` solves the normal equations approximately.  One correction
    multiplies the error by about ``condition(A) * eps``.
    """
    gram, moment = (products[0][:-1, :-1], products[1][:-1, :-1]), (products[0][:-1, -1], products[1][:-1, -1])
    state: Pair = (coef, np.zeros_like(coef))
    gradient = _gradient(gram, moment, penalty, state)
    step = solve(gradient)
    rounds, last = 0, np.inf
    while rounds < MAX_ROUNDS:
        size = float(np.max(np.abs(step) / np.maximum(np.abs(state[0]), 1e-300), initial=0.0))
        if not (size <= 0.5 * last and np.isfinite(size)):
            break
        state = plus(state, (step, np.zeros_like(step)))
        gradient = _gradient(gram, moment, penalty, state)
        step, rounds, last = solve(gradient), rounds + 1, size
        if size < 0.01 * EPS:
            break
    return Refined(state, max(float(gradient @ step), 0.0), rounds)


def _gradient(gram: Pair, moment: Pair, penalty: np.ndarray, coef: Pair) -> np.ndarray:
    """``moment - (gram + penalty) coef``, rounded once at the end."""
    total = plus(moment, tuple(-part for part in times((penalty, 0.0 * penalty), coef)))  # type: ignore[arg-type]
    for j in range(len(penalty)):
        taken = times((gram[0][:, j], gram[1][:, j]), (coef[0][j], coef[1][j]))
        total = plus(total, (-taken[0], -taken[1]))
    return total[0] + total[1]
