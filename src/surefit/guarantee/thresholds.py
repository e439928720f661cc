"""Layer guarantee: the threshold of a fitted classifier of two labels, chosen with a promise.

In: a fitted model, rows that it has never seen, and what is wanted of its answers.  Out: `ChosenThreshold`: the number,
its `Certificate`, and predictions by it.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from surefit.data.tables import tell_of_labels
from surefit.guarantee.answers import answers_labels, one_target, unknown_labels
from surefit.guarantee.held_out import compared_with
from surefit.guarantee.inside import remembered
from surefit.guarantee.label_values import LabelValues
from surefit.guarantee.seen.equal import Equalities
from surefit.names import hinted
from surefit.page import number
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing, Verdict
from surefit.theory.certificates.compared import INDEPENDENT
from surefit.theory.certificates.holdout import fixed_before
from surefit.theory.certificates.thresholds import Shown, cheapest, mean_costs, measured, shown_for, shown_for_cost
from surefit.theory.certificates.wording import alone, at_least, confidence, percent, percent_at_most
from surefit.theory.means.concentration import binomial_upper

NO_TIES = "no two held-out rows have the same score, or higher scores are positive no less often than lower ones"


@dataclass(frozen=True)
class ChosenThreshold:
    """A classifier that answers ``label`` where its score of that label is at least ``threshold``.

    ``certificate`` is the promise; ``observed`` has recall, specificity and precision on the held-out rows, of which
    only the one that was asked for is promised.
    """

    values: LabelValues
    label: Any
    threshold: float
    certificate: Certificate
    observed: dict[str, float]

    def predict(self, X: Any) -> np.ndarray:
        """One of the two labels for each row of ``X``."""
        column = self.values.classes.tolist().index(self.label)
        chosen = self.values(X)[:, column] >= self.threshold
        return self.values.classes[np.where(chosen, column, 1 - column)]

    def __str__(self) -> str:
        return str(self.certificate)

    def _repr_html_(self) -> str:
        return self.certificate._repr_html_()


@dataclass(frozen=True)
class Wish:
    """What is asked of a threshold: a measure and its level; costs of a false positive and of a false negative."""

    measure: str
    level: float
    costs: tuple[float, float]
    delta: float
    start: float

    def shown(self, scores: np.ndarray, event: np.ndarray) -> Shown:
        if self.measure == "cost":
            return shown_for_cost(scores, event, self.level, self.costs, self.delta, start=self.start)
        return shown_for(scores, event, self.measure, self.level, self.delta)

    def chosen(self, shown: Shown, scores: np.ndarray, event: np.ndarray) -> float:
        """The strictest threshold for a recall, the most lenient for the others, the cheapest for a cost."""
        if self.measure == "cost":
            return cheapest(scores, event, self.costs, shown, min(max(self.start, shown.low), shown.high))
        return shown.high if self.measure == "recall" else shown.low


@hinted
def choose_threshold(  # noqa: PLR0913 - one of four measures, and what belongs to it
    model: Any,
    X: Any,
    y: Any,
    *,
    recall: float | None = None,
    precision: float | None = None,
    specificity: float | None = None,
    cost: float | None = None,
    costs: tuple[float, float] = (1.0, 1.0),
    label: Any = None,
    delta: float = 0.05,
    equal_rows_are_draws: bool = False,
) -> ChosenThreshold:
    """The threshold of a fitted classifier that keeps a promise on future rows, with confidence ``1 - delta``.

    Give one of ``recall`` (the share of rows with the ``label`` that is found; the strictest threshold is chosen),
    ``specificity`` (the share of other rows that is left alone; the most lenient), ``precision`` (the share of answers
    ``label`` that is right; the most lenient) and ``cost`` (the mean cost of a row, where ``costs`` are those of a
    false positive and of a false negative; the cheapest).  Exact binomial tests along all thresholds, in an order fixed
    beforehand, so that the choice costs no confidence.

    Parameters
    ----------
    X, y : rows that were not used to fit, scale, select or tune; independent draws of the population.
    label : the positive label; the second of the model's ``classes_`` unless given.
    equal_rows_are_draws : your word that rows repeat by nature and are no copies.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from surefit import LogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticRegression(lam=1e-3).fit(X[:300], y[:300])
    >>> print(choose_threshold(model, X[300:], y[300:], recall=0.95).certificate.statement)
    With 95 % confidence over the draw of the 203 held-out rows labelled 1, answering 1 wherever the score is at least
    ... finds at least 95 % of future rows labelled 1 (observed ... %).
    """
    if not answers_labels(model):
        raise ValueError(f"{type(model).__name__} predicts numbers; give a classifier of two labels")
    values = LabelValues.of(deepcopy(model))
    if len(values.classes) != 2:
        raise ValueError(
            f"the model has {len(values.classes)} labels, and a threshold divides two; fit it to one label against the "
            "others, or use calibrate(model, X, y).predict_set"
        )
    names = values.classes.tolist()
    label = names[1] if label is None else label
    if label not in names:
        raise ValueError(f"label must be one of {names}, got {label!r}")
    tell_of_labels(X, y=y)
    y = one_target(y)
    check_consistent_length(X, y)
    strange = unknown_labels(y, values.classes, f"not {label!r}")
    found, assumptions = compared_with(remembered(model), X, y, equal_rows_are_draws)
    assumptions = (*assumptions, *strange)
    wish = _wish((recall, precision, specificity, cost), costs, delta, values.probabilities)
    scores, event = values(X)[:, names.index(label)], y == label
    shown, once = wish.shown(scores, event), (scores, event)
    if found.any and not equal_rows_are_draws:
        once = _once(found, scores, event)
        shown = shown.common(wish.shown(*once))
        if shown.low > shown.high:
            raise ValueError(
                "no threshold is shown to keep the promise whether equal rows are draws or copies; hold out rows that "
                "are new, or say equal_rows_are_draws=True if they repeat by nature"
            )
    value = wish.chosen(shown, scores, event)
    if wish.measure == "precision":
        ties = len(np.unique(scores)) < len(scores)
        evidence = "some scores are equal" if ties else "all scores differ"
        assumptions = (*assumptions, Assumption(NO_TIES, Standing.UNVERIFIABLE if ties else Standing.CHECKED, evidence))
    price = _price(wish, value, *once, label)
    certificate = _certificate(wish, value, shown, (scores, event, label), assumptions, price)
    return ChosenThreshold(values, label, value, certificate, measured(scores, event, value))


def _wish(levels: tuple[Any, ...], costs: Any, delta: float, probabilities: bool) -> Wish:
    names = ("recall", "precision", "specificity", "cost")
    given = [(name, level) for name, level in zip(names, levels, strict=True) if level is not None]
    if len(given) != 1:
        told = ", ".join(name for name, _ in given) or "none"
        raise ValueError(f"give one of recall, precision, specificity and cost, got {told}")
    try:
        false_positive, false_negative = (float(cost) for cost in costs)
    except (TypeError, ValueError):
        raise ValueError(
            f"costs must be two numbers, of a false positive and of a false negative, got {costs!r}"
        ) from None
    start = false_positive / (false_positive + false_negative) if probabilities else 0.0
    return Wish(*given[0], (false_positive, false_negative), delta, start)


def _once(found: Equalities, scores: np.ndarray, event: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each kind of row once; those that equal a training row count as mistakes at every threshold."""
    wrong = np.where(event, scores.min() - 1.0, scores.max() + 1.0)
    return np.where(found.known, wrong, scores)[found.first], event[found.first]


