"""Layer display: coefficients along the penalty.  In: any fitted model with ``path_``.  Out: a figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.display.axes import axes_for, lam_axis, marker_of, ordered_positive, plain_numbers, published
from surefit.estimators.kinds.linear import column_names
from surefit.page import number
from surefit.solvers.lasso.exact.homotopy import HomotopyPath
from surefit.solvers.solution import Path

NAMED = 10
"""Coefficients that are named in the figure: the largest, so that the names can be read."""

LONGEST_NAME = 30
"""Characters of a name that are written; a longer one would push the figure aside, or be cut off."""

RIGHT_EDGE = 0.2
"""Share of the axis at its right end in which the label of the chosen ``lam`` stands left of its line."""


HEADROOM = 0.06
"""Share of the figure's height that is added above the lines for the label of the chosen ``lam``."""

DEPTH, FINE = 1e-4, 400
"""How far down an exact path is drawn, as a share of its largest ``lam``, and at how many ``lam`` beside its knots."""


@dataclass
class PathDisplay:
    """Each coefficient as a line over ``lam``, the largest ones named at the end of their line.  Catalogue A-22, A-10.

    Parameters
    ----------
    lams : (L,), in any order, of which the positive ones are drawn.  coefs : (L, d).  names : d names.
    chosen : the ``lam`` of the model, marked by a dashed line; None for no mark.

    After `plot`: ``ax_``, ``figure_``, ``lines_``.

    >>> from surefit import Ridge
    >>> model = Ridge(lams=[1e-6, 0.1, 1.0]).fit([[0.0], [1], [2], [3]], [1.0, 3, 2, 5])
    >>> PathDisplay.from_estimator(model).coefs.shape
    (3, 1)
    """

    lams: np.ndarray
    coefs: np.ndarray
    names: tuple[str, ...]
    chosen: float | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, *, target: int = 0, ax: Any = None, **line_options: Any) -> PathDisplay:
        """From a fitted model with ``path_`` (``lams``, ``coefs``), drawn; ``target`` picks one of several targets."""
        if isinstance(estimator, Path | HomotopyPath):
            kind = type(estimator).__name__
            raise ValueError(f"{kind} is a path and not a fitted model; use PathDisplay.from_path(path, names)")
        path = published(estimator, "path_", "path", "build PathDisplay(lams, coefs, names)")
        coefs, chosen = _one_target(np.asarray(path.coefs), target), getattr(estimator, "lam_", None)
        return cls(path.lams, coefs, column_names(estimator), chosen).plot(ax, **line_options)

    @classmethod
    def from_path(
        cls,
        path: Path | HomotopyPath,
        names: Any = None,
        *,
        chosen: float | None = None,
        target: int = 0,
        ax: Any = None,
        **line_options: Any,
    ) -> PathDisplay:
        """From what `lasso_path`, `elastic_net_path`, `lasso_homotopy` or `least_angle_path` returned, drawn.

        An exact path is drawn as it runs between its knots, which is curved on a logarithmic axis; it is cut where
        ``lam`` is a ten-thousandth of the largest.
        """
        lams, coefs = drawn_knots(path) if isinstance(path, HomotopyPath) else (path.lams, path.coefs)
        names = tuple(f"x{j}" for j in range(coefs.shape[-1])) if names is None else names
        return cls(lams, _one_target(np.asarray(coefs), target), names, chosen).plot(ax, **line_options)

    def __post_init__(self) -> None:
        lams, self.coefs = np.asarray(self.lams, dtype=float), np.asarray(self.coefs)
        self.names = tuple(map(str, self.names))
        if lams.ndim != 1 or self.coefs.shape != (len(lams), len(self.names)):
            raise ValueError(
                f"need lams (L,), coefs (L, d) and d names, got shapes {lams.shape} and {self.coefs.shape} and "
                f"{len(self.names)} names; pass path.lams, path.coefs and the names of all columns"
            )
        kept = ordered_positive(lams)
        self.lams, self.coefs = lams[kept], self.coefs[kept]

    def plot(self, ax: Any = None, **line_options: Any) -> PathDisplay:
        """Draw on ``ax`` or on new axes; ``line_options`` go to every line."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        self.ax_.axhline(0.0, color="0.7", linewidth=0.8, zorder=0)
        options = {"linewidth": 1.5, **marker_of(self.lams), **line_options}
        self.lines_ = self.ax_.plot(self.lams, self.coefs, **options)
        lam_axis(self.ax_, self.lams)
        if self.chosen is not None and self.chosen > 0:
            self._mark_chosen(self.chosen)
        plain_numbers(self.ax_.yaxis)
        self.ax_.set_ylabel("coefficient")
        self._write_names()
        return self

    def _mark_chosen(self, lam: float) -> None:
        """A dashed line with its ``lam`` beside it: on the left near the right edge, where the names stand."""
        self.ax_.axvline(lam, color="0.4", linestyle="--", linewidth=1.0)
        low, high = self.ax_.get_ylim()
        self.ax_.set_ylim(low, high + HEADROOM * (high - low))
        span = np.log(self.lams[-1] / self.lams[0])
        leftwards = bool(np.log(lam / self.lams[0]) < RIGHT_EDGE * span)  # never of a lam alone: it is in the middle
        self.ax_.annotate(
            f"lam = {number(lam, 3)}", (lam, 1.0), xycoords=("data", "axes fraction"),
            xytext=(-4 if leftwards else 4, -4), textcoords="offset points",
            ha="right" if leftwards else "left", va="top", color="0.4",
        )  # fmt: skip

    def _write_names(self) -> None:
        """Names at the right end, pushed apart so that none covers another."""
        ends = self.coefs[0]
        shown = np.argsort(-np.abs(ends), kind="stable")[:NAMED]
        low, high = self.ax_.get_ylim()
        heights = spread_apart(ends[shown], 0.045 * (high - low))
        for j, height in zip(shown, heights, strict=True):
            self.ax_.annotate(
                shortened(self.names[j]), (1.0, height), xycoords=("axes fraction", "data"), xytext=(6, 0),
                textcoords="offset points", va="center", color=self.lines_[j].get_color(), annotation_clip=False,
            )  # fmt: skip


def _one_target(coefs: np.ndarray, target: int) -> np.ndarray:
    """The coefficients (L, d) of one of several targets or classes."""
    if coefs.ndim < 3:
        return coefs
    k = coefs.shape[1]
    if target not in range(-k, k):
        raise ValueError(f"target must be from 0 to {k - 1}, got {target!r}; one path is shown at a time")
    return coefs[:, target]


def drawn_knots(path: HomotopyPath) -> tuple[np.ndarray, np.ndarray]:
    """An exact path at its knots and at enough ``lam`` between them for a smooth curve over ``log(lam)``.

    >>> from surefit.solvers.lasso.exact.homotopy import lasso_homotopy
    >>> lams, coefs = drawn_knots(lasso_homotopy([[0.0], [1], [2], [3]], [1.0, 3, 2, 5]))
    >>> float(lams.max()), coefs.shape == (len(lams), 1)
    (2.75, True)
    """
    largest, smallest = float(path.knots[0]), float(path.knots[-1])
    bottom = max(smallest, DEPTH * largest)
    grid = np.geomspace(largest, bottom, FINE) if bottom > 0 else np.empty(0)
    lams = np.unique(np.concatenate([path.knots[path.knots >= bottom], np.clip(grid, bottom, largest)]))
    return lams, path.at(lams)[0]


def shortened(name: str) -> str:
    """A name that leaves room for the figure beside it.

    >>> shortened("mean temperature of the last seven days")
    'mean temperature of the last…'
    """
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1].rstrip() + "…"


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
