"""Layer solvers: the direction of least cost in a plane, by a sweep over its angles, or in space, by many planes.

In: rows ``z_i`` of length about one and what it costs to have ``z_i . w <= 0``.  Out: the direction ``w`` of least cost
in given planes, or in the whole space.  ``z_i . w`` below `ZERO` counts as 0: the answer is exact for data that keep
this distance from degeneracy, and exact degeneracies (grids, duplicates) are resolved, not perturbed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np
from scipy.special import comb

from surefit.progress import Task
from surefit.solvers.halfspaces import limits

ZERO = 1e-10
"""Products and angles below this are rounding."""


def sweep_planes(rows: np.ndarray, cost: np.ndarray, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For planes (B, d, 2), orthonormal: the least cost (B,), its direction (B, d), and which rows vanish (B, n).

    Row ``i`` is right for the half turn of angles around its own; the cost is a step function of the angle whose steps
    are sorted, so a plane takes O(n log n).  A row that vanishes on a plane costs nothing here.  Catalogue A-36, A-40.
    """
    first, second = planes[:, :, 0] @ rows.T, planes[:, :, 1] @ rows.T  # (B, n)
    vanishing = np.hypot(first, second) < ZERO
    turned = np.arctan2(second, first) + 0.5 * np.pi
    half_turns = np.floor(turned / np.pi)
    edge = turned - half_turns * np.pi  # where the row changes sides, in [0, pi)
    charge = np.where(vanishing, 0.0, cost)
    jump = np.where(half_turns == 0, charge, -charge)  # of the cost, when the angle passes the edge
    order = np.argsort(edge, axis=1)
    edge, jump = np.take_along_axis(edge, order, 1), np.take_along_axis(jump, order, 1)
    after = np.cumsum(jump, axis=1) - np.where(jump < 0, jump, 0.0).sum(axis=1, keepdims=True)
    following = np.concatenate([edge[:, 1:], edge[:, :1] + np.pi], axis=1)
    wide = following - edge > ZERO
    opposite = charge.sum(axis=1, keepdims=True) - after  # the same line, the other way
    both = np.where(np.concatenate([wide, wide], axis=1), np.concatenate([after, opposite], axis=1), np.inf)
    best = np.argmin(both, axis=1)
    at, every = best % len(cost), np.arange(len(planes))
    angle = 0.5 * (edge + following)[every, at] + np.where(best >= len(cost), np.pi, 0.0)
    heading = planes[:, :, 0] * np.cos(angle)[:, None] + planes[:, :, 1] * np.sin(angle)[:, None]
    return both[every, best], heading, vanishing


def sweep_work(n: int, d: int) -> float:
    """How many rows times planes `best_direction` has to sweep for ``n`` rows in ``d`` dimensions."""
    return float(comb(n, max(d - 2, 0))) * n  # infinite rather than an error where it is that large


def best_direction(rows: np.ndarray, cost: np.ndarray, deadline: float = np.inf) -> tuple[float, np.ndarray, bool]:
    """The least total cost of rows with ``z . w <= 0``, a ``w`` that attains it, and whether all of space was searched.

    Every cell of the arrangement of the planes ``z_i . w = 0`` has a face of dimension two, which lies in a plane where
    d - 2 independent rows vanish.  So all such planes are swept; the rows that vanish on one are a smaller problem of
    the same kind, which costs nothing if they are independent.  ``rows`` must have rank d.  The search ends early when
    `time.perf_counter` passes ``deadline``.

    >>> corners = np.array([[0.0, 0, -1], [0, 1, 1], [1, 0, 1], [-1, -1, -1]])
    >>> best_direction(corners, np.ones(4))[0]
    1.0
    """
    d = rows.shape[1]
    if d == 1:
        ahead, back = (float(cost[rows[:, 0] * sign <= ZERO].sum()) for sign in (1.0, -1.0))
        return min(ahead, back), np.array([1.0 if ahead <= back else -1.0]), True
    least, winner, all_seen = np.inf, np.zeros(d), True
    known: dict[bytes, tuple[float, np.ndarray, bool]] = {}
    work, tell = sweep_work(*rows.shape), Task("all cells")
    for step, planes in enumerate(_planes(rows)):
        if step and time.perf_counter() > deadline:
            return float(least), winner, False
        tell(step, 1.0 - min(step * limits.BATCH / work, 1.0))
        costs, headings, vanishing = sweep_planes(rows, cost, planes)
        for k in np.flatnonzero(costs < least - ZERO):
            if costs[k] >= least - ZERO:
                continue
            key = vanishing[k].tobytes()
            if key not in known:
                known[key] = _on_the_plane(rows, cost, np.flatnonzero(vanishing[k]), deadline)
            extra, tilt, seen = known[key]
            all_seen = all_seen and seen
            if costs[k] + extra < least - ZERO:
                least, winner = costs[k] + extra, tilted(rows, headings[k], tilt)
    return float(least), winner, all_seen


def _planes(rows: np.ndarray) -> Iterator[np.ndarray]:
    """The planes orthogonal to d - 2 independent rows, in batches."""
    n, d = rows.shape
    if d == 2:
        yield np.eye(2)[None]
        return
    choices = combinations(range(n), d - 2)
    while chunk := list(islice(choices, max(limits.BATCH // n, 1))):
        _, lengths, turned = np.linalg.svd(rows[np.array(chunk)], full_matrices=True)
        independent = lengths[:, -1] > ZERO
        if independent.any():
            yield np.swapaxes(turned[independent, -2:], 1, 2)


def _on_the_plane(
    rows: np.ndarray, cost: np.ndarray, vanishing: np.ndarray, deadline: float
) -> tuple[float, np.ndarray, bool]:
    """The problem of the rows that vanish on a plane, in the space that they span: as `best_direction` answers it."""
    d = rows.shape[1]
    if len(vanishing) == 0:
        return 0.0, np.zeros(d), True
    some = rows[vanishing]
    if len(vanishing) == d - 2:
        return 0.0, np.linalg.lstsq(some, np.ones(d - 2), rcond=None)[0], True
    space = np.linalg.svd(some, full_matrices=False)[2][: d - 2]
    extra, tilt, seen = best_direction(some @ space.T, cost[vanishing], deadline)
    return extra, tilt @ space, seen


def tilted(rows: np.ndarray, heading: np.ndarray, tilt: np.ndarray) -> np.ndarray:
    """``heading`` moved towards ``tilt`` by so little that no row with ``z . heading != 0`` changes sides."""
    along, across = np.abs(rows @ heading), np.abs(rows @ tilt)
    free = (along > ZERO) & (across > 0)
    step = 0.5 * float(np.min(along[free] / across[free])) if free.any() else 1.0
    return heading + min(step, 1.0) * tilt
