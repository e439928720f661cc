"""Layer cli: ``surefit fit``, ``surefit init`` and ``surefit demo``: a table in, a certified model and a report out.

In: a table, the name of its target, and what else is asked.  Out: a folder with ``report.html``, ``report.md``,
``report.json`` and ``model.surefit``, each written whole or not at all; the leaderboard and the certificate as text, or
the whole record as JSON.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

START = time.perf_counter()
"""When this module was imported: budgets count from here."""

Name = Annotated[str | None, typer.Option(help="Name of a column.")]


def fit(
    table: Annotated[str, typer.Argument(help="CSV, TSV, gzip of these, Parquet or Arrow.")],
    target: Annotated[str | None, typer.Option(help="Column to predict.")] = None,
    config: Annotated[Path | None, typer.Option(help="Settings as `surefit init` writes them.")] = None,
    test: Annotated[str | None, typer.Option(help="A table of yours to certify on.")] = None,
    task: Annotated[str | None, typer.Option(help="regression or classification.")] = None,
    group: Annotated[str | None, typer.Option(help="Column whose groups stay together.")] = None,
    time_: Annotated[str | None, typer.Option("--time", help="Column that orders the rows in time.")] = None,
    weights: Annotated[str | None, typer.Option(help="Column of sample weights.")] = None,
    budget: Annotated[str | None, typer.Option(help="Time for everything: 30s, 2m, 1h.")] = None,
    holdout: Annotated[float | None, typer.Option(help="Share of the rows to certify on.")] = None,
    metric: Annotated[str | None, typer.Option(help="rmse, mae, log-loss or error-rate.")] = None,
    delta: Annotated[float | None, typer.Option(help="Probability that a promise fails.")] = None,
    coverage: Annotated[float | None, typer.Option(help="Share of rows that intervals are about.")] = None,
    recall: Annotated[float | None, typer.Option(help="Share of the event's rows to find, with a promise.")] = None,
    event: Annotated[str | None, typer.Option(help="Class to find; the last one without it.")] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Code of a check to silence; may be repeated.")] = None,
    seed: Annotated[int | None, typer.Option(help="Number from which everything random is drawn.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of text files.")] = None,
    separator: Annotated[str | None, typer.Option(help="Separator of text files.")] = None,
    dates: Annotated[str | None, typer.Option(help="dmy or mdy, where a date could be either.")] = None,
    equal_rows_are_draws: Annotated[
        bool, typer.Option("--equal-rows-are-draws", help="Your word that equal rows are no copies.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for report and model.")] = None,
    engine: Annotated[str, typer.Option(help="memory; stream or dask for files past memory.")] = "memory",
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask cluster: tcp://...")] = None,
    checkpoint: Annotated[Path | None, typer.Option(help="File to resume from, for stream and dask.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Column to leave out; may be repeated.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole record as JSON.")] = False,
) -> None:
    """Fit, compare and certify models of a table; write a report and a model file."""
    folder = _folder(out or Path(f"surefit-{_stem(table)}"))
    if engine != "memory" or scheduler is not None:
        from surefit.cli.blocks import Asked, fit_files

        asked = Asked(target, task, weights, holdout, engine, scheduler, checkpoint, seed or 0, tuple(drop or ()))
        fit_files(table, asked, folder, as_json)
        return
    from surefit.study.settings import settings_of

    if target is None and config is None:
        raise typer.BadParameter("say which column to predict: --target COLUMN")
    text = "" if config is None else _settings_text(config)
    settings = settings_of(
        text, target=target, task=task, group=group, time=time_, weights=weights, budget=budget, holdout=holdout,
        metric=metric, delta=delta, coverage=coverage, recall=recall, event=event, ignore=tuple(ignore or ()),
        seed=seed, encoding=encoding, separator=separator, drop=tuple(drop or ()), dates=dates,
        equal_rows_are_draws=equal_rows_are_draws or None,
    )  # fmt: skip
    studied(table, settings, test, folder, as_json)


def studied(table: Any, settings: Any, test: Any, out: Path, as_json: bool, name: str | None = None) -> None:
    """Run a study and write what it leaves to a folder."""
    from surefit.cli.show import study_text
    from surefit.report import write
    from surefit.store.file import save
    from surefit.study.study import Study
    from surefit.warnings import UnreadableWarning

    say, wipe = progress_line()
    command = name or shlex.join(["surefit", *sys.argv[1:]])
    kept = out / "unfinished"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnreadableWarning)  # a check says the same
            study = Study.of(settings).fit(table, test, folder=kept, say=say, command=command, start=START)
    except KeyboardInterrupt:
        if kept.exists():
            wipe()
            print(f"what is done is kept in {kept}; the same command goes on from there", file=sys.stderr)
        raise
    finally:
        wipe()
    files: dict[str, str] = {}
    try:
        files["report"] = str(write(study.result_, out).html)
        save(study.model_, out / "model.surefit")
        files["model"] = str(out / "model.surefit")
    finally:  # what was found is said even if it cannot be written
        if as_json:
            print(json.dumps({**study.result_.as_dict(), "files": files}, allow_nan=False))
        else:
            print(study_text(study.result_, files))


def progress_line() -> tuple[Callable[[str], None], Callable[[], None]]:
    """What says on one line of the terminal what runs, and what wipes that line; nothing where there is no terminal."""
    from surefit.cli.show import line_of
    from surefit.terminal import columns_of, is_terminal

    heard = is_terminal(sys.stderr)

    def write(text: str) -> None:
        nonlocal heard
        if not heard:
            return
        try:
            sys.stderr.write("\r" + line_of(text, min(columns_of(sys.stderr), 80) - 1) + "\r")
            sys.stderr.flush()
        except (OSError, ValueError):  # the terminal has gone away, which is no reason to stop
            heard = False

    return (lambda text: write(f"{text} ({time.perf_counter() - START:.0f} s)")), (lambda: write(""))


def init(
    table: Annotated[str, typer.Argument(help="The table.")],
    target: Annotated[str, typer.Option(help="Column to predict.")],
    out: Annotated[Path | None, typer.Option(help="File to write; without it the settings are printed.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of text files.")] = None,
) -> None:
    """Write the settings of a study, with the kind of every column, as TOML to be edited: `surefit fit --config`."""
    from surefit.store.atomic import write_text
    from surefit.study.encode.beside import Beside
    from surefit.study.encode.kinds import kinds_of
    from surefit.study.settings import Settings, toml_of
    from surefit.study.tables.read import read_table
    from surefit.study.target import target_of

    read = read_table(table, encoding=encoding)
    found = target_of(read, target)
    kinds = kinds_of(read.without([target]), {}, Beside(read))
    text = toml_of(
        Settings(target, task=found.task, encoding=encoding),
        {name: kind.kind for name, kind in kinds.items()},
        {name: "; ".join(filter(None, (kind.reason, kind.doubt))) for name, kind in kinds.items()},
    )
    if out is None:
        print(text)
    else:
        write_text(out, text + "\n")
        print(f"settings {out}")


def demo(
    out: Annotated[Path, typer.Option(help="Folder for report and model.")] = Path("surefit-demo"),
) -> None:
    """A study of disease progression in 442 patients, data that come with scikit-learn."""
    from sklearn.datasets import load_diabetes

    from surefit.store.atomic import write_text
    from surefit.study.settings import Settings

    data = load_diabetes(scaled=False)
    names = [*data.feature_names, "progression"]
    rows = [
        ",".join(names),
        *(",".join(f"{x:.10g}" for x in (*row, y)) for row, y in zip(data.data, data.target, strict=True)),
    ]
    _folder(out).mkdir(parents=True, exist_ok=True)
    table = out / "diabetes.csv"
    write_text(table, "\n".join(rows) + "\n")
    print(f"surefit fit {table} --target progression\n")
    studied(str(table), Settings("progression"), None, out, False, f"surefit fit {table} --target progression")


def _settings_text(path: Path) -> str:
    """The text of a file of settings; an error of one sentence if it cannot be read."""
    remedy = "surefit init writes a file to begin with"
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path} of settings; check the path, or {remedy}")
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise OSError(f"the settings {path} cannot be read ({reason}); give another file, {remedy}") from None


def _folder(path: Path) -> Path:
    """A folder to write to; an error if it, or one that it is in, is a file."""
    file = next((one for one in (path, *path.parents) if one.exists() and not one.is_dir()), None)
    if file is not None:
        raise NotADirectoryError(f"{file} is a file, and report and model need a folder; give --out another name")
    return path


def _stem(table: str) -> str:
    return Path(table).name.split(".")[0] or "study"
