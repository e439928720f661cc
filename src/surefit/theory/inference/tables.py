"""Layer theory: the records in which coefficients are reported, with standard errors or without.

In: names, estimates and what is known of their errors.  Out: tables that print, render in a notebook and become data
frames.  A column that was dropped because it follows from others has no numbers: it is marked NA.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from surefit.page import ABSENT, Page, Readable, Table, measured, number, p_value, ratio

Distribution = Literal["t", "normal"]

SHRUNKEN = (
    "of the shrunken target E[estimate], not of the true coefficients: the bias that lam brings is not in these "
    "standard errors, and no p values exist for it"
)


class Coefficients(Readable):
    """What all tables of coefficients share; `titles`, `numbers` and `cells` say what is in a row.

    ``odds`` adds the odds ratio ``exp(estimate)`` of each column: by how much one more of it multiplies the odds.
    """

    names: tuple[str, ...]
    estimate: np.ndarray
    odds: bool = False

    @property
    def odds_ratio(self) -> np.ndarray:
        """``exp(estimate)``; nan for intercepts, whose exponentials are odds and no ratios."""
        slope = np.array([name.split(" [")[0] != "intercept" for name in self.names], dtype=bool)
        with np.errstate(over="ignore"):
            return np.where(slope, np.exp(self.estimate), np.nan)

    def numbers(self) -> dict[str, np.ndarray]:
        """The columns of the data frame, by name."""
        return {"estimate": self.estimate} | ({"odds_ratio": self.odds_ratio} if self.odds else {})

    def records(self) -> list[dict[str, Any]]:
        """One dictionary of plain numbers a row."""
        columns = self.numbers()
        return [
            {"name": name} | {key: float(column[j]) for key, column in columns.items()}
            for j, name in enumerate(self.names)
        ]

    def layout(self, rest: str = "to_frame() has all") -> Table:
        """How the table is printed."""
        titles = (*self._titles(), *(("odds ratio",) if self.odds else ()))

        def cells(j: int, room: int) -> list[str]:
            if np.isnan(self.estimate[j]):
                return [ABSENT] * len(titles)
            return [*self._cells(j, room), *((_odds(float(self.odds_ratio[j])),) if self.odds else ())]

        return Table(self.names, titles, cells, rest=rest)

    def _titles(self) -> Sequence[str]:
        return ("estimate",)

    def _cells(self, j: int, room: int) -> list[str]:
        return [number(float(self.estimate[j]), min(6, room))]

    def _columns(self) -> tuple[dict[str, np.ndarray], tuple[str, ...], str]:
        return self.numbers(), self.names, "parameter"


def _odds(value: float) -> str:
    return "" if np.isnan(value) else number(value)


@dataclass(frozen=True, eq=False, repr=False)
class EstimateTable(Coefficients):
    """Estimates alone, and in ``reason`` why they have no standard errors."""

    names: tuple[str, ...]
    estimate: np.ndarray
    reason: str = ""
    odds: bool = False

    def _page(self) -> Page:
        return Page("Coefficients", (), self.layout(), (self.reason,) if self.reason else ())


@dataclass(frozen=True, eq=False, repr=False)
class CoefficientTable(Coefficients):
    """Estimates with standard errors, ratios ``t``, two-sided p values and intervals; one entry per row."""

    names: tuple[str, ...]
    estimate: np.ndarray
    standard_error: np.ndarray
    t: np.ndarray
    p_value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    level: float
    covariance: str
    distribution: Distribution
    df_residual: int
    odds: bool = False

    def numbers(self) -> dict[str, np.ndarray]:
        tests = {"std_error": self.standard_error, "t": self.t, "p_value": self.p_value}
        first, *odds = super().numbers().items()
        return dict([first, *tests.items(), ("lower", self.lower), ("upper", self.upper), *odds])

    def _titles(self) -> Sequence[str]:
        return "estimate", "std. error", "t" if self.distribution == "t" else "z", "p", *level_titles(self.level)

    def _cells(self, j: int, room: int) -> list[str]:
        estimate, error, *ends = near_cells(self, j, room)
        return [estimate, error, ratio(float(self.t[j])), p_value(float(self.p_value[j])), *ends]

    def _page(self) -> Page:
        tests = f"t({self.df_residual})" if self.distribution == "t" else "normal"
        return Page("Coefficients", (("Covariance", self.covariance), ("Tests", tests)), self.layout())


@dataclass(frozen=True, eq=False, repr=False)
class ShrunkenTable(Coefficients):
    """Penalised estimates, intercept first, with standard errors and intervals of the target they are shrunken to.

    ``dof`` is the effective number of parameters; ``meaning`` says what the intervals are about, ``caution`` what of
    the fit they ignore.
    """

    names: tuple[str, ...]
    estimate: np.ndarray
    standard_error: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    level: float
    covariance: str
    lam: float
    dof: float
    meaning: str = SHRUNKEN
    caution: str = ""
    model: str = "Ridge"
    odds: bool = False
    df: float = float("inf")
    """Degrees of freedom of the t law behind the intervals; infinite for the normal law."""

    def divided_by(self, scale: np.ndarray) -> ShrunkenTable:
        """The table for columns multiplied by ``scale`` (d,); the intercept stays."""
        by = np.append(np.ones(len(self.names) - len(scale)), scale)
        parts = {name: getattr(self, name) / by for name in ("estimate", "standard_error", "lower", "upper")}
        return replace(self, **parts)

    def numbers(self) -> dict[str, np.ndarray]:
        first, *odds = super().numbers().items()
        return dict([first, ("std_error", self.standard_error), ("lower", self.lower), ("upper", self.upper), *odds])

    @property
    def notes(self) -> tuple[str, ...]:
        """What the standard errors are about, and what they ignore."""
        return (f"Standard errors are {self.meaning}.", *((f"{self.caution}.",) if self.caution else ()))

    def _titles(self) -> Sequence[str]:
        return "estimate", "std. error", *level_titles(self.level)

    def _cells(self, j: int, room: int) -> list[str]:
        return near_cells(self, j, room)

    def _page(self) -> Page:
        facts = (
            ("lam", number(self.lam)),
            ("Covariance", self.covariance),
            ("Degrees of freedom", number(self.dof)),
        )
        return Page(f"{self.model}, penalised", facts, self.layout(), self.notes)


@dataclass(frozen=True, eq=False, repr=False)
class Intervals(Readable):
    """Fitted values at new rows with a standard error and an interval for each, arrays of shape ``(m,)``."""

    fitted: np.ndarray
    standard_error: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    level: float

    def _page(self) -> Page:
        def cells(j: int, room: int) -> list[str]:
            error = float(self.standard_error[j])
            return [measured(float(x[j]), error, room) for x in (self.fitted, self.standard_error, *self._ends)]

        titles = ("fitted", "std. error", *level_titles(self.level))
        table = Table([str(j) for j in range(len(self.fitted))], titles, cells, "row", rows=20)
        return Page(f"Intervals at level {self.level:g}", (), table)

    @property
    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        return self.lower, self.upper

    def _columns(self) -> tuple[dict[str, np.ndarray], Any, str]:
        numbers = {"fitted": self.fitted, "std_error": self.standard_error, "lower": self.lower, "upper": self.upper}
        return numbers, range(len(self.fitted)), "row"


def checked_level(level: float) -> float:
    """Refuse a ``level`` that is no probability."""
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, got {level}; use level=0.95 for a 95 % interval")
    return level


def level_titles(level: float) -> tuple[str, str]:
    """What stands above the ends of an interval.

    >>> level_titles(0.95)
    ('2.5 %', '97.5 %')
    """
    tail = 50 * (1 - level)
    return f"{tail:.4g} %", f"{100 - tail:.6g} %"


def near_cells(table: CoefficientTable | ShrunkenTable, j: int, room: int) -> list[str]:
    """Estimate, standard error and the ends of the interval, all to the third digit of the standard error."""
    error = float(table.standard_error[j])
    return [measured(float(x), error, room) for x in (table.estimate[j], error, table.lower[j], table.upper[j])]


def exponentials(table: CoefficientTable | ShrunkenTable) -> dict[str, tuple[float, float, float]]:
    """``exp`` of estimate, lower and upper end of every parameter but the intercepts; infinite where too large."""
    with np.errstate(over="ignore"):
        rows = np.exp(np.column_stack([table.estimate, table.lower, table.upper])).tolist()
    slopes = ~np.isnan(table.odds_ratio)
    return {name: tuple(row) for name, row, slope in zip(table.names, rows, slopes, strict=True) if slope}


def with_absent(table: CoefficientTable, names: Sequence[str], kept: Sequence[int]) -> CoefficientTable:
    """A table of some of ``names``, those numbered ``kept``, as one of all of them: the others have no numbers.

    >>> one = np.ones(1)
    >>> part = CoefficientTable(("a",), one, one, one, one, one, one, 0.95, "classical", "t", 3)
    >>> with_absent(part, ("a", "b"), [0]).estimate
    array([ 1., nan])
    """

    def spread(column: np.ndarray) -> np.ndarray:
        whole = np.full(len(names), np.nan)
        whole[list(kept)] = column
        return whole

    return replace(
        table,
        names=tuple(names),
        estimate=spread(table.estimate),
        standard_error=spread(table.standard_error),
        t=spread(table.t),
        p_value=spread(table.p_value),
        lower=spread(table.lower),
        upper=spread(table.upper),
    )
