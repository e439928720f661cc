"""Layer study: from a table and settings to what candidates see.

In: `Settings` and a table (and a second one to test on, where one is given).  Out: `Prepared`: target, kinds, division,
encoder, matrices of training rows and of the hold-out.  The hold-out is set aside before the encoder learns anything;
only the kinds of columns are told from all rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.page import listed
from surefit.study.contest.compete import Arena
from surefit.study.division import (
    Fold,
    TableDivision,
    divide,
    divide_groups,
    divide_time,
    folds_of,
    groups_of,
    moments_of,
    row_hashes,
    times_of,
)
from surefit.study.encode.beside import Beside
from surefit.study.encode.encoder import Encoder
from surefit.study.encode.kinds import LEFT_OUT, Kind, as_numbers, kinds_of
from surefit.study.encode.reading import Reading
from surefit.study.settings import Settings
from surefit.study.tables.read import read_table
from surefit.study.tables.table import Column, Table, TableError, Words
from surefit.study.target import FEWEST_OF_CLASS, Target, about, target_of, usable

FOLDS, MANY_FOLDS, FEW_ROWS = 5, 10, 500
"""Folds, and how many there are for fewer training rows than ``FEW_ROWS``."""

MOST_ENTRIES = 6e7
"""Entries of the matrix of training rows, about 500 MB."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Everything that is known before the first fit."""

    settings: Settings
    table: Table
    """Rows that have a target."""
    n_read: int
    target: Target
    kinds: dict[str, Kind]
    division: TableDivision
    holdout_table: Table
    encoder: Encoder
    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    X_holdout: np.ndarray
    y_holdout: np.ndarray
    folds: list[Fold]
    prints: np.ndarray
    """One number per training row, of its cells and its target."""
    groups: np.ndarray | None = None
    """One number per training row, of its group."""
    moments: np.ndarray | None = None
    """One number per training row, of its time."""
    holdout_groups: np.ndarray | None = None
    """One number per row of the hold-out, of its group."""
    holdout_times: np.ndarray | None = None
    """When each row of the hold-out was, a number or a date."""
    unfit: str = ""
    """Why the hold-out says nothing of new groups or of a later time; empty where it does."""
    n_stray: int = 0
    """Rows left out because their target is a text among numbers."""

    @property
    def training_table(self) -> Table:
        return self.table.take(self.division.training)

    @property
    def n_classes(self) -> int:
        return len(self.target.classes)

    @property
    def arena(self) -> Arena:
        """What candidates see."""
        return Arena(self.X, self.y, self.weight, self.folds, self.target.classes)

    def sampled(self, size: int) -> Prepared:
        """The same with so many of the training rows, drawn at random; the hold-out stays what it is."""
        n = len(self.y)
        if size >= n:
            return self
        rows = np.sort(np.random.default_rng(self.settings.seed).permutation(n)[:size])
        part = lambda values: None if values is None else values[rows]
        division = TableDivision(
            self.division.training[rows], self.division.holdout,
            f"{self.division.sentence} Of the others {size:,} were used, drawn at random: the budget does not allow "
            "for all.",
        )  # fmt: skip
        some = replace(
            self, division=division, X=self.X[rows], y=self.y[rows], weight=part(self.weight),
            prints=self.prints[rows], groups=part(self.groups), moments=part(self.moments),
        )  # fmt: skip
        return replace(some, folds=_folds(some.prints, some.y, self.settings, self.target, some.groups, some.moments))


