"""Layer theory: sets of labels that hold the true one with a stated probability.

In: for each row one number per label that says how likely the label is (probabilities, or values of a decision
function), and the true labels of held-out rows.  Out: `PredictionSets`.

A score says how strange a label is at a row.  A label is in the set if its score does not exceed a quantile of the
scores of the true labels of held-out rows; the new score is one of ``n + 1`` that are exchangeable, which is all that
is used.  The likeliest label has the lowest score there is, so no set is empty, and since that lowers the quantile too
it costs nothing: a set is never larger than that of the usual score with the likeliest label put into empty sets.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from surefit.page import Page, Readable, Table, listed, shortened
from surefit.theory.intervals.conformal import ROUNDING, Promise, conformal_rank, not_at_once, pac_rank, ranked

SCORES = ("lac", "aps", "margin")
ROOM = 2.0**-40
"""Added to a quantile: one row in a block and alone may have scores that differ in their last bits."""
SHOWN = 50  # columns of a printed set


@dataclass(frozen=True, eq=False, repr=False)
class PredictionSets(Readable):
    """Sets of labels, one for each new row, and what is known about them.

    ``member`` (m, K) says which of the ``classes`` (K,) are in each set.  ``coverage`` was asked for; ``guaranteed`` is
    what the theorem promises (zero if an assumption is known to fail: then ``broken`` says which); ``statement`` is the
    promise in one sentence; ``assumptions`` are what it rests on.
    """

    member: np.ndarray
    classes: np.ndarray
    coverage: float
    guaranteed: float
    method: str
    statement: str
    assumptions: tuple[str, ...]
    broken: tuple[str, ...] = field(default=())

    @property
    def size(self) -> np.ndarray:
        """How many labels each set has."""
        return self.member.sum(axis=1)

    @property
    def labels(self) -> list[list[Any]]:
        """The labels of each set."""
        names = self.classes.tolist()
        return [[names[k] for k in np.flatnonzero(row)] for row in self.member]

    def __len__(self) -> int:
        return len(self.member)

    def contains(self, y: Any) -> np.ndarray:
        """Whether each set has the label in ``y`` (m,); labels that the model does not know are in none."""
        return np.any(self.member & (np.asarray(y)[:, None] == self.classes), axis=1)

    def _page(self) -> Page:
        sets = self.labels

        def cells(j: int, room: int) -> list[str]:
            return [shortened(", ".join(map(str, sets[j])), SHOWN), str(len(sets[j]))]

        rows = Table([str(j) for j in range(len(sets))], ("labels", "size"), cells, "row", rows=10)
        mean = f"{self.size.mean():.2f}" if len(sets) else "-"
        facts = (("Rows", f"{len(sets):,}"), ("Mean size", f"{mean} of {len(self.classes)} labels"))
        notes = [self.statement, *(f"{'Needed' if self.broken else 'Assumed'}: {text}." for text in self.assumptions)]
        return Page(f"Sets of labels by {self.method}", facts, rows, notes)

    def _columns(self) -> tuple[dict[str, np.ndarray], Any, str]:
        columns = {str(name): self.member[:, k] for k, name in enumerate(self.classes.tolist())}
        return columns, range(len(self.member)), "row"


def label_scores(values: np.ndarray, score: str = "lac") -> np.ndarray:
    """How strange each label is at each row, ``(m, K)``, from ``values`` (m, K): the likeliest label has 0.

    ``"lac"``: one minus the probability (Sadinle, Lei and Wasserman 2019), for small sets.  ``"aps"``: the probability
    of all likelier labels (after Romano, Sesia and Candes 2020, without their coin), for sets that grow where the model
    is unsure.  ``"margin"``: how far a decision function falls behind the largest.

    >>> label_scores(np.array([[0.7, 0.2, 0.1]])).round(3)
    array([[0. , 0.8, 0.9]])
    >>> label_scores(np.array([[0.7, 0.2, 0.1]]), "aps").round(3)
    array([[0. , 0.7, 0.9]])
    """
    if score not in SCORES:
        raise ValueError(f"score must be one of {SCORES}, got {score!r}")
    if score == "margin":
        return values.max(axis=1, keepdims=True) - values
    top = np.argmax(values, axis=1)
    if score == "lac":
        found = 1.0 - values
    else:
        order = np.argsort(-values, axis=1, kind="stable")
        ordered = np.take_along_axis(values, order, axis=1)
        found = np.empty_like(values)
        np.put_along_axis(found, order, np.cumsum(ordered, axis=1) - ordered, axis=1)
    found[np.arange(len(top)), top] = 0.0
    return np.maximum(found, 0.0)


def two_columns(decision: np.ndarray) -> np.ndarray:
    """The values of a decision function, one column a label: ``(-d, d)`` where there is one for two labels."""
    decision = np.asarray(decision, dtype=float)
    return np.column_stack([-decision, decision]) if decision.ndim == 1 else decision


def class_wise_promise(promise: Promise, always: list[Any], n_labels: int, delta: float | None) -> Promise:
    """The same within each label; labels ``always`` in the sets had too few rows; ``delta`` of one with confidence."""
    statement = f"For the rows of each label by themselves: {promise.statement[0].lower()}{promise.statement[1:]}"
    if always:
        them = "it" if len(always) == 1 else "them"
        statement += f" Of {listed(always, 5)} too few rows are held out to leave {them} out of any set."
    if delta is not None:
        statement += f"  {not_at_once(n_labels, 'labels', delta)}"
    return replace(promise, method=f"{promise.method} by label", statement=statement)


def quantile_of(scores: np.ndarray, coverage: float, delta: float | None) -> float:
    """The quantile of held-out scores that gives ``coverage`` on average, or with confidence ``1 - delta``."""
    n = len(scores)
    return ranked(scores, conformal_rank(n, coverage) if delta is None else pac_rank(n, coverage, delta))


def quantiles_by_label(
    scores: np.ndarray, label: np.ndarray, n_labels: int, coverage: float, delta: float | None
) -> np.ndarray:
    """A quantile for each label from its own rows; infinite where there are too few.

    >>> quantiles_by_label(np.arange(12.0), np.repeat([0, 1], [9, 3]), 2, 0.9, None)
    array([ 8., inf])
    """
    found = np.full(n_labels, np.inf)
    for k in range(n_labels):
        try:
            found[k] = quantile_of(scores[label == k], coverage, delta)
        except ValueError:  # too few rows of this label
            continue
    return found


def members(scores: np.ndarray, quantile: np.ndarray | float) -> np.ndarray:
    """Which labels are in each set: those whose score does not exceed the quantile, of their label or of their row."""
    return scores <= quantile + ROOM * (1.0 + np.abs(np.where(np.isfinite(quantile), quantile, 0.0)))


def sets_of(promise: Promise, member: np.ndarray, classes: np.ndarray) -> PredictionSets:
    """The record; where an assumption is known to fail, nothing is guaranteed and the statement says so."""
    statement, guaranteed = promise.kept("sets")
    return PredictionSets(
        member, classes, promise.coverage, guaranteed, promise.method, statement, promise.assumptions, promise.broken
    )


def full_class_wanted(n: int, coverage: float) -> int:
    """How many of ``n`` other scores must not be below that of a label in the set: ``floor((1 - coverage)(n + 1))``."""
    return n + 1 - max(1, int(np.ceil(coverage * (n + 1) - ROUNDING)))
