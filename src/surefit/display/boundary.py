"""Layer display: where a classifier changes its mind.  In: a fitted classifier of two columns, data.  Out: a figure."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surefit.display.axes import axes_for
from surefit.display.plane import COLOURS, draw_line, draw_points, frame, planar, point_size
from surefit.estimators.kinds.linear import column_names

GRID = 300
"""Points along each axis at which the classifier is asked."""


@dataclass
class BoundaryDisplay:
    """The regions of a classifier in the plane with the data; for a linear one also its normal vector and margins.

    Parameters
    ----------
    regions : (G, G), the index of the predicted class on a grid.  limits : those of both axes.
    X : (n, 2).  codes, predicted : (n,), the index of the true and of the predicted class.  classes : their names.
    names : of the two columns.  line : ``(coef, intercept)`` of a linear classifier of two classes, at the odds where
        its ``costs`` are equal if it has any, else None.

    The margin is the distance of the closest row to the line; it is drawn, with the rows that hold it, if no row is
    wrong.  After `plot`: ``ax_``, ``figure_``.  Catalogue F-14, D-04.

    >>> from surefit import Perceptron
    >>> corners, y = [[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> display = BoundaryDisplay.from_estimator(Perceptron().fit(corners, y), corners, y)
    >>> round(display.margin, 6), round(display.distance_from_origin, 6), display.n_mistakes
    (0.27735, 1.1094, 0)
    """

    regions: np.ndarray
    limits: tuple[tuple[float, float], tuple[float, float]]
    X: np.ndarray
    codes: np.ndarray
    predicted: np.ndarray
    classes: np.ndarray
    names: tuple[str, ...]
    line: tuple[np.ndarray, float] | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> BoundaryDisplay:
        """From a fitted classifier of two columns and the rows to show, drawn."""
        check_is_fitted(estimator)
        names, X = column_names(estimator), planar(X)
        classes, y = estimator.classes_, np.asarray(y)
        limits = frame(X)
        across, up = np.meshgrid(np.linspace(*limits[0], GRID), np.linspace(*limits[1], GRID))
        asked = np.column_stack([across.ravel(), up.ravel()])
        codes = np.searchsorted(classes, y).clip(max=len(classes) - 1)
        if not np.array_equal(classes[codes], y):
            raise ValueError(f"y holds labels other than the classes {classes.tolist()} of the model; leave them out")
        regions = np.searchsorted(classes, _answers(estimator, asked)).reshape(across.shape)
        predicted = np.searchsorted(classes, _answers(estimator, X))
        return cls(regions, limits, X, codes, predicted, classes, names, _line(estimator)).plot(ax)

    @property
    def n_mistakes(self) -> int:
        """Rows on the wrong side."""
        return int(np.count_nonzero(self.codes != self.predicted))

    @property
    def distances(self) -> np.ndarray | None:
        """Signed distances of the rows to the line, positive on the side of the second class; None if there is none."""
        if self.line is None:
            return None
        coef, intercept = self.line
        return (self.X @ coef + intercept) / np.linalg.norm(coef)

    @property
    def margin(self) -> float | None:
        """Distance of the closest row to the line; None if there is no line or a row is wrong."""
        return None if self.distances is None or self.n_mistakes else float(np.min(np.abs(self.distances)))

    @property
    def distance_from_origin(self) -> float | None:
        """``c / ||w||`` of the line ``w . x = c``, signed: how far along ``w`` it lies.  Catalogue D-04, E-024."""
        return None if self.line is None else float(-self.line[1] / np.linalg.norm(self.line[0]))

    def plot(self, ax: Any = None) -> BoundaryDisplay:
        """Draw on ``ax`` or on new axes."""
        self.ax_ = ax = axes_for(ax)
        self.figure_ = ax.figure
        k = len(self.classes)
        shades = [COLOURS[j % len(COLOURS)] for j in range(k)]
        across, up = (np.linspace(*limit, GRID) for limit in self.limits)
        ax.contourf(across, up, self.regions, levels=np.arange(k + 1) - 0.5, colors=shades, alpha=0.14)
        if self.line is None:
            for j in np.unique(self.regions)[:-1]:
                ax.contour(across, up, self.regions == j, levels=[0.5], colors="0.25", linewidths=1.4)
        draw_points(ax, self.X, self.codes, self.classes)
        self._mark_mistakes()
        if self.line is not None:
            self._draw_normal(*self.line)
        ax.set(xlim=self.limits[0], ylim=self.limits[1], xlabel=self.names[0], ylabel=self.names[1])
        ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        return self

    def _mark_mistakes(self) -> None:
        wrong = self.codes != self.predicted
        if wrong.any():
            size = 2.2 * point_size(len(self.X))
            style = {"s": size, "facecolor": "none", "edgecolor": "0.15", "linewidth": 1.0, "zorder": 4}
            self.ax_.scatter(*self.X[wrong].T, label=f"mistakes ({self.n_mistakes})", **style)

    def _draw_normal(self, coef: np.ndarray, intercept: float) -> None:
        """The normal vector from the middle of the data, and with no mistakes the margins and who holds them."""
        self.ax_.set_aspect("equal", adjustable="box")
        draw_line(self.ax_, coef, intercept, color="0.25", linewidth=1.4)
        length, distances, margin = float(np.linalg.norm(coef)), self.distances, self.margin
        centre = self.X.mean(axis=0)
        foot = centre - (centre @ coef + intercept) / length**2 * coef
        reach = 0.2 * min(high - low for low, high in self.limits)
        tip = foot + reach * coef / length
        self.ax_.annotate("", tip, foot, arrowprops={"arrowstyle": "-|>", "color": "0.15", "linewidth": 1.4}, zorder=5)
        self.ax_.annotate("w", tip, xytext=(5, 5), textcoords="offset points", color="0.15", zorder=5)
        if margin is None or distances is None:
            return
        dashed = {"color": "0.4", "linestyle": "--", "linewidth": 1.0}
        draw_line(self.ax_, coef, intercept - margin * length, label=f"margin {margin:.3g}", **dashed)
        draw_line(self.ax_, coef, intercept + margin * length, **dashed)
        closest = np.abs(distances) <= margin * (1 + 1e-9)
        ring = {"s": 110, "facecolor": "none", "edgecolor": "0.4", "linestyle": ":", "zorder": 4}
        self.ax_.scatter(*self.X[closest].T, label="closest rows", **ring)


def _answers(estimator: Any, X: np.ndarray) -> np.ndarray:
    """Predictions for plain arrays, also of a model that was fitted to a data frame."""
    if hasattr(estimator, "feature_names_in_"):
        frame_type = importlib.import_module("pandas").DataFrame  # the model has seen a data frame
        return np.asarray(estimator.predict(frame_type(X, columns=estimator.feature_names_in_)))
    return np.asarray(estimator.predict(X))


def _line(estimator: Any) -> tuple[np.ndarray, float] | None:
    coef = np.atleast_2d(getattr(estimator, "coef_", np.zeros((0, 2))))
    if coef.shape != (1, 2) or len(estimator.classes_) != 2 or not np.any(coef):
        return None
    return _at_costs(coef[0].astype(float), float(np.ravel(estimator.intercept_)[0]), getattr(estimator, "costs", None))


def _at_costs(coef: np.ndarray, intercept: float, costs: Any) -> tuple[np.ndarray, float] | None:
    """The line of log-odds at which both classes cost the same, its normal on the side of the second; None if nowhere.

    The second class is predicted where ``p1 (costs[1][0] - costs[1][1]) > p0 (costs[0][1] - costs[0][0])``.

    >>> _at_costs(np.array([1.0, 0.0]), 0.0, [[0, 1], [4, 0]])  # an odds of a quarter is enough
    (array([1., 0.]), 1.3862943611198906)
    """
    if costs is None:
        return coef, intercept
    table = np.asarray(costs, dtype=float)
    missed, alarmed = table[1, 0] - table[1, 1], table[0, 1] - table[0, 0]
    if not missed * alarmed > 0:  # one class is never dearer than the other
        return None
    side = np.sign(missed)
    return side * coef, float(side * (intercept - np.log(alarmed / missed)))