def _certificate(
    wish: Wish,
    value: float,
    shown: Shown,
    rows: tuple[np.ndarray, np.ndarray, Any],
    assumptions: tuple[Assumption, ...],
    price: Certificate,
) -> Certificate:
    """The promise in words."""
    scores, event, label = rows
    answering, level = (
        f"answering {label!r} wherever the score is at least {number(value)}",
        f"{number(100 * wish.level, 6)} %",
    )
    sure = f"With {confidence(wish.delta)} confidence over the draw of the"
    if wish.measure == "cost":
        distinct, mean = mean_costs(scores, event, wish.costs)
        seen = float(mean[np.searchsorted(distinct, value)])
        text = (
            f"{sure} {shown.n:,} held-out rows, {answering} costs at most {number(wish.level)} a row on average "
            f"over future rows (observed {number(seen)}; a wrong {label!r} costs {number(wish.costs[0])}, a missed "
            f"one {number(wish.costs[1])})."
        )
    else:
        seen = measured(scores, event, value)[wish.measure]
        told = {
            "recall": f"{shown.n:,} held-out rows labelled {label!r}, {answering} finds at least {level} of future "
            f"rows labelled {label!r}",
            "specificity": f"{shown.n:,} held-out rows not labelled {label!r}, {answering} leaves at least {level} of "
            "future rows of this kind alone",
            "precision": f"{len(scores):,} held-out rows, {answering} is right on at least {level} of the future "
            f"rows where it is answered",
        }
        text = f"{sure} {told[wish.measure]} (observed {percent(seen)})."
    inputs = {"n": len(scores), "tested_on": shown.n, "threshold": value, "low": shown.low, "high": shown.high}
    inputs = {**inputs, **({"upper": max(wish.costs)} if wish.measure == "cost" else {"from_below": 1.0})}
    method = "hoeffding-bentkus" if wish.measure == "cost" and wish.costs[0] != wish.costs[1] else "exact binomial"
    return Certificate(
        text, wish.level, seen, wish.delta, f"{method} tests in a fixed sequence",
        (INDEPENDENT, *assumptions, _fixed_model()), price.status, inputs,
        "Angelopoulos, Bates, Candes, Jordan and Lei (2025), learn then test", (price,),
    )  # fmt: skip


