"""Layer solvers: least squares over row blocks that are never in memory together.

In: a re-iterable of ``(X, y)`` or ``(X, y, weight)`` blocks.  Out: a `Solution`.  The first pass stacks triangles of
QR decompositions; each further pass is one refinement with residuals in twice the working precision.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import Any

import numpy as np

from surefit.data.blocks.memory import checked_blocks
from surefit.data.scale import EPS, power_of_two
from surefit.solvers.linear.factor import TriangularFactor, qr_factor, triangle_of
from surefit.solvers.linear.refine import ExtendedState, Gradient, gradient_at
from surefit.solvers.solution import Solution, Status, gap_in_units, status_in_units


@dataclass(frozen=True)
class FirstPass:
    """The triangle of ``sqrt(w) [1, X / scale - shift, y / size]`` and what was counted on the way."""

    triangle: np.ndarray
    scale: np.ndarray
    shift: np.ndarray
    size: float
    n: int
    total_weight: float


def _first_pass(blocks: Iterable[Any], fit_intercept: bool) -> FirstPass:
    """Columns are divided by powers of two that may grow: the triangle is divided along, which is exact."""
    triangle, scale, origin, n, total = None, np.zeros(0), np.zeros(0), 0, 0.0
    for X, y, weight in checked_blocks(blocks):
        X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
        if len(X) == 0:
            continue
        largest = power_of_two(np.append(np.abs(X).max(axis=0), np.abs(y).max()))
        if triangle is None:
            scale = largest
            origin = (X / scale[:-1]).mean(axis=0) * scale[:-1] if fit_intercept else np.zeros(X.shape[1])
        grown = np.maximum(largest, scale)
        if triangle is not None and np.any(grown > scale):
            triangle = triangle * np.append([1.0] * fit_intercept, scale / grown)
        scale = grown
        constant = [np.ones((len(X), 1))] if fit_intercept else []
        centred = X / scale[:-1] - origin / scale[:-1]
        rows = np.hstack([*constant, centred, y[:, None] / scale[-1]]) * np.sqrt(weight)[:, None]
        triangle = triangle_of(rows, triangle)
        n, total = n + len(X), total + float(weight.sum())
    if triangle is None:
        raise ValueError("the blocks hold no row with a positive weight; give at least one")
    return FirstPass(triangle, scale[:-1], origin / scale[:-1], float(scale[-1]), n, total)


def _state_of(first: FirstPass, params: np.ndarray, fit_intercept: bool) -> ExtendedState:
    coef = params[1:] if fit_intercept else params
    intercept = float(params[0] - first.shift @ coef) if fit_intercept else 0.0
    return ExtendedState(coef, np.zeros_like(coef), (intercept, 0.0))


def _refining_pass(
    blocks: Iterable[Any], first: FirstPass, factor: TriangularFactor, state: ExtendedState, fit_intercept: bool
) -> tuple[ExtendedState, float, float]:
    """One more pass: the corrected state, the RSS of the state before it and the excess it removed."""
    parts = (gradient_at(X, y / first.size, w, first.scale, state) for X, y, w in checked_blocks(blocks))
    total = reduce(Gradient.__add__, parts)
    centred = total.centred(first.shift)
    gradient = np.concatenate([[total.total.sum()], centred]) if fit_intercept else centred
    step = factor.solve_normal(gradient)
    coef = step[1:] if fit_intercept else step
    offset = float(step[0] - first.shift @ coef) if fit_intercept else 0.0
    return state.moved(coef, offset), float(total.rss.sum()), max(float(gradient @ step), 0.0)


def least_squares_from_blocks(blocks: Iterable[Any], passes: int = 2, fit_intercept: bool = True) -> Solution:
    """Minimise ``mean((y - X w - b)**2)`` over blocks of rows, ``passes`` times over the data.

    One pass costs a QR decomposition a block and gives the digits of plain QR; every further pass is a refinement
    (two give the digits of the in-memory fit).  A generator can be walked only once: give ``passes=1`` or a
    re-iterable such as `RowBlocks`.  Catalogue A-02.

    >>> from surefit.data.blocks.memory import RowBlocks
    >>> x = np.arange(10.0)[:, None]
    >>> solution = least_squares_from_blocks(RowBlocks(x, 3.0 * x[:, 0] + 1.0, rows=4))
    >>> solution.coef.round(12), round(solution.intercept, 12)
    (array([3.]), 1.0)
    """
    if passes < 1:
        raise ValueError(f"passes must be at least 1, got {passes}; one pass fits, each further one refines")
    if passes > 1 and iter(blocks) is blocks:
        raise ValueError("a generator can be walked only once; give passes=1, or a list or RowBlocks for more passes")
    first = _first_pass(blocks, fit_intercept)
    p = len(first.scale) + fit_intercept
    dead = np.zeros(p, dtype=bool)
    factor, rotated = qr_factor(first.triangle, p, first.n, dead)
    if factor.rank < p:
        raise ValueError(
            f"the columns are linearly dependent (rank {factor.rank} of {p}), so the least squares solution is not "
            "unique; drop the dependent columns or add a ridge penalty"
        )
    state = _state_of(first, factor.solve(rotated)[:, 0], fit_intercept)
    rss = float(first.triangle[p, p] ** 2) if first.triangle.shape[0] > p else 0.0
    gap = np.inf
    for _ in range(passes - 1):
        state, rss, excess = _refining_pass(blocks, first, factor, state, fit_intercept)
        left = (10.0 * p * EPS * factor.condition) ** 2 * excess  # what this correction leaves of the excess
        gap = (left + _rounding(first, factor, state, fit_intercept)) / first.total_weight
    facts = MappingProxyType({"method": "streamed qr", "rank": factor.rank, "condition": factor.condition,
                              "passes": passes, "n": first.n})  # fmt: skip
    size, coef = first.size, state.high / first.scale
    with np.errstate(over="ignore"):
        objective = rss / first.total_weight * size * size
    gap = gap_in_units(float(gap), size)
    status = status_in_units(Status.EXACT, float(objective))
    return Solution(coef * size, state.intercept[0] * size, status, gap, float(objective), facts=facts)


def _rounding(first: FirstPass, factor: TriangularFactor, state: ExtendedState, fit_intercept: bool) -> float:
    """What rounding coefficients and intercept to doubles can add to the sum of squares."""
    norms = factor.size[1:] if fit_intercept else factor.size
    root = np.sqrt(first.total_weight)
    moved = norms @ np.abs(state.high) + root * (abs(state.intercept[0]) + np.abs(first.shift) @ np.abs(state.high))
    return float((EPS * moved) ** 2)
