"""Layer display: two classes or more in the plane: points by class, straight lines, the frame around them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

COLOURS = ("#2b6cb0", "#c05621", "#2f855a", "#6b46c1", "#b7791f", "#b83280")
"""Distinct in colour and in grey; repeated for more classes."""

MARKERS = ("o", "s", "^", "D", "v", "P")


def planar(X: Any) -> np.ndarray:
    """Rows of two columns, or an error that says what to do with more."""
    X = check_array(X, dtype=np.float64)
    if X.shape[1] != 2:
        raise ValueError(f"a figure of the plane needs 2 columns, got {X.shape[1]}; pick two, or project to two first")
    return X


def frame(X: np.ndarray) -> tuple[tuple[float, float], tuple[float, float]]:
    """Limits of both axes, with an eighth of the range free on every side."""
    low, high = X.min(axis=0), X.max(axis=0)
    room = np.where(high > low, (high - low) / 8, 1.0)
    return (float(low[0] - room[0]), float(high[0] + room[0])), (float(low[1] - room[1]), float(high[1] + room[1]))


def point_size(n: int) -> float:
    """Area of a point among ``n``: smaller where there are many, so that they do not hide each other."""
    return 34.0 if n <= 100 else 14.0


def draw_points(ax: Any, X: np.ndarray, codes: np.ndarray, classes: Any) -> None:
    """One colour and one marker a class, named in the legend."""
    for k, name in enumerate(classes):
        ax.scatter(
            *X[codes == k].T, s=point_size(len(X)), color=COLOURS[k % len(COLOURS)], marker=MARKERS[k % len(MARKERS)],
            edgecolor="white", linewidth=0.6, label=str(name), zorder=3,
        )  # fmt: skip


def draw_line(ax: Any, coef: np.ndarray, intercept: float, **options: Any) -> Any:
    """The line ``coef . x + intercept = 0``; None where ``coef`` is zero and there is no line."""
    square = float(coef @ coef)
    if square == 0:
        return None
    foot = -intercept / square * coef  # the point of the line that is nearest to the origin
    along = np.array([-coef[1], coef[0]]) / np.sqrt(square)
    return ax.axline(foot, foot + along, **options)