def prepare(source: Any, settings: Settings, test: Any = None) -> Prepared:
    """Read, infer, set aside, encode."""
    table = read_table(source, encoding=settings.encoding, separator=settings.separator)
    if table.n_rows == 0:
        raise TableError(f"{table.source} has a header and no rows; add rows")
    whole = table
    target, values, table, n_read = _with_target(whole, settings)
    kinds = _kinds(table, settings, target)
    names = _feature_names(table, kinds, settings, target)
    groups = groups_of(table, settings.group) if settings.group else None
    moments = moments_of(table, settings.time, kinds[settings.time]) if settings.time else None
    if test is not None:
        division, holdout, y_holdout = _given(table, settings, target, test, kinds)
    else:
        division = _divided(table, target, values, settings, groups, moments)
        holdout, y_holdout = table.take(division.holdout), values[division.holdout]
    rows = division.training
    training, y = table.take(rows), values[rows]
    if target.is_classification and len(np.unique(y)) < 2:
        raise TableError("after setting rows aside, the training rows have one class; add rows of the others")
    encoder = Encoder.of(training, kinds, names)
    if not encoder.parts:
        raise TableError("no column is left to predict from: all others are constant, empty, or identify rows")
    _refuse_too_large(len(rows), len(encoder.features))
    prints = row_hashes(training)
    part = lambda values: None if values is None else values[rows]
    folds = _folds(prints, y, settings, target, part(groups), part(moments))
    found = Prepared(
        settings, table, n_read, target, kinds, division, holdout, encoder, encoder.encode(training), y,
        _weights(table, rows, settings, kinds), encoder.encode(holdout), y_holdout, folds, prints, part(groups),
        part(moments), n_stray=_n_stray(whole[target.name], target),
    )  # fmt: skip
    return _described(found)


def _described(data: Prepared) -> Prepared:
    """With the groups or times of the hold-out; a table to test on may have groups, or a time, that were trained on."""
    asked, held = data.settings, data.holdout_table
    if asked.group is not None and data.groups is not None:
        groups = groups_of(held, asked.group)
        known = len(np.intersect1d(groups, data.groups))
        what = "is" if known == 1 else "are"
        unfit = f"{known:,} of its groups {what} among the training rows, so that it says nothing of new groups"
        return replace(data, holdout_groups=groups, unfit=unfit if known else "")
    if asked.time is None or data.moments is None:
        return data
    kind = data.kinds[asked.time]
    early = int(np.count_nonzero(moments_of(held, asked.time, kind) < data.moments.max()))
    unfit = f"{early:,} of its rows are earlier than the last training row, so that it says nothing of a later time"
    return replace(data, holdout_times=times_of(held, asked.time, kind), unfit=unfit if early else "")


def _folds(
    prints: np.ndarray, y: np.ndarray, settings: Settings, target: Target, groups: Any, moments: Any
) -> list[Fold]:
    count = MANY_FOLDS if len(y) < FEW_ROWS else FOLDS
    return folds_of(prints, count, settings.seed, y if target.is_classification else None, groups, moments)


def _with_target(table: Table, settings: Settings) -> tuple[Target, np.ndarray, Table, int]:
    target = about(target_of(table, settings.target, settings.task), settings.event)
    if settings.recall is not None and not target.is_classification:
        raise TableError(
            f"recall needs classes, and {target.name!r} holds numbers; leave recall out, or say task classification if "
            "they are names of classes"
        )
    values = target.values(table[settings.target])
    known = usable(target, values)
    n_read, table, values = table.n_rows, table.take(known), values[known]
    if target.is_classification and len(np.unique(values)) < len(target.classes):
        present = tuple(label for number, label in enumerate(target.classes) if np.any(values == number))
        rare = [label for label in target.classes if label not in present]
        verb = "has" if len(rare) == 1 else "have"
        reason = f"{target.reason}; {listed(rare, 3)} {verb} fewer than {FEWEST_OF_CLASS} rows and no part in it"
        target = replace(target, reason=reason, classes=present)
        values = target.values(table[settings.target])
    return target, values, table, n_read


def _n_stray(column: Column, target: Target) -> int:
    """Rows whose target is a text among numbers."""
    if not isinstance(column, Words):
        return 0
    return sum(int(n) for text, n in zip(column.levels, column.counts(), strict=True) if text in target.kind.stray)


