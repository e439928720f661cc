"""Layer display: coefficients along the penalty.  In: any fitted model with ``path_``.  Out: a figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surefit.display.axes import axes_for, lam_axis, ordered_positive
from surefit.estimators.linear_model import column_names

NAMED = 10
"""Coefficients that are named in the figure: the largest, so that the names can be read."""

RIGHT_EDGE = 0.2
"""Share of the axis at its right end in which the label of the chosen ``lam`` stands left of its line."""


@dataclass
class PathDisplay:
    """Each coefficient as a line over ``lam``, the largest ones named at the end of their line.  Catalogue A-22, A-10.

    Parameters
    ----------
    lams : (L,), positive and increasing.  coefs : (L, d).  names : d names.
    chosen : the ``lam`` of the model, marked by a dashed line; None for no mark.

    After `plot`: ``ax_``, ``figure_``, ``lines_``.

    >>> from surefit import Ridge
    >>> model = Ridge(lams=[0.01, 0.1, 1.0]).fit([[0.0], [1], [2], [3]], [1.0, 3, 2, 5])
    >>> PathDisplay.from_estimator(model).coefs.shape
    (3, 1)
    """

    lams: np.ndarray
    coefs: np.ndarray
    names: tuple[str, ...]
    chosen: float | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, *, target: int = 0) -> PathDisplay:
        """From a fitted model with ``path_`` (``lams``, ``coefs``); ``target`` picks one of several targets."""
        check_is_fitted(estimator)
        path = getattr(estimator, "path_", None)
        if path is None:
            raise ValueError(
                f"{type(estimator).__name__} was fitted at one lam and has no path_; fit with lam=None, or build the "
                "display from lams and coefs"
            )
        lams, coefs = np.asarray(path.lams, dtype=float), np.asarray(path.coefs)
        if coefs.ndim == 3:
            k = coefs.shape[1]
            if target not in range(-k, k):
                raise ValueError(f"target must be from 0 to {k - 1}, got {target!r}; one path is shown at a time")
            coefs = coefs[:, target]
        kept = ordered_positive(lams)
        return cls(lams[kept], coefs[kept], column_names(estimator), getattr(estimator, "lam_", None))

    def plot(self, ax: Any = None, **line_options: Any) -> PathDisplay:
        """Draw on ``ax`` or on new axes; ``line_options`` go to every line."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        self.ax_.axhline(0.0, color="0.7", linewidth=0.8, zorder=0)
        self.lines_ = self.ax_.plot(self.lams, self.coefs, **{"linewidth": 1.5, **line_options})
        lam_axis(self.ax_, self.lams)
        if self.chosen is not None and self.chosen > 0:
            self._mark_chosen(self.chosen)
        self.ax_.set_ylabel("coefficient")
        self._write_names()
        return self

    def _mark_chosen(self, lam: float) -> None:
        """A dashed line with its ``lam`` beside it: on the left near the right edge, where the names stand."""
        self.ax_.axvline(lam, color="0.4", linestyle="--", linewidth=1.0)
        span = np.log(self.lams[-1] / self.lams[0])
        leftwards = bool(np.log(lam / self.lams[0]) < RIGHT_EDGE * span)
        self.ax_.annotate(
            f"lam = {lam:.3g}", (lam, 1.0), xycoords=("data", "axes fraction"), xytext=(-4 if leftwards else 4, -4),
            textcoords="offset points", ha="right" if leftwards else "left", va="top", color="0.4",
        )  # fmt: skip

    def _write_names(self) -> None:
        """Names at the right end, pushed apart so that none covers another."""
        ends = self.coefs[0]
        shown = np.argsort(-np.abs(ends), kind="stable")[:NAMED]
        low, high = self.ax_.get_ylim()
        heights = spread_apart(ends[shown], 0.045 * (high - low))
        for j, height in zip(shown, heights, strict=True):
            self.ax_.annotate(
                self.names[j], (1.0, height), xycoords=("axes fraction", "data"), xytext=(6, 0),
                textcoords="offset points", va="center", color=self.lines_[j].get_color(), annotation_clip=False,
            )  # fmt: skip


def spread_apart(heights: np.ndarray, distance: float) -> np.ndarray:
    """Heights moved as little as a single pass allows so that neighbours are at least ``distance`` apart.

    >>> spread_apart(np.array([1.0, 1.0, 5.0]), 0.5).tolist()
    [0.75, 1.25, 5.0]
    """
    order = np.argsort(heights, kind="stable")
    groups: list[list[float]] = []  # [centre, count]: neighbours that would touch share one centre
    for wish in heights[order]:
        groups.append([float(wish), 1.0])
        while len(groups) > 1 and _bottom(groups[-1], distance) - _top(groups[-2], distance) < distance:
            (centre, count), (other, more) = groups.pop(-2), groups.pop()
            groups.append([(centre * count + other * more) / (count + more), count + more])
    moved = np.empty(len(heights))
    moved[order] = [_bottom(group, distance) + k * distance for group in groups for k in range(int(group[1]))]
    return moved


def _bottom(group: list[float], distance: float) -> float:
    return group[0] - 0.5 * (group[1] - 1) * distance


def _top(group: list[float], distance: float) -> float:
    return group[0] + 0.5 * (group[1] - 1) * distance
