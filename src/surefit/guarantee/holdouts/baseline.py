"""Layer guarantee: the constant that a model has to beat, and the cap on squared errors.

In: held-out targets and the `FitRecord` of the training rows, if anybody has it.  Out: a `Baseline` for the comparison
row by row.  Without training rows labels are compared with every constant at once, which costs nothing; numbers with
the mean of half of the held-out rows, on the other half.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from surefit.guarantee.answers import distances
from surefit.guarantee.fit_record import FitRecord
from surefit.guarantee.seen.equal import Equalities
from surefit.theory.certificates.compared import Baseline
from surefit.theory.certificates.shuffle import Shuffle

SMALLEST_CAP, LARGEST_CAP = 1e-290, 1e300
"""Between these, means of capped squares have all their digits."""
MOST_LABELS = 20
"""Labels that are compared one by one; a constant that is right on all others stands for the rest."""
FREQUENT, MEAN = "the most frequent label in training", "the mean of the training targets"
OTHER_ROWS = "the mean target of other held-out rows"
FEWEST_DRAWS = 4
"""Held-out rows or groups of which half can choose a constant."""


def cap_and_reach(residual: np.ndarray, distance: np.ndarray) -> tuple[float, float]:
    """What squared errors count as at most in a mean, and errors in a comparison with a constant.

    The cap is four times the 99 % quantile of squared residuals, or the median squared distance from the mean if
    larger: few rows exceed it.  The reach is the 90 % quantile of distances from the mean: what lies beyond is
    mostly chance, and with a smaller range fewer rows show a difference (88 patients of the diabetes data: all of 60
    divisions in place of 3 %).  In units of a power of two, so that no square leaves the range of floating point
    numbers; 1 if all of them are 0 or some are not finite.  The cap is infinite if it leaves that range itself.

    >>> tiny = np.array([1e-200, 2e-200, 3e-200])
    >>> cap_and_reach(np.ones(3), np.ones(3)), cap_and_reach(tiny, tiny)[0], cap_and_reach(np.zeros(3), np.zeros(3))
    ((4.0, 1.0), inf, (1.0, 1.0))
    """
    exponent = int(np.frexp(max(np.max(np.abs(residual)), np.max(np.abs(distance))))[1])
    squares, spread = np.ldexp(residual, -exponent) ** 2, np.ldexp(distance, -exponent) ** 2
    high = float(np.partition(squares, rank := int(np.ceil(0.99 * len(squares))) - 1)[rank])
    share = max(4.0 * high, float(np.median(spread)))
    if not 0 < share < np.inf:
        return 1.0, 1.0
    cap, far = float(np.ldexp(share, 2 * exponent)), float(np.quantile(spread, 0.9, method="inverted_cdf"))
    reach = float(np.ldexp(np.sqrt(far or share), exponent))
    return cap if SMALLEST_CAP < cap < LARGEST_CAP else np.inf, reach


def of_labels(y: np.ndarray, record: FitRecord | None) -> Baseline:
    """The errors of the most frequent label in training; without one, those of every label.

    >>> of_labels(np.array(["a", "b", "a"]), None).constant_errors.tolist()
    [[False, True, False], [True, False, True], [True, True, True]]
    """
    if record is not None:
        return Baseline(y != record.constant, constant=record.constant, origin=FREQUENT)
    names, column, counts = np.unique(y, return_inverse=True, return_counts=True)
    first = np.argsort(-counts, kind="stable")[:MOST_LABELS]
    others = [column != k for k in first]
    rest = np.isin(column, first)  # right on all labels but these, and on those that no held-out row has
    return Baseline(np.array([*others, rest]), constant=names.tolist()[first[0]], origin="the best constant")


def of_numbers(
    y: np.ndarray, answers: np.ndarray, record: FitRecord | None, shuffle: Shuffle, groups: np.ndarray | None = None
) -> Baseline | None:
    """The distances from the mean in training; without it, from that of half of the rows, to compare on the others.

    Whole ``groups`` choose, if there are some.
    """
    if record is not None:
        return Baseline(distances(y, record.constant), record.cap, record.constant, record.reach, origin=MEAN)
    errors = distances(y, answers)
    member = np.arange(len(y)) if groups is None else np.unique(groups, return_inverse=True)[1].ravel()
    draws = int(member.max()) + 1
    if draws < FEWEST_DRAWS:
        return None
    rows = ~np.isin(member, shuffle.permutation(draws)[: draws // 2])
    chose = np.flatnonzero(~rows)
    y = np.asarray(y, dtype=np.float64)
    constant = float(np.mean(y[chose]))
    cap, reach = cap_and_reach(errors[chose], y[chose] - constant)
    return Baseline(distances(y, constant), cap, constant, reach, rows, OTHER_ROWS)


def of_loss(
    loss: Callable[[np.ndarray, np.ndarray], np.ndarray],
    y: np.ndarray,
    answers: np.ndarray,
    found: Baseline | None,
    labels: bool,
) -> Baseline | None:
    """The values of a loss at constants, in place of their errors; None if it has none there.

    ``loss`` takes targets and answers; ``found`` is the `Baseline` without it.
    """
    if found is None or answers.shape != y.shape:
        return None
    names = [found.constant]
    if labels and np.ndim(found.constant_errors) == 2:
        names = np.unique(y).tolist()
        if len(names) > MOST_LABELS:
            return None
    try:
        values = np.array([loss(y, np.full(len(y), name, dtype=answers.dtype)) for name in names])
    except (TypeError, ValueError):  # a loss that constants have no value of
        return None
    return replace(found, constant_errors=values)


def as_copies(found: Baseline | None, equal: Equalities) -> Baseline | None:
    """The same if equal rows are copies: each kind once, and where the model may have seen it the constant is right."""
    if found is None:
        return None
    errors = np.asarray(found.constant_errors)
    once = [equal.once(one, 0.0) for one in np.atleast_2d(errors)]
    rows = None if found.rows is None else equal.once(1.0 * found.rows, 1.0) > 0
    return replace(found, constant_errors=np.array(once) if errors.ndim == 2 else once[0], rows=rows)