def _kinds(table: Table, settings: Settings, target: Target) -> dict[str, Kind]:
    for name in settings.drop:
        table[name]  # an error if there is none
    asked = {**settings.types, **dict.fromkeys(settings.drop, LEFT_OUT)}
    asked = {name: kind for name, kind in asked.items() if name != target.name}
    try:
        return kinds_of(table.without([target.name]), asked, Beside(table, settings.dates))
    except TableError as error:
        raise TableError(f"a column of the settings: {error}") from None


def _feature_names(table: Table, kinds: dict[str, Kind], settings: Settings, target: Target) -> list[str]:
    special = {target.name, settings.group, settings.weights}
    for name in (settings.group, settings.time, settings.weights):
        if name is not None and name == target.name:
            raise TableError(f"{name!r} is the target and cannot be something else, too")
        if name is not None:
            table[name]  # an error if there is none
    mute = {name for name, kind in kinds.items() if kind.kind == LEFT_OUT and not kind.was}
    return [name for name in table.names if name not in special and name not in mute]


def _divided(
    table: Table, target: Target, values: np.ndarray, settings: Settings, groups: Any, moments: Any
) -> TableDivision:
    if groups is not None:
        return divide_groups(groups, str(settings.group), settings.seed, settings.holdout)
    if moments is not None:
        return divide_time(moments, str(settings.time), settings.holdout)
    return divide(table, values if target.is_classification else None, settings.seed, settings.holdout)


def _given(
    table: Table, settings: Settings, target: Target, test: Any, kinds: dict[str, Kind]
) -> tuple[TableDivision, Table, np.ndarray]:
    reading = Reading({**kinds, target.name: target.kind}, table.decimal_comma)
    other = reading(read_table(test, encoding=settings.encoding, separator=settings.separator))
    if settings.target not in other:
        raise TableError(f"the table to test on lacks the target {settings.target!r}; add it")
    values = target.values(other[settings.target])
    _refuse_foreign(target, other)
    known = np.isfinite(values)
    if np.count_nonzero(known) < 10:
        raise TableError(
            f"{np.count_nonzero(known)} rows of the table to test on have a target; at least 10 are needed"
        )
    rows = np.arange(table.n_rows)
    sentence = f"all {np.count_nonzero(known):,} rows of {other.source} are the hold-out, as you say."
    if not np.all(known):
        sentence = (
            f"the {np.count_nonzero(known):,} of {other.n_rows:,} rows of {other.source} that have a usable target are "
            "the hold-out, as you say."
        )
    return TableDivision(rows, rows[:0], sentence), other.take(known), values[known]


def _refuse_foreign(target: Target, other: Table) -> None:
    """A table to test on may have no class that the study does not know: its errors would not count."""
    foreign = target.foreign(other[target.name])
    if np.any(foreign):
        such = target.named(other[target.name])[foreign][0]
        raise TableError(
            f"{np.count_nonzero(foreign):,} of {other.n_rows:,} rows of the table to test on have a class such as "
            f"{such!r}, which fewer than {FEWEST_OF_CLASS} rows to fit to have, so that every answer on them would be "
            "an error; write classes alike, add rows of it to fit to, or fit without a table to test on and certify "
            "the model on it, which counts these errors"
        )


def _weights(table: Table, rows: np.ndarray, settings: Settings, kinds: dict[str, Kind]) -> np.ndarray | None:
    """The weights of the training rows; those of rows that were held out have to be weights, too."""
    if settings.weights is None:
        return None
    weight = as_numbers(table[settings.weights], kinds[settings.weights])
    if not np.all(np.isfinite(weight)) or np.any(weight < 0) or not np.any(weight[rows] > 0):
        raise TableError(f"weights in {settings.weights!r} must be numbers, at least 0, and some above; mend them")
    return weight[rows]


def _refuse_too_large(n: int, d: int) -> None:
    if n * d > MOST_ENTRIES * 4:
        raise TableError(
            f"{n:,} rows of {d:,} features would need {8e-9 * n * d:.0f} GB; leave columns out, or take fewer rows"
        )
