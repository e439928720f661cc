"""Layer study: what is said of cells that a model was not fitted to: texts that cannot be read, and `Outside`.

In: counts that the parts of an encoder find in a table, or in its blocks one after the other.  Out: sentences that name
the column, how many rows are concerned, one of them, as what they are predicted, and that no promise covers them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import lgamma, log

UNKNOWN, MISSING, FAR, SEASON, BEYOND, OTHER = "unknown", "missing", "far", "season", "beyond", "other"

UNUSUAL = 0.01
"""Probability below which a count of new levels is not what the rare levels of the fit make one expect."""

CHANGED = 1e-6
"""Probability below which a count of numbers outside the range of the fit is no chance; there may be many columns."""

SHOWN = 5
"""Columns that one warning is about before it counts the others."""


@dataclass(frozen=True)
class Unreadable:
    """Cells that say something which is no number, or no date: how many, of how many with a value, and one of them."""

    count: int = 0
    known: int = 0
    example: str = ""
    dates: bool = False
    zone: str = ""
    """The time zone that dates of the fit had, or that they had none, where some of these cells have another."""

    def __add__(self, other: Unreadable) -> Unreadable:
        example, zone = self.example or other.example, self.zone or other.zone
        return Unreadable(self.count + other.count, self.known + other.known, example, self.dates, zone)

    @property
    def all(self) -> bool:
        return 0 < self.count == self.known

    def sentence(self, name: str) -> str:
        """What happened to these cells."""
        one, many = "number", "numbers"
        if self.dates:
            zone = f" (whose dates have {self.zone})" if self.zone else ""
            one, many = f"date written as in the fit{zone}", f"dates written as in the fit{zone}"
        if self.all:
            written = ", or as 2024-01-31" if self.dates and not self.zone else ""
            return (
                f"column {name!r}: no cell is a {one}, such as {self.example!r}, so that all count as missing; write "
                f"them as in the table of the fit{written}"
            )
        cells = f"1 cell is no {one}" if self.count == 1 else f"{self.count:,} cells are no {many}"
        count, them = ("counts", "it") if self.count == 1 else ("count", "them")
        mend = "write all dates as 2024-01-31" if self.dates else f"mend {them}"
        if self.zone:
            mend = f"write all dates with {self.zone}"
        return f"column {name!r}: {cells}, such as {self.example!r}, and {count} as missing; {mend}"


@dataclass(frozen=True)
class Outside:
    """Rows of a table that are unlike those of the fit in one column, in one of six ways.

    ``what``: a level that the fit did not have, a value that is missing, a value far outside the range, a value outside
    the range where too many rows are, a date in a part of the year, the week or the day of which the fit had none, a
    value in a column in which all rows of the fit had another.
    """

    what: str
    count: int
    rows: int
    """Rows of the table."""
    example: str
    told: str
    """As what these rows are predicted, or the range of the fit."""
    usual: float = 0.0
    """Share of rows for which the fit makes one expect the same."""
    ends: str = ""
    """Beyond what a value is far outside."""
    fitted: int = 0
    """Rows of the fit that gave the range; 0 where that is not known."""

    def __add__(self, other: Outside) -> Outside:
        first = self if self.count else other  # what is told comes from a block that has such rows
        return replace(first, count=self.count + other.count, rows=self.rows + other.rows)

    @property
    def unusual(self) -> bool:
        """Whether it is more than the rows of the fit make one expect."""
        if self.what == BEYOND:
            return self.fitted > 0 and log_chance_outside(self.count, self.rows, self.fitted) < log(CHANGED)
        if self.count == 0 or self.usual == 0.0:
            return self.count > 0
        if self.what == MISSING:  # gaps are a feature, unless there is nothing else
            return self.count == self.rows and self.usual**self.rows < UNUSUAL
        from scipy.special import bdtrc

        return bool(bdtrc(self.count - 1, self.rows, self.usual) < UNUSUAL)

    def sentence(self, name: str) -> str:
        """What happened to these rows, and that nothing is promised for them."""
        one, told = self.count == 1, self.told
        have, are = ("row has", "is") if one else ("rows have", "are")
        found = f"{self.count:,} {have} a level that the fit did not have, such as {self.example!r}, "
        found += f"and {are} predicted "
        if self.what == MISSING:
            had = "every row" if self.usual == 0.0 else f"{100 * (1 - self.usual):.3g} % of the rows"
            found = f"{self.count:,} {have} no value, where {had} of the fit had one, and {are} predicted "
        if self.what == FAR:
            lie = "row lies" if one else "rows lie"
            found = f"{self.count:,} {lie} far outside what the model was fitted to ({told}), "
            told = f"such as {self.example}"
        if self.what == BEYOND:
            lie = "row lies" if one else "rows lie"
            found = f"{self.count:,} of {self.rows:,} {lie} outside the range of the fit ({told}), more than chance "
            found, told = f"{found}allows (is it in the same unit?), ", f"such as {self.example}"
        if self.what == SEASON:
            lie = "row lies" if one else "rows lie"
            found, told = f"{self.count:,} {lie} in {told} of which the fit had no row, ", f"such as {self.example}"
        if self.what == OTHER:
            found = f"{self.count:,} {have} another value ({self.example!r}) than every row of the fit ({told!r}), "
            found, told = f"{found}and {are} predicted ", "as if there were no difference"
        them = "it" if one else "them"
        ends = f" (far is {self.ends})" if self.ends else ""
        return f"column {name!r}: {found}{told}; no interval, set of classes or certificate covers {them}{ends}"


def log_chance_outside(count: int, rows: int, fitted: int) -> float:
    """Logarithm of a bound for the probability that chance puts so many of ``rows`` outside the range of the fit.

    If all ``fitted + rows`` values come in random order, ``count`` outside the range of the first means that, for some
    ``j``, the ``j`` smallest and the ``count - j`` largest of all are among the new.

    >>> from math import exp
    >>> round(exp(log_chance_outside(1, 1, 9)), 6), round(exp(log_chance_outside(2, 2, 2)), 6)  # exactly .2 and 1 / 2
    (0.2, 0.5)
    """
    new = lgamma(rows + 1) - lgamma(rows - count + 1)
    every = lgamma(fitted + rows + 1) - lgamma(fitted + rows - count + 1)
    return log(count + 1) + new - every


class Remarks:
    """What there is to say of the blocks of a table, when all of them have been read."""

    def __init__(self) -> None:
        self.unreadable: dict[str, Unreadable] = {}
        self.doubts: dict[str, str] = {}
        self.outside: dict[tuple[str, str], Outside] = {}

    def add(
        self,
        unreadable: Mapping[str, Unreadable],
        outside: Mapping[str, Iterable[Outside]],
        doubts: Mapping[str, str] | None = None,
    ) -> None:
        """What was found in the next block; of the doubts about a column the first is kept."""
        self.doubts = {**(doubts or {}), **self.doubts}
        for name, cells in unreadable.items():
            self.unreadable[name] = self.unreadable[name] + cells if name in self.unreadable else cells
        for name, found in outside.items():
            for one in found:
                key = (name, one.what)
                self.outside[key] = self.outside[key] + one if key in self.outside else one

    def of_cells(self) -> list[str]:
        """Sentences about cells that cannot be read, or could be read in another way."""
        unread = [cells.sentence(name) for name, cells in self.unreadable.items() if cells.count]
        return unread + list(self.doubts.values())

    def of_rows(self) -> list[str]:
        """Sentences about rows unlike those of the fit."""
        return [one.sentence(name) for (name, _), one in self.outside.items() if one.unusual]


def joined(sentences: list[str]) -> str:
    """The first sentences, a line each, and how many more there are.

    >>> print(joined([f"column {k}" for k in range(7)]))
    column 0
    column 1
    column 2
    column 3
    column 4
    and 2 more sentences of this kind
    """
    more = len(sentences) - SHOWN
    kind = "sentence" if more == 1 else "sentences"
    return "\n".join(sentences[:SHOWN] + [f"and {more} more {kind} of this kind"] * (more > 0))
