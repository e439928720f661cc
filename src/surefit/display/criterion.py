"""Layer display: the criterion by which ``lam`` was chosen.  In: a model with ``criterion_path_``.  Out: a figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.display.axes import axes_for, lam_axis, marker_of, ordered_positive, plain_numbers, published
from surefit.page import number


@dataclass
class CriterionDisplay:
    """A criterion (cross-validation, leave-one-out, Cp, AIC, BIC) over ``lam``, with what was chosen marked.

    Parameters
    ----------
    lams : (L,), in any order, of which the positive ones are drawn.  criterion : (L,).
    standard_error : (L,) or None; drawn as a band of one standard error around the curve.
    name : what the vertical axis says.
    one_se : the one-standard-error choice, the largest ``lam`` within one error of the minimum; None: found here if
        there is a ``standard_error``.
    constant : the criterion of the best constant, drawn as a line to compare with; None for no line.
    least : the ``lam`` to mark as the minimum, of ties the one that was taken; None: found here.

    A choice at an end of the grid is called so, since a longer grid may have a better one.
    After `plot`: ``ax_``, ``figure_``, ``line_``.  Catalogue S-11.

    >>> display = CriterionDisplay(np.array([0.1, 1.0, 10.0]), np.array([2.0, 1.0, 1.2]), np.full(3, 0.3))
    >>> display.minimum, display.simplest
    (1.0, 10.0)
    """

    lams: np.ndarray
    criterion: np.ndarray
    standard_error: np.ndarray | None = None
    name: str = "criterion"
    one_se: float | None = None
    constant: float | None = None
    least: float | None = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, name: str | None = None, ax: Any = None, **line_options: Any
    ) -> CriterionDisplay:
        """From a fitted model that chose ``lam``, or any with ``lam_path_`` and ``criterion_path_``; drawn.

        A standard error (``criterion_se_``) is a band; the constant is judged as the model was, on rows left out.
        """
        curve = published(estimator, "criterion_path_", "criterion", "build CriterionDisplay(lams, criterion)")
        found, error = getattr(estimator, "selection_", None), getattr(estimator, "criterion_se_", None)
        error = None if error is None or np.all(np.isnan(error)) else error
        one_se = None if error is None else getattr(estimator, "lam_1se_", None)
        known = ("Criterion", None, None) if found is None else (found.label, found.constant, found.minimum)
        label, constant, least = known
        least = least or None  # lam = 0 has no place on a logarithmic axis
        display = cls(estimator.lam_path_, curve, error, name or label, one_se, constant, least)
        return display.plot(ax, **line_options)

    def __post_init__(self) -> None:
        lams = np.asarray(self.lams, dtype=float)
        kept, self._ends = ordered_positive(lams), (float(lams.min()), float(lams.max()))
        self.lams, self.criterion = lams[kept], np.asarray(self.criterion, dtype=float)[kept]
        if self.standard_error is not None:
            self.standard_error = np.asarray(self.standard_error, dtype=float)[kept]

    @property
    def minimum(self) -> float:
        """The ``lam`` of the smallest criterion."""
        return float(self.lams[np.nanargmin(self.criterion)]) if self.least is None else self.least

    @property
    def simplest(self) -> float | None:
        """The largest ``lam`` whose criterion is within one standard error of the smallest; None without errors."""
        if self.one_se is not None or self.standard_error is None:
            return self.one_se
        best = int(np.nanargmin(self.criterion))
        return float(self.lams[self.criterion <= self.criterion[best] + self.standard_error[best]].max())

    def plot(self, ax: Any = None, **line_options: Any) -> CriterionDisplay:
        """Draw on ``ax`` or on new axes; ``line_options`` go to the curve."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        (self.line_,) = self.ax_.plot(
            self.lams, self.criterion, **{"linewidth": 1.8, **marker_of(self.lams), **line_options}
        )
        if self.standard_error is not None:
            self.ax_.fill_between(
                self.lams, self.criterion - self.standard_error, self.criterion + self.standard_error,
                color=self.line_.get_color(), alpha=0.2, linewidth=0,
            )  # fmt: skip
        self._mark(self.minimum, "o", "minimum")
        if self.simplest is not None:
            self._mark(self.simplest, "D", "one standard error")
        if self.constant is not None and np.isfinite(self.constant):
            style = {"color": "0.5", "linestyle": "--", "linewidth": 1.0, "zorder": 0}
            self.ax_.axhline(self.constant, label=f"best constant: {number(self.constant)}", **style)
        lam_axis(self.ax_, self.lams)
        plain_numbers(self.ax_.yaxis)
        self.ax_.set_ylabel(self.name)
        self.ax_.legend(frameon=False)
        return self

    def _mark(self, lam: float, marker: str, word: str) -> None:
        height = np.interp(np.log(lam), np.log(self.lams), self.criterion)
        style = {"color": "0.2", "markersize": 7, "zorder": 3, "clip_on": False}  # whole also on the edge
        last = len(self.lams) > 1 and lam in self._ends
        label = f"{word}: lam = {number(lam, 3)}" + (", the end of the grid" if last else "")
        self.ax_.plot([lam], [height], marker, label=label, **style)
        self.ax_.axvline(lam, color="0.6", linestyle=":", linewidth=1.0, zorder=0)
