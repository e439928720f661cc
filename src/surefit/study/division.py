"""Layer study: which rows are set aside before anything is looked at, and the folds of the rest.

In: the table, its target, and a column of groups or of times where one is named.  Out: row numbers.  Rows are set aside
by a hash of themselves, so that neither their order nor the processor decides; groups are set aside whole, by a hash of
their names; of rows in time the last ones are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.compiled.splitmix import scrambled
from surefit.guarantee.seen.division import ranks
from surefit.study.encode.kinds import UNREAD, ZONES_MIXED, Kind, as_numbers, as_words, days_of, in_order_of_time
from surefit.study.tables.table import Dates, Table, TableError, Words

SHARE = 0.2
"""Share of the rows that is set aside."""

MOST = 50_000
"""Rows that are set aside at most: beyond them a certificate hardly gets tighter."""

FEWEST_GROUPS = 5
"""Groups without which none can be set aside."""

FEW_KINDS = 0.5
"""Different rows over all rows below which equal rows are draws of few kinds and no copies."""

Fold = tuple[np.ndarray, np.ndarray]
"""Rows to fit on, and rows to judge by."""


@dataclass(frozen=True)
class TableDivision:
    """Row numbers of training rows and of those held out, and how that was decided, in a sentence."""

    training: np.ndarray
    holdout: np.ndarray
    sentence: str


def row_hashes(table: Table, seed: int = 0) -> np.ndarray:
    """One 64-bit number per row of a table, of what its cells say."""
    total = np.zeros(table.n_rows, dtype=np.uint64)
    with np.errstate(over="ignore"):
        odd = scrambled(np.arange(1, len(table.columns) + 1, dtype=np.uint64)) | np.uint64(1)
        for factor, column in zip(odd, table.columns, strict=True):
            total += scrambled(column.prints() + np.uint64(1)) * factor
    return total


def divide(table: Table, classes: np.ndarray | None, seed: int, share: float = SHARE) -> TableDivision:
    """Each row by a hash of itself, within each class if there are classes."""
    prints = row_hashes(table)
    order = ranks(prints, prints, seed)
    strata = np.zeros(table.n_rows, dtype=int) if classes is None else classes.astype(int)
    share = min(share, MOST / table.n_rows)
    held = np.zeros(table.n_rows, dtype=bool)
    for stratum in np.unique(strata):
        rows = np.flatnonzero(strata == stratum)
        wanted = min(max(round(share * len(rows)), 1), len(rows) - 2)
        held[rows[np.argsort(order[rows], kind="stable")[:wanted]]] = True
    within = "" if classes is None else ", within each class"
    return TableDivision(
        np.flatnonzero(~held), np.flatnonzero(held),
        f"{np.count_nonzero(held):,} of {table.n_rows:,} rows were set aside before anything else, each by a hash of "
        f"itself{within}.",
    )  # fmt: skip


def divide_groups(groups: np.ndarray, name: str, seed: int, share: float = SHARE) -> TableDivision:
    """Whole groups, by a hash of their names (``groups`` are their prints), until a share of the rows is reached."""
    kinds, member = np.unique(groups, return_inverse=True)
    if len(kinds) < FEWEST_GROUPS:
        raise TableError(f"{name!r} has {len(kinds)} groups, and at least {FEWEST_GROUPS} are needed to set some aside")
    counts = np.bincount(member)
    with np.errstate(over="ignore"):
        order = np.argsort(scrambled(kinds ^ scrambled(np.array([seed], dtype=np.uint64))), kind="stable")
    before = np.cumsum(counts[order]) - counts[order]
    chosen = order[: max(1, min(int(np.count_nonzero(before < share * len(groups))), len(kinds) - 2))]
    held = np.isin(member, chosen)
    return TableDivision(
        np.flatnonzero(~held), np.flatnonzero(held),
        f"{len(chosen):,} of the {len(kinds):,} groups of {name!r} ({np.count_nonzero(held):,} rows) were set aside "
        "before anything else, each by a hash of its name.",
    )  # fmt: skip


def divide_time(moments: np.ndarray, name: str, share: float = SHARE) -> TableDivision:
    """The last rows by time; rows of one moment stay together."""
    if np.all(moments == moments[0]):
        raise TableError(f"{name!r} has one value, so that no rows are later than others; name another column")
    wanted = max(1, round(min(share, MOST / len(moments)) * len(moments)))
    border = np.sort(moments)[-wanted]
    if border == moments.min():
        border = np.min(moments[moments > border])
    held = moments >= border
    return TableDivision(
        np.flatnonzero(~held), np.flatnonzero(held),
        f"the last {np.count_nonzero(held):,} of {len(moments):,} rows by {name!r} were set aside before anything "
        "else: the certificate speaks of that future.",
    )  # fmt: skip


def moments_of(table: Table, name: str, kind: Kind) -> np.ndarray:
    """The column of times as numbers; an error if some are missing or none are."""
    column = table[name]
    is_date = isinstance(column, Dates) or kind.form
    found = days_of(in_order_of_time(column, kind)) if is_date else as_numbers(column, kind)
    if isinstance(column, Words) and not is_date and np.all(np.isnan(found)):
        what = kind.reason if kind.reason in (UNREAD, ZONES_MIXED) else "neither dates nor numbers"
        raise TableError(
            f"the column of times {name!r} holds {what}; write them in one way, as 2024-01-31, or name another column"
        )
    if np.any(np.isnan(found)):
        n, texts = np.count_nonzero(np.isnan(found)), f", such as {kind.stray[0]!r}" if kind.stray else ""
        rows, them = ("1 row has", "it") if n == 1 else (f"{n:,} rows have", "them")
        raise TableError(f"{rows} no time in {name!r}{texts}; fill it in or drop {them}")
    return found


def times_of(table: Table, name: str, kind: Kind) -> np.ndarray:
    """The column of times as they are said: dates to the second or the day where that is all, whole numbers as such."""
    found = moments_of(table, name, kind)
    if not (isinstance(table[name], Dates) or kind.form):
        return found.astype(np.int64) if np.all(found == np.round(found)) and np.all(np.abs(found) < 2**53) else found
    moments = np.round(found * 86_400e6).astype(np.int64).astype("datetime64[us]")
    for unit in ("datetime64[D]", "datetime64[s]"):
        if np.all(moments.astype(unit) == moments):
            return moments.astype(unit)
    return moments


def groups_of(table: Table, name: str) -> np.ndarray:
    """The column of groups as one 64-bit number per row; an error if some are missing."""
    words = as_words(table[name])
    if np.any(words.missing):
        raise TableError(f"{np.count_nonzero(words.missing)} rows have no group in {name!r}; fill it in or drop them")
    return words.prints()


def folds_of(
    prints: np.ndarray, k: int, seed: int, classes: np.ndarray | None = None, groups: np.ndarray | None = None,
    moments: np.ndarray | None = None,
) -> list[Fold]:  # fmt: skip
    """``k`` folds: groups whole, classes spread evenly; or each later part of the rows judged by all before it.

    Rows that equal others, by their ``prints``, share a fold, unless most rows do: then they are draws of few kinds.
    """
    if moments is not None:
        ordered = np.unique(moments)
        borders = ordered[np.linspace(0, len(ordered), k + 2).astype(int)[1:-1]]
        part = np.searchsorted(borders, moments, side="right")
        found = [(np.flatnonzero(part < j), np.flatnonzero(part == j)) for j in range(1, k + 1)]
        return [fold for fold in found if len(fold[0]) and len(fold[1])]
    units = prints if groups is None else groups
    _, first, member = np.unique(units, return_index=True, return_inverse=True)
    if groups is None and len(first) < FEW_KINDS * len(prints):
        first = member = np.arange(len(prints))
    strata = np.zeros(len(first), dtype=int) if classes is None else classes[first].astype(int)
    shuffled = np.random.default_rng(seed).permutation(len(first))
    in_turn = shuffled[np.argsort(strata[shuffled], kind="stable")]
    number = np.empty(len(first), dtype=int)
    number[in_turn] = np.arange(len(first)) % min(k, len(first))
    part = number[member]
    return [(np.flatnonzero(part != j), np.flatnonzero(part == j)) for j in np.unique(part)]
