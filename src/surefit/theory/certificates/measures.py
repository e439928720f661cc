"""Layer theory: certificates for what a classifier says beyond its labels: probabilities, recall, ranking.

In: held-out probabilities or scores and labels.  Out: a `Certificate` for the log-loss, the Brier score, the recall of
every label, or the area under the ROC curve.  Bounds on recall and area are from below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from surefit.page import number
from surefit.theory.certificates.certificate import Certificate, Verdict
from surefit.theory.certificates.compared import INDEPENDENT, least_gain
from surefit.theory.certificates.holdout import fixed_before, mean_certificate
from surefit.theory.certificates.shuffle import Shuffle
from surefit.theory.certificates.unequal import Terms
from surefit.theory.certificates.wording import (
    alone,
    at_least,
    at_most,
    confidence,
    percent,
    percent_at_least,
    together,
)
from surefit.theory.means.auc import auc, auc_lower
from surefit.theory.means.concentration import binomial_upper

MEASURES = ("log-loss", "brier", "recall", "auc")
SMALLEST_PROBABILITY = 1e-3
"""The log-loss of a row counts as if its label had been given at least this probability."""
LARGEST_LOSS = float(-np.log(SMALLEST_PROBABILITY))


def brier_losses(probabilities: np.ndarray, label: np.ndarray) -> np.ndarray:
    """``sum_k (p_k - 1[k is the label])**2 / 2``, in ``[0, 1]``; with two labels ``(p - y)**2``.  -1 is no known label.

    >>> brier_losses(np.array([[0.2, 0.8], [1.0, 0.0]]), np.array([1, 1])).round(3)
    array([0.04, 1.  ])
    """
    aims = np.eye(probabilities.shape[1] + 1)[label][:, :-1]  # label -1 has no column
    return np.minimum(np.sum((probabilities - aims) ** 2, axis=1) / 2 + (label < 0) / 2, 1.0)


def log_losses(probabilities: np.ndarray, label: np.ndarray) -> np.ndarray:
    """``-ln p`` of the label, at most 6.9: a probability below 0.001 counts as 0.001; so does a label of no column."""
    given = np.where(label >= 0, probabilities[np.arange(len(label)), label], 0.0)
    return np.minimum(-np.log(np.maximum(given, SMALLEST_PROBABILITY)), LARGEST_LOSS)


def probability_certificate(
    measure: str, probabilities: np.ndarray, label: np.ndarray, frequencies: np.ndarray, terms: Terms
) -> Certificate:
    """The betting bound on the mean log-loss or Brier score.

    ``label`` (n,) numbers the columns of ``probabilities``; ``frequencies`` (K,) are the best constant probabilities,
    to compare with row by row.

    >>> p = np.tile([[0.1, 0.9]], (200, 1))
    >>> found = probability_certificate("brier", p, np.ones(200, int), np.array([0.5, 0.5]), Terms())
    >>> print(found.statement)
    With 95 % confidence over the draw of the 200 held-out rows, the Brier score of this model on future rows like these
    is at most 0.0... (observed 0.01; 0 is perfect, 1 the worst).
    """
    losses_of, upper = (brier_losses, 1.0) if measure == "brier" else (log_losses, LARGEST_LOSS)
    losses = losses_of(probabilities, label)
    shuffle = Shuffle.of(losses / upper) if terms.shuffle is None else terms.shuffle
    found = mean_certificate(losses, terms.delta, terms.n_models_fixed, upper, terms.assumptions, shuffle)
    if measure == "brier":
        name, scale = "the Brier score", "0 is perfect, 1 the worst"
    else:
        name = f"the log-loss, a probability below {SMALLEST_PROBABILITY:g} counted as {SMALLEST_PROBABILITY:g},"
        scale = "natural logarithm"
    text = (
        f"{_opening(terms.delta, len(label))}, {name} of this model on future rows like these is at most "
        f"{at_most(found.bound)} (observed {number(found.empirical)}; {scale})."
    )
    other = losses_of(np.tile(frequencies, (len(label), 1)), label)
    gain, least = (other - losses) / upper, least_gain(losses / upper, other / upper, terms.each, shuffle.seed)
    words = f"On future rows {name} is" if least > 0 else f"These rows do not show that {name} is"
    compared = Certificate(
        f"{words} smaller than that of giving every row the same probabilities, the frequencies of the labels "
        f"({alone(terms.delta)}).",
        least * upper, float(np.mean(gain)) * upper, terms.delta, "betting, paired", (INDEPENDENT,),
        Verdict.INFORMATIVE if least > 0 else Verdict.NO_BETTER,
    )  # fmt: skip
    status = found.status if found.vacuous else compared.status
    return replace(found, statement=text, status=status, further=(compared,))


def recall_certificate(correct: np.ndarray, y: np.ndarray, classes: Sequence[Any], terms: Terms) -> Certificate:
    """The recall of every label from below, all at once: Clopper and Pearson with ``delta / K`` each.

    ``correct`` says whether the model answers right, ``y`` the true labels.  The bound is the smallest recall.  A
    constant answer finds all rows of its own label and none of the others, so the mean of the bounds has to exceed
    ``1 / K``.

    >>> y = np.repeat(["a", "b"], 200)
    >>> print(recall_certificate(np.arange(400) % 10 > 0, y, ["a", "b"], Terms()).statement)
    With 95 % confidence over the draw of the 400 held-out rows, this model finds at least 84.9 % of the rows of every
    label (observed 90.0 % for 'a', where that is lowest).  One answer for all rows would find all of one label and none
    of the others.
    """
    K, rows = len(classes), [np.asarray(y) == name for name in classes]
    each, sizes = terms.each / K, [int(of.sum()) for of in rows]
    missed = [int(np.sum(~correct[of])) for of in rows]
    floors = [1.0 - float(binomial_upper(m, n, each)) if n else 0.0 for m, n in zip(missed, sizes, strict=True)]
    seen = [1.0 - m / max(n, 1) for m, n in zip(missed, sizes, strict=True)]
    parts = tuple(
        Certificate(
            f"{together(terms.delta)}: it finds at least {percent_at_least(floor)} of future rows with the label "
            f"{name!r} (observed {percent(found)} of {n:,}).",
            floor, found, each, "clopper-pearson (lower)", (INDEPENDENT,),
            Verdict.INFORMATIVE if floor > 0 else Verdict.VACUOUS, {"n": n},
        )
        for name, floor, found, n in zip(classes, floors, seen, sizes, strict=True)
    )  # fmt: skip
    worst, low = int(np.argmin(floors)), int(np.argmin(seen))
    text = (
        f"{_opening(terms.delta, len(y))}, this model finds at least {percent_at_least(floors[worst])} of the rows of "
        f"every label (observed {percent(seen[low])} for {classes[low]!r}, where that is lowest).  One answer for all "
        "rows would find all of one label and none of the others."
    )
    if floors[worst] <= 0.0:
        text = (
            f"No bound on the recall of {classes[worst]!r}: of {sizes[worst]} held-out rows with that label "
            f"{sizes[worst] - missed[worst]} were found; hold out more."
        )
    beats = float(np.mean(floors)) > 1.0 / K
    status = Verdict.VACUOUS if floors[worst] <= 0 else Verdict.INFORMATIVE if beats else Verdict.NO_BETTER
    return Certificate(
        text, floors[worst], min(seen), terms.delta, "clopper-pearson (lower), every label",
        (INDEPENDENT, *terms.assumptions, fixed_before(terms.n_models_fixed)), status,
        {"n": len(y), "labels": K, "delta_each": each, "from_below": 1}, "Clopper and Pearson (1934)", parts,
    )  # fmt: skip


def auc_certificate(scores: np.ndarray, event: np.ndarray, name: Any, terms: Terms) -> Certificate:
    """A lower bound on the area under the ROC curve, by bets on independent blocks of rows; one half is guessing.

    >>> z = np.linspace(-2, 2, 300)
    >>> found = auc_certificate(np.concatenate([z + 2, z]), np.arange(600) < 300, 1, Terms())
    >>> print(found.statement)
    With 95 % confidence over the draw of the 600 held-out rows, a row labelled 1 gets a larger score than a row
    labelled otherwise in at least 8... % of pairs (observed 87.4 %): an AUC of at least 0.8..., where guessing has 0.5.
    This says nothing about how often a yes or no answer is right.
    """
    positive, negative = scores[event], scores[~event]
    if len(positive) == 0 or len(negative) == 0:
        raise ValueError(
            f"{len(positive)} held-out rows are labelled {name!r} and {len(negative)} otherwise; an AUC compares both, "
            "so hold out rows of both"
        )
    ranks = np.searchsorted(np.sort(scores), scores) / len(scores)
    shuffle = Shuffle.of(ranks + 2.0 * event) if terms.shuffle is None else terms.shuffle
    bound, seen = auc_lower(positive, negative, terms.each, seed=shuffle.seed), auc(positive, negative)
    return Certificate(
        f"{_opening(terms.delta, len(scores))}, a row labelled {name!r} gets a larger score than a row labelled "
        f"otherwise in at least {percent_at_least(bound)} of pairs (observed {percent(seen)}): an AUC of at least "
        f"{at_least(bound, 3)}, where guessing has 0.5.  This says nothing about how often a yes or no answer is "
        "right.",
        bound, seen, terms.delta, "betting on independent blocks of pairs",
        (INDEPENDENT, *terms.assumptions, fixed_before(terms.n_models_fixed), shuffle.assumption),
        Verdict.VACUOUS if bound <= 0 else Verdict.NO_BETTER if bound <= 0.5 else Verdict.INFORMATIVE,
        {"n": len(scores), "positive": len(positive), "seed": shuffle.seed, "delta_each": terms.each, "from_below": 1},
        "Waudby-Smith and Ramdas (2024); Hoeffding (1963) for pairs",
    )  # fmt: skip


def _opening(delta: float, n: int) -> str:
    return f"With {confidence(delta)} confidence over the draw of the {n:,} held-out rows"
