"""Layer cli: ``surefit predict`` of many files: a file of predictions for each, rows in their order and number.

In: a model and file names with wild cards, all Parquet or all CSV.  Out: a folder of Parquet files under the same
names.  Batches are predicted by several threads and written in order, so that none has to be in memory for long.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from surefit.study.encode.outside import Remarks
from surefit.threads import Workers, cores, one_blas_thread

ROWS = 65_536
"""Rows that are predicted at a time."""

DELTA = 0.05
"""Share of hold-outs for which the promise of intervals and sets fails."""


def predict_files(model: Any, table: str, out: Path, coverage: float | None, probabilities: bool) -> None:
    """One Parquet file of predictions for each file, under its name, each written whole or not at all."""
    import pyarrow.parquet as parquet

    from surefit.data.blocks.files import found_files
    from surefit.progress import Task, working
    from surefit.store.atomic import replacing

    names = found_files(table)
    goals = [out / (Path(name).stem + ".parquet") for name in names]
    if len(set(goals)) < len(goals) or any(goal.resolve() == Path(name).resolve() for goal in goals for name in names):
        raise ValueError(f"files of one name would overwrite each other in {out}; predict them folder by folder")
    out.mkdir(parents=True, exist_ok=True)
    answers, rows = _Answers(model, coverage, probabilities), 0
    with working(f"predicting {table}"), one_blas_thread(), Workers(cores()) as pool:
        tell = Task("files", len(names), unit="file")
        for k, (name, goal) in enumerate(zip(names, goals, strict=True)):
            with replacing(goal) as file:
                writer = None
                for found in _in_order(pool, partial(answers, name), _batches(name, answers)):
                    writer = writer or parquet.ParquetWriter(file, found.schema, use_dictionary=answers.words)
                    writer.write_table(found)
                    rows += found.num_rows
                if writer is not None:
                    writer.close()
            tell(k + 1, np.nan)
    for sentence in answers.remarks.of_cells() + answers.remarks.of_rows():
        print(sentence, file=sys.stderr)
    print(f"{rows:,} predictions of {len(names)} files in {out}")


def _in_order(pool: Workers, work: Callable[[Any], Any], batches: Iterable[Any]) -> Iterator[Any]:
    """``work`` of every batch, in order; no more than a few are under way."""
    under_way: deque[Future[Any]] = deque()
    for batch in batches:
        under_way.append(pool.submit(work, batch))
        if len(under_way) > pool._max_workers:
            yield under_way.popleft().result()
    while under_way:
        yield under_way.popleft().result()


def _batches(name: str, answers: _Answers) -> Iterator[Any]:
    """Record batches of the columns that the model needs; one without rows where there are none."""
    import pyarrow as arrow

    from surefit.data.blocks.columns import SourceError
    from surefit.data.blocks.files import first_line, open_csv, opened

    rows = 0
    try:
        if Path(name).suffix.lower() == ".parquet":
            file = opened(name)
            answers.check(file.schema_arrow, name)
            schema, batches = file.schema_arrow, file.iter_batches(batch_size=ROWS, columns=answers.names)
        else:
            batches = open_csv(name, None)
            schema = batches.schema
            answers.check(schema, name)
        for batch in batches:
            rows += batch.num_rows
            yield batch
    except SourceError:
        raise
    except (OSError, ValueError, KeyError) as error:
        raise SourceError(f"{name} cannot be read after row {rows} ({first_line(error)}); write it again") from error
    if rows == 0:
        yield arrow.RecordBatch.from_pylist([], schema=schema)


@dataclass
class _Answers:
    """The predictions of a batch as a table."""

    model: Any
    coverage: float | None
    probabilities: bool
    remarks: Remarks = field(default_factory=Remarks)
    """What there is to say of all batches."""
    lock: Any = field(default_factory=Lock)

    @cached_property
    def layout(self) -> Any:
        """How columns become features, where the model was fitted to blocks; None: its encoder does that."""
        from surefit.data.blocks.layout import Layout

        record = getattr(self.model.estimator, "blocks_", None)
        if record is None:
            return None
        columns = replace(record.columns, target=None, target_is_word=False, weight=None)
        levels = tuple(
            tuple(level for column, level in record.features if column == word and level is not None)
            for word in columns.words
        )
        width = len(columns.numbers)
        return Layout(columns, np.zeros(width), np.ones(width), record.references, levels)

    @property
    def names(self) -> list[str] | None:
        """The columns to read; None: all."""
        return None if self.layout is None else self.layout.columns.names

    @property
    def words(self) -> bool:
        """Whether there are words among the answers, which a file keeps as numbers of a list."""
        return bool(self.model.target.is_classification)

    def check(self, schema: Any, name: str) -> None:
        """Refuse a file that lacks a column or has another type of it."""
        if self.layout is not None:
            self.layout.columns.check(schema, name)

    @cached_property
    def radius(self) -> float:
        """How strange a target may be: the rank of the rows held out that the coverage asks for."""
        from surefit.theory.intervals.conformal import INTERVALS, SETS

        assert self.coverage is not None
        kind = SETS if self.model.target.is_classification else INTERVALS
        return float(self.model.promised(self.coverage, "pac", DELTA, kind)[0])

    def __call__(self, name: str, batch: Any) -> Any:
        import pyarrow as arrow

        estimator, target = self.model.estimator, self.model.target
        if not target.is_classification:
            plain = self.layout is not None and hasattr(estimator, "_values_at")  # the rows have been checked already
            centre = self._of_features(batch, name, estimator._values_at if plain else estimator.predict)
            columns: dict[str, Any] = {target.name: centre}
            if self.coverage is not None:
                columns |= {"lower": centre - self.radius, "upper": centre + self.radius}
            return arrow.table(columns)
        shares = self._of_features(batch, name, estimator.predict_proba).reshape(-1, len(target.classes))
        classes = np.array(target.classes, dtype=object)
        columns = {target.name: arrow.array(classes[np.argmax(shares, axis=1)], arrow.string())}
        if self.probabilities:
            columns |= {f"probability of {label}": shares[:, k] for k, label in enumerate(target.classes)}
        if self.coverage is not None:
            inside = 1.0 - shares <= self.radius
            columns["set"] = arrow.array([" ".join(classes[row]) for row in inside], arrow.string())
        return arrow.table(columns)

    def _of_features(self, batch: Any, name: str, predict: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """``predict`` of the features of a batch, a few thousand rows at a time."""
        if self.layout is None:
            from surefit.study.tables.read import read_table

            rows = self.model.rows(read_table(batch.to_pandas()))
            with self.lock:
                self.model.remarks(rows, self.remarks)
            return np.asarray(predict(self.model.encoder.encode(rows)))
        block = self.layout.columns.block(batch, name)
        found = [np.asarray(predict(part)) for _, part in self.layout.chunks(block, raw=True)]
        return np.concatenate(found) if found else np.zeros(0)
