"""Layer cli: ``surefit fit --engine stream`` and ``--engine dask``, and predictions for many files.

In: file names with wild cards.  Out: a model file, fitted pass by pass in constant memory, or a folder with one file of
predictions for each file of rows, in the same order.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HOLDOUT = 0.05
"""Share of the rows that are held out unless told."""

LAMS = 50
"""Values of the grid of ridge."""


@dataclass(frozen=True)
class Asked:
    """The options of a fit to files."""

    target: str | None
    task: str | None
    weights: str | None
    holdout: float | None
    engine: str
    scheduler: str | None
    checkpoint: Path | None
    seed: int


@contextmanager
def _executor(asked: Asked) -> Any:
    if asked.engine == "stream" and asked.scheduler is None:
        yield None
        return
    if asked.engine not in ("dask", "memory"):
        raise ValueError(f"engine must be memory, stream or dask, got {asked.engine!r}")
    try:
        from distributed import Client
    except ImportError as error:
        raise ValueError("--engine dask needs Dask: pip install 'surefit[dask]'") from error
    with Client(asked.scheduler) if asked.scheduler else Client(threads_per_worker=1, dashboard_address=None) as client:
        yield client


def fit_files(table: str, asked: Asked, out: Path, as_json: bool) -> None:
    """Fit ridge, or logistic regression where the target has classes, and write the model."""
    from surefit import LogisticRegression, Ridge
    from surefit.data.blocks.source import source_of
    from surefit.progress import working
    from surefit.store.file import save
    from surefit.study.of_blocks import table_model_of

    if asked.target is None:
        raise ValueError("say which column to predict: --target COLUMN")
    source = source_of(table, asked.target, weight=asked.weights)
    classes = source.columns.target_is_word or asked.task == "classification"
    model: Any = LogisticRegression() if classes else Ridge()
    out.mkdir(parents=True, exist_ok=True)
    options = {"certify": HOLDOUT if asked.holdout is None else asked.holdout, "random_state": asked.seed}
    with _executor(asked) as executor, working(f"fitting {table}"):
        model.fit_blocks(source, checkpoint=asked.checkpoint, executor=executor, **options)
    found = table_model_of(model)
    save(found, out / "model.surefit")
    print(json.dumps(_facts(model, out), allow_nan=False) if as_json else _text(model, out))


def _facts(model: Any, out: Path) -> dict[str, Any]:
    record = model.blocks_
    return {
        "model": type(model).__name__, "lam": float(model.lam_), "status": model.solution_.status.value,
        "gap": float(model.solution_.gap) if np.isfinite(model.solution_.gap) else None,
        "rows": record.n, "held out": record.held_out, "passes": record.passes, "seconds": record.seconds,
        "coefficients": {"intercept": np.atleast_1d(model.intercept_).tolist(),
                         **dict(zip(record.names, np.atleast_2d(model.coef_).T.tolist(), strict=True))},
        "certificate": record.certificate.statement, "files": [dict(one) for one in record.files],
        "written": str(out / "model.surefit"),
    }  # fmt: skip


def _text(model: Any, out: Path) -> str:
    from surefit.page import wrapped

    record = model.blocks_
    rate = (record.n + record.held_out) * record.passes / max(record.seconds, 1e-9)
    size = sum(one["bytes"] for one in record.files)
    lines = [
        f"{type(model).__name__} of {record.n:,} rows and {len(record.features)} features, lam {model.lam_:.3g}",
        f"{len(record.files)} files, {size:,} bytes; {record.passes} passes in {record.seconds:.1f} s, "
        f"{rate:,.0f} rows/s",
        *wrapped(f"held out {record.held_out:,} rows: {record.certificate.statement}"),
        f"model {out / 'model.surefit'}",
    ]
    return "\n".join(lines)


def predict_files(model: Any, table: str, out: Path, coverage: float | None, probabilities: bool) -> None:
    """One Parquet file of predictions for each Parquet file, under its name; rows keep their order and number."""
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    from surefit.data.blocks.block import ROWS
    from surefit.data.blocks.source import source_of

    source: Any = source_of(table)
    out.mkdir(parents=True, exist_ok=True)
    rows = 0
    for name in source.names:
        path = out / (Path(name).stem + ".parquet")
        hidden, writer = path.with_name(f".{path.name}.tmp"), None
        try:
            for batch in parquet.ParquetFile(name).iter_batches(batch_size=ROWS):
                found = arrow.table(_columns(model, batch, name, coverage, probabilities))
                writer = writer or parquet.ParquetWriter(hidden, found.schema)
                writer.write_table(found)
                rows += batch.num_rows
            if writer is not None:
                writer.close()
                os.replace(hidden, path)
        except BaseException:
            with suppress(OSError):
                hidden.unlink()
            raise
    print(f"{rows:,} predictions of {len(source.names)} files in {out}")


def _columns(model: Any, batch: Any, name: str, coverage: float | None, probabilities: bool) -> dict[str, Any]:
    X = _features(model, batch, name)
    columns: dict[str, Any] = {model.target.name: model.estimator.predict(X)}
    if model.target.is_classification:
        if probabilities:
            found = model.estimator.predict_proba(X)
            columns |= {f"probability of {label}": found[:, k] for k, label in enumerate(model.target.classes)}
    elif coverage is not None:
        from surefit.theory.intervals.conformal import pac_rank, ranked

        radius = ranked(model.scores, pac_rank(len(model.scores), coverage, 0.05))
        centre = columns[model.target.name]
        columns |= {"lower": centre - radius, "upper": centre + radius}
    return columns


def _features(model: Any, batch: Any, name: str) -> np.ndarray:
    """The features of a batch: by the layout of blocks where the model was fitted to some, by its encoder otherwise."""
    from dataclasses import replace

    from surefit.data.blocks.layout import Layout

    record = getattr(model.estimator, "blocks_", None)
    if record is None:
        from surefit.study.tables.read import read_table

        encoded: np.ndarray = model.encoder.encode(read_table(batch.to_pandas()))
        return encoded
    columns = replace(record.columns, target=None, target_is_word=False, weight=None)
    columns.check(batch.schema, name)
    width = len(columns.numbers)
    levels = tuple(
        tuple(level for column, level in record.features if column == word and level is not None)
        for word in columns.words
    )
    layout = Layout(columns, np.zeros(width), np.ones(width), record.references, levels)
    block = columns.block(batch, name)
    found = np.empty((len(block), len(record.features)))
    for rows, part in layout.chunks(block, raw=True):
        found[rows] = part
    return found
