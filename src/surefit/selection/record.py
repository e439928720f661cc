"""Layer selection: what a fit chose, from which grid, and by what: one record on one attribute.

In: a criterion along a grid.  Out: a `Selection`, which a fit keeps as ``selection_`` (None where nothing was chosen),
and `Selects`, the parameters and attributes that all models which choose have in common.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.page import Fact, Page, Readable, Table, number
from surefit.selection.choice import LamChoice

CRITERIA = {
    "loo": ("exact leave-one-out", "Leave-one-out {}"),
    "cv": ("cross-validation", "Cross-validated {}"),
    "approximate_loo": ("approximate leave-one-out", "Approximate leave-one-out {}"),
    "aic": ("AIC", "AIC"),
    "bic": ("BIC", "BIC"),
    "cp": ("Cp", "Mallows Cp"),
}
"""How a criterion is called in a sentence, and at the head of its values."""

SELECTS = ("min", "one_se")


@dataclass(frozen=True, repr=False)
class Selection(Readable):
    """A criterion along a grid, smaller is better, and what was chosen by it.

    ``chosen_by`` says in words what judged; ``measure`` what it measures ("MSE", "log-loss"), where it is an error on
    rows left out.  ``se`` is nan where the criterion has no standard error.  ``minimum`` is the minimiser (of ties the
    simplest), ``one_se`` the simplest value within one standard error of it, ``chosen`` the one that was taken.
    ``constant`` is the criterion of the best constant.  ``dof`` and ``path`` are degrees of freedom and solutions along
    the grid, None where there are none.  ``candidates`` are the kernels that were compared, each with its least
    criterion.

    >>> found = LamChoice(np.array([1.0, 0.1]), np.array([2.5, 0.5]), np.array([0.2, 0.1]), constant=3.0)
    >>> print(Selection.of(found, "cv", "min", "MSE"))
    Choice of lam
    ================================================================================
    lam                                0.1    Best constant                        3
    Chosen by             cross-validation    Cross-validated MSE                0.5
    --------------------------------------------------------------------------------
    lam  Cross-validated MSE  Std. error
    1                    2.5         0.2
    0.1                  0.5         0.1
    --------------------------------------------------------------------------------
    """

    criterion: str
    chosen_by: str
    grid: np.ndarray
    curve: np.ndarray
    se: np.ndarray
    minimum: float
    one_se: float
    chosen: float
    constant: float
    measure: str = ""
    parameter: str = "lam"
    dof: np.ndarray | None = None
    path: Any = None
    candidates: tuple[tuple[Any, float], ...] = ()

    @staticmethod
    def of(found: LamChoice, criterion: str, select: str, measure: str = "", basis: str = "", **rest: Any) -> Selection:
        """From the criterion along ``lam``; ``select`` is ``"min"`` or ``"one_se"``.

        ``basis`` says of what the criterion was computed, if not of the model itself.
        """
        least, simple, sparing = found.lam_min, found.lam_one_se, select == "one_se"
        words = CRITERIA[criterion][0] + (f" of {basis}" if basis else "") + (", one SE" if sparing else "")
        return Selection(
            criterion, words, found.lams, found.curve, found.se, least, simple, simple if sparing else least,
            found.constant, measure, **rest,
        )  # fmt: skip

    @property
    def label(self) -> str:
        """What the criterion is called at the head of its values, and on an axis."""
        return CRITERIA[self.criterion][1].format(self.measure)

    @property
    def value(self) -> float:
        """The criterion of what was chosen."""
        return float(self._at_chosen(self.curve))

    @property
    def chosen_dof(self) -> float | None:
        """The degrees of freedom of what was chosen, if there is a theory of them."""
        return None if self.dof is None else float(self._at_chosen(self.dof))

    @property
    def end(self) -> str | None:
        """``"smallest"`` or ``"largest"`` if an end of a grid of several values was chosen, else None."""
        if len(np.unique(self.grid)) < 2 or self.grid.min() < self.chosen < self.grid.max():
            return None
        return "largest" if self.chosen >= self.grid.max() else "smallest"

    def in_units(self, unit: float, within: float = 0.0) -> Selection:
        """Of targets that were divided by their size: errors times its square ``unit``, ``within`` added before."""
        with np.errstate(over="ignore"):
            curve, constant = (self.curve + within) * unit, (self.constant + within) * unit
            others = tuple((kernel, (least + within) * unit) for kernel, least in self.candidates)
            return replace(self, curve=curve, se=self.se * unit, constant=constant, candidates=others)

    def _at_chosen(self, values: np.ndarray) -> Any:
        return values[int(np.flatnonzero(self.grid == self.chosen)[0])]

    def _columns(self) -> tuple[Mapping[str, Any], Any, str]:
        columns: dict[str, Any] = {"criterion": self.curve, "se": self.se}
        return (columns if self.dof is None else {**columns, "dof": self.dof}), self.grid, self.parameter

    def _page(self) -> Page:
        facts: list[Fact] = [(self.parameter, number(self.chosen)), ("Chosen by", self.chosen_by)]
        facts += [] if np.isnan(self.constant) else [("Best constant", number(self.constant))]
        columns = {self.label: self.curve, "Std. error": self.se}
        if np.all(np.isnan(self.se)):
            del columns["Std. error"]
        columns |= {} if self.dof is None else {"Degrees of freedom": self.dof}
        names = [number(value) for value in self.grid]
        cells = lambda k, room: [number(float(column[k])) for column in columns.values()]
        table = Table(names, tuple(columns), cells, self.parameter, rows=20)
        facts += [(self.label, number(self.value))]
        facts += [(repr(kernel), number(least)) for kernel, least in self.candidates]
        return Page(f"Choice of {self.parameter}", facts, table)


class Selects:
    """A model that may choose ``lam``: every ``fit`` sets ``selection_``, and these names read it."""

    selection_: Selection | None

    @property
    def lam_path_(self) -> np.ndarray:
        """The grid that ``lam`` was chosen from."""
        return self._selected("lam_path_", "grid")

    @property
    def criterion_path_(self) -> np.ndarray:
        """The criterion along the grid."""
        return self._selected("criterion_path_", "curve")

    @property
    def criterion_se_(self) -> np.ndarray:
        """Its standard error, nan where it has none."""
        return self._selected("criterion_se_", "se")

    @property
    def lam_min_(self) -> float:
        """The minimiser of the criterion."""
        return self._selected("lam_min_", "minimum")

    @property
    def lam_1se_(self) -> float:
        """The largest ``lam`` within one standard error of the minimum."""
        return self._selected("lam_1se_", "one_se")

    @property
    def dof_path_(self) -> np.ndarray:
        """Degrees of freedom along the grid."""
        return self._selected("dof_path_", "dof")

    @property
    def path_(self) -> Any:
        """Coefficients along the grid."""
        return self._selected("path_", "path")

    def _selected(self, name: str, field: str) -> Any:
        """A field of the record; an `AttributeError` with its reason where there is nothing."""
        model = type(self).__name__
        if "selection_" not in self.__dict__:
            raise AttributeError(f"{model} is not fitted yet, so it has no {name}; call fit(X, y) first")
        if self.selection_ is None:
            raise AttributeError(f"{model} has no {name}, because lam was not chosen; fit with lam=None")
        found = getattr(self.selection_, field)
        if found is None:
            raise AttributeError(f"{model} has no {name}: this model keeps none along its grid")
        return found


def check_selects(model: Any, criteria: tuple[str, ...], reason: str = "") -> None:
    """Refuse a ``criterion`` or ``select`` that the model does not have, and settings that are given twice.

    ``reason`` says why a criterion is missing that other models have.
    """
    given = [name for name in ("lam", "lams", "radius") if getattr(model, name, None) is not None]
    if len(given) > 1:
        meaning = {
            "lam": "lam is one penalty", "lams": "lams is a grid to choose it from", "radius": "radius decides it"
        }  # fmt: skip
        raise ValueError(f"give {' or '.join(given)}, not both: {', '.join(meaning[name] for name in given)}")
    if model.criterion not in criteria:
        reason = f" ({reason})" if reason and model.criterion in CRITERIA else ""
        raise ValueError(f"criterion must be one of {_listed(criteria)}; got {model.criterion!r}{reason}")
    if model.select not in SELECTS:
        raise ValueError(f"select must be one of {_listed(SELECTS)}; got {model.select!r}")
    if model.lam is None and model.select == "one_se" and model.criterion not in ("cv", "loo"):
        raise ValueError(
            f"select='one_se' needs a criterion with a standard error, and {model.criterion!r} has none; "
            "use criterion='cv', or select='min'"
        )


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(map(repr, words))
