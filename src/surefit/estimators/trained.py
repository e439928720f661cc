"""Layer estimators: what is kept of a fit so that it can be certified later, and what is held out of it.

In: rows, targets and weights as the user gave them.  Out: `Trained` (fingerprints, the best constant, the cap on
squared errors: all from training rows only), a `Division` of the rows, and the `Certificate` from held-out answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import _num_samples, check_array, column_or_1d

from surefit.data.design import checked_weight
from surefit.objective.loss import Loss
from surefit.progress import silence
from surefit.theory.certificate import Assumption, Certificate, Verdict
from surefit.theory.copies import Equalities, equalities
from surefit.theory.holdout import (
    SEED,
    FromTraining,
    classifier_certificate,
    mean_certificate,
    regressor_certificate,
    weaker,
)
from surefit.theory.near_copies import NearRows
from surefit.theory.overlap import column_names, in_order, row_prints, smallest_prints, untouched

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
    columns: tuple[str, ...] | None = None
    near: NearRows | None = None
    """The rows in single precision, where they are not kept themselves."""

    def to_store(self) -> Trained:
        """With few prints, so that a stored model stays small whatever it was fitted to."""
        n = len(self.prints) if self.n_rows is None else self.n_rows
        near = None if self.near is None else self.near.to_store()
        return replace(self, prints=smallest_prints(self.prints), n_rows=n, near=near)

    def near_of(self, X: Any, y: Any) -> NearRows:
        """``near``, or what it is of these training rows."""
        return NearRows.of(X, y, self.prints) if self.near is None else self.near

    def compared(
        self, X: Any, y: Any, near: Callable[[], NearRows | None] | None = None
    ) -> tuple[Equalities, tuple[Assumption, ...]]:
        """Which of these rows equal training rows or each other, and what may be said of it; or an error.

        Columns may come in another order than in training.  If no row equals a training row, they are compared in
        single precision too, with ``near()`` where that is not kept here.
        """
        X = in_order(X, self.columns)
        prints = row_prints(X, y)
        found = equalities(prints, self.prints, (X, y), self.n_rows)
        assumptions = untouched(self.prints, prints, found, self.n_rows)
        rounded = None if found.shared else self.near or (near() if near is not None else None)
        if rounded is not None:
            rounded.refuse(X, y)
        return found, assumptions

    @staticmethod
    def of(X: Any, y: Any, answers: Answers | None, at_most: int | None = None) -> Trained:
        """The record of a fit; ``answers`` predicts numbers, and is None for labels.

        The cap is four times the 99 % quantile of the squared training residuals, of ``at_most`` rows drawn with a
        fixed seed, but no less than the median squared distance from the mean: an interpolator's residuals lie.
        """
        prints, y, columns = row_prints(X, y), np.asarray(y), column_names(X)
        if y.ndim > 1 and y.shape[1] > 1:
            return Trained(prints, columns=columns)
        y = y.ravel()
        if answers is None:
            labels, counts = np.unique(y, return_counts=True)
            return Trained(prints, labels.tolist()[np.argmax(counts)], 1.0, columns=columns)
        y, rows = y.astype(np.float64), np.arange(len(y))
        if at_most is not None and len(y) > at_most:
            rows = np.sort(np.random.default_rng(SEED).choice(len(y), at_most, replace=False))
            X = _safe_indexing(X, rows)
        with silence(), np.errstate(over="ignore", invalid="ignore"):
            mean = float(y.mean())
            residual = (y[rows] - np.asarray(answers(X), dtype=np.float64).ravel()) ** 2
            high = float(np.partition(residual, rank := int(np.ceil(0.99 * len(residual))) - 1)[rank])
            cap = max(4.0 * high, float(np.median((y - mean) ** 2)))
        return Trained(prints, mean, cap if 0 < cap < np.inf else 1.0, columns=columns)


def one_target(y: Any) -> np.ndarray:
    """One finite target per row, labels or numbers."""
    return column_or_1d(check_array(y, ensure_2d=False, dtype=None, input_name="y"), warn=True)


def known_labels(y: np.ndarray, classes: Any) -> None:
    """Raise ``ValueError`` if none of the labels is one that the model can answer."""
    if classes is not None and len(y) and not np.isin(y, classes).any():
        raise ValueError(
            f"none of the labels in y_test, such as {y[0]!r}, is among those of the fit, such as {classes[0]!r}; write "
            "them alike"
        )


@dataclass(frozen=True)
class Asked:
    """What a user asks of a certificate."""

    delta: float = 0.05
    n_models_tried: int = 1
    loss: Loss | Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None


@dataclass(frozen=True)
class HeldOut:
    """Targets and answers on rows held out, which of them equal others, and what may be assumed of them."""

    targets: np.ndarray
    answers: np.ndarray
    found: Equalities
    assumptions: tuple[Assumption, ...]


def certificate_from(held_out: HeldOut, labels: bool, trained: Trained | None, asked: Asked) -> Certificate:
    """The certificate of held-out answers; with doubtful copies among them, what holds with and without these."""
    whole = _certificate(held_out, slice(None), labels, trained, asked)
    if held_out.found.explained:
        return whole
    if not held_out.found.fresh.any():
        text = "No guarantee: every held-out row equals a training row or another; hold out rows that are new."
        return replace(whole, status=Verdict.VACUOUS, bound=1.0 if labels or asked.loss else np.inf, statement=text)
    fresh = _certificate(held_out, held_out.found.fresh, labels, trained, asked)
    return weaker(whole, fresh)


def _certificate(
    held_out: HeldOut, rows: slice | np.ndarray, labels: bool, trained: Trained | None, asked: Asked
) -> Certificate:
    """Exact for labels, of a quantile for numbers, betting for a given loss."""
    y, predicted, assumptions = held_out.targets[rows], np.asarray(held_out.answers)[rows], held_out.assumptions
    delta, tried, loss = asked.delta, asked.n_models_tried, asked.loss
    if loss is not None:
        return mean_certificate(_losses(loss, y, predicted), delta, tried, assumptions=assumptions)
    if labels:
        training = None if trained is None else FromTraining(1.0 * (y != trained.constant), constant=trained.constant)
        return classifier_certificate(1.0 * (predicted != y), delta, tried, training, assumptions)
    errors = np.abs(y - predicted.reshape(y.shape))
    training = None if trained is None else FromTraining(np.abs(y - trained.constant), trained.cap, trained.constant)
    return regressor_certificate(errors, delta, tried, training, assumptions)


def _losses(loss: Any, y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """One number per row in [0, 1], from a function of targets and predictions."""
    if isinstance(loss, Loss) and not loss.unit_range:
        raise ValueError(
            f"the values of {loss!r} have no upper limit; certify a capped one: "
            "loss=lambda y, f: np.minimum(loss.value(y, f), 1.0)"
        )
    if not (isinstance(loss, Loss) or callable(loss)):
        raise ValueError(f"loss must be a function of (y, prediction), got {loss!r}; give one with values in [0, 1]")
    values = np.asarray(loss.value(y, predicted) if isinstance(loss, Loss) else loss(y, predicted), dtype=np.float64)
    if values.shape != (len(y),):
        raise ValueError(f"loss gave shape {values.shape} for {len(y)} rows; return one number per row")
    if not (np.all(values >= 0.0) and np.all(values <= 1.0)):
        raise ValueError("losses must lie in [0, 1]; divide them by the largest possible one, or cap them")
    return values


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
    """Rows to train on and rows held out, by number."""

    training: np.ndarray
    held_out: np.ndarray


def divided(X: Any, weight: Any, share: float) -> Division:
    """A random ``share`` of the rows that count, drawn with a fixed seed.

    >>> found = divided(np.arange(10.0)[:, None], None, 0.2)
    >>> len(found.training), len(found.held_out)
    (8, 2)
    """
    if isinstance(share, bool) or not (isinstance(share, Real) and 0.0 < share < 1.0):
        raise ValueError(f"certify must lie strictly between 0 and 1, got {share!r}; use 0.2 to hold out a fifth")
    counted = np.flatnonzero(checked_weight(weight, _num_samples(X)) > 0)
    n, wanted = len(counted), round(share * len(counted))
    if not 1 <= wanted < n:
        raise ValueError(
            f"certify={share:g} of {n} rows holds out {wanted} and leaves {n - wanted} to fit; add rows, or "
            "certify on other data: model.certificate(X_test, y_test)"
        )
    outside = np.zeros(n, dtype=bool)
    outside[np.random.default_rng(SEED).permutation(n)[:wanted]] = True
    return Division(counted[~outside], counted[outside])
