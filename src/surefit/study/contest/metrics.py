"""Layer study: what candidates are compared by: a loss for every row, and the score that its mean becomes.

In: targets and answers (numbers, or a probability for each class).  Out: losses ``(n,)``, and scores in the units that
a user reads: the root of the mean square for squared errors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surefit.study.records.board import Metric
from surefit.study.target import Target

SMALLEST = 1e-15
"""Probability below which a log loss is not counted further."""


@dataclass(frozen=True)
class Measure:
    """A metric: its losses, and how their mean becomes a score."""

    name: str
    losses: Callable[[np.ndarray, np.ndarray], np.ndarray]
    root: bool = False

    def score(self, losses: np.ndarray, weight: np.ndarray | None = None) -> float:
        mean = float(np.average(losses, weights=weight))
        return float(np.sqrt(mean)) if self.root else mean

    def standard_error(self, losses: np.ndarray, weight: np.ndarray | None = None) -> float:
        """Of the score, by the delta method where it is a root."""
        share = np.full(len(losses), 1 / len(losses)) if weight is None else weight / weight.sum()
        mean = float(share @ losses)
        error = float(np.sqrt(np.sum(share**2 * (losses - mean) ** 2)))
        return error / (2 * np.sqrt(mean)) if self.root and mean > 0 else error


def _squares(y: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return (y - answers) ** 2


def _distances(y: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return np.abs(y - answers)


def _log_losses(y: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return -np.log(np.maximum(answers[np.arange(len(y)), y.astype(int)], SMALLEST))


def _mistakes(y: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return 1.0 * (np.argmax(answers, axis=1) != y)


RMSE = Measure("root mean squared error", _squares, root=True)
MAE = Measure("mean absolute error", _distances)
LOG_LOSS = Measure("log loss", _log_losses)
ERROR_RATE = Measure("error rate", _mistakes)

OF_TASK = {"regression": (RMSE, MAE), "classification": (LOG_LOSS, ERROR_RATE)}
"""The metrics of a task; candidates are compared by the first unless another is asked for."""

WORDS = {"rmse": RMSE, "mae": MAE, "log-loss": LOG_LOSS, "error-rate": ERROR_RATE}


def measure_of(task: str, asked: str | None = None) -> Measure:
    """The metric that candidates of a task are compared by.

    >>> measure_of("regression").name, measure_of("classification", "error-rate").name
    ('root mean squared error', 'error rate')
    """
    if asked is None:
        return OF_TASK[task][0]
    if asked not in WORDS or WORDS[asked] not in OF_TASK[task]:
        known = [word for word, one in WORDS.items() if one in OF_TASK[task]]
        raise ValueError(f"a {task} is measured by {' or '.join(known)}, got {asked!r}")
    return WORDS[asked]


def described(measure: Measure, target: Target) -> Metric:
    """The metric in words."""
    sentences = {
        RMSE: f"Typical size of the error, in units of {target.name!r}; large errors count more.",
        MAE: f"Mean size of the error, in units of {target.name!r}.",
        LOG_LOSS: "Mean of minus the logarithm of the probability that was given to what happened; 0 is perfect.",
        ERROR_RATE: "Share of rows whose class is predicted wrongly.",
    }
    units = target.name if measure in OF_TASK["regression"] else "nats" if measure is LOG_LOSS else ""
    return Metric(measure.name, units, sentences[measure])
