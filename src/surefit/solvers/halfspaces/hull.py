"""Layer solvers: the point of a convex hull that is nearest to the origin.

In: points as rows.  Out: its convex weights, not zero on at most d + 1 points.  The origin lies in the hull of the rows
``t_i x_i`` exactly if no hyperplane through 0 separates the classes; otherwise the nearest point is the normal of the
separator with the largest margin.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from surefit.progress import Task

ROUNDING = 64 * np.finfo(float).eps
"""Distance of the hull, relative to its longest row, below which it contains the origin as far as doubles can tell."""


@dataclass(frozen=True, eq=False)
class HullPoint:
    """``point = weights @ rows`` with ``weights >= 0`` and ``sum(weights) = 1``, nearest to 0 among all such points.

    ``normal`` is the shortest vector with ``rows @ normal >= 1`` (up to rounding), ``point / ||point||**2``; None if
    the origin is in the hull and there is none.  A search that a deadline ended has None, too, and some
    ``point`` of the hull.
    """

    point: np.ndarray
    weights: np.ndarray
    normal: np.ndarray | None

    @property
    def support(self) -> np.ndarray:
        """The rows that carry weight."""
        return np.flatnonzero(self.weights)


def nearest_hull_point(rows: np.ndarray, deadline: float = np.inf) -> HullPoint:
    """The nearest point to 0 in the convex hull of the rows (n, d), by Wolfe's active sets of at most d + 1 rows.

    Each round adds the row that is furthest behind the plane through the current point, then moves to the nearest
    point of the affine hull of the active rows, dropping rows whose weight would turn negative.  Finite, because every
    active set has a smaller distance than the one before.  The normal is solved for from the active rows, not taken
    from the point, whose digits cancel where the hull is close to 0.  Catalogue A-38.  The search ends early when
    `time.perf_counter` passes ``deadline``.

    >>> found = nearest_hull_point(np.array([[1.0, 1.0], [1.0, -1.0], [3.0, 0.0]]))
    >>> found.weights, float(np.linalg.norm(found.point).round(12))
    (array([0.5, 0.5, 0. ]), 1.0)
    """
    size = float(np.max(np.abs(rows))) or 1.0
    unit = rows / size
    lengths = np.linalg.norm(unit, axis=1)
    active, share = [int(np.argmin(lengths))], np.ones(1)
    normal, tell = _normal(unit[active]), Task("nearest point of the hull")
    for step in range(10 * sum(rows.shape) + 100):
        if time.perf_counter() > deadline:
            normal = None
        if normal is None:
            break
        ahead = unit @ normal
        worst = int(np.argmin(ahead))
        tell(step, 1.0 - float(ahead[worst]))
        rounding = max(1e-13, ROUNDING * float(lengths.max() * np.linalg.norm(normal)))
        if ahead[worst] >= 1 - rounding or worst in active:
            break
        active, share = _shrunk_to_positive(unit, [*active, worst], np.append(share, 0.0))
        normal = _normal(unit[active])
    weights = np.zeros(len(rows))
    weights[active] = share
    if normal is None or not np.all(unit @ normal > 0.5):
        return HullPoint(weights @ rows, weights, None)
    return HullPoint(normal / float(normal @ normal) * size, weights, normal / size)


def _normal(active: np.ndarray) -> np.ndarray | None:
    """The shortest ``w`` with ``active @ w = 1``; None if the affine hull of these rows contains 0."""
    normal = np.linalg.lstsq(active, np.ones(len(active)), rcond=None)[0]
    return normal if np.all(np.abs(active @ normal - 1) < 0.1) else None


def _shrunk_to_positive(rows: np.ndarray, active: list[int], share: np.ndarray) -> tuple[list[int], np.ndarray]:
    """The nearest point on the way to that of the affine hull, dropping the rows that would get negative weight."""
    while True:
        base, spread = rows[active[0]], rows[active[1:]] - rows[active[0]]
        others = np.linalg.lstsq(spread.T, -base, rcond=None)[0]
        wish = np.append(1.0 - others.sum(), others)
        falling = wish <= 0
        if not falling.any():
            return active, wish
        ratio = np.full(len(wish), np.inf)
        ratio[falling] = share[falling] / np.maximum(share[falling] - wish[falling], np.finfo(float).tiny)
        share = share + min(1.0, float(ratio.min())) * (wish - share)
        share[int(np.argmin(ratio))] = 0.0
        kept = share > 0
        active, share = [row for row, stays in zip(active, kept, strict=True) if stays], share[kept] / share[kept].sum()
