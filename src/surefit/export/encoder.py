"""Layer export: columns of a table become the numbers that a model takes, as operators.

In: the encoder of a study.  Out: one input per column, and the name of the matrix of features.  Missing numbers are
nan, missing categories empty texts; categories that training rows lacked go where the encoder puts them.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from surefit.export.graph import DOUBLE, STRING, Graph
from surefit.study.encode.encoder import Encoder
from surefit.study.encode.parts import SQUASHED, CategoryPart, DatePart, NumberPart
from surefit.study.encode.seasons import HARMONICS, PERIODS
from surefit.study.encode.words import TRUTHS
from surefit.study.model import TableModel

LARGEST = 1e150
"""What squashed values are cut at before they are squared, as in the encoder."""


def is_table_model(model: Any) -> bool:
    """Whether this is the model of a study."""
    return isinstance(model, TableModel)


def columns(graph: Graph, encoder: Encoder) -> str:
    """The matrix of features from inputs that are called as the columns are."""
    ways: dict[type, Any] = {NumberPart: _number, CategoryPart: _category, DatePart: _date}
    parts = [ways[type(part)](graph, part) for part in encoder.parts]
    if not parts:
        raise ValueError("this model uses no column of its table, so there is nothing to write; predict its constant")
    return parts[0] if len(parts) == 1 else graph.node("Concat", *parts, axis=1)


def _absent(graph: Graph, values: str) -> tuple[str, str]:
    """Which values are missing, as truth values and as numbers."""
    absent = graph.node("IsNaN", values)
    return absent, graph.node("Cast", absent, to=DOUBLE)


def _number(graph: Graph, part: NumberPart) -> str:
    values = graph.input(part.name, DOUBLE, 1)
    absent, indicator = _absent(graph, values)
    z = graph.node(
        "Sub", graph.node("Div", values, graph.constant(part.scale)), graph.constant(part.centre / part.scale)
    )
    z = graph.node("Where", absent, graph.constant(0.0), z)
    limit = LARGEST if part.squashed else 1e6
    z = graph.node("Clip", z, graph.constant(-limit), graph.constant(limit))
    if part.squashed:
        small = graph.node("Div", z, graph.constant(SQUASHED))
        root = graph.node("Sqrt", graph.node("Add", graph.node("Mul", small, small), graph.constant(1.0)))
        z = graph.node("Div", z, root)
    return graph.node("Concat", z, indicator, axis=1) if part.indicator else z


def _category(graph: Graph, part: CategoryPart) -> str:
    """A row of indicators for each level, looked up by its text."""
    width = len(part.features)
    other = len(part.levels) if part.rare else width  # the last row of the table is that of the reference, all zeros
    absent = len(part.levels) + part.rare if part.missing else other
    places = {level: k for k, level in enumerate(part.levels)} | {part.reference: width}
    places = {text: place for level, place in places.items() for text in _spellings(level)} | places
    places.setdefault("", int(absent))
    values = graph.input(part.name, STRING, 1)
    place = graph.node(
        "LabelEncoder", values, domain="ai.onnx.ml", keys_strings=list(places), values_int64s=list(places.values()),
        default_int64=int(other),
    )  # fmt: skip
    table = graph.constant(np.vstack([np.eye(width), np.zeros((1, width))]))
    flat = graph.node("Reshape", place, graph.constant(np.array([-1], dtype=np.int64)))
    return graph.node("Gather", table, flat, axis=0)


def _spellings(level: str) -> list[str]:
    """The texts that the encoder takes for a level: truth values in small and large letters.

    >>> len(_spellings("true")), {"True", "TRUE", "true"} <= {*_spellings("true")}, _spellings("red")
    (16, True, ['red'])
    """
    if level.lower() not in TRUTHS:
        return [level]
    return ["".join(letters) for letters in product(*zip(level.lower(), level.upper(), strict=True))]


def _date(graph: Graph, part: DatePart) -> str:
    values = graph.input(part.name, DOUBLE, 1)
    absent, indicator = _absent(graph, values)
    days = graph.node("Where", absent, graph.constant(part.centre), values)
    z = graph.node("Div", graph.node("Sub", days, graph.constant(part.centre)), graph.constant(part.scale))
    found = [graph.node("Clip", z, graph.constant(-1e3), graph.constant(1e3))]
    present = graph.node("Sub", graph.constant(1.0), indicator)
    for name in part.parts:
        turns = graph.node("Div", days, graph.constant(PERIODS[name]))
        phase = graph.node("Mul", graph.node("Sub", turns, graph.node("Floor", turns)), graph.constant(2 * np.pi))
        for k in range(1, HARMONICS[name] + 1):
            angle = graph.node("Mul", phase, graph.constant(float(k)))
            later = graph.node("Add", angle, graph.constant(np.pi / 2))  # not every runtime has a cosine of doubles
            both = {f"sine {k} of the {name}": angle, f"cosine {k} of the {name}": later}
            kept = [one for wave, one in both.items() if wave not in part.left]
            found += [graph.node("Mul", graph.node("Sin", one), present) for one in kept]
    return graph.node("Concat", *found, *([indicator] if part.indicator else []), axis=1)
