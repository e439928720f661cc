"""Layer display: three figures of a guarantee.  In: held-out errors or losses.  Out: figures.

`ErrorCurveDisplay`: how many rows are predicted to within how much, with a band that holds for all points at once.
`BoundGrowthDisplay`: what more held-out rows would buy.  `BoundsDisplay`: all bounds on one axis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from surefit.display.axes import axes_for, plain_numbers
from surefit.guarantee.answers import answers_labels, distances, one_answer_each, one_target
from surefit.guarantee.certify import certify
from surefit.guarantee.held_out import compared_rows
from surefit.guarantee.inside import remembered
from surefit.theory.certificates.shuffle import Shuffle
from surefit.theory.certificates.wording import at_most
from surefit.theory.means.arguments import unit_losses
from surefit.theory.means.betting import betting
from surefit.theory.means.concentration import (
    chernoff,
    clopper_pearson,
    dkw_slack,
    empirical_bernstein,
    hoeffding,
    hoeffding_bentkus,
)
from surefit.theory.means.sequences import betting_sequence

BOUNDS: Mapping[str, Callable[..., Any]] = {
    "Hoeffding": hoeffding,
    "empirical Bernstein": empirical_bernstein,
    "kl (Chernoff)": chernoff,
    "Hoeffding-Bentkus": hoeffding_bentkus,
    "betting, valid at all times": betting_sequence,
    "betting": betting,
    "Clopper-Pearson": clopper_pearson,
}


NEARLY_VACUOUS = 0.3
"""Share of the largest loss from which on a figure of bounds shows where nothing is said any more."""


@dataclass
class ErrorCurveDisplay:
    """The share of future rows predicted to within each distance: observed, and certified for all distances at once.

    ``errors`` increasing, ``observed`` the empirical distribution at them, ``certified`` the same less
    ``sqrt(ln(1/delta) / (2n))`` (Dvoretzky-Kiefer-Wolfowitz).  ``constant`` are the errors of the best constant, whose
    curve is drawn to compare with, or None.  ``point`` is the distance and the share that the certificate of the same
    rows names: a dot.  It speaks of one share alone, and so lies above the curve, which speaks of all distances at
    once.  After `plot`: ``ax_``, ``figure_``.

    >>> display = ErrorCurveDisplay.from_errors(np.arange(100.0))
    >>> float(display.within(89.0).round(3))
    0.778
    """

    errors: np.ndarray
    observed: np.ndarray
    certified: np.ndarray
    delta: float
    constant: np.ndarray | None = None
    point: tuple[float, float] | None = None

    @classmethod
    def from_errors(cls, errors: Any, delta: float = 0.05, *, ax: Any = None) -> ErrorCurveDisplay:
        """From held-out errors of any sign, drawn."""
        return cls._of(errors, delta).plot(ax)

    @classmethod
    def _of(cls, errors: Any, delta: float) -> ErrorCurveDisplay:
        ordered = np.sort(np.abs(np.asarray(errors, dtype=float).ravel()))
        if len(ordered) == 0 or not np.all(np.isfinite(ordered)):
            raise ValueError("a curve needs at least one error, and all of them finite; drop rows without a target")
        observed = np.arange(1, len(ordered) + 1) / len(ordered)
        return cls(ordered, observed, np.maximum(observed - dkw_slack(len(ordered), delta), 0.0), delta)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X_test: Any,
        y_test: Any,
        delta: float = 0.05,
        *,
        equal_rows_are_draws: bool = False,
        ax: Any = None,
    ) -> ErrorCurveDisplay:
        """From a fitted regressor and rows that it has never seen, drawn; those that it remembers are refused.

        Models of ours and those in `Certified` remember the mean of their training targets, to compare with.

        Rows that equal others may be copies, unless ``equal_rows_are_draws`` is your word that they are not: the curve
        is then the lower of two, the second with each kind once and nothing known of those that equal a training row.
        """
        if answers_labels(estimator):
            raise ValueError(f"{type(estimator).__name__} answers labels, which are right or wrong; give a regressor")
        y = one_target(y_test)
        check_consistent_length(X_test, y)
        found = compared_rows((estimator,), X_test, y, equal_rows_are_draws)
        errors = distances(y, one_answer_each(estimator.predict(X_test), y))
        memory = remembered(estimator)
        baseline = None if memory is None else memory.baseline
        mean = None if baseline is None else baseline.constant
        curve = replace(cls._of(errors, delta), constant=None if mean is None else np.sort(distances(y, mean)))
        said = certify(estimator, X_test, y, delta=delta, equal_rows_are_draws=equal_rows_are_draws)
        if np.isfinite(said.bound):
            curve = replace(curve, point=(said.bound, said.inputs["coverage"]))
        if equal_rows_are_draws or not found.any:
            return curve.plot(ax)
        once = np.sort(found.once(errors, np.inf))
        share = np.searchsorted(once, curve.errors, side="right") / len(once) - dkw_slack(len(once), delta)
        return replace(curve, certified=np.clip(share, 0.0, curve.certified)).plot(ax)

    def within(self, distance: float) -> np.float64:
        """The certified share of rows predicted to within ``distance``."""
        known = np.searchsorted(self.errors, distance, side="right")
        return np.float64(self.certified[known - 1] if known else 0.0)

    def plot(self, ax: Any = None) -> ErrorCurveDisplay:
        """Draw on ``ax`` or on new axes."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        self.ax_.step(self.errors, self.observed, where="post", label="observed", linewidth=1.2, color="0.5")
        confidence = f"certified at all distances at once, {100 * (1 - self.delta):g} % confidence"
        self.ax_.step(self.errors, self.certified, where="post", label=confidence, linewidth=1.8)
        self.ax_.fill_between(self.errors, self.certified, self.observed, step="post", alpha=0.2, linewidth=0)
        if self.point is not None:
            says = f"the certificate: {100 * self.point[1]:g} % within {at_most(self.point[0])}"
            self.ax_.plot(*self.point, "o", color="C0", label=says)
        if self.constant is not None:
            shares = np.arange(1, len(self.constant) + 1) / len(self.constant)
            style = {"color": "0.5", "linestyle": "--", "linewidth": 1.0}
            self.ax_.step(self.constant, shares, where="post", label="best constant, observed", **style)
        self.ax_.set(xlabel="|error|", ylabel="share of rows within", ylim=(0.0, 1.0))
        self.ax_.set_xlim(left=0.0)
        plain_numbers(self.ax_.xaxis)
        self.ax_.legend(frameon=False, loc="lower right")
        return self


