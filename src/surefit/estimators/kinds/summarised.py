"""Layer estimators: `summary` for every linear model: its coefficients by name, and what is known of the fit.

In: a fitted model with ``coef_``.  Out: a `Summary`: rows, ``lam`` and how it was chosen, the score on the training
rows, the criterion it was chosen by, the coefficients.  Standard errors are in it where the model has a theory for
them; where it has none, the foot of the table says why, and `inference` refuses with the same words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surefit.page import Fact, number, share
from surefit.theory.inference.summary import Summary
from surefit.theory.inference.tables import EstimateTable, ShrunkenTable


@dataclass(frozen=True)
class PlainStatistics:
    """The numbers of a summary without tests; None where one does not apply or is not known any more."""

    n_rows: int
    n_parameters: int
    lam: float | None = None
    dof: float | None = None
    criterion: float | None = None
    score: float | None = None


class Refusal(AttributeError, ValueError):
    """A model does not have this, and says why: `hasattr` is False, and who expects a ``ValueError`` gets one."""


class Summarised:
    """A linear model of ours: `summary` prints it, `inference` says why it has no standard errors.

    Subclasses give a title, the reason, and facts of their own; those with a theory have an `inference` that answers.
    """

    _title = ""
    coef_: np.ndarray
    intercept_: Any

    def summary(self) -> Summary:
        """The coefficients by name with the facts of the fit; its foot says why they have no standard errors."""
        check_is_fitted(self)
        return described(self, self._as_fitted()._no_errors())

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """`inference` of a model without standard errors: absent, and the error says why and what to do instead."""
            if name != "inference":
                return super().__getattr__(name)
            check_is_fitted(self)
            raise Refusal(self._as_fitted()._no_errors())

    def _as_fitted(self) -> Any:
        """The model with the settings that it was fitted with."""
        return self._fit_record.settings.restored(self)  # type: ignore[attr-defined]

    def _no_errors(self) -> str:
        """Why there are no standard errors, and what to do instead."""
        raise NotImplementedError

    def _facts(self) -> list[Fact]:
        """What is to be said of this kind of model beside ``lam`` and the score."""
        return []

    def _log_odds(self) -> bool:
        """Whether coefficients are log-odds, so that their exponentials are odds ratios."""
        return False

    def _dof(self) -> float | None:
        """Degrees of freedom of the fit, where there is a theory of them."""
        return None

    def _column_names(self) -> tuple[str, ...]:
        """The names of the columns that the coefficients belong to."""
        names, blocks = getattr(self, "feature_names_in_", None), self.__dict__.get("blocks_")
        names = names if blocks is None else blocks.names
        d = np.atleast_2d(self.coef_).shape[1]
        return tuple(f"x{j}" for j in range(d)) if names is None else tuple(map(str, names))

    def _row_labels(self) -> tuple[str, ...]:
        """What the rows of ``coef_`` belong to, if there are several: targets, or pairs of classes."""
        return tuple(f"y{j}" for j in range(len(np.atleast_2d(self.coef_))))


def described(
    model: Any, found: str | ShrunkenTable, notes: Sequence[str] = (), kind: type[Summary] = Summary
) -> Summary:
    """The `Summary` of a model, with a table that has standard errors, or with the reason why there are none."""
    fitted = model._as_fitted()
    table = estimates(fitted, found) if isinstance(found, str) else found
    record = model._fit_record
    blocks = vars(fitted).get("blocks_")
    rows = record.n if blocks is None else blocks.n
    dof = fitted._dof() if isinstance(table, EstimateTable) else table.dof
    lam, choice = lam_facts(fitted)
    scored, score = training_score(model)
    held = len(record.held_out.targets) if record.held_out is not None else 0 if blocks is None else blocks.held_out
    kept = [("Rows held out", f"{held:,}")] if held else []
    facts: list[Fact] = [("Rows", f"{rows:,}"), *kept, ("Parameters", f"{len(table.names):,}"), *choice]
    facts += [] if dof is None else [("Degrees of freedom", number(dof))]
    facts += [] if isinstance(table, EstimateTable) else [("Covariance", table.covariance)]
    facts += [*fitted._facts(), *scored]
    notes = (*notes, *((table.reason,) if isinstance(table, EstimateTable) else table.notes))
    criterion = None if (chosen := getattr(fitted, "selection_", None)) is None else chosen.value
    statistics = PlainStatistics(rows, len(table.names), lam, dof, criterion, score)
    return kind(fitted._title, record.target_name, facts, statistics, table, (*notes, *_end_of_grid(fitted)))


def estimates(model: Any, reason: str) -> EstimateTable:
    """The coefficients by name, intercept first; of several targets or pairs of classes one after the other."""
    coef, first = np.atleast_2d(model.coef_), bool(model.fit_intercept)
    own = ("intercept",) * first + model._column_names()
    rows = np.column_stack([np.atleast_1d(model.intercept_), coef]) if first else coef
    names = own if len(rows) == 1 else tuple(f"{name} [{label}]" for label in model._row_labels() for name in own)
    return EstimateTable(names, rows.astype(float).ravel(), f"No standard errors: {reason}.", model._log_odds())


def lam_facts(model: Any) -> tuple[float | None, list[Fact]]:
    """The penalty used, and how it was chosen with what its criterion says, if it was."""
    lam = getattr(model, "lam_", getattr(model, "lam", None))
    if lam is None:
        return None, []
    if getattr(model, "lam", None) is not None:
        return float(lam), [("lam", f"{number(lam)}, given" if lam > 0 else "0, no penalty")]
    if (found := getattr(model, "selection_", None)) is None:
        return float(lam), [("lam", number(lam)), ("Chosen by", f"radius = {number(model.radius)}")]
    return float(lam), [("lam", number(lam)), ("Chosen by", found.chosen_by), (found.label, number(found.value, 5))]


def _end_of_grid(model: Any) -> tuple[str, ...]:
    """A word on a choice that a longer grid might change."""
    found = getattr(model, "selection_", None)
    if found is None or found.parameter != "lam" or found.end is None:
        return ()
    return (f"The {found.end} lam of the grid was chosen: a grid that reaches further may have a better one.",)


def training_score(model: Any) -> tuple[list[Fact], float | None]:
    """R2 or accuracy on the training rows, named so; nothing where `fit` held rows out, or rows have been changed."""
    rows, label = model._fit_record.rows, "Accuracy" if model._answers_labels() else "R2"
    if rows is None and model._fit_record.held_out is None:
        return [(f"{label} on training rows", "not stored")], None
    if rows is None or not model._fit_record.unchanged():
        return [], None
    X, y, weight = rows.X, rows.y, rows.weight
    y, fitted = np.asarray(y), np.asarray(model._as_fitted()._answers(X))
    weight = np.ones(len(y)) if weight is None else weight
    if model._answers_labels():
        right = float(weight @ (y == fitted.reshape(y.shape)) / weight.sum())
        return [("Accuracy on training rows", share(right))], right
    found = _explained(y.astype(float).reshape(len(y), -1), fitted.astype(float).reshape(len(y), -1), weight)
    return ([] if np.isnan(found) else [("R2 on training rows", share(found))]), None if np.isnan(found) else found


def _explained(y: np.ndarray, fitted: np.ndarray, weight: np.ndarray) -> float:
    """R2 about the weighted mean, averaged over targets; nan where they do not vary, or leave the range of numbers."""
    size = np.maximum(np.max(np.abs(y), axis=0), np.finfo(float).tiny)
    y, fitted = y / size, fitted / size
    total = weight @ (y - weight @ y / weight.sum()) ** 2
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        shares = np.where(total > 1e-30 * weight.sum(), 1 - weight @ (y - fitted) ** 2 / total, np.nan)
    return float(np.mean(shares)) if np.all(np.isfinite(shares)) else np.nan


def with_choice(summary: Any, model: Any) -> Any:
    """``summary`` with the score, and with how ``lam`` was chosen, among its facts."""
    _, facts = lam_facts(model._as_fitted())
    given, scored = [fact for fact in summary.facts if fact[0] != "lam"], training_score(model)[0]
    return replace(summary, facts=[*given, *scored, *facts], notes=(*summary.notes, *_end_of_grid(model)))


def brief(part: Any) -> str:
    """The representation of a loss or penalty, its numbers to four digits.

    >>> from surefit.objective import Huber
    >>> brief(Huber(74401.52562764724))
    'Huber(threshold=74,400)'
    """
    return re.sub(r"\d+\.\d{4,}(e[+-]\d+)?", lambda found: number(float(found.group())), repr(part))
