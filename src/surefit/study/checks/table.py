"""Layer study: checks of rows and columns, before any fit is looked at."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from scipy.special import gammaln
from scipy.stats import norm, rankdata

from surefit.page import listed, number
from surefit.study.checks.cells import codes, two_ways
from surefit.study.checks.dates import several_zones, times_of_day, unread
from surefit.study.checks.finding import LEVEL, issue, tip
from surefit.study.division import row_hashes
from surefit.study.encode.kinds import CATEGORY, DATE, NUMBER, Kind, as_dates, as_numbers, as_words, missing_cells
from surefit.study.encode.parts import FEWEST
from surefit.study.prepare import Prepared
from surefit.study.records.noticed import Check
from surefit.study.tables.table import Column

GIVES_AWAY = 0.98
"""Squared rank correlation of one column with the target beyond which it is the target in other words."""

DEPENDENT = 1e-6
"""Share of a column's variance that the others leave unexplained below which it depends on them."""

MOST_ROWS = 20_000
"""Rows that correlations are computed from, in the order of the table."""

UNBALANCED = 0.05
"""Share of the rarest class below which accuracy says little."""


def identifiers(data: Prepared) -> Iterator[Check]:
    """SF101: columns that were left out because they identify rows, and whole numbers without a repetition."""
    out = [
        name for name, kind in data.kinds.items() if "numbers the rows" in kind.reason or "of its own" in kind.reason
    ]
    if out:
        verbs = "identifies rows and was" if len(out) == 1 else "identify rows and were"
        yield tip("SF101", f"{listed(out, 3)} {verbs} left out.", f"{len(out)} columns", len(out),
                  "Nothing needs to be done; say the kind of a column that is more than a name.",
                  tuple(out))  # fmt: skip
    for part in data.encoder.parts:
        if part.kind.kind != NUMBER:
            continue
        values = as_numbers(data.table[part.name], part.kind)
        p = _chance_of_no_repeat(values[np.isfinite(values)])
        if p < LEVEL / len(data.encoder.parts):
            yield issue("SF101", f"{part.name!r} has another whole number in every row, as a name would.",
                        f"whole numbers of that range would repeat with probability {1 - p:.6f}", p,
                        f"Leave it out with {_left_out(part.name)}, unless it is a quantity.",
                        (part.name,), LEVEL)  # fmt: skip


def _left_out(name: str) -> str:
    """The option that leaves a column out."""
    return f"--drop {shlex.quote(name)} (in Python: drop=[{name!r}])"


def _chance_of_no_repeat(values: np.ndarray) -> float:
    """That as many whole numbers, drawn evenly from their range, are all different; 1 where they are none."""
    n = len(values)
    if n < 20 or np.any(values != np.round(values)) or len(np.unique(values)) < n:
        return 1.0
    span = float(values.max() - values.min()) + 1
    if span > 1e15:
        return 1.0
    return float(np.exp(np.sum(np.log1p(-np.minimum(np.arange(1, n) / span, 1 - 1e-16)))))


def leaks(data: Prepared) -> Iterator[Check]:
    """SF102: a column that orders the rows as the target does, or whose values decide the class."""
    sources, y = np.array(data.encoder.sources), data.y[:MOST_ROWS]
    for part in data.encoder.parts:
        columns = data.X[:MOST_ROWS, sources == part.name].T
        value, what = max(_agreement(x, y, data.n_classes) for x in columns), "squared rank correlation"
        if data.n_classes:
            column = data.table[part.name].take(data.division.training[:MOST_ROWS])
            apart = next(one for one in (data.groups, data.moments, data.prints) if one is not None)
            units = np.unique(apart[:MOST_ROWS], return_inverse=True)[1]
            once = np.unique(np.column_stack([_levels(column, part.kind), y.astype(int), units]), axis=0)
            share = _decided(once[:, 0], once[:, 1], LEVEL / len(data.encoder.parts))
            if share > value:
                value, what = share, "share of the rows outside the most frequent class that its values put right"
        if value > GIVES_AWAY:
            yield issue("SF102", f"{part.name!r} alone nearly decides {data.target.name!r}: is it known beforehand?",
                        f"{what} {number(value, 4)}", value,
                        f"Leave it out with {_left_out(part.name)} if it is not known when predictions are made.",
                        (part.name,))  # fmt: skip


