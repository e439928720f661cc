"""Layer solvers: the point of a convex hull that is nearest to the origin.

In: points as rows.  Out: its convex weights, not zero on at most d + 1 points.  The origin lies in the hull of the rows
``t_i x_i`` exactly if no hyperplane through 0 separates the classes; otherwise the nearest point is the normal of the
separator with the largest margin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.progress import Task

PRECISION = 1e-13
"""Optimality accepted, relative to the longest row times the distance: a few hundred roundings."""


@dataclass(frozen=True, eq=False)
class HullPoint:
    """``point = weights @ rows`` with ``weights >= 0`` and ``sum(weights) = 1``, nearest to 0 among all such points."""

    point: np.ndarray
    weights: np.ndarray

    @property
    def support(self) -> np.ndarray:
        """The rows that carry weight."""
        return np.flatnonzero(self.weights)


def nearest_hull_point(rows: np.ndarray) -> HullPoint:
    """The nearest point to 0 in the convex hull of the rows (n, d), by Wolfe's active sets of at most d + 1 rows.

    Each round adds the row that is furthest behind the plane through the current point, then moves to the nearest
    point of the affine hull of the active rows, dropping rows whose weight would turn negative.  Finite, because every
    active set has a smaller distance than the one before.  Catalogue A-38.

    >>> nearest_hull_point(np.array([[1.0, 1.0], [1.0, -1.0], [3.0, 0.0]])).point
    array([1., 0.])
    """
    longest = float(np.sqrt(np.max(np.einsum("ij,ij->i", rows, rows))))
    active = [int(np.argmin(np.einsum("ij,ij->i", rows, rows)))]
    share = np.ones(1)
    point, tell = rows[active[0]], Task("nearest point of the hull")
    for step in range(10 * sum(rows.shape) + 100):
        distance = float(np.linalg.norm(point))
        behind = rows @ point
        worst = int(np.argmin(behind))
        excess = distance**2 - float(behind[worst])
        tell(step, excess)
        if distance <= PRECISION * longest or excess <= PRECISION * longest * distance or worst in active:
            break
        active, share = _shrunk_to_positive(rows, [*active, worst], np.append(share, 0.0))
        point = share @ rows[active]
    weights = np.zeros(len(rows))
    weights[active] = share
    return HullPoint(point, weights)


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
