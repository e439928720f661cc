"""Layer cli: ``surefit stream``: learn from standard input, and print how it goes at every power of two rows.

In: rows as JSON lines or CSV.  Out: a progress table; a model file that a later call goes on from.  Ctrl-C, or a row
that is refused, leaves the file of all rows learnt.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from surefit.cli.options import as_options, given

MODELS = {
    "widrow-hoff": "WidrowHoff",
    "regression": "OnlineRegressor",
    "classification": "OnlineClassifier",
    "perceptron": "OnlinePerceptron",
}
FIXED = ("target", "model", "step", "schedule", "classes", "upper", "level", "alarm")
"""Options that a stream is begun with."""
RULES = {"skip": "bad_rows", "missing": "missing", "farthest": "farthest"}
"""Options that a later call may change, and the parameter of the model that each sets."""


def stream(
    ctx: typer.Context,
    target: Annotated[str, typer.Option(help="Name of the target.")] = "y",
    model: Annotated[str, typer.Option(help=f"One of {', '.join(MODELS)}.")] = "widrow-hoff",
    step: Annotated[float | None, typer.Option(help="Length of a step; the model's own if left out.")] = None,
    schedule: Annotated[str, typer.Option(help="constant, sqrt or adaptive.")] = "constant",
    classes: Annotated[str | None, typer.Option(help="The two labels, with a comma between them.")] = None,
    upper: Annotated[float | None, typer.Option(help="Largest loss that counts, for the risk bound.")] = None,
    level: Annotated[float | None, typer.Option(help="Mean loss that sets off the alarm.")] = None,
    alarm: Annotated[str, typer.Option(help="ever or run-length.")] = "ever",
    skip: Annotated[bool, typer.Option(help="Skip and count rows that cannot be learnt from.")] = False,
    missing: Annotated[str, typer.Option(help="A missing feature: raise (the row is bad) or zero.")] = "raise",
    farthest: Annotated[float, typer.Option(help="Times the longest row before it that a row may be.")] = 1e4,
    csv: Annotated[bool, typer.Option(help="CSV instead of JSON lines.")] = False,
    checkpoint: Annotated[Path | None, typer.Option(help="Model file, to go on from and to leave.")] = None,
) -> None:
    """Learn from rows on standard input: surefit stream --target y < events.jsonl.

    With a checkpoint that exists, goes on with its settings; --skip, --missing and --farthest may change.
    """
    asked = {name: value for name, value in ctx.params.items() if given(ctx, name)}
    rules = {RULES[name]: _rule(name, asked[name]) for name in RULES if name in asked}
    try:
        if checkpoint is not None and checkpoint.exists():
            found = _resumed(checkpoint, {name: asked[name] for name in FIXED if name in asked})
            target = getattr(found, "target_", target)
        else:
            found = _new(model, step, schedule, _labels(classes))
            found.set_params(upper=upper, level=level, alarm=alarm)
        found.model.set_params(**rules)
        code = streamed(found, sys.stdin, target, "csv" if csv else "jsonl", checkpoint)
    except ValueError as error:
        raise type(error)(as_options(str(error))) from error
    raise typer.Exit(code)


def streamed(
    stream: Any, source: TextIO, target: str, format: str, checkpoint: Path | None, out: TextIO | None = None
) -> int:
    """Learn until the source ends; the exit code: 0, or 130 if interrupted."""
    from surefit.store.file import save
    from surefit.theory.certificates.progress import HEAD

    out = out or sys.stdout
    code, told = 0, False
    try:
        for report in stream.run(source, target, format=format, rows=1 if format == "jsonl" else 256):
            print(report.line() if told else f"{HEAD}\n{report.line()}", file=out, flush=True)
            told = True
            if checkpoint is not None:
                save(stream, checkpoint)
    except KeyboardInterrupt:
        code = 130
    finally:  # the rows before a bad one are learnt, and kept
        if checkpoint is not None and getattr(stream.model, "rows_", 0) > 0:
            save(stream, checkpoint)
    if not told and code == 0:
        raise ValueError("there is nothing to read; send rows to standard input: surefit stream < events.jsonl")
    print(as_options(str(stream.report())), file=out)
    return code


def _resumed(checkpoint: Path, asked: dict[str, Any]) -> Any:
    """The stream of a checkpoint; an error if an option asks for another one than that was begun with."""
    from surefit.store.file import load

    found = load(checkpoint)
    if not hasattr(found, "model") or not hasattr(found, "alarm"):
        raise ValueError(f"{checkpoint} holds no stream; give another --checkpoint")
    words = {name: word for word, name in MODELS.items()}
    stored = {
        "target": getattr(found, "target_", None),
        "model": words.get(type(found.model).__name__, type(found.model).__name__),
        **{name: getattr(found.model, name, None) for name in ("step", "schedule", "classes")},
        **{name: getattr(found, name) for name in ("upper", "level", "alarm")},
    }
    for name, value in asked.items():
        value = _labels(value) if name == "classes" else value
        before = stored[name]
        if value != (list(before) if name == "classes" and before is not None else before):
            shown = "without it" if before is None else f"with {_shown(before)}"
            raise ValueError(
                f"--{name} {_shown(asked[name])} was given, and the stream of {checkpoint} was begun {shown}; leave "
                f"--{name} out to go on, or begin a new stream with another --checkpoint"
            )
    return found


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else ",".join(map(str, value)) if isinstance(value, list) else value


def _rule(name: str, value: Any) -> Any:
    return value if name != "skip" else "skip" if value else "raise"


def _labels(classes: str | None) -> list[Any] | None:
    """Labels as numbers where all of them are."""
    if classes is None:
        return None
    words = [word.strip() for word in classes.split(",")]
    try:
        return [int(word) for word in words]
    except ValueError:
        return list(words)


def _new(model: str, step: float | None, schedule: str, classes: list[Any] | None) -> Any:
    """A stream with a new model."""
    import surefit

    if model not in MODELS:
        raise ValueError(f"--model must be one of {', '.join(MODELS)}, got {model!r}")
    found = getattr(surefit, MODELS[model])()
    known = found.get_params()
    settings = {"step": step, "schedule": schedule, "classes": classes}
    for name, value in settings.items():
        if value not in (None, "constant") and name not in known:
            raise ValueError(f"--{name} is not for the model {model}; leave it out")
    given = {name: value for name, value in settings.items() if value is not None and name in known}
    return surefit.Stream(found.set_params(**given))