def _agreement(x: np.ndarray, y: np.ndarray, n_classes: int) -> float:
    """Squared rank correlation with a target; of classes, how far each has values of its own, one after the other.

    That is the smallest of the squared rank correlations with being of a class or of the next, by the area under its
    curve.
    """
    if len(np.unique(x)) < max(2, n_classes):
        return 0.0
    ranks = rankdata(x)
    if not n_classes:
        return float(np.corrcoef(ranks, rankdata(y))[0, 1] ** 2)
    inside = sorted((ranks[y == k] for k in np.unique(y)), key=np.mean)
    found = []
    for low, high in pairwise(inside):
        n, m = len(low), len(high)
        area = (rankdata(np.concatenate([high, low]))[:m].sum() - m * (m + 1) / 2) / (n * m)
        found.append(float((2 * area - 1) ** 2))
    if n_classes > 2:  # neighbours that hardly overlap do, and may be told apart by no cut
        most = max(map(len, inside))
        found.append(1.0 - sum(_astray(low, high) for low, high in pairwise(inside)) / max(len(y) - most, 1))
    return min(found, default=0.0)


def _astray(low: np.ndarray, high: np.ndarray) -> int:
    """How many of these lie on the wrong side of the best cut between the two.

    >>> _astray(np.array([1, 2, 2, 5]), np.array([2, 6, 7]))
    1
    """
    cuts = np.unique(np.concatenate([low, high]))
    above = len(low) - np.searchsorted(np.sort(low), cuts, "right")
    return int(min(np.min(above + np.searchsorted(np.sort(high), cuts, "right")), len(low)))


def _levels(column: Column, kind: Kind) -> np.ndarray:
    """A number per row, the same where the value is the same."""
    if kind.kind == CATEGORY:
        return as_words(column).codes + 1
    return np.unique((as_dates if kind.kind == DATE else as_numbers)(column, kind), return_inverse=True)[1]


def _decided(levels: np.ndarray, y: np.ndarray, chance: float) -> float:
    """Share of the rows of other classes than the most frequent one that the values of a column put right.

    A row is put into the class that most other rows with its value have.  Only values that enough rows share count; 0
    if these are not half of the rows, or if they would fall to classes like this with probability ``chance`` or more.

    >>> row = np.arange(60)
    >>> [_decided(levels, row // 3 % 3, 0.001) for levels in (row // 3 % 3, row // 3, row)]
    [1.0, 1.0, 0.0]
    """
    k = int(y.max()) + 1
    counts = np.bincount(levels * k + y, minlength=k * (int(levels.max()) + 1)).reshape(-1, k)
    counts = counts[counts.sum(axis=1) >= FEWEST]
    size, most = int(counts.sum()), int(counts.sum(axis=0).max(initial=0))
    if 2 * size < len(y) or most == size:
        return 0.0
    second, first = np.sort(counts, axis=1)[:, -2:].T
    right = int(first[first >= second + 2].sum())  # a row has no say in its own class
    apart = int(np.count_nonzero(counts.argmax(axis=1) != counts.sum(axis=0).argmax()))
    log_chance = _log_ways(len(counts), apart) - _log_ways(size, size - most)  # these levels, and these rows
    return (right - most) / (size - most) if log_chance < np.log(chance) else 0.0


def _log_ways(n: int, k: int) -> float:
    """Logarithm of the number of ways to take ``k`` of ``n``."""
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def shared_rows(data: Prepared) -> Iterator[Check]:
    """SF103 and SF105: rows that equal others, in cells and target, where most rows are different."""
    held = row_hashes(data.holdout_table) if set(data.holdout_table.names) == set(data.table.names) else None
    n, kinds = len(data.prints), len(np.unique(data.prints))
    discrete = kinds < 0.9 * n and not any(part.kind.kind == NUMBER for part in data.encoder.parts)
    if held is not None and not discrete and data.holdout_table.names == data.table.names:
        shared = int(np.isin(held, data.prints).sum())
        if shared > 0.01 * len(held) and shared > 2:
            yield issue("SF103", f"{shared:,} of {len(held):,} hold-out rows equal a training row in every cell.",
                        f"{shared} rows", shared, "Drop copies, or name the column that says which rows belong "
                        "together with group.")  # fmt: skip
    repeated = n - kinds
    if repeated > max(2, 0.01 * n) and not discrete:
        yield issue("SF105", f"{repeated:,} of {n:,} training rows repeat another in every cell.",
                    f"{repeated} rows", repeated, "Drop the copies, unless rows repeat by nature.")  # fmt: skip


