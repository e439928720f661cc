"""Layer guarantee: sets of labels for any fitted classifier, from rows that it has never seen.

In: a fitted classifier and held-out rows.  Out: `CalibratedSets`, which gives `PredictionSets` of any coverage.
`surefit.calibrate` makes one for a classifier, as it makes intervals for a regressor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from surefit.guarantee.label_values import LabelValues
from surefit.guarantee.scores import HeldOutScores, Request
from surefit.names import hinted
from surefit.theory.intervals.class_sets import PredictionSets, class_wise_promise, label_scores, members, sets_of
from surefit.theory.intervals.conformal import SETS

KINDS = {True: ("lac", "aps"), False: ("margin",)}
"""Scores that a model with probabilities has, and one without; the first is the usual one."""


@dataclass(frozen=True, repr=False)
class CalibratedSets:
    """A classifier and the scores of the true labels of held-out rows: `predict_set` gives sets of any coverage.

    ``scores`` has them for every kind of score; ``label`` numbers the true labels, -1 where the model does not know it.
    """

    values: LabelValues
    held_out: HeldOutScores
    scores: dict[str, np.ndarray]
    label: np.ndarray
    ratio: Callable[[Any], Any] | None = field(default=None)

    @staticmethod
    def of(values: LabelValues, X: Any, y: np.ndarray) -> CalibratedSets:
        """The scores of the labels ``y``; a label that the model does not know is infinitely strange to it."""
        return CalibratedSets.of_values(values, values(X), y)

    @staticmethod
    def of_values(values: LabelValues, found: np.ndarray, y: np.ndarray) -> CalibratedSets:
        """The same, where what the model says of each label is known already."""
        label = values.numbers_of(y)
        if np.all(label < 0):
            raise ValueError(
                f"none of the labels in y, such as {y.tolist()[0]!r}, is among those of the fit, such as "
                f"{values.classes.tolist()[0]!r}; write them alike"
            )
        scores = {
            kind: np.where(label < 0, np.inf, label_scores(found, kind)[np.arange(len(label)), label])
            for kind in KINDS[values.probabilities]
        }
        return CalibratedSets(values, HeldOutScores(next(iter(scores.values()))), scores, label)

    def __repr__(self) -> str:
        return (
            f"Calibrated on {self.held_out.described()}. predict_set(X, coverage) gives sets of labels that have the "
            "true label of a new row with probability at least coverage, on average over hold-outs."
        )

    if not TYPE_CHECKING:  # attributes that are misspelt are still errors of types

        def __getattr__(self, name: str) -> Any:
            """Python asks here for what is not there: the usual error, with a remedy for intervals."""
            if name == "predict_interval":
                raise AttributeError("labels have no intervals; use predict_set(X, coverage)", name=name, obj=self)
            return object.__getattribute__(self, name)

    @hinted
    def predict_set(  # noqa: PLR0913 - one more than seven, all of them wishes for the sets
        self,
        X: Any,
        coverage: float = 0.9,
        method: str = "split",
        *,
        score: str | None = None,
        class_wise: bool = False,
        delta: float = 0.05,
        within: Any = None,
        weights: Any = None,
    ) -> PredictionSets:
        """Sets of labels for the rows of ``X``; none is empty.

        ``method="split"``: the true label is in its set with probability at least ``coverage``, on average over
        hold-outs.  ``"pac"``: for all but a share ``delta`` of hold-outs at least ``coverage`` of new rows have it.
        ``score``: ``"lac"`` for small sets, ``"aps"`` for sets that grow where the model is unsure; models without
        probabilities have ``"margin"`` alone.  ``class_wise``: the promise holds for the rows of each label by
        themselves; labels with too few held-out rows are in every set.  ``within``: the category of each row of ``X``,
        if the hold-out had some; ``weights``: its density ratio, if the hold-out had them.
        """
        kinds = KINDS[self.values.probabilities]
        if score is not None and score not in kinds:
            raise ValueError(f"score must be one of {kinds} for this model, got {score!r}")
        kind = score or kinds[0]
        new = label_scores(self.values(X), kind)
        weights = self.ratio(X) if weights is None and self.ratio is not None else weights
        request = self.held_out.request(len(new), (coverage, method, delta), within, weights)
        held_out = replace(self.held_out, scores=self.scores[kind])
        if class_wise:
            quantile, always = self._by_label(held_out, request)
            names = self.values.classes.tolist()
            judged = [self.label == k for k, name in enumerate(names) if name not in always]
            promise = held_out.promise(request, SETS, judged or (None,))
            promise = class_wise_promise(promise, always, len(names), request.delta if request.pac else None)
        else:
            promise = held_out.promise(request, SETS)
            quantile = held_out.quantiles(request)[:, None]
            self._refuse_unknown(quantile, held_out)
        promise = replace(promise, method=f"{promise.method} ({kind})")
        return sets_of(promise, members(new, quantile), self.values.classes)

    def _by_label(self, held_out: HeldOutScores, request: Request) -> tuple[np.ndarray, list[Any]]:
        """A quantile for each new row and label, and the labels that have too few rows for one."""
        K, always = len(self.values.classes), []
        found = np.full((len(request.within), K), np.inf)
        for k in range(K):
            try:
                found[:, k] = held_out.quantiles(request, self.label == k)
            except ValueError:  # too few rows of this label
                always.append(self.values.classes.tolist()[k])
        return found, always

    def _refuse_unknown(self, quantile: np.ndarray, held_out: HeldOutScores) -> None:
        unknown = int(np.sum(self.label < 0))
        if unknown and held_out.sampling.weights is None and np.any(np.isinf(quantile)):
            raise ValueError(
                f"{unknown} of {len(self.label)} held-out rows have labels that the model does not know, too many for "
                "this coverage; fit to rows of all labels, or ask for less coverage"
            )
