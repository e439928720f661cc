"""Layer data: which columns of a table are numbers and which are words, and Arrow batches as blocks.

In: an Arrow schema, the name of the target and that of the weights.  Out: `Columns`, which turns every batch of that
schema into a `Block` and refuses others, naming file, row group and row.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from surefit.data.blocks.block import Block, Codes
from surefit.data.whole_numbers import told_of_merged
from surefit.page import listed

MISSING = ""
"""The level of a missing word."""

MOST_LEVELS = 1000
"""Levels of one column beyond which it is no category."""


class SourceError(ValueError):
    """Rows that cannot be used; the message names where they are."""


@dataclass(frozen=True)
class Columns:
    """The columns of a source, in its order: ``numbers``, ``words``; ``target`` and ``weight`` are apart."""

    numbers: tuple[str, ...]
    words: tuple[str, ...]
    target: str | None = None
    target_is_word: bool = False
    weight: str | None = None
    categories: tuple[str, ...] = ()
    """Words that the source itself calls categories."""

    @staticmethod
    def of(
        schema: Any,
        target: str | None,
        weight: str | None = None,
        place: str = "the source",
        drop: tuple[str, ...] = (),
    ) -> Columns:
        """From an Arrow schema without the columns ``drop``; ``target=None`` for rows that are only to be predicted."""
        for name in (target, weight, *drop):
            if name is not None and name not in schema.names:
                raise SourceError(f"{place} has no column {name!r}; its columns are {listed(schema.names)}")
        if target in drop or weight in drop:
            raise SourceError("the target and the weights cannot be dropped; take them out of drop")
        kinds = {field.name: _kind(field, place) for field in schema if field.name not in drop}
        if weight is not None and kinds[weight] != "number":
            raise SourceError(f"the weights {weight!r} of {place} are no numbers; give a column of numbers >= 0")
        rest = [name for name in kinds if name not in (target, weight)]
        return Columns(
            tuple(name for name in rest if kinds[name] == "number"),
            tuple(name for name in rest if kinds[name] == "word"),
            target, target is not None and kinds[target] == "word", weight,
            tuple(field.name for field in schema if str(field.type).startswith("dictionary")),
        )  # fmt: skip

    @property
    def names(self) -> list[str]:
        """All that must be read."""
        return [*self.numbers, *self.words, *(name for name in (self.target, self.weight) if name is not None)]

    def check(self, schema: Any, place: str) -> None:
        """Refuse a schema that lacks a column or has another type of it."""
        lacking = [name for name in self.names if name not in schema.names]
        if lacking:
            raise SourceError(f"{place} lacks the column{'s' * (len(lacking) > 1)} {listed(lacking)}; all parts of a "
                              "source need the same columns")  # fmt: skip
        for name in self.names:
            wanted = "word" if name in self.words or (name == self.target and self.target_is_word) else "number"
            found = _kind(schema.field(name), place)
            if found != wanted:
                raise SourceError(f"column {name!r} holds {found}s in {place} and {wanted}s before; make them agree")

    def block(self, batch: Any, place: str, first: int = 0) -> Block:
        """A record batch as a block; ``first`` is the number of its first row within ``place``."""
        if self.target is not None:  # new rows round as those of the fit did
            self._refuse_merged(batch)
        found = [_numbers(batch.column(name), name, place, first) for name in self.numbers]
        kind = np.result_type(*found) if found else np.float64
        numbers = np.empty((len(found), batch.num_rows), dtype=kind)  # a column after the other
        for j, values in enumerate(found):
            numbers[j] = values
        words = tuple(_codes(batch.column(name), name, place) for name in self.words)
        target: np.ndarray | Codes | None = None
        if self.target is not None:
            column = batch.column(self.target)
            target = (
                _codes(column, self.target, place)
                if self.target_is_word
                else _numbers(column, self.target, place, first).astype(np.float64)
            )
            if isinstance(target, Codes) and column.null_count:
                raise SourceError(f"the target {self.target!r} is missing in {place}; drop those rows")
        weight = None
        if self.weight is not None:
            weight = _numbers(batch.column(self.weight), self.weight, place, first).astype(np.float64)
            if np.any(weight < 0):
                raise SourceError(f"{self.weight!r} has a negative weight in {place}; weights must be >= 0")
        return Block(numbers.T, words, target, weight, place)

    def _refuse_merged(self, batch: Any) -> None:
        """An error where whole numbers that differ would become equal in double precision."""
        for name in (*self.numbers, *(() if self.target_is_word else (self.target,))):
            column = batch.column(name)
            if str(column.type) not in ("int64", "uint64") or column.null_count:
                continue
            if told := told_of_merged(f"column {name!r}", column.to_numpy(), name == self.target):
                raise SourceError(told)


def label_type(schema: Any, target: str | None) -> type:
    """What the classes of a column are where it holds numbers: bool, int or float."""
    kind, types = None if target is None else schema.field(target).type, import_module("pyarrow").types
    if kind is None or not (types.is_boolean(kind) or types.is_integer(kind)):
        return float
    return bool if types.is_boolean(kind) else int


def _kind(field: Any, place: str) -> str:
    """``"number"`` or ``"word"``."""
    types = import_module("pyarrow").types
    kind = field.type.value_type if types.is_dictionary(field.type) else field.type
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return "word"
    numeric = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)
    if numeric and not types.is_dictionary(field.type):
        return "number"
    if numeric or types.is_null(kind):
        return "word"
    raise SourceError(f"column {field.name!r} of {place} has the type {field.type}, which is neither a number nor a "
                      f"word; turn it into one, or leave it out: drop=[{field.name!r}]")  # fmt: skip


def _numbers(column: Any, name: str, place: str, first: int) -> np.ndarray:
    types = import_module("pyarrow").types
    if types.is_boolean(column.type) or types.is_decimal(column.type):
        column = column.cast("float64")
    values = column.to_numpy(zero_copy_only=False)
    if values.dtype != np.float32:
        values = np.asarray(values, dtype=np.float64)
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argmin(finite))
        what = "is missing or NaN" if np.isnan(values[row]) else "is infinite"
        raise SourceError(f"column {name!r} {what} in row {first + row} of {place}; drop or impute such rows first")
    return values


def _codes(column: Any, name: str, place: str) -> Codes:
    types = import_module("pyarrow").types
    if not types.is_dictionary(column.type):
        column = column.dictionary_encode()
    levels = [MISSING if level is None else str(level) for level in column.dictionary.to_pylist()]
    if len(levels) > MOST_LEVELS:
        raise SourceError(
            f"column {name!r} has {len(levels)} levels such as {levels[0]!r} in {place}, more than {MOST_LEVELS}; "
            f"write numbers and dates as plain numbers, or leave it out: drop=[{name!r}]"
        )
    codes = column.indices
    if codes.null_count:
        levels = [*levels, MISSING]
        codes = codes.fill_null(len(levels) - 1)
    return Codes(np.asarray(codes.to_numpy(zero_copy_only=False)).astype(np.int32, copy=False), tuple(levels))
