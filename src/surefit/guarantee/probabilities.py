"""Layer guarantee: probabilities of any fitted classifier, calibrated on rows that it has never seen.

In: a fitted classifier and held-out rows.  Out: `CalibratedProbabilities`: for a new row and each label two
probabilities, one of which is calibrated whatever the classifier (Venn-Abers), and one between them to work with.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from surefit.data.tables import tell_of_labels
from surefit.guarantee.answers import answers_labels, one_target, unknown_labels
from surefit.guarantee.held_out import compared_with
from surefit.guarantee.inside import remembered
from surefit.guarantee.label_values import LabelValues
from surefit.names import hinted
from surefit.page import Page, Readable, Table, number
from surefit.theory.certificates.certificate import Assumption, Standing
from surefit.theory.intervals.venn_abers import VennAbers, merged_probability

EXCHANGEABLE = Assumption("the held-out rows and the new row are exchangeable", Standing.UNVERIFIABLE)


@dataclass(frozen=True, eq=False, repr=False)
class ProbabilityBounds(Readable):
    """For each new row and label a lower and an upper probability ``(m, K)``, and what is promised of them."""

    lower: np.ndarray
    upper: np.ndarray
    classes: np.ndarray
    statement: str
    assumptions: tuple[Assumption, ...]

    @property
    def width(self) -> np.ndarray:
        """How far apart they are, ``(m, K)``: what the held-out rows leave open."""
        return self.upper - self.lower

    def _page(self) -> Page:
        def cells(j: int, room: int) -> list[str]:
            return [f"{low:.3f}-{high:.3f}" for low, high in zip(self.lower[j], self.upper[j], strict=True)]

        names = [str(name) for name in self.classes.tolist()]
        rows = Table(
            [str(j) for j in range(len(self.lower))], names[:5], lambda j, room: cells(j, room)[:5], "row", rows=10
        )
        median = number(float(np.median(self.width)), 2) if len(self.width) else "-"
        facts = (("Rows", f"{len(self.lower):,}"), ("Median width", median))
        notes = [self.statement, *(str(one) for one in self.assumptions)]
        return Page("Probabilities by Venn-Abers", facts, rows, notes)

    def _columns(self) -> tuple[dict[str, np.ndarray], Any, str]:
        columns = {}
        for k, name in enumerate(self.classes.tolist()):
            columns[f"{name} lower"], columns[f"{name} upper"] = self.lower[:, k], self.upper[:, k]
        return columns, range(len(self.lower)), "row"


@dataclass(frozen=True, repr=False)
class CalibratedProbabilities:
    """A classifier and, for each of its labels, the isotonic fits to its scores on held-out rows."""

    values: LabelValues
    tables: tuple[VennAbers, ...]
    assumptions: tuple[Assumption, ...]

    @property
    def classes_(self) -> np.ndarray:
        """The labels that the columns belong to."""
        return self.values.classes

    def __repr__(self) -> str:
        return (
            f"Probabilities calibrated on {self.tables[0].n:,} held-out rows. predict_proba(X) gives one for each "
            "label, predict_bounds(X) the two that enclose it, one of which is calibrated."
        )

    def predict_bounds(self, X: Any) -> ProbabilityBounds:
        """For the rows of ``X`` and each label the two probabilities, as if the label were not, or were, the true "
        "one."""
        scores = self.values(X)
        if len(self.tables) == 1:  # two labels: what is not the second is the first
            low, high = self.tables[0].at(scores[:, 1])
            lower, upper = np.column_stack([1 - high, low]), np.column_stack([1 - low, high])
        else:
            pairs = [table.at(column) for table, column in zip(self.tables, scores.T, strict=True)]
            lower, upper = (np.column_stack(part) for part in zip(*pairs, strict=True))
        return ProbabilityBounds(lower, upper, self.classes_, self.statement, self.assumptions)

    @property
    def statement(self) -> str:
        """The promise in words."""
        return (
            "For each label, one of the two probabilities of a new row is calibrated, on average over hold-outs of "
            f"{self.tables[0].n:,} rows: among rows for which that one is p, a share p has the label. Which of the "
            "two it is depends on the true label, so p itself is known only to lie between them."
        )

    def predict_proba(self, X: Any) -> np.ndarray:
        """One probability for each label, ``(m, K)``, between the two bounds up to a common factor: rows sum to one."""
        bounds = self.predict_bounds(X)
        merged = merged_probability(bounds.lower, bounds.upper)
        return merged / merged.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> np.ndarray:
        """The label of the largest probability."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


@hinted
def calibrate_probabilities(
    model: Any, X: Any, y: Any, *, equal_rows_are_draws: bool = False
) -> CalibratedProbabilities:
    """Probabilities that are calibrated by construction, for any fitted classifier, from rows it has never seen.

    Venn-Abers (Vovk and Petej 2014): the scores of the model (probabilities, or its decision function) are only used
    for their order.  With more than two labels each is set against all others.  Equal rows are taken as draws: the
    promise is about exchangeable rows.

    >>> import numpy as np
    >>> from surefit import SVC
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2)); y = X[:, 0] + rng.normal(size=600) > 0
    >>> found = calibrate_probabilities(SVC(lam=0.01).fit(X[:200], y[:200]), X[200:], y[200:])
    >>> found
    Probabilities calibrated on 400 held-out rows. predict_proba(X) gives one for each label, predict_bounds(X) the two
    that enclose it, one of which is calibrated.
    >>> found.predict_proba([[1.5, 0.0]]).round(1)
    array([[0.1, 0.9]])
    """
    if not answers_labels(model):
        raise ValueError(f"{type(model).__name__} predicts numbers, which have no probabilities; use calibrate")
    tell_of_labels(X, y=y)
    values, y = LabelValues.of(deepcopy(model)), one_target(y)
    check_consistent_length(X, y)
    _, assumptions = compared_with(remembered(model), X, y, equal_rows_are_draws)
    assumptions = (EXCHANGEABLE, *assumptions, *unknown_labels(y, values.classes))
    scores, label = values(X), values.numbers_of(y)
    columns = range(len(values.classes)) if len(values.classes) != 2 else [1]
    tables = tuple(VennAbers.of(scores[:, k], label == k) for k in columns)
    return CalibratedProbabilities(values, tables, assumptions)
