"""Layer cli: ``surefit watch``: a sentence and an exit code the moment a stream refutes what a certificate promised.

In: a model file that was fitted with ``certify``, or a certificate as JSON; events as JSON lines or CSV on standard
input.
Out: the sentence; 1 if the promise is refuted, 0 if it stands at the end of the stream.
"""

from __future__ import annotations

import csv as tables
import math
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, TextIO

import numpy as np
import typer

from surefit.cli.predict import plain_warnings


def watch(
    promise: Annotated[Path, typer.Argument(help="A model file (.surefit) or a certificate (.json).")],
    target: Annotated[
        str | None,
        typer.Option(help="Name of the target in events that carry features; that of a study's model is known, or y."),
    ] = None,
    delta: Annotated[float, typer.Option(help="Probability of a false refutation.")] = 0.05,
    csv: Annotated[bool, typer.Option(help="CSV instead of JSON lines.")] = False,
) -> None:
    """Read events from standard input, one JSON object a line: {"loss": 0.2}, or features with the target.

    Stops with exit code 1 and one sentence as soon as they refute the promise.
    """
    raise typer.Exit(watched(promise, sys.stdin, target, delta, csv=csv))


Event = tuple[int, dict[str, Any]]
"""A number of a line, and what stands there."""


def watched(
    promise: Path, lines: Iterable[str], target: str | None, delta: float, out: TextIO | None = None, csv: bool = False
) -> int:
    """The exit code: 1 if the events in ``lines`` refute ``promise``, 0 if it stands."""
    model, certificate = _promise(promise)
    name, found = _target(model, target), certificate.watch(delta=delta)
    with plain_warnings():
        for line, event in (_csv_events if csv else _json_events)(lines):
            found.update([_loss(event, line, model, name, found.kind)])
            if found.refuted:
                break
    print(found, file=out or sys.stdout)
    return int(found.refuted)


def _target(model: Any, asked: str | None) -> str:
    """The name of the target in events; a column that the model predicts from is refused."""
    if not hasattr(model, "encoder"):
        return "y" if asked is None else asked
    own = str(model.target.name)
    if asked is not None and asked != own and asked in {part.name for part in model.encoder.parts}:
        raise ValueError(f"the model predicts {own!r} and reads {asked!r} to do so; leave out --target")
    return own if asked is None else asked


def _json_events(lines: Iterable[str]) -> Iterator[Event]:
    from surefit.data.blocks.sources import json_object, names_columns

    for k, line in enumerate(lines):
        if k == 0 and names_columns(line):
            raise ValueError("the first line is not JSON, but looks like column names; give --csv")
        if line.strip():
            yield k + 1, json_object(line, k)


def _csv_events(lines: Iterable[str]) -> Iterator[Event]:
    """Cells that are numbers as numbers; empty ones are missing."""
    reader = tables.DictReader(lines)
    for row in reader:
        if None in row or None in row.values():
            names = len(reader.fieldnames or ())
            raise ValueError(f"line {reader.line_num} has not the {names} fields of the first line; mend it")
        yield reader.line_num, {name: _cell(text) for name, text in row.items()}


def _cell(text: str) -> Any:
    try:
        return float(text) if text.strip() else None
    except ValueError:
        return {"true": True, "false": False}.get(text.strip().lower(), text)


def _number(value: Any, what: str, line: int) -> float:
    """A number that an event gives; text and missing values are refused."""
    if isinstance(value, str) or value is None or not math.isfinite(value):
        raise ValueError(f"line {line} has {value!r} as {what}, which is not a number; mend it, or leave the line out")
    return float(value)


def _promise(path: Path) -> tuple[Any, Any]:
    """The model, if there is one, and its certificate."""
    if path.suffix == ".json":
        from surefit.theory.certificates.certificate import Certificate

        return None, Certificate.from_json(path.read_text(encoding="utf-8"))
    from surefit.store.file import load

    model = load(path)
    if hasattr(model, "encoder"):
        return model, model.certificate
    if not hasattr(model, "certificate"):
        raise ValueError(f"{path} holds a {type(model).__name__}, which promises nothing; give a certified model")
    try:
        return model, model.certificate()
    except ValueError as error:
        raise ValueError(f"{path} promises nothing that could be watched: {error}") from None


def _loss(event: dict[str, Any], line: int, model: Any, target: str, kind: str) -> float:
    """What happened in one event, as the certificate counts it."""
    if "loss" in event:
        return _number(event["loss"], "the loss", line)
    if model is None:
        raise ValueError(f"line {line} has no 'loss', and a certificate alone cannot predict; give a model file")
    if target not in event:
        raise ValueError(f"line {line} has neither a 'loss' nor the target {target!r}; name it with --target")
    if hasattr(model, "encoder"):
        return _loss_of_table(event, model, target, kind)
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(model.n_features_in_)])
    missing = [name for name in names if name not in event]
    if missing:
        raise ValueError(f"line {line} has no feature {missing[0]!r}; give all that the model was fitted to")
    for name in names:
        _number(event[name], f"feature {name!r}", line)
    said = model.predict(_frame(names, event, model))[0]
    if kind == "errors":
        _refuse_other_type(event[target], getattr(model, "classes_", ()), line)
        return float(said != event[target])
    return abs(float(said) - _number(event[target], f"the target {target!r}", line))


def _refuse_other_type(label: Any, classes: Any, line: int) -> None:
    """Refuse the text "1" where the model's label is the number 1, or the other way: it would count as an error."""
    known = list(np.asarray(classes).tolist())
    alike = [one for one in known if str(one) == str(label)]
    if alike and label not in known:
        raise ValueError(
            f"line {line} has the label {label!r}, and the model was fitted to {alike[0]!r}; give labels of the same "
            "type, numbers without quotation marks"
        )


def _loss_of_table(event: dict[str, Any], model: Any, target: str, kind: str) -> float:
    """The same for the model of a study, which reads columns of a table and knows the names of its classes."""
    from surefit.study.tables.read import read_table

    table = import_module("pandas").DataFrame([event])
    said, truth = model.predict(table)[0], model.target.values(read_table(table)[target])[0]
    if kind == "errors":  # a class that the model does not know is an error
        return float(not (truth >= 0 and said == model.target.classes[int(truth)]))
    return abs(float(said) - float(truth))


def _frame(names: Any, event: dict[str, Any], model: Any) -> Any:
    row = [[event[name] for name in names]]
    if not hasattr(model, "feature_names_in_"):
        return row
    return import_module("pandas").DataFrame(row, columns=list(names))