def rare_levels(data: Prepared) -> Iterator[Check]:
    """SF110: categories of which a large part of the rows has rare levels, or that were left out since all are rare."""
    used = {part.name for part in data.encoder.parts}
    used.update(filter(None, (data.settings.group, data.settings.time, data.settings.weights)))
    for name, kind in data.kinds.items():
        if kind.kind == CATEGORY and name not in used:
            yield tip("SF110", f"No text of {name!r} has enough rows for a feature of its own, so that the column was "
                      "left out.", "all rows", 1.0, _joined(data, name), (name,))  # fmt: skip
    for part in data.encoder.parts:
        if part.kind.kind != CATEGORY or not getattr(part, "rare", False):
            continue
        share = sum(part.strange(data.table[part.name]).values()) / data.table.n_rows
        if share > 0.05:
            yield tip("SF110", f"{number(100 * share, 2)} % of the rows have a rare level of {part.name!r}; these "
                      "share one feature.", f"share {number(share, 3)}", share,
                      _joined(data, part.name), (part.name,))  # fmt: skip


def _joined(data: Prepared, name: str) -> str:
    """What to do with rare texts: most of those that begin with a digit are no names."""
    texts = as_words(data.table[name]).levels
    if sum(text[:1].isdigit() for text in texts) > len(texts) / 2:
        return ("If these are quantities or dates, write them as numbers without units (10.5 for 10.5 mm) or as "
                "2024-01-31; otherwise join levels that belong together, or leave the column out.")  # fmt: skip
    return "Join levels that belong together, or leave the column out."


def imbalance(data: Prepared) -> Iterator[Check]:
    """SF109: a class so rare that an error rate says little about it."""
    if not data.n_classes:
        return
    shares = np.bincount(data.y.astype(int), minlength=data.n_classes) / len(data.y)
    least = int(np.argmin(shares))
    if shares[least] < UNBALANCED:
        name = data.target.classes[least]
        yield tip("SF109", f"{number(100 * shares[least], 2)} % of the rows are of class {name!r}; an error rate says "
                  "little about it.", f"share {number(float(shares[least]), 3)}", float(shares[least]),
                  "Look at probabilities, or ask for a threshold with --recall.")  # fmt: skip


def dependence(data: Prepared) -> Iterator[Check]:
    """SF106: columns that the other columns give to six digits."""
    X = data.X[:MOST_ROWS] - data.X[:MOST_ROWS].mean(axis=0)
    size = np.sqrt((X**2).sum(axis=0))
    kept = np.flatnonzero(size > 0)
    if len(kept) < 2 or len(kept) >= len(X) or len(kept) > 2000:
        return
    gram = (X[:, kept] / size[kept]).T @ (X[:, kept] / size[kept])
    values, vectors = np.linalg.eigh(gram)
    weak = values < DEPENDENT
    if np.any(weak):
        part = np.abs(vectors[:, weak]).max(axis=1) > 0.1
        names = tuple(dict.fromkeys(data.encoder.sources[j] for j in kept[part]))
        verbs = "nearly depend on each other"
        if len(names) == 1:
            verbs = "has features that nearly depend on each other"
        yield tip("SF106", f"{listed(names, 4)} {verbs}; so do their coefficients.",
                  f"smallest eigenvalue {number(float(values[0]), 2)}", float(values[0]),
                  "Leave one of them out if coefficients are to be read.", names)  # fmt: skip


def strays(data: Prepared) -> Iterator[Check]:
    """SF113: cells of a column of numbers or dates that are none."""
    for name, kind in data.kinds.items():
        if kind.stray:
            what = "dates" if kind.kind == DATE else "numbers"
            yield tip("SF113", f"{name!r} holds {what} and {listed(kind.stray, 3)}, which count as missing.",
                      f"{len(kind.stray)} different texts", len(kind.stray), "Mend these cells.", (name,))  # fmt: skip


