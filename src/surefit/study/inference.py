"""Layer study: standard errors of a winner's coefficients, where a theory gives them.

In: the winner and the training rows.  Out: estimates with standard errors, intervals and p values by feature, and what
they are about in a sentence.  Nobody chose the columns of least squares by looking, so that its own rows serve.  A
lasso chose them: so one half of the rows chooses columns once more, and a fit without a penalty to the other half, in
which nothing was chosen, gives the errors.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefit.estimators.least_squares import LeastSquares
from surefit.estimators.logistic import LogisticRegression
from surefit.study.contest.candidates import Entry
from surefit.study.contest.compete import Arena

ROWS_EACH = 5
"""Rows of the second half that every chosen column needs."""

CHOOSERS = ("lasso", "elastic net", "logistic lasso")
"""Names of the entries that choose columns."""

BY_ITS_ROWS = "Standard errors are robust (HC3) and of the coefficients of the best linear prediction."
DEPENDENT = "No standard errors: some columns depend on each other."
SHRUNKEN = (
    "No standard errors: the penalty shrinks these coefficients, so that classical standard errors and p values would "
    "not be about them."
)


@dataclass(frozen=True)
class Errors:
    """By number of a feature; empty where no theory gives any."""

    sentence: str
    n_rows: int
    estimate: dict[int, float] = field(default_factory=dict)
    standard_error: dict[int, float] = field(default_factory=dict)
    low: dict[int, float] = field(default_factory=dict)
    high: dict[int, float] = field(default_factory=dict)
    p_value: dict[int, float] = field(default_factory=dict)


def errors_of(arena: Arena, entry: Entry, model: Any, groups: np.ndarray | None, seed: int) -> Errors:
    """Standard errors of a linear winner, or why there are none."""
    n = len(arena.y)
    if groups is not None:
        return Errors("No standard errors: rows of one group are not independent of each other.", n)
    if entry.name == "least squares":
        table = _table(lambda: model.inference(covariance="HC3"))
        return Errors(DEPENDENT, n) if table is None else _filled(table, np.arange(arena.X.shape[1]), BY_ITS_ROWS, n)
    if entry.name not in CHOOSERS or arena.n_classes > 2:
        return Errors(SHRUNKEN, n)
    return _by_halves(arena, entry, seed)


def _by_halves(arena: Arena, entry: Entry, seed: int) -> Errors:
    """One half chooses columns, the other gives their coefficients without a penalty."""
    order = np.random.default_rng(seed).permutation(len(arena.y))
    choosing, rest = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
    try:
        chosen = np.flatnonzero(np.ravel(arena.fit(entry, choosing).coef_))
    except (ValueError, ArithmeticError):
        chosen = np.zeros(0, dtype=int)
    spread = np.ptp(arena.X[rest][:, chosen], axis=0) > 0
    chosen = chosen[spread]
    if len(chosen) == 0 or ROWS_EACH * len(chosen) > len(rest):
        why = "chooses no column" if len(chosen) == 0 else f"chooses {len(chosen):,} columns, too many for the other"
        return Errors(f"No standard errors: of two halves of the rows, the one that chooses {why}.", len(rest))
    X, y = arena.X[np.ix_(rest, chosen)], arena.y[rest]
    weight = None if arena.weight is None else arena.weight[rest]
    unpenalised: Any = LogisticRegression(lam=0.0) if arena.n_classes else LeastSquares()
    robust = "robust" if arena.n_classes else "HC3"
    table = _table(lambda: unpenalised.fit(X, y, sample_weight=weight).inference(covariance=robust))
    if table is None:
        return Errors("No standard errors: in the half that did not choose, chosen columns depend on each other.", 0)
    kind = "log-odds" if arena.n_classes else "the best linear prediction"
    sentence = (
        f"Columns were chosen once more on one half of the rows. Intervals and p values are of a fit without a penalty "
        f"to the other {len(rest):,} rows, in which nothing was chosen: of the coefficients of {kind} given those "
        f"{len(chosen):,} columns. The coefficients that predict are shrunken and come from all rows."
    )
    return _filled(table, chosen, sentence, len(rest))


def _table(make: Any) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make()
    except (ValueError, ArithmeticError):
        return None


def _filled(table: Any, features: np.ndarray, sentence: str, n_rows: int) -> Errors:
    """The last rows of a table of coefficients, one for each of ``features``."""
    part = lambda values: dict(
        zip(features.tolist(), np.asarray(values, float)[-len(features) :].tolist(), strict=True)
    )
    return Errors(
        sentence, n_rows, part(table.estimate), part(table.standard_error), part(table.lower), part(table.upper),
        part(table.p_value),
    )  # fmt: skip
