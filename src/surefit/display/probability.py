"""Layer display: the probability map of a classifier on two features.  In: a model and its data.  Out: a figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surefit.display.axes import axes_for

COLOURS = ("#2166ac", "#b2182b")
MARGIN = 0.1
"""Share of each feature's range that is shown beyond its ends."""


@dataclass
class ProbabilityDisplay:
    """The probability of the second of two classes over a plane, its boundary 1/2, and the data.  Catalogue F-06.

    Parameters
    ----------
    first, second : (g,), the grid on each feature.  probability : (g, g), row by ``second``.
    X : (n, 2).  positive : (n,), which rows are of the second class.  names : of the features.  classes : of the two.

    After `plot`: ``ax_``, ``figure_``, ``surface_``, ``boundary_``.

    >>> from surefit import KernelLogistic
    >>> X = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
    >>> display = ProbabilityDisplay.from_estimator(KernelLogistic(lam=0.01).fit(X, [0, 0, 1, 1]), X, [0, 0, 1, 1])
    >>> display.probability.shape
    (100, 100)
    """

    first: np.ndarray
    second: np.ndarray
    probability: np.ndarray
    X: np.ndarray
    positive: np.ndarray
    names: tuple[str, str] = ("x0", "x1")
    classes: tuple[str, str] = ("the first class", "the second class")

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, resolution: int = 100, ax: Any = None, **surface_options: Any
    ) -> ProbabilityDisplay:
        """From a fitted classifier of two classes with ``predict_proba`` and the rows ``X`` (n, 2) to draw."""
        check_is_fitted(estimator)
        rows = np.asarray(X, dtype=float)
        if rows.ndim != 2 or rows.shape[1] != 2 or len(estimator.classes_) != 2:
            raise ValueError(
                f"a probability map needs two features and two classes, got X of shape {rows.shape} and "
                f"{len(estimator.classes_)} classes; fit a model on two of the columns"
            )
        low, high = rows.min(axis=0), rows.max(axis=0)
        edge = MARGIN * np.where(high > low, high - low, 1.0)
        first, second = np.linspace(low - edge, high + edge, resolution).T
        plane = np.column_stack([np.tile(first, resolution), np.repeat(second, resolution)])
        given = getattr(estimator, "feature_names_in_", None)
        if given is not None:
            plane = type(X)(plane, columns=given) if hasattr(X, "columns") else plane
        probability = estimator.predict_proba(plane)[:, 1].reshape(resolution, resolution)
        names = ("x0", "x1") if given is None else (str(given[0]), str(given[1]))
        classes = (str(estimator.classes_[0]), str(estimator.classes_[1]))
        display = cls(first, second, probability, rows, np.asarray(y) == estimator.classes_[1], names, classes)
        return display.plot(ax, **surface_options)

    def plot(self, ax: Any = None, **surface_options: Any) -> ProbabilityDisplay:
        """Draw on ``ax`` or on new axes; ``surface_options`` go to the coloured surface."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        options = {"cmap": "RdBu_r", "levels": np.linspace(0, 1, 11), "alpha": 0.7, **surface_options}
        self.surface_ = self.ax_.contourf(self.first, self.second, self.probability, **options)
        self.boundary_ = None
        if self.probability.min() < 0.5 < self.probability.max():
            self.boundary_ = self.ax_.contour(
                self.first, self.second, self.probability, levels=[0.5], colors="0.1", linewidths=1.8
            )
        for which, colour, name in zip((~self.positive, self.positive), COLOURS, self.classes, strict=True):
            self.ax_.scatter(*self.X[which].T, s=16, color=colour, edgecolor="white", linewidth=0.5, label=name)
        self.figure_.colorbar(self.surface_, ax=self.ax_, label=f"probability of {self.classes[1]}")
        self.ax_.legend(frameon=True, framealpha=0.8, loc="best")
        self.ax_.set_xlabel(self.names[0])
        self.ax_.set_ylabel(self.names[1])
        return self