def strays_of_target(data: Prepared) -> Iterator[Check]:
    """SF113: cells of a numeric target that are no numbers, whose rows are left out."""
    texts, n = data.target.kind.stray, data.n_stray
    if n:
        rows, such = ("1 row", "this row is") if n == 1 else (f"{n:,} rows", "these rows are")
        yield issue("SF113", f"The target {data.target.name!r} holds numbers, and in {rows} {listed(texts, 3)}; "
                    f"{such} left out, so that the model and its certificate say nothing of rows like them.",
                    f"{n:,} of {data.n_read:,} rows", n / data.n_read,
                    "Write numbers there, or use the model for no such rows.", (data.target.name,))  # fmt: skip


def readings(data: Prepared) -> Iterator[Check]:
    """SF116 and SF117: dates and numbers that could be read in another way, and nothing in the table decides."""
    for name, kind in {**data.kinds, data.target.name: data.target.kind}.items():
        if kind.doubt and kind.kind == DATE:
            yield issue("SF116", f"Dates of {name!r}: {kind.doubt}; nothing in the table decides.", kind.form, 1,
                        "Write dates as 2024-01-31, or say their order with --dates dmy or --dates mdy (in Python: "
                        "dates='dmy').", (name,))  # fmt: skip
        elif kind.doubt:
            yield issue("SF117", f"Numbers of {name!r}: {kind.doubt}; nothing in the table decides.", str(kind.style),
                        1, "Write numbers without signs between thousands, or read the table with pandas, "
                        "read_csv(..., thousands='.', decimal=','), and give the frame.", (name,))  # fmt: skip


def new_gaps(data: Prepared) -> Iterator[Check]:
    """SF114: columns that are whole in all training rows and not in the hold-out, by more than chance explains.

    Were the rows of the hold-out drawn like the others, each of ``k`` gaps would be in it with the share of its rows.
    """
    share = len(data.y_holdout) / (len(data.y) + len(data.y_holdout))
    training, level = data.training_table, LEVEL / len(data.encoder.parts)
    found = {}
    for part in data.encoder.parts:
        held, own = (missing_cells(table[part.name], part.kind) for table in (data.holdout_table, training))
        if not np.any(own) and share ** np.count_nonzero(held) < level:
            found[part.name] = int(np.count_nonzero(held))
    if found:
        most = max(found.values())
        yield issue("SF114", f"{listed(list(found), 3)}: cells are missing in the hold-out, and in no training row; "
                    "the model takes a typical value there, and never learnt what a gap means.",
                    f"up to {most} of {len(data.y_holdout)} cells missing", most,
                    "Find out why; give training rows with such gaps, or leave these columns out.",
                    tuple(found), LEVEL)  # fmt: skip


def order(data: Prepared, residuals: np.ndarray) -> Iterator[Check]:
    """SF104: residuals that depend on the place of a row in the table; a rank test of trend and of neighbours."""
    known = np.flatnonzero(np.isfinite(residuals))
    place = data.division.training[known]
    inside = np.argsort(place)
    ranks = rankdata(residuals[known][inside])
    n = len(ranks)
    if n < 30 or data.moments is not None or data.groups is not None:
        return
    z_trend = np.corrcoef(np.arange(n), ranks)[0, 1] * np.sqrt(n - 1)
    z_neighbours = np.corrcoef(ranks[:-1], ranks[1:])[0, 1] * np.sqrt(n - 1)
    p = float(min(1.0, 2 * 2 * norm.sf(max(abs(z_trend), abs(z_neighbours)))))
    if p < LEVEL:
        yield issue("SF104", "Errors depend on where a row stands in the table, so that rows are no independent draws.",
                    f"p = {number(p, 2)} for a trend or alike neighbours", p, "Name the column of times or of groups "
                    "with time or group.", level=LEVEL)  # fmt: skip


def as_found(data: Prepared, residuals: np.ndarray) -> Iterator[Check]:
    """All checks of this file, of cells and of dates, in turn."""
    of_rows = (leaks, shared_rows, dependence, imbalance, new_gaps)
    of_dates = (unread, several_zones, times_of_day)
    for check in (identifiers, *of_rows, rare_levels, strays, strays_of_target, readings, codes, two_ways, *of_dates):
        yield from check(data)
    yield from order(data, residuals)
