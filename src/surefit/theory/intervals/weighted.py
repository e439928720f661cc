"""Layer theory: conformal quantiles of scores that do not count alike: whole groups of rows, and rows of another law.

In: held-out scores with a weight each, and the weight of what is new.  Out: the score that the new one exceeds with
small probability.  With all weights one this is split conformal.

- Groups: each group weighs one, shared by its rows, and the new group weighs one (Lee, Barber and Willett 2024): a row
  of a new group is covered on average over groups.
- Covariate shift: a row weighs the ratio of densities, of new rows over held-out rows, at its features (Tibshirani,
  Barber, Candes and Ramdas 2019).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from surefit.theory.certificates.wording import at_least, confidence
from surefit.theory.intervals.conformal import INTERVALS, ROUNDING, Covered, Promise
from surefit.theory.means.arguments import checked_coverage


def weighted_quantile(scores: np.ndarray, weights: np.ndarray, coverage: float, new: Any = 1.0) -> np.ndarray:
    """The smallest score ``q`` whose followers, ``s_i <= q``, weigh ``coverage`` of all, the new row's own included.

    ``sum(w_i : s_i <= q) >= coverage (sum(w) + new)``, for each weight in ``new``; infinite if there is none.

    >>> weighted_quantile(np.arange(1.0, 10.0), np.ones(9), 0.9, [1.0, 2.0])
    array([ 9., inf])
    """
    order = np.argsort(scores, kind="stable")
    reached = np.cumsum(weights[order])
    new = np.atleast_1d(np.asarray(new, dtype=float))
    wanted = checked_coverage(coverage) * (reached[-1] + new) * (1.0 - ROUNDING)
    found = np.searchsorted(reached, wanted, "left")
    return np.append(scores[order], np.inf)[found]


def group_weights(groups: np.ndarray) -> np.ndarray:
    """What each row weighs if its group weighs one.

    >>> group_weights(np.array(["a", "b", "b", "b", "b"]))
    array([1.  , 0.25, 0.25, 0.25, 0.25])
    """
    _, member, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    return 1.0 / sizes[member]


def shift_promise(n: int, coverage: float, known: bool, words: Covered = INTERVALS) -> Promise:
    """What is promised of new rows whose features follow another law, by ``known`` or estimated density ratios."""
    inside = f"{words.one} with probability at least {at_least(coverage)}, on average over hold-outs of {n} rows"
    ratio = "the weights are the ratio of densities of features, new rows over held-out rows"
    if known:
        sentence = f"Where the features of new rows follow the law that the weights describe, {inside}."
        ratio += " (declared as known)"
    else:
        sentence = f"If the estimated weights are right, {inside}; what their errors cost is not known."
        ratio += " (estimated)"
    return Promise(
        coverage, coverage if known else 0.0, "split conformal, weighted for a shift of the features", sentence,
        (ratio, "given its features, a target has the same law in held-out and in new rows",
         "the model has not seen the held-out rows"),
    )  # fmt: skip


def shift_pac_promise(n: int, coverage: float, delta: float, known: bool, words: Covered = INTERVALS) -> Promise:
    """The same for all but a share ``delta`` of hold-outs."""
    plain = shift_promise(n, coverage, known, words)
    where = "where the features of new rows follow the law that the weights describe"
    sentence = (
        f"With {confidence(delta)} confidence over the draw of the {n} held-out rows, at least "
        f"{at_least(100 * coverage)} % {words.many}, {where if known else 'if the estimated weights are right'}."
    )
    most = "no row weighs more than the largest of the held-out rows"
    return replace(
        plain, method="pac quantile, weighted for a shift of the features", statement=sentence,
        assumptions=(*plain.assumptions, most),
    )  # fmt: skip
