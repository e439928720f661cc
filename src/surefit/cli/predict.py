"""Layer cli: ``surefit predict``, ``surefit certify`` and ``surefit explain``: what a stored model says.

In: a model file and a table, or standard input.  Out: predictions as CSV or JSON lines, block by block; a certificate
from rows that the model has never seen; what the model is.
"""

from __future__ import annotations

import csv
import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from surefit.cli.options import with_switches
from surefit.warnings import DriftWarning, OutsideWarning, UnreadableWarning

Model = Annotated[Path, typer.Argument(help="A model file that `surefit fit` wrote.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def predict(
    model: Model,
    table: Annotated[str, typer.Argument(help="A table, or - for standard input.")] = "-",
    out: Annotated[
        Path | None, typer.Option(help="File to write, or folder for many files; without it predictions are printed.")
    ] = None,
    intervals: Annotated[
        float | None, typer.Option(help="Coverage of intervals or sets of classes, such as .9.")
    ] = None,
    probabilities: Annotated[bool, typer.Option(help="A column for the probability of each class.")] = False,
    encoding: Annotated[str | None, typer.Option(help="Encoding of text files.")] = None,
    as_json: AsJson = False,
) -> None:
    """Predict the rows of a table, as they are read."""
    from surefit.store.atomic import replacing

    several = Path(table).is_dir() or any(sign in table for sign in "*?[")
    if out is not None and (out.is_dir() or several):
        from surefit.cli.many_files import predict_files

        predict_files(_with_classes(table_model(model), probabilities), table, out, intervals, probabilities)
        return
    loaded = _with_classes(table_model(model, soon=True), probabilities)
    if out is None:
        _stream(loaded, table, sys.stdout, intervals, probabilities, encoding, as_json)
        return
    import io

    with replacing(out, seeks=False) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        _stream(loaded, table, text, intervals, probabilities, encoding, as_json)
        text.flush()
        text.detach()


def _with_classes(model: Any, probabilities: bool) -> Any:
    """The model; an error if probabilities are asked of one that predicts numbers."""
    if probabilities and not model.target.is_classification:
        raise ValueError(
            f"--probabilities needs classes, and the model predicts numbers of {model.target.name!r}; leave it out, or "
            "ask for --intervals .9"
        )
    return model


def _stream(
    model: Any,
    table: str,
    file: TextIO,
    intervals: float | None,
    probabilities: bool,
    encoding: str | None,
    as_json: bool,
) -> None:
    from surefit.study.tables.read import table_blocks

    remarks: Any = None
    rare: dict[str, dict[str, int]] = {}
    first, reading = True, model.reading()
    for block in map(reading, table_blocks(table, encoding=encoding, otherwise=model.separator)):
        if block.n_rows == 0 and not first:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnreadableWarning)  # said of all blocks, below
            warnings.simplefilter("ignore", OutsideWarning)
            columns = _columns(model, block, intervals, probabilities)
        names = list(columns)
        rows = zip(*columns.values(), strict=True)
        if as_json:
            file.writelines(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
        else:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([names] if first else [])
            writer.writerows(rows)
        first = False
        remarks = model.remarks(block, remarks)
        _count_rare(model, block, rare)
    if remarks is not None:
        _say(remarks, rare)


def _count_rare(model: Any, block: Any, rare: dict[str, dict[str, int]]) -> None:
    """Add the levels of a block that share the feature of the rare ones."""
    shared = {part.name for part in model.encoder.parts if getattr(part, "rare", False)}
    for name, levels in model.strange(block).items():
        if name in shared:
            for level, n in levels.items():
                rare.setdefault(name, {}).setdefault(level, 0)
                rare[name][level] += n


def _say(remarks: Any, rare: dict[str, dict[str, int]]) -> None:
    """Print what there is to say of the rows on the standard error stream."""
    for sentence in remarks.of_cells() + remarks.of_rows():
        print(sentence, file=sys.stderr)
    said = {name for (name, what), one in remarks.outside.items() if what == "unknown" and one.unusual}
    for name, levels in rare.items():
        if name in said:
            continue
        shown = ", ".join(f"{level!r} ({_rows(n)})" for level, n in list(levels.items())[:5])
        more = f" and {len(levels) - 5} more" if len(levels) > 5 else ""
        what = "levels {} are predicted as rare ones" if len(levels) > 1 else "level {} is predicted as a rare one"
        print(f"column {name!r}: unknown or rare {what.format(shown + more)}", file=sys.stderr)


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n:,} rows"


def _columns(model: Any, block: Any, coverage: float | None, probabilities: bool) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {model.target.name: model.predict(block).tolist()}
    if model.target.is_classification and (probabilities or coverage is not None):
        if probabilities:
            found = model.predict_proba(block)
            columns |= {f"probability of {name}": found[:, k].tolist() for k, name in enumerate(model.target.classes)}
        if coverage is not None:
            columns["set"] = [" ".join(map(str, one)) for one in model.predict_set(block, coverage).labels]
    elif coverage is not None:
        intervals = model.predict_interval(block, coverage)
        columns |= {"lower": intervals.lower.tolist(), "upper": intervals.upper.tolist()}
    return columns


def certify(
    model: Model,
    table: Annotated[str, typer.Argument(help="Rows that the model has never seen, with their targets.")],
    delta: Annotated[float, typer.Option(help="Probability that the bound fails.")] = 0.05,
    at_most: Annotated[float | None, typer.Option(help="Exit with 1 unless the bound is at most this.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of text files.")] = None,
    equal_rows_are_draws: Annotated[
        bool, typer.Option("--equal-rows-are-draws", help="Your word that equal rows are no copies.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Certify a stored model on new rows; rows that it was fitted to are refused."""
    loaded = table_model(model)
    with plain_warnings():
        found = loaded.certify(table, delta=delta, encoding=encoding, equal_rows_are_draws=equal_rows_are_draws)
    print(found.to_json() if as_json else with_switches(str(found)))
    if at_most is not None and not found.bound <= at_most:
        raise typer.Exit(1)


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Warnings about cells, rows and drift as sentences, without the line of code that found them; each once."""
    ours = (UnreadableWarning, OutsideWarning, DriftWarning)
    with warnings.catch_warnings():
        for kind in ours:
            warnings.simplefilter("once", kind)
        usual = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, ours):
                print(message, file=sys.stderr)
            else:
                usual(message, category, *where, **more)

        warnings.showwarning = show
        yield


def explain(model: Model, as_json: AsJson = False) -> None:
    """Say what a stored model is: its columns, its coefficients or points, its certificate."""
    facts = table_model(model).explained()
    if as_json:
        print(json.dumps(facts, allow_nan=False))
        return
    from surefit.page import wrapped

    for name, value in facts.items():
        if isinstance(value, dict):
            print(name)
            for key, one in value.items():
                print(f"  {key}: {one:.6g}" if isinstance(one, float) else f"  {key}: {one}")
        else:
            print("\n".join(wrapped(f"{name}: {value}")))


def table_model(path: Path, soon: bool = False) -> Any:
    """The model of a study in a file; an error if it is another kind of model.  ``soon``: it is to predict only."""
    from surefit.store.deferred import load_soon
    from surefit.store.file import load
    from surefit.store.refusal import ModelFileError

    found = load_soon(path) if soon else load(path)
    if not hasattr(found, "encoder"):
        raise ModelFileError(f"{path} holds a {type(found).__name__}, which predicts arrays and no tables; "
                             "surefit.load reads it in Python")  # fmt: skip
    return found
