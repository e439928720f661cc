"""Layer estimators: what is kept of a fit so that it can be certified later, and what is held out of it.

In: rows, targets and weights as the user gave them.  Out: `Trained` (fingerprints, the best constant, the cap on
squared errors: all from training rows only), a `Division` of the rows, and the `Certificate` from held-out answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import check_array, column_or_1d

from surefit.objective.loss import Loss
from surefit.progress import silence
from surefit.theory.certificate import Assumption, Certificate
from surefit.theory.holdout import SEED, FromTraining, classifier_certificate, mean_certificate, regressor_certificate
from surefit.theory.overlap import row_prints, smallest_prints, untouched

ROWS_FOR_CAP = 500
"""Training rows whose residuals choose the cap of a fit: enough for a 99 % quantile, and no second fit's worth."""

Answers = Callable[[Any], np.ndarray]


@dataclass(frozen=True)
class Trained:
    """What the training rows say once and for all: their prints, the best constant, the cap on squared errors."""

    prints: np.ndarray
    constant: Any = None
    cap: float = np.inf
    n_rows: int | None = None
    """How many rows there were, if not all of them have their print here."""

    def to_store(self) -> Trained:
        """With few prints, so that a stored model stays small whatever it was fitted to."""
        n = len(self.prints) if self.n_rows is None else self.n_rows
        return replace(self, prints=smallest_prints(self.prints), n_rows=n)

    def untouched(self, X: Any, y: Any) -> Assumption:
        """The assumption that none of these rows was trained on, or an error."""
        return untouched(self.prints, row_prints(X, y), self.n_rows)

    @staticmethod
    def of(X: Any, y: Any, answers: Answers | None, at_most: int | None = None) -> Trained:
        """The record of a fit; ``answers`` predicts numbers, and is None for labels.

        The cap is four times the 99 % quantile of the squared training residuals, of ``at_most`` rows drawn with a
        fixed seed, but no less than the median squared distance from the mean: an interpolator's residuals lie.
        """
        prints, y = row_prints(X, y), np.asarray(y)
        if y.ndim > 1 and y.shape[1] > 1:
            return Trained(prints)
        y = y.ravel()
        if answers is None:
            labels, counts = np.unique(y, return_counts=True)
            return Trained(prints, labels.tolist()[np.argmax(counts)], 1.0)
        y, rows = y.astype(np.float64), np.arange(len(y))
        if at_most is not None and len(y) > at_most:
            rows = np.sort(np.random.default_rng(SEED).choice(len(y), at_most, replace=False))
            X = _safe_indexing(X, rows)
        with silence(), np.errstate(over="ignore", invalid="ignore"):
            mean = float(y.mean())
            residual = (y[rows] - np.asarray(answers(X), dtype=np.float64).ravel()) ** 2
            high = float(np.partition(residual, rank := int(np.ceil(0.99 * len(residual))) - 1)[rank])
            cap = max(4.0 * high, float(np.median((y - mean) ** 2)))
        return Trained(prints, mean, cap if 0 < cap < np.inf else 1.0)


def one_target(y: Any) -> np.ndarray:
    """One finite target per row, labels or numbers."""
    return column_or_1d(check_array(y, ensure_2d=False, dtype=None, input_name="y"), warn=True)


@dataclass(frozen=True)
class Asked:
    """What a user asks of a certificate."""

    delta: float = 0.05
    n_models_tried: int = 1
    loss: Loss | Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None


def certificate_from(
    y: np.ndarray,
    predicted: Any,
    labels: bool,
    trained: Trained | None,
    asked: Asked,
    assumptions: Sequence[Assumption],
) -> Certificate:
    """The certificate of held-out answers: exact for labels, of a quantile for numbers, betting for a given loss."""
    predicted, delta, tried, loss = np.asarray(predicted), asked.delta, asked.n_models_tried, asked.loss
    if loss is not None:
        values = loss.value(y, predicted) if isinstance(loss, Loss) else loss(y, predicted)
        return mean_certificate(values, delta, tried, assumptions=assumptions)
    if labels:
        training = None if trained is None else FromTraining(1.0 * (y != trained.constant), constant=trained.constant)
        return classifier_certificate(1.0 * (predicted != y), delta, tried, training, assumptions)
    errors = np.abs(y - predicted.reshape(y.shape))
    training = None if trained is None else FromTraining(np.abs(y - trained.constant), trained.cap, trained.constant)
    return regressor_certificate(errors, delta, tried, training, assumptions)


def counted_rows(X: Any, y: Any, weight: Any) -> tuple[Any, Any, Any]:
    """Without the rows of weight zero, which cannot change a fit and so count as never seen."""
    if weight is None:
        return X, y, None
    weight = np.asarray(weight, dtype=np.float64)
    if np.all(weight > 0):
        return X, y, weight
    X, y = indexable(X, y)
    keep = np.flatnonzero(weight > 0)
    return _safe_indexing(X, keep), _safe_indexing(y, keep), weight[keep]


@dataclass(frozen=True)
class Division:
    """Rows to train on and rows held out, by number; ``copies`` held-out rows were left aside as copies of others."""

    training: np.ndarray
    held_out: np.ndarray
    copies: int


def divided(X: Any, y: Any, weight: Any, share: float) -> Division:
    """A random ``share`` of the rows that count, drawn with a fixed seed; equal rows ``(x, y)`` never straddle.

    Copies of one row count once: they are one draw of the population, not several.

    >>> found = divided(np.arange(10.0)[:, None], np.arange(10.0), None, 0.2)
    >>> len(found.training), len(found.held_out), found.copies
    (8, 2, 0)
    """
    if isinstance(share, bool) or not (isinstance(share, Real) and 0.0 < share < 1.0):
        raise ValueError(f"certify must lie strictly between 0 and 1, got {share!r}; use 0.2 to hold out a fifth")
    prints = row_prints(X, y)
    counted = np.arange(len(prints)) if weight is None else np.flatnonzero(np.asarray(weight, dtype=float) > 0)
    _, first, member = np.unique(prints[counted], return_index=True, return_inverse=True)
    n = len(first)
    wanted = round(share * n)
    if not 1 <= wanted < n:
        raise ValueError(
            f"certify={share:g} of {n} different rows holds out {wanted} and leaves {n - wanted} to fit; add rows, or "
            "certify on other data: model.certificate(X_test, y_test)"
        )
    by_appearance = np.argsort(first)
    chosen = np.zeros(n, dtype=bool)
    chosen[by_appearance[np.random.default_rng(SEED).permutation(n)[:wanted]]] = True
    outside = chosen[member]
    return Division(counted[~outside], np.sort(counted[first[chosen]]), int(outside.sum()) - wanted)
