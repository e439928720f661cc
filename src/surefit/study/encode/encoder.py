"""Layer study: a table becomes a matrix of float64: `Encoder`, which learns from training rows and keeps plain data.

In: a `Table` and the kind of each column.  Out: ``(n, d)`` finite numbers and the names of the features.  The target is
never looked at.  `as_dict` gives everything that it has learnt as texts, numbers and lists; `from_dict` restores it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from surefit.page import listed
from surefit.study.encode.constants import Constant
from surefit.study.encode.kinds import Kind
from surefit.study.encode.outside import Outside, Unreadable
from surefit.study.encode.parts import CategoryPart, DatePart, NumberPart, Part, part_of
from surefit.study.encode.words import Style
from surefit.study.tables.table import Table, TableError

PARTS: Mapping[str, Any] = {"number": NumberPart, "category": CategoryPart, "date": DatePart}
"""What a stored encoder may consist of; nothing else is ever built from a file."""


@dataclass(frozen=True)
class Encoder:
    """Parts, one for each column that has something to say, in the order of the table, and what is known of others."""

    parts: tuple[Part, ...]
    decimal_comma: bool | None = None
    """What the file of the training rows was taken for, where a number could have a decimal point or comma."""
    constants: tuple[Constant, ...] = ()
    """Columns that have one value in the training rows; a table may lack them."""

    @staticmethod
    def of(table: Table, kinds: Mapping[str, Kind], names: Sequence[str]) -> Encoder:
        """Learnt from training rows; ``names`` are the columns that may be used."""
        found = {name: part_of(name, table[name], kinds[name]) for name in names}
        constants = (Constant.of(name, table[name], kinds[name]) for name, part in found.items() if part is None)
        return Encoder(
            tuple(part for part in found.values() if part is not None), table.decimal_comma,
            tuple(one for one in constants if one is not None),
        )  # fmt: skip

    @property
    def features(self) -> tuple[str, ...]:
        """A name for each column of the matrix."""
        return tuple(name for part in self.parts for name in part.features)

    @property
    def sources(self) -> tuple[str, ...]:
        """The column of the table that each feature comes from."""
        return tuple(part.name for part in self.parts for _ in part.features)

    @property
    def units(self) -> np.ndarray:
        """What one unit of each feature is in the units of its column."""
        return np.array([unit for part in self.parts for unit in part.units])

    def encode(self, table: Table) -> np.ndarray:
        """Rows as numbers; an error names the columns that the table lacks."""
        lacking = [part.name for part in self.parts if part.name not in table]
        if lacking:
            columns, them = ("column", "it") if len(lacking) == 1 else ("columns", "them")
            raise TableError(f"the table lacks the {columns} {listed(lacking)}, which the model needs; add {them}")
        if not self.parts:
            return np.zeros((table.n_rows, 0))
        return np.column_stack([part.encode(table[part.name]) for part in self.parts])

    def strange(self, table: Table) -> dict[str, dict[str, int]]:
        """By column, the levels that training rows lacked or had too rarely, and how many rows have them."""
        found = {part.name: part.strange(table[part.name]) for part in self.parts if part.name in table}
        return {name: levels for name, levels in found.items() if levels}

    def unreadable(self, table: Table) -> dict[str, Unreadable]:
        """By column of numbers or dates, the cells with a text that is none."""
        parts = [part for part in self.parts if not isinstance(part, CategoryPart) and part.name in table]
        return {part.name: part.unreadable(table[part.name]) for part in parts}

    def outside(self, table: Table) -> dict[str, tuple[Outside, ...]]:
        """By column, the rows that are unlike those of the fit: unknown levels, gaps, values far outside."""
        found = {part.name: part.outside(table[part.name]) for part in self.parts if part.name in table}
        same = {one.name: (one.outside(table[one.name]),) for one in self.constants if one.name in table}
        return {**found, **same}

    def as_dict(self) -> dict[str, Any]:
        """Everything as texts, numbers and lists."""
        return {
            "parts": [asdict(part) for part in self.parts],
            "decimal_comma": self.decimal_comma,
            "constants": [asdict(one) for one in self.constants],
        }

    @staticmethod
    def from_dict(state: Mapping[str, Any]) -> Encoder:
        """The encoder that `as_dict` described; ``ValueError`` if it is none."""
        try:
            constants = tuple(Constant(**{**one, "kind": _kind(one["kind"])}) for one in state.get("constants", ()))
            return Encoder(tuple(_part(one) for one in state["parts"]), state.get("decimal_comma"), constants)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"this is no state of an encoder ({error!r}); fit the model again") from error


def _kind(state: Mapping[str, Any]) -> Kind:
    return Kind(**{**state, "stray": tuple(state["stray"]), "style": Style(**state["style"])})


def _part(state: Mapping[str, Any]) -> Part:
    known = _kind(state["kind"])
    rest: Any = {
        name: tuple(value) if isinstance(value, list) else value for name, value in state.items() if name != "kind"
    }
    found: Part = PARTS[known.kind](kind=known, **rest)
    return found
