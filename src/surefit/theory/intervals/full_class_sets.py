"""Layer theory: full conformal sets of labels, exactly, for ridge and kernel ridge on indicators of the labels.

In: a `Response`, the labels of its training rows and new rows.  Out: `PredictionSets` that need no hold-out.  Row ``i``
has one target for each label, one for its own and zero for the others, and is given the label of the largest
prediction.  Adding a new row with a candidate label, ``n * lam`` fixed, moves every left-out prediction by a term that
is linear in the new targets, so each candidate costs O(n K) and no refit:

    F_i = y_i - (r_i - g_i(x) t) / (1 - H_ii + g_i(x)**2 / (1 + G(x, x))),     t = (y - f(x)) / (1 + G(x, x)).

The score of a row is ``1 - F_i`` at its own label, or less than any if that label has the largest ``F_i``; that of the
new row is ``1 - f(x)`` at the candidate.  A row whose label no other of the ``n + 1`` rows has is the strangest of all,
so that a label which no training row has is out of a set by the same rule as any other.  All ``n + 1`` scores are made
alike from all rows, so they are exchangeable.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.theory.certificates.wording import at_least
from surefit.theory.intervals.class_sets import ROOM, PredictionSets, full_class_wanted, sets_of
from surefit.theory.intervals.conformal import Promise, conformal_rank
from surefit.theory.intervals.jackknife import CHUNK_ENTRIES, EXCHANGEABLE, FIXED, NOT_CONDITIONAL
from surefit.theory.intervals.response import Gains, Response


def full_class_sets(
    response: Response,
    training: tuple[Any, np.ndarray],
    X_new: Any,
    classes: np.ndarray,
    coverage: float = 0.9,
    broken: tuple[str, ...] = (),
) -> PredictionSets:
    """Sets that hold the label of a new row with probability at least ``coverage``; ``training`` is ``(X, label)``.

    ``label`` (n,) numbers the ``classes``.  The targets of ``response`` do not matter: only its gains are used.
    """
    X, label = training
    n, K = len(label), len(classes)
    conformal_rank(n, coverage)  # an error where rows are too few
    Y = np.eye(K)[label]
    residual = Y - response.at(X).gain @ Y
    wanted = full_class_wanted(n, coverage)
    alone = _alone(label, wanted)
    size = max(1, CHUNK_ENTRIES // (n * K))
    member = [
        _members(response.at(X_new[start : start + size]), residual, (Y, response.room, alone), wanted)
        for start in range(0, X_new.shape[0], size)
    ]
    promise = Promise(
        coverage, coverage, "full conformal",
        f"The set of a new row has its true label with probability at least {at_least(coverage)}, on average over "
        "training sets.",
        (EXCHANGEABLE, FIXED, NOT_CONDITIONAL), broken,
    )  # fmt: skip
    found = np.concatenate(member) if member else np.zeros((0, K), dtype=bool)
    return sets_of(promise, found, classes)


def _alone(label: np.ndarray, wanted: int) -> np.ndarray:
    """Which rows have a label of their own; an error if they are so many that a new label cannot be left out."""
    alone = np.bincount(label)[label] == 1
    if alone.sum() >= wanted:
        raise ValueError(
            f"{alone.sum()} labels occur in one training row only, so that a new row may well have a label that none "
            "has; put rare labels together, add rows, or ask for less coverage"
        )
    return alone


def _members(gains: Gains, residual: np.ndarray, fit: tuple[np.ndarray, ...], wanted: int) -> np.ndarray:
    """Which labels each of the new rows may have, ``(m, K)``."""
    Y, room, alone = fit
    K, spread = Y.shape[1], 1.0 + np.where(np.isfinite(gains.own), gains.own, 0.0)
    values = gains.gain @ Y  # f(x) of each new row, one column a label
    left = room + gains.gain**2 / spread[:, None]
    member = np.zeros((len(values), K), dtype=bool)
    for k in range(K):
        t = (np.eye(K)[k] - values) / spread[:, None]
        moved = residual[None] - gains.gain[:, :, None] * t[:, None, :]
        left_out = Y[None] - moved / left[:, :, None]
        scores = np.where(alone & (Y[:, k] == 0), np.inf, _strangeness(left_out, Y))
        new = _strangeness(values[:, None, :], np.eye(K)[[k]])
        member[:, k] = np.sum(scores >= new - ROOM * (1.0 + np.abs(new)), axis=1) >= wanted
    member[np.arange(len(values)), np.argmax(values, axis=1)] = True
    member[~np.isfinite(gains.own)] = True  # a row that would decide its own fit has no strange label
    return member


def _strangeness(values: np.ndarray, own: np.ndarray) -> np.ndarray:
    """One minus the value at the own label, ``(m, n)``; at the label of the largest value less than any other."""
    at_own = np.sum(values * own, axis=2)
    return np.where(at_own >= values.max(axis=2), -1e300, 1.0 - at_own)
