"""Layer cli: ``surefit stream``: learn from standard input, and print how it goes at every power of two rows.

In: rows as JSON lines or CSV.  Out: a progress table; a model file that a later call goes on from.  Ctrl-C, or a row
that is refused, leaves the file of all rows learnt.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

MODELS = {
    "widrow-hoff": "WidrowHoff",
    "regression": "OnlineRegressor",
    "classification": "OnlineClassifier",
    "perceptron": "OnlinePerceptron",
}


def stream(
    target: Annotated[str, typer.Option(help="Name of the target.")] = "y",
    model: Annotated[str, typer.Option(help=f"One of {', '.join(MODELS)}.")] = "widrow-hoff",
    step: Annotated[float | None, typer.Option(help="Length of a step.")] = None,
    schedule: Annotated[str, typer.Option(help="constant, sqrt or adaptive.")] = "constant",
    classes: Annotated[str | None, typer.Option(help="The two labels, with a comma between them.")] = None,
    upper: Annotated[float | None, typer.Option(help="Largest loss that counts, for the risk bound.")] = None,
    level: Annotated[float | None, typer.Option(help="Mean loss that sets off the alarm.")] = None,
    alarm: Annotated[str, typer.Option(help="ever or run-length.")] = "ever",
    skip: Annotated[bool, typer.Option(help="Skip and count bad rows; a missing feature counts as zero.")] = False,
    csv: Annotated[bool, typer.Option(help="CSV instead of JSON lines.")] = False,
    checkpoint: Annotated[Path | None, typer.Option(help="Model file, to go on from and to leave.")] = None,
) -> None:
    """Learn from rows on standard input: surefit stream --target y < events.jsonl."""
    if checkpoint is not None and checkpoint.exists():
        from surefit.store.file import load

        found = load(checkpoint)
    else:
        found = _new(model, step, schedule, _labels(classes), skip)
        found.set_params(upper=upper, level=level, alarm=alarm)
    raise typer.Exit(streamed(found, sys.stdin, target, "csv" if csv else "jsonl", checkpoint))


def streamed(
    stream: Any, source: TextIO, target: str, format: str, checkpoint: Path | None, out: TextIO | None = None
) -> int:
    """Learn until the source ends; the exit code: 0, or 130 if interrupted."""
    from surefit.store.file import save
    from surefit.theory.certificates.progress import HEAD

    out = out or sys.stdout
    print(HEAD, file=out)
    code = 0
    try:
        for report in stream.run(source, target, format=format, rows=1 if format == "jsonl" else 256):
            print(report.line(), file=out, flush=True)
            if checkpoint is not None:
                save(stream, checkpoint)
    except KeyboardInterrupt:
        code = 130
    except ValueError as error:
        if str(error).startswith("row ") and stream.model.bad_rows != "skip":
            remedy = "--skip counts such rows and goes on, and takes a missing feature as zero"
            raise ValueError(f"{error}; {remedy}") from error
        raise
    finally:  # the rows before a bad one are learnt, and kept
        if checkpoint is not None and getattr(stream.model, "rows_", 0) > 0:
            save(stream, checkpoint)
    print(stream.report(), file=out)
    return code


def _labels(classes: str | None) -> list[Any] | None:
    """Labels as numbers where all of them are."""
    if classes is None:
        return None
    words = [word.strip() for word in classes.split(",")]
    try:
        return [int(word) for word in words]
    except ValueError:
        return list(words)


def _new(model: str, step: float | None, schedule: str, classes: list[Any] | None, skip: bool) -> Any:
    """A stream with a new model."""
    import surefit

    if model not in MODELS:
        raise ValueError(f"model must be one of {', '.join(MODELS)}, got {model!r}")
    found = getattr(surefit, MODELS[model])()
    settings: dict[str, Any] = {"step": step, "schedule": schedule, "classes": classes}
    if skip:
        settings |= {"bad_rows": "skip", "missing": "zero"}
    known = found.get_params()
    given = {name: value for name, value in settings.items() if value is not None and name in known}
    return surefit.Stream(found.set_params(**given))
