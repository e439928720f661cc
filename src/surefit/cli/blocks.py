"""Layer cli: ``surefit fit --engine stream`` and ``--engine dask``: files that are not held in memory.

In: file names with wild cards.  Out: a model file, fitted pass by pass in constant memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np

if TYPE_CHECKING:
    from surefit.study.model import TableModel

HOLDOUT = 0.05
"""Share of the rows that are held out unless told."""

ENOUGH = 50_000
"""Rows held out beyond which more say little: the share is smaller in tables where it would be more."""


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
    drop: tuple[str, ...] = ()


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


@contextmanager
def _options_named() -> Any:
    """Errors that name the option in place of the argument."""
    from surefit.data.blocks.columns import SourceError

    try:
        yield
    except SourceError as error:
        raise SourceError(re.sub(r"drop=\[['\"](.*?)['\"]\]", r"--drop '\1'", str(error))) from error


def fit_files(table: str, asked: Asked, out: Path, as_json: bool) -> None:
    """Fit ridge, or logistic regression where the target has classes, and write the model."""
    from surefit import LogisticRegression, Ridge
    from surefit.data.blocks.source import source_of
    from surefit.estimators.blocks.reading import numbers_as_words
    from surefit.progress import working
    from surefit.store.file import save
    from surefit.study.of_blocks import table_model_of
    from surefit.warnings import UnreadableWarning

    if asked.target is None:
        raise ValueError("say which column to predict: --target COLUMN")
    with _options_named():
        source = source_of(table, asked.target, weight=asked.weights, drop=asked.drop)
    classes = source.columns.target_is_word or asked.task == "classification"
    model: Any = LogisticRegression() if classes else Ridge()
    share = min(HOLDOUT, ENOUGH / max(source.n or 1, 1)) if asked.holdout is None else asked.holdout
    options = {"certify": share, "random_state": asked.seed}
    with _made(out), _executor(asked) as executor, working(f"fitting {table}"), _options_named(), catch_warnings():
        simplefilter("ignore", UnreadableWarning)  # a remark says the same
        model.fit_blocks(source, checkpoint=asked.checkpoint, executor=executor, **options)
        found = table_model_of(model)
        if asked.task is None:
            _check_target(found)
        save(found, out / "model.surefit")
    told = numbers_as_words(source.first(), source.columns)
    remarks = [*told.values(), *_numbers_and_dates_as_words(found, told)]
    print(json.dumps(_facts(model, out, remarks), allow_nan=False) if as_json else _text(model, out, remarks))


@contextmanager
def _made(folder: Path) -> Any:
    """The folder is there before hours of work, and is gone again if they end with nothing."""
    new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        if new:
            with suppress(OSError):  # it is not empty
                folder.rmdir()
        raise


def _check_target(model: TableModel) -> None:
    """Refuse classes that are numbers written in a way in which files past memory are not read."""
    from surefit.study.encode.kinds import NUMBER, kind_of
    from surefit.study.tables.table import Words

    classes = [str(label) for label in model.target.classes]
    if classes and kind_of(Words.of(classes)).kind == NUMBER:
        raise ValueError(
            f"the target {model.target.name!r} holds words such as {classes[0]!r} that look like numbers; write them "
            "without separators, units or signs, or say --task classification"
        )


def _numbers_and_dates_as_words(model: TableModel, told: Collection[str]) -> list[str]:
    """What to tell of further columns of words that look like numbers or dates, beside those that were told of."""
    from surefit.study.encode.kinds import DATE, NUMBER, UNREAD, ZONES_MIXED, kind_of
    from surefit.study.encode.parts import CategoryPart
    from surefit.study.tables.table import Words

    remarks = []
    for part in model.encoder.parts:
        if isinstance(part, CategoryPart) and part.levels and part.name not in told:
            texts = [part.reference, *part.levels] if part.reference else list(part.levels)
            found = kind_of(Words.of(texts))
            kind = DATE if found.reason in (UNREAD, ZONES_MIXED) else found.kind
            if kind in (NUMBER, DATE):
                last = [text for text in texts if text not in found.stray][-1]
                remarks.append(
                    f"column {part.name!r} holds words such as {last!r} that look like {kind}s; each word has a "
                    "coefficient of its own, and new words are unknown; for one slope write plain numbers"
                )
    return remarks


def _facts(model: Any, out: Path, remarks: list[str]) -> dict[str, Any]:
    record = model.blocks_
    return {
        "model": type(model).__name__, "lam": float(model.lam_), "status": model.solution_.status.value,
        "gap": float(model.solution_.gap) if np.isfinite(model.solution_.gap) else None,
        "rows": record.n, "held out": record.held_out, "passes": record.passes, "seconds": record.seconds,
        "coefficients": {"intercept": np.atleast_1d(model.intercept_).tolist(),
                         **dict(zip(record.names, np.atleast_2d(model.coef_).T.tolist(), strict=True))},
        "certificate": record.certificate.statement, "files": [dict(one) for one in record.files],
        "remarks": remarks, "written": str(out / "model.surefit"),
    }  # fmt: skip


def _text(model: Any, out: Path, remarks: list[str]) -> str:
    from surefit.page import wrapped

    record = model.blocks_
    rate = (record.n + record.held_out) * record.passes / max(record.seconds, 1e-9)
    size = sum(one["bytes"] for one in record.files)
    passes = "1 pass" if record.passes == 1 else f"{record.passes} passes"
    lines = [
        f"{type(model).__name__} of {record.n:,} rows and {len(record.features)} features, lam {model.lam_:.3g}",
        f"{len(record.files)} files, {size:,} bytes; {passes} in {record.seconds:.1f} s, {rate:,.0f} rows/s",
        *wrapped(f"held out {record.held_out:,} rows: {record.certificate.statement}"),
        *(line for remark in remarks for line in wrapped(remark)),
        f"model {out / 'model.surefit'}",
    ]
    return "\n".join(lines)
