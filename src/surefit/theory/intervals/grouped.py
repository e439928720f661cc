"""Layer theory: intervals for a row of a new group, where rows of one group depend on each other.

In: a `Response` with the group of each training row, or the number of held-out groups.  Out: `PredictionIntervals`, or
the promise of a hold-out.  Each group is one draw, whatever its number of rows: a hundred rows of one patient say
little about the next patient.  Lee, Barber and Willett (2024), distribution-free inference with hierarchical data.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.theory.certificates.wording import at_least, confidence
from surefit.theory.intervals.conformal import INTERVALS, ROUNDING, SOLVED, Covered, PredictionIntervals, Promise
from surefit.theory.intervals.jackknife import FIXED, NOT_CONDITIONAL, OUTWARD, over_chunks, pull_of_folds
from surefit.theory.intervals.response import Gains, Response
from surefit.theory.intervals.weighted import group_weights
from surefit.theory.means.arguments import checked_coverage

NEW_GROUPS = "the held-out groups and the new group are exchangeable"
UNSEEN_GROUPS = "the model has not seen the held-out groups"


def groups_promise(n_groups: int, coverage: float, words: Covered = INTERVALS) -> Promise:
    """Split conformal by whole groups: ``coverage`` for a row of a new group, on average over hold-outs."""
    return Promise(
        coverage, coverage, "split conformal by whole groups",
        f"In a new group, {words.one} with probability at least {at_least(coverage)}, on average over hold-outs; each "
        f"of the {n_groups} held-out groups counts as one draw, however many rows it has.",
        (NEW_GROUPS, UNSEEN_GROUPS),
    )  # fmt: skip


def groups_pac_promise(n_groups: int, coverage: float, delta: float, words: Covered = INTERVALS) -> Promise:
    """The same for all but a share ``delta`` of hold-outs."""
    return Promise(
        coverage, coverage, "pac quantile by whole groups",
        f"With {confidence(delta)} confidence over the draw of the {n_groups} held-out groups, at least "
        f"{at_least(100 * coverage)} % {words.many}, on average over new groups.",
        ("the held-out groups and the new groups are independent draws of one population of groups", UNSEEN_GROUPS),
    )  # fmt: skip


def group_jackknife_plus(
    response: Response, X_new: Any, groups: np.ndarray, coverage: float = 0.9, broken: tuple[str, ...] = ()
) -> PredictionIntervals:
    """Jackknife+ for a row of a new group: whole groups left out, each weighing one; ``groups`` (n,) names them.

    With ``e_S = (I - H_SS)^{-1} r_S`` for each group ``S``, the interval reaches from the lower ``1 - coverage``
    quantile of ``f_{-S}(x) - |e_i|`` to the upper ``coverage`` quantile of ``f_{-S}(x) + |e_i|``, each group weighing
    one, shared by its rows, and the new group one at infinity.  It covers with probability at least ``2 coverage - 1``.
    The left-out fits keep ``n * lam`` fixed.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.linear.factor import spectral_factor
    >>> from surefit.theory.intervals.response import LinearResponse
    >>> response = LinearResponse(spectral_factor(Design.of([[0.0], [1], [2], [3]]), True), np.array([1.0, 3, 2, 5]), 0)
    >>> group_jackknife_plus(response, [[1.5]], np.arange(4), 0.8).upper.round(6)      # groups of one row: jackknife+
    array([5.071429])
    """
    names, member = np.unique(groups, return_inverse=True)
    K, coverage = len(names), checked_coverage(coverage)
    if coverage * (K + 1) > K + ROUNDING:
        needed = int(np.ceil(coverage / (1 - coverage) - ROUNDING))
        raise ValueError(
            f"{K} groups are too few for {coverage!r} coverage of new groups: at least {needed} needed; ask for less "
            "coverage or give rows of more groups"
        )
    members = [np.flatnonzero(member == k) for k in range(K)]
    left_out, weights = np.empty(len(member)), group_weights(groups)
    for rows in members:
        left_out[rows] = response.left_out_together(rows)
    reach, largest = np.abs(left_out), np.max(np.abs(response.residual))

    def ends(gains: Gains) -> np.ndarray:
        left_out_fits = gains.prediction[:, None] - pull_of_folds(gains.gain, left_out, members)
        wanted = coverage * (K + 1) * (1.0 - ROUNDING)
        low = -_weighted_rank(reach - left_out_fits, weights, wanted)
        found = np.array([low, _weighted_rank(left_out_fits + reach, weights, wanted)])
        return found + OUTWARD * SOLVED * (np.abs(gains.prediction) + largest + np.abs(found))

    guaranteed = max(2 * coverage - 1, 0.0)
    promise = Promise(
        coverage, guaranteed, f"jackknife+ ({K} whole groups)",
        f"In a new group, {INTERVALS.one} with probability at least {at_least(guaranteed)}, on average over training "
        f"sets; typically with about {at_least(coverage)}.",
        ("the groups of the training rows and the new group are exchangeable", FIXED, NOT_CONDITIONAL), broken,
    )  # fmt: skip
    return promise.intervals(*over_chunks(response, X_new, ends))


def _weighted_rank(values: np.ndarray, weights: np.ndarray, wanted: float) -> np.ndarray:
    """In each row of ``values`` the smallest one whose followers weigh what is wanted."""
    order = np.argsort(values, axis=1)
    place = np.argmax(np.cumsum(weights[order], axis=1) >= wanted, axis=1)
    return np.take_along_axis(values, np.take_along_axis(order, place[:, None], axis=1), axis=1)[:, 0]
