"""Layer study: sets of classes and thresholds with a promise, from the hold-out.

In: the winner's probabilities on the hold-out.  Out: records of what can be promised, or None.
"""

from __future__ import annotations

import numpy as np

from surefit.page import number
from surefit.study.declared import ORDINARY, Declared
from surefit.study.prepare import Prepared
from surefit.study.records.winner import ClassSets, Threshold
from surefit.theory.certificates.thresholds import shown_for
from surefit.theory.intervals.class_sets import label_scores, members
from surefit.theory.intervals.conformal import SETS, Covered, Promise, pac_rank, ranked

BY_ROWS = "rows of one group depend on each other, and the promise of a recall counts every row as a draw"


def class_scores(answers: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How strange the true class of each row is to the model; 0 for the likeliest one."""
    return label_scores(answers, "lac")[np.arange(len(y)), y.astype(int)]


def class_sets_of(
    scores: np.ndarray, answers: np.ndarray, data: Prepared, declared: Declared = ORDINARY
) -> ClassSets | None:
    """Sets of classes of the coverage that is asked for; None where the hold-out allows no promise."""
    asked, found = data.settings, promised_of(scores, data, declared, SETS)
    if found is None:
        return None
    quantile, promise = found
    sizes = members(label_scores(answers, "lac"), np.full((len(answers), 1), quantile)).sum(axis=1)
    return ClassSets(
        asked.coverage, promise.statement, promise.method, float(sizes.mean()), float(np.mean(sizes == 1)),
        float(1.0 - quantile), promise.assumptions,
    )  # fmt: skip


def quantile_of(scores: np.ndarray, data: Prepared) -> float:
    """The score that new rows stay below, as often and as surely as was asked for; infinite where none is known."""
    asked = data.settings
    try:
        return ranked(scores, pac_rank(len(scores), asked.coverage, asked.delta))
    except ValueError:
        return np.inf


def promised_of(scores: np.ndarray, data: Prepared, declared: Declared, words: Covered) -> tuple[float, Promise] | None:
    """The same score and what is promised of it, groups and times counted as declared; None where nothing is."""
    asked = data.settings
    try:
        found = declared.promised(scores, (asked.coverage, "pac", asked.delta), words)
    except ValueError:
        return None
    return found if np.isfinite(found[0]) else None


def threshold_of(
    scores: np.ndarray, answers: np.ndarray, data: Prepared, declared: Declared = ORDINARY
) -> Threshold | None:
    """The threshold on the probability of the event, the last of two classes, that finds the share asked for."""
    asked = data.settings
    if asked.recall is None:
        return None
    name, event = data.target.classes[-1], data.y_holdout == data.n_classes - 1
    about = (name, "recall", asked.recall, asked.delta)
    if data.n_classes != 2:
        return Threshold(*about, float("nan"), f"No threshold: it needs two classes, and there are {data.n_classes}.")
    why = declared.refused or ("" if declared.groups is None else BY_ROWS)
    if np.any(np.isinf(scores)):
        why = "rows of the hold-out equal training rows; hold out rows that are new"
    if why:
        return Threshold(*about, float("nan"), f"No threshold can be promised: {why}.")
    try:
        value = shown_for(answers[:, -1], event, "recall", asked.recall, asked.delta).high
    except ValueError as error:
        return Threshold(*about, float("nan"), f"No threshold can be promised: {error}.")
    called = answers[:, -1] >= value
    precision = float(np.mean(event[called])) if np.any(called) else float("nan")
    statement = (
        f"With {number(100 * (1 - asked.delta))} % confidence, calling {name!r} where its probability is at least "
        f"{number(value, 3)} finds at least {number(100 * asked.recall)} % of the rows of {name!r}; on the "
        f"hold-out it calls {number(100 * float(np.mean(called)), 3)} % of rows, {number(100 * precision, 3)} % of "
        "them rightly.  predict answers by this threshold."
    )
    statement += f"  {declared.later}" if declared.later else ""
    return Threshold(*about, value, statement, float(np.mean(called)), precision)
