"""Layer display: the perceptron at work.  In: a `Perceptron` of two columns, data.  Out: a figure of all its lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.display.axes import axes_for
from surefit.display.plane import draw_line, draw_points, frame, planar
from surefit.estimators.perceptron import Perceptron, order_of
from surefit.solvers.halfspaces.perceptron import perceptron

SHOWN = 60
"""Lines drawn at most; of more updates an even selection is shown, the last one always."""


@dataclass
class PerceptronDisplay:
    """The lines ``w . x + b = 0`` after each update of a perceptron, from pale to dark, the last one bold.

    Parameters
    ----------
    updates : (T, 3), ``(w_1, w_2, b)`` after each update.  rows : (T,), the row that caused it.
    X : (n, 2).  codes : (n,), the index of the class.  classes : their names.
    bound : no order of these rows causes more updates (infinite if they are not separable).
    names : of the two columns.

    After `plot`: ``ax_``, ``figure_``, ``lines_``.  Catalogue F-14, A-33, T-56.

    >>> corners, y = [[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> display = PerceptronDisplay.from_estimator(Perceptron(), corners, y)
    >>> display.updates[-1], len(display.updates), round(display.bound, 9)
    (array([ 3.,  2., -4.]), 18, 51.0)
    """

    updates: np.ndarray
    rows: np.ndarray
    X: np.ndarray
    codes: np.ndarray
    classes: np.ndarray
    bound: float
    names: tuple[str, str] = ("x0", "x1")

    @classmethod
    def from_estimator(cls, estimator: Perceptron, X: Any, y: Any, *, ax: Any = None) -> PerceptronDisplay:
        """Run a perceptron with the parameters of ``estimator`` (fitted or not) on these rows; draw every update."""
        names = tuple(map(str, getattr(X, "columns", ("x0", "x1"))))
        X, fitted = planar(X), Perceptron(**{**estimator.get_params(), "weights": "mean"})
        fitted.fit(X, y)
        codes = (np.asarray(y) == fitted.classes_[1]).astype(int)
        t, caused = 2.0 * codes - 1.0, [np.zeros(0, dtype=np.int64)]
        perceptron(
            X,
            t,
            fit_intercept=bool(fitted.fit_intercept),
            sign_zero=fitted.sign_zero,
            draws=order_of(fitted),
            max_epochs=fitted.max_epochs,
            on_epoch=caused.append,
        )
        rows = np.concatenate(caused)
        constant = np.full(len(X), float(bool(fitted.fit_intercept)))
        updates = np.cumsum((np.column_stack([X, constant]) * t[:, None])[rows], axis=0)
        bound = fitted.convergence_bound(X, y)
        return cls(updates, rows, X, codes, fitted.classes_, bound, (names[0], names[1])).plot(ax)

    def plot(self, ax: Any = None) -> PerceptronDisplay:
        """Draw on ``ax`` or on new axes."""
        self.ax_ = ax = axes_for(ax)
        self.figure_ = ax.figure
        T = len(self.updates)
        chosen = np.unique(np.linspace(0, T - 1, min(T, SHOWN)).astype(int)) if T else np.zeros(0, dtype=int)
        self.lines_ = []
        for k in chosen:
            age, last = (k + 1) / T, k == T - 1
            shade, width = ("0.1", 2.2) if last else (str(0.92 - 0.5 * age), 0.9)
            label = f"after the last of {T} updates" if last else None
            style = {"color": shade, "linewidth": width, "zorder": 1 + age, "label": label}
            line = draw_line(ax, self.updates[k, :2], float(self.updates[k, 2]), **style)
            self.lines_ += [] if line is None else [line]
        draw_points(ax, self.X, self.codes, self.classes)
        self._ring_rows()
        limits = frame(self.X)
        possible = np.floor(self.bound + 1e-6)
        bounded = f"at most {possible:.0f} possible" if np.isfinite(possible) else "no line separates these rows"
        ax.set_title(f"{T} updates; {bounded}")
        ax.set(xlim=limits[0], ylim=limits[1], xlabel=self.names[0], ylabel=self.names[1])
        ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        return self

    def _ring_rows(self) -> None:
        """A ring around every row that caused updates, wider the more there were."""
        counts = np.bincount(self.rows, minlength=len(self.X))
        if counts.any():
            wide = counts > 0
            size = 60 + 240 * counts[wide] / counts.max()
            style = {"facecolor": "none", "edgecolor": "0.3", "linewidth": 1.0, "zorder": 2.5}
            self.ax_.scatter(*self.X[wide].T, s=size, label="rows that caused updates", **style)
