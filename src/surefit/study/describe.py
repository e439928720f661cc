"""Layer study: the table, its columns and the machine, in records.

In: what was prepared.  Out: `DataFacts`, one `ColumnFacts` per column, `Machine`.
"""

from __future__ import annotations

import platform
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from surefit.study.division import row_hashes
from surefit.study.encode.kinds import DATE, LEFT_OUT, NUMBER, Kind, as_dates, as_numbers, as_words, missing_cells
from surefit.study.prepare import Prepared
from surefit.study.records.data import ColumnFacts, DataFacts, Machine
from surefit.study.settings import toml_of
from surefit.study.tables.table import Column

PACKAGES = ("surefit", "numpy", "scipy", "scikit-learn")
EXAMPLES = 5
"""Values of a column that are shown."""


def data_facts(data: Prepared) -> DataFacts:
    """The table as it was read and divided."""
    target, table, asked = data.target, data.table, data.settings
    values = target.values(table[target.name])
    used = [part.name for part in data.encoder.parts]
    absent = [int(np.count_nonzero(missing_cells(table[name], data.kinds[name]))) for name in used]
    classes = [(label, int(np.count_nonzero(values == k))) for k, label in enumerate(target.classes)]
    quantiles = () if target.is_classification else tuple(map(float, np.quantile(values, [0, 0.25, 0.5, 0.75, 1])))
    return DataFacts(
        table.source, table.reading, data.n_read, data.n_read - table.n_rows, len(data.y), len(data.y_holdout),
        data.division.sentence[:1].upper() + data.division.sentence[1:], target.name, target.task, target.reason,
        data.X.shape[1], sum(absent) / max(1, len(used) * table.n_rows), tuple(classes), quantiles, asked.group or "",
        asked.time or "", asked.weights or "", fingerprint(data),
    )  # fmt: skip


def fingerprint(data: Prepared) -> str:
    """A hash of all cells of the rows with a target, in any order of the rows."""
    with np.errstate(over="ignore"):
        return f"{int(row_hashes(data.table).sum(dtype=np.uint64)):016x}"


def column_facts(data: Prepared) -> tuple[ColumnFacts, ...]:
    """One record per column, in the order of the table."""
    return tuple(_facts(data, name) for name in data.table.names)


def _facts(data: Prepared, name: str) -> ColumnFacts:
    column = data.table[name]
    if name == data.target.name:
        kind = Kind("category" if data.target.is_classification else NUMBER, data.target.reason, data.target.kind.style)
        return _described(column, name, "target", kind, 0)
    kind = data.kinds[name]
    special = {data.settings.group: "group", data.settings.weights: "weights", data.settings.time: "time"}
    n_features = sum(len(part.features) for part in data.encoder.parts if part.name == name)
    shown = special.get(name, kind.kind)
    if shown == kind.kind != LEFT_OUT and n_features == 0:
        kind, shown = Kind(LEFT_OUT, "no level has enough rows", kind.style, kind.form), LEFT_OUT
    return _described(column, name, shown, kind, n_features)


def _described(column: Column, name: str, shown: str, kind: Kind, n_features: int) -> ColumnFacts:
    absent = int(np.count_nonzero(missing_cells(column, kind)))
    if kind.kind == NUMBER:
        values = as_numbers(column, kind)
        known = values[np.isfinite(values)]
        if len(known):
            distinct = len(np.unique(known))
            low, middle, high = map(float, np.quantile(known, [0, 0.5, 1]))
            return ColumnFacts(name, shown, kind.reason, absent, distinct, n_features, low, middle, high)
    if kind.kind == DATE:
        moments = as_dates(column, kind)
        known = np.unique(moments[~np.isnat(moments)])
        ends = tuple(
            str(np.datetime_as_string(one, unit="s")) for one in (known[:1].tolist() and (known[0], known[-1]))
        )
        return ColumnFacts(name, shown, kind.reason, absent, len(known), n_features, examples=ends)
    words = as_words(column)
    counts = words.counts()
    distinct = int(np.count_nonzero(counts))
    order = np.argsort(-counts, kind="stable")[:EXAMPLES]
    examples = tuple(words.levels[code] for code in order if counts[code])
    return ColumnFacts(name, shown, kind.reason, absent, distinct, n_features, examples=examples)


def version_of(package: str) -> str:
    """The version of a package that is installed."""
    try:
        return version(package)
    except PackageNotFoundError:  # run from its sources
        import surefit

        return surefit.__version__


def machine(data: Prepared, started: datetime, seconds: float, command: str) -> Machine:
    """Versions, the command, and how long it took."""
    versions = [("python", platform.python_version()), *((name, version_of(name)) for name in PACKAGES)]
    kinds = {name: kind.kind for name, kind in data.kinds.items()}
    return Machine(
        tuple(versions), command, data.settings.seed, started.isoformat(timespec="seconds"), seconds,
        data.settings.seconds, toml_of(data.settings, kinds, {name: kind.reason for name, kind in data.kinds.items()}),
    )  # fmt: skip
