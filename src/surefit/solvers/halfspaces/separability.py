"""Layer solvers: can a hyperplane tell two classes apart, and which one does it with the largest margin?

In: a dense matrix and labels -1 or +1.  Out: records with the evidence either way: a direction that separates, or
convex weights under which the rows ``t_i x_i`` cancel.  Refused: the largest margin of data that have none.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import Any

import numpy as np

from surefit.progress import Task, worked
from surefit.solvers.halfspaces.hull import nearest_hull_point
from surefit.solvers.halfspaces.signed_rows import SignedRows, checked_signs
from surefit.solvers.margin_programme import widest_margin

CLEAR = 1e-7
"""Margin of a linear programme (rows of length one) that its tolerance cannot have made up."""


@dataclass(frozen=True, eq=False)
class Separability:
    """Whether ``t_i (coef . x_i + intercept) > 0`` is possible for all rows, and why.

    ``coef`` and ``intercept`` separate the classes; None if nothing does.  Then ``conflict`` holds convex weights, not
    zero on at most d + 2 rows, under which the rows ``t_i (x_i, 1)`` cancel after each got a positive factor: were all
    of them on the right side, so would be their weighted sum, which is 0.
    """

    separable: bool
    coef: np.ndarray | None
    intercept: float | None
    conflict: np.ndarray | None

    def __bool__(self) -> bool:
        return self.separable


@worked("separability")
def is_separable(X: Any, labels: Any, *, fit_intercept: bool = True) -> Separability:
    """Are two classes linearly separable?  By linear programming, with the evidence.  Catalogue A-37, T-60.

    ``X`` of shape ``(n, d)``, labels -1 or +1.  Solves ``max g`` subject to ``t_i (w . x_i + b) >= g`` and bounded
    ``w``, on a growing set of rows.  A margin too small for the tolerance of the linear programme is decided by the
    nearest point of the convex hull, which sees margins down to rounding (about 1e-14 of the length of the rows).

    >>> corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> bool(is_separable(corners, [-1, -1, -1, 1])), bool(is_separable(corners, [-1, 1, 1, -1]))
    (True, False)
    """
    cloud = SignedRows.of(X, labels, fit_intercept)
    direction, conflict = direction_or_conflict(cloud.rows)
    if direction is None:
        return Separability(False, None, None, conflict)
    return Separability(True, *cloud.separator(direction), None)


def direction_or_conflict(rows: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None]:
    """A ``w`` with ``rows @ w > 0`` and None, or None and convex weights with ``weights @ rows = 0``."""
    n, d = rows.shape
    chosen = np.unique(np.linspace(0, n - 1, min(n, 50 + 5 * d)).astype(int))
    tell = Task("separability")
    while True:
        tell(len(chosen), 1.0 - len(chosen) / n)
        direction, weights = _decided(rows[chosen])
        if direction is None:
            conflict = np.zeros(n)
            conflict[chosen] = weights
            return None, conflict
        scores = rows @ direction
        wrong = np.flatnonzero(scores <= 0)
        if len(wrong) == 0:
            return direction, None
        chosen = np.union1d(chosen, wrong[np.argsort(scores[wrong])[: len(chosen)]])


def _decided(rows: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None]:
    direction, margin = widest_margin(rows)
    if margin > CLEAR and np.all(rows @ direction > 0):
        return direction, None
    nearest = nearest_hull_point(rows)
    return (nearest.normal, None) if nearest.normal is not None else (None, nearest.weights)


@dataclass(frozen=True, eq=False)
class MaxMargin:
    """The shortest ``coef`` with ``t_i coef . x_i >= 1``, and the rows that hold it.

    ``margin = 1 / ||coef||`` is the distance of the closest row to the plane, ``radius`` the length of the longest row,
    ``dual`` the multipliers (``coef = dual @ (t * X)``, not zero on at most d + 1 rows) and ``gap`` bounds
    ``||coef||**2`` minus the smallest possible.
    """

    coef: np.ndarray
    dual: np.ndarray
    radius: float
    gap: float

    @property
    def margin(self) -> float:
        return 1.0 / hypot(*self.coef)  # hypot neither overflows nor underflows

    @property
    def perceptron_bound(self) -> float:
        """``||coef||**2 * radius**2``: no perceptron that starts at 0 updates more often.  Catalogue T-56."""
        return (hypot(*self.coef) * self.radius) ** 2


@worked("largest margin")
def max_margin(X: Any, labels: Any) -> MaxMargin:
    """The homogeneous separator of largest margin: ``min ||u||**2`` subject to ``t_i u . x_i >= 1``.  Catalogue A-38.

    ``u = z / ||z||**2`` with ``z`` the point of the convex hull of the rows ``t_i x_i`` that is nearest to 0.  For a
    plane that need not pass through 0, append a constant column (`surefit.theory.risk.geometry.homogenise`); its weight
    then counts in ``||u||``, as it does for the perceptron.  Data that no such plane separates are refused.

    >>> found = max_margin([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]], [-1, -1, -1, 1])
    >>> found.coef.round(12), round(found.perceptron_bound, 9)
    (array([ 2.,  2., -3.]), 51.0)
    """
    X, t = checked_signs(X, labels)
    size = float(np.max(np.abs(X))) or 1.0
    rows = t[:, None] * (X / size)
    nearest = nearest_hull_point(rows)
    if nearest.normal is None:
        raise ValueError(
            "no hyperplane through the origin separates the classes, so there is no largest margin; append a constant "
            "column, see is_separable for the rows in conflict, or minimise the mistakes with min_disagreement"
        )
    coef = nearest.normal / float(np.min(rows @ nearest.normal))  # the smallest t_i u . x_i is 1
    square, radius = float(coef @ coef), float(np.max(np.linalg.norm(rows, axis=1)))
    reach = float(np.linalg.norm(nearest.weights @ rows)) + 8 * np.finfo(float).eps * X.shape[1] * radius
    gap = max(square - 1.0 / reach**2, 0.0)  # no u with t_i u . x_i >= 1 is shorter than 1 / ||weights @ rows||
    with np.errstate(over="ignore", under="ignore"):
        return MaxMargin(coef / size, nearest.weights * square / size / size, radius * size, gap / size / size)
