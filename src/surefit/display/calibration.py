"""Layer display: do predicted probabilities come true?  In: labels and probabilities.  Out: a reliability figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special
from sklearn.utils.validation import check_is_fitted

from surefit.display.axes import axes_for


@dataclass
class CalibrationDisplay:
    """Share of rows in which an event came true over its predicted probability, in groups of equal size.

    Parameters
    ----------
    predicted : (B,), mean prediction of each group, increasing.  observed : (B,), share of events.
    count : (B,), rows of each group.  delta : each bar covers the true share with probability at least ``1 - delta``
        (Clopper-Pearson), for independent rows that the model has not seen.
    name : of the event.

    After `plot`: ``ax_``, ``figure_``, ``line_``.  Catalogue A-29.

    >>> display = CalibrationDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.8], groups=2)
    >>> display.predicted, display.observed, round(display.error, 9)
    (array([0.2, 0.7]), array([0., 1.]), 0.25)
    """

    predicted: np.ndarray
    observed: np.ndarray
    count: np.ndarray
    delta: float = 0.05
    name: str = "event"

    @classmethod
    def from_predictions(
        cls,
        truth: Any,
        probability: Any,
        *,
        groups: int = 10,
        delta: float = 0.05,
        name: str = "event",
        ax: Any = None,
        **line_options: Any,
    ) -> CalibrationDisplay:
        """From 0/1 (or boolean) ``truth`` (n,) and the predicted ``probability`` (n,) of 1, drawn."""
        truth, probability = np.asarray(truth, dtype=float), np.asarray(probability, dtype=float)
        if truth.shape != probability.shape or truth.ndim != 1 or len(truth) == 0:
            raise ValueError(f"truth and probability need one shape (n,), got {truth.shape} and {probability.shape}")
        if not np.all((truth == 0) | (truth == 1)):
            raise ValueError("truth must be 0 or 1 in every row; compare the labels with the class of interest first")
        if not np.all((probability >= 0) & (probability <= 1)):
            raise ValueError("probability must be from 0 to 1; pass a column of predict_proba")
        if not groups >= 1:
            raise ValueError(f"groups must be at least 1, got {groups}")
        if not 0 < delta < 1:
            raise ValueError(f"delta must be between 0 and 1, got {delta}; it is the probability that a bar fails")
        parts = np.array_split(np.argsort(probability, kind="stable"), min(groups, len(truth)))
        means = [[probability[part].mean(), truth[part].mean(), len(part)] for part in parts]
        predicted, observed, count = np.array(means).T
        return cls(predicted, observed, count, delta, name).plot(ax, **line_options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        positive: Any = None,
        groups: int = 10,
        delta: float = 0.05,
        ax: Any = None,
        **line_options: Any,
    ) -> CalibrationDisplay:
        """From a fitted classifier and fresh rows, drawn; ``positive`` is the class meant, the last by default."""
        check_is_fitted(estimator)
        classes = list(estimator.classes_)
        label = classes[-1] if positive is None else positive
        if label not in classes:
            raise ValueError(f"positive must be one of the classes {classes}, got {label!r}")
        probability = estimator.predict_proba(X)[:, classes.index(label)]
        about = {"groups": groups, "delta": delta, "name": str(label), "ax": ax, **line_options}
        return cls.from_predictions(np.asarray(y) == label, probability, **about)

    @property
    def error(self) -> float:
        """Expected calibration error: mean of ``|observed - predicted|`` over the groups, weighted by their rows."""
        return float(self.count @ np.abs(self.observed - self.predicted) / self.count.sum())

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Clopper-Pearson limits of the share of events in each group."""
        events, misses = self.observed * self.count, (1 - self.observed) * self.count
        low = special.betaincinv(np.maximum(events, 1e-300), misses + 1, self.delta / 2)
        high = special.betaincinv(events + 1, np.maximum(misses, 1e-300), 1 - self.delta / 2)
        return np.where(events > 0, low, 0.0), np.where(misses > 0, high, 1.0)

    def plot(self, ax: Any = None, **line_options: Any) -> CalibrationDisplay:
        """Draw on ``ax`` or on new axes; ``line_options`` go to the curve."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        self.ax_.plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=1.0, label="perfectly calibrated")
        low, high = self.bounds
        bars = np.clip([self.observed - low, high - self.observed], 0.0, None)
        self.line_ = self.ax_.errorbar(
            self.predicted, self.observed, yerr=bars, **{"marker": "o", "linewidth": 1.5, "capsize": 3, **line_options}
        )
        self.ax_.set_xlabel(f"predicted probability of {self.name}")
        self.ax_.set_ylabel(f"share of {self.name}")
        self.ax_.set_title(f"calibration error {self.error:.3f}")
        self.ax_.legend(frameon=False)
        return self
