"""Layer display: three figures of a guarantee.  In: held-out errors or losses.  Out: figures.

`ErrorCurveDisplay`: how many rows are predicted to within how much, with a band that holds for all points at once.
`BoundGrowthDisplay`: what more held-out rows would buy.  `BoundsDisplay`: all bounds on one axis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.display.axes import axes_for
from surefit.theory.betting import betting
from surefit.theory.concentration import (
    chernoff,
    clopper_pearson,
    dkw_slack,
    empirical_bernstein,
    hoeffding,
    hoeffding_bentkus,
)
from surefit.theory.losses import unit_losses
from surefit.theory.sequences import betting_sequence

BOUNDS: Mapping[str, Callable[..., Any]] = {
    "Hoeffding": hoeffding,
    "empirical Bernstein": empirical_bernstein,
    "kl (Chernoff)": chernoff,
    "Hoeffding-Bentkus": hoeffding_bentkus,
    "betting, valid at all times": betting_sequence,
    "betting": betting,
    "Clopper-Pearson": clopper_pearson,
}


@dataclass
class ErrorCurveDisplay:
    """The share of future rows predicted to within each distance: observed, and certified for all distances at once.

    ``errors`` increasing, ``observed`` the empirical distribution at them, ``certified`` the same less
    ``sqrt(ln(1/delta) / (2n))`` (Dvoretzky-Kiefer-Wolfowitz).  After `plot`: ``ax_``, ``figure_``.

    >>> display = ErrorCurveDisplay.from_errors(np.arange(100.0))
    >>> float(display.within(89.0).round(3))
    0.778
    """

    errors: np.ndarray
    observed: np.ndarray
    certified: np.ndarray
    delta: float

    @classmethod
    def from_errors(cls, errors: Any, delta: float = 0.05) -> ErrorCurveDisplay:
        """From held-out errors of any sign."""
        ordered = np.sort(np.abs(np.asarray(errors, dtype=float).ravel()))
        observed = np.arange(1, len(ordered) + 1) / len(ordered)
        return cls(ordered, observed, np.maximum(observed - dkw_slack(len(ordered), delta), 0.0), delta)

    @classmethod
    def from_estimator(cls, estimator: Any, X_test: Any, y_test: Any, delta: float = 0.05) -> ErrorCurveDisplay:
        """From a fitted regressor and rows that it has never seen."""
        return cls.from_errors(np.asarray(y_test, dtype=float) - np.asarray(estimator.predict(X_test)), delta)

    def within(self, distance: float) -> np.float64:
        """The certified share of rows predicted to within ``distance``."""
        known = np.searchsorted(self.errors, distance, side="right")
        return np.float64(self.certified[known - 1] if known else 0.0)

    def plot(self, ax: Any = None) -> ErrorCurveDisplay:
        """Draw on ``ax`` or on new axes."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        self.ax_.step(self.errors, self.observed, where="post", label="observed", linewidth=1.2, color="0.5")
        confidence = f"certified, {100 * (1 - self.delta):g} % confidence"
        self.ax_.step(self.errors, self.certified, where="post", label=confidence, linewidth=1.8)
        self.ax_.fill_between(self.errors, self.certified, self.observed, step="post", alpha=0.2, linewidth=0)
        self.ax_.set(xlabel="|error|", ylabel="share of rows within", ylim=(0.0, 1.0))
        self.ax_.legend(frameon=False, loc="lower right")
        return self


@dataclass
class BoundGrowthDisplay:
    """The bound against the number of held-out rows, the losses staying as they are.

    Below ``n`` the bound is that of the first rows; above it, of the same losses repeated: what more rows would buy if
    they were like these.  After `plot`: ``ax_``, ``figure_``, ``line_``.

    >>> display = BoundGrowthDisplay.from_losses(np.repeat([1.0, 0.0], [10, 490]), bound=clopper_pearson)
    >>> display.sizes.tolist(), display.bounds.round(3).tolist()[-3:]
    ([62, 125, 250, 500, 1000, 2000], [0.034, 0.029, 0.026])
    """

    sizes: np.ndarray
    bounds: np.ndarray
    n: int
    mean: float

    @classmethod
    def from_losses(
        cls, losses: Any, delta: float = 0.05, *, upper: float = 1.0, bound: Callable[..., Any] = betting
    ) -> BoundGrowthDisplay:
        """From held-out losses in ``[0, upper]``, in random order once shuffled here."""
        losses = np.random.default_rng(0).permutation(unit_losses(losses, upper) * upper)
        n = len(losses)
        sizes = np.unique([max(int(n * factor), 2) for factor in (0.125, 0.25, 0.5, 1, 2, 4)])
        repeated = np.tile(losses, 4)
        bounds = np.array([float(bound(repeated[:size], delta, upper=upper)) for size in sizes])
        return cls(sizes, bounds, n, float(losses.mean()))

    def plot(self, ax: Any = None) -> BoundGrowthDisplay:
        """Draw on ``ax`` or on new axes."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        (self.line_,) = self.ax_.plot(self.sizes, self.bounds, "o-", linewidth=1.8, label="certified")
        self.ax_.axhline(self.mean, color="0.5", linestyle=":", label="observed")
        self.ax_.axvspan(self.n, self.sizes.max(), color="0.92", label="if more rows are like these", zorder=0)
        self.ax_.set_xscale("log")
        self.ax_.set_xticks(self.sizes, [str(size) for size in self.sizes])
        self.ax_.set_xticks([], minor=True)
        self.ax_.set(xlabel="held-out rows", ylabel="bound on the mean loss")
        self.ax_.set_ylim(bottom=0.0)
        self.ax_.legend(frameon=False)
        return self


@dataclass
class BoundsDisplay:
    """All bounds on the mean of the same losses on one axis, the vacuous zone in grey.

    For comparison: the smallest of several bounds at one ``delta`` is not a bound at that ``delta``.
    After `plot`: ``ax_``, ``figure_``.

    >>> display = BoundsDisplay.from_losses(np.repeat([1.0, 0.0], [10, 490]))
    >>> round(display.bounds["Clopper-Pearson"], 4)
    0.0337
    """

    bounds: Mapping[str, float]
    mean: float
    upper: float

    @classmethod
    def from_losses(cls, losses: Any, delta: float = 0.05, *, upper: float = 1.0) -> BoundsDisplay:
        """From held-out losses in ``[0, upper]``; Clopper and Pearson's bound only if all are 0 or ``upper``."""
        unit = np.random.default_rng(0).permutation(unit_losses(losses, upper))
        binary = bool(np.all((unit == 0.0) | (unit == 1.0)))
        chosen = {name: bound for name, bound in BOUNDS.items() if binary or bound is not clopper_pearson}
        bounds = {name: upper * float(bound(unit, delta)) for name, bound in chosen.items()}
        return cls(bounds, upper * float(unit.mean()), upper)

    def plot(self, ax: Any = None) -> BoundsDisplay:
        """Draw on ``ax`` or on new axes."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        names, values = list(self.bounds), np.array(list(self.bounds.values()))
        places = np.arange(len(names))
        self.ax_.hlines(places, self.mean, values, color="0.7", linewidth=1.5)
        self.ax_.plot(values, places, "o", markersize=7)
        self.ax_.axvline(self.mean, color="0.4", linestyle=":", label="observed")
        self.ax_.axvspan(self.upper, 1.15 * self.upper, color="0.85", label="vacuous", zorder=0)
        self.ax_.set_yticks(places, names)
        self.ax_.set(xlabel="bound on the mean loss", xlim=(0.0, 1.15 * self.upper))
        self.ax_.legend(frameon=False, loc="lower right")
        return self