@dataclass
class BoundGrowthDisplay:
    """The bound against the number of held-out rows, the losses staying as they are.

    For fewer rows or more, losses at evenly spaced ranks: what other numbers of rows would buy if they were like these.
    At ``n`` it is the bound of the certificate.  After `plot`: ``ax_``, ``figure_``, ``line_``.

    >>> display = BoundGrowthDisplay.from_losses(np.repeat([1.0, 0.0], [10, 490]))
    >>> display.sizes.tolist(), display.bounds.round(3).tolist()[-3:]
    ([62, 125, 250, 500, 1000, 2000], [0.034, 0.029, 0.026])
    """

    sizes: np.ndarray
    bounds: np.ndarray
    n: int
    mean: float

    @classmethod
    def from_losses(
        cls,
        losses: Any,
        delta: float = 0.05,
        *,
        upper: float = 1.0,
        bound: Callable[..., Any] | None = None,
        ax: Any = None,
    ) -> BoundGrowthDisplay:
        """From held-out losses in ``[0, upper]``, drawn.

        ``bound``: unless given, what a certificate takes: Clopper and Pearson's for losses that are 0 or ``upper``,
        betting for any others.
        """
        unit = np.ravel(unit_losses(losses, upper))
        n, ordered, shuffle = len(unit), np.sort(unit), Shuffle.of(unit)
        if bound is None:
            bound = clopper_pearson if _right_or_wrong(unit) else partial(betting, seed=shuffle.seed)
        sizes = np.unique([max(int(n * factor), min(n, 2)) for factor in (0.125, 0.25, 0.5, 1, 2, 4)])
        samples = [unit if size == n else ordered[((np.arange(size) + 0.5) * n / size).astype(int)] for size in sizes]
        shuffled = shuffle.permutation
        bounds = [upper * float(bound(one if one is unit else shuffled(one), delta)) for one in samples]
        return cls(sizes, np.array(bounds), n, upper * float(unit.mean())).plot(ax)

    def plot(self, ax: Any = None) -> BoundGrowthDisplay:
        """Draw on ``ax`` or on new axes."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        (self.line_,) = self.ax_.plot(self.sizes, self.bounds, "o-", linewidth=1.8, label="certified")
        self.ax_.axhline(self.mean, color="0.5", linestyle=":", label="observed")
        self.ax_.axvspan(self.n, self.sizes.max(), color="0.92", label="if more rows are like these", zorder=0)
        self.ax_.set_xscale("log")
        self.ax_.set_xticks(self.sizes, [f"{size:,}" for size in self.sizes])
        self.ax_.set_xticks([], minor=True)
        self.ax_.set(xlabel="held-out rows", ylabel="bound on the mean loss")
        self.ax_.set_ylim(bottom=0.0)
        self.ax_.legend(frameon=False)
        return self


@dataclass
class BoundsDisplay:
    """All bounds on the mean of the same losses on one axis, the vacuous zone in grey where one comes near it.

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
    def from_losses(cls, losses: Any, delta: float = 0.05, *, upper: float = 1.0, ax: Any = None) -> BoundsDisplay:
        """From held-out losses in ``[0, upper]``, drawn; Clopper and Pearson's bound only if all are 0 or ``upper``.

        That of Bernstein, which estimates a variance, only if there are two losses.
        """
        unit = np.ravel(unit_losses(losses, upper))
        unit = Shuffle.of(unit).permutation(unit)
        left_out = [] if _right_or_wrong(unit) else [clopper_pearson]
        left_out += [empirical_bernstein] if len(unit) == 1 else []
        chosen = {name: bound for name, bound in BOUNDS.items() if bound not in left_out}
        bounds = {name: upper * float(bound(unit, delta)) for name, bound in chosen.items()}
        return cls(bounds, upper * float(unit.mean()), upper).plot(ax)

    def plot(self, ax: Any = None) -> BoundsDisplay:
        """Draw on ``ax`` or on new axes."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        names, values = list(self.bounds), np.array(list(self.bounds.values()))
        places = np.arange(len(names))
        self.ax_.hlines(places, self.mean, values, color="0.7", linewidth=1.5)
        self.ax_.plot(values, places, "o", markersize=7)
        self.ax_.axvline(self.mean, color="0.4", linestyle=":", label="observed")
        right = 1.15 * self.upper
        if values.max() > NEARLY_VACUOUS * self.upper:
            self.ax_.axvspan(self.upper, right, color="0.85", label="vacuous", zorder=0)
        else:  # far from it, and too close to each other for an axis that reaches there
            right = 1.15 * float(values.max())
        self.ax_.set_yticks(places, names)
        self.ax_.set(xlabel="bound on the mean loss", xlim=(0.0, right))
        self.ax_.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)  # where no bound can be
        return self


def _right_or_wrong(unit: np.ndarray) -> bool:
    return bool(np.all((unit == 0.0) | (unit == 1.0)))