def _fixed_model() -> Assumption:
    """The model was fixed before these rows were looked at; its threshold need not be."""
    fixed = fixed_before(1)
    return replace(fixed, evidence=f"its threshold may be chosen on these rows; {fixed.evidence}")


def _price(wish: Wish, value: float, scores: np.ndarray, event: np.ndarray, label: Any) -> Certificate:
    """What the promise costs, and whether one constant answer would keep it as well; with the same confidence.

    A threshold for a recall of 95 % finds nothing if it answers 95 % of all other rows alike: so the share of these is
    bounded, by rows that had no say in the threshold.  A precision has to exceed the share of rows with the label, a
    cost has to be below those of both constants.
    """
    others, alike = {"recall": ~event, "specificity": event}.get(wish.measure), ""
    if others is not None:
        answered = scores[others] >= value
        wrong = answered if wish.measure == "recall" else ~answered
        bound = float(binomial_upper(int(wrong.sum()), len(wrong), wish.delta)) if len(wrong) else 1.0
        told = f"answered {label!r} as well" if wish.measure == "recall" else "missed"
        rows = f"rows not labelled {label!r}" if wish.measure == "recall" else f"rows labelled {label!r}"
        seen = float(np.mean(wrong)) if len(wrong) else 1.0
        alike = "  One answer for all rows, or guessing, would treat both kinds of rows alike."
        text = f"The price: at most {percent_at_most(bound)} of future {rows} are {told} (observed {percent(seen)}"
        beaten = bound < wish.level
    else:
        seen, n, hits = float(np.mean(event)), len(event), int(event.sum())
        bound = float(binomial_upper(hits, n, wish.delta))
        beaten = bound < wish.level
        text = f"Always answering {label!r} is right on at most {percent_at_most(bound)} of rows"
        text += f" (observed {percent(seen)}"
        if wish.measure == "cost":
            high, low = binomial_upper(hits, n, wish.delta / 2), 1 - binomial_upper(n - hits, n, wish.delta / 2)
            bound = float(min(wish.costs[0] * (1 - high), wish.costs[1] * low))
            seen = min(wish.costs[0] * (1 - seen), wish.costs[1] * seen)
            beaten = wish.level < bound
            text = f"One answer for all rows costs at least {at_least(bound)} a row on average (observed {number(seen)}"
    return Certificate(
        f"{text}; {alone(wish.delta)}).{alike}", bound, seen, wish.delta, "clopper-pearson", (INDEPENDENT,),
        Verdict.INFORMATIVE if beaten else Verdict.NO_BETTER,
    )  # fmt: skip
