"""Layer store: a model as plain data and arrays.

In: a model, a certificate, or another object of the vocabulary.  Out: an `Encoded`: data for JSON, and the arrays that
they refer to by name.  What travels is what a pickle of ours would take along: no training rows, unless predictions
need them.  Whatever is not data of ours (a function, somebody's class) is refused with the place where it was found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from inspect import signature
from typing import Any

import numpy as np

from surefit.store.refusal import ModelFileError
from surefit.store.tensors import kind_of
from surefit.store.vocabulary import label_of

MANY_TEXTS = 32
"""Texts from which a sequence of them is kept as an array: names of columns come in thousands."""

GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
"""Generators of random numbers whose state a file may hold."""

Node = Any
"""What JSON holds: None, truth values, numbers and texts as they are, lists as lists, all else as ``{"is": ...}``."""


@dataclass
class Encoded:
    """Arrays by name, gathered while `node` writes a value as data for JSON.

    >>> encoded = Encoded()
    >>> encoded.node((1, np.array([2.0])), "x")
    {'is': 'tuple', 'of': [1, {'is': 'array', 'name': 'x[1]'}]}
    >>> encoded.arrays
    {'x[1]': array([2.])}
    """

    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    _known: dict[Any, tuple[Node, Any]] = field(default_factory=dict)
    _open: set[int] = field(default_factory=set)

    def node(self, value: Any, place: str) -> Node:
        """``value``, found at ``place`` in the model, as data."""
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return value if math.isfinite(value) else {"is": "number", "of": str(value)}
        write = WRITERS.get(kind) or _writer(value)
        if write is None:
            raise ModelFileError(f"{_where(place)} is {_described(value)}; a model file holds data of surefit's own "
                                 "classes and no code: use a class of surefit there, or pickle the model")  # fmt: skip
        if id(value) in self._open:
            raise ModelFileError(f"{_where(place)} contains itself, which a model file cannot hold")
        self._open.add(id(value))
        found = write(self, value, place)
        self._open.discard(id(value))
        return found

    def held(self, array: np.ndarray, place: str) -> str:
        """The name under which an array of numbers is kept; one that occurs twice is kept once."""
        if id(array) not in self._known:
            name = place
            self.arrays[name] = array
            self._known[id(array)] = name, array  # the reference keeps the id from being used again
        return str(self._known[id(array)][0])

    def texts(self, values: list[str], place: str) -> Node:
        """Texts as one array of bytes and one of places where each ends; the same texts are kept once."""
        if tuple(values) not in self._known:
            parts = [one.encode("utf-8", "surrogatepass") for one in values]
            ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
            data = np.frombuffer(b"".join(parts), np.uint8)
            names = {"bytes": self.held(data, f"{place}.bytes"), "ends": self.held(ends, f"{place}.ends")}
            self._known[tuple(values)] = names, values
        return self._known[tuple(values)][0]


def _where(place: str) -> str:
    return place or "this"


def _described(value: Any) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, np.ndarray):
        return f"an array of type {value.dtype}"
    if callable(value) and hasattr(value, "__qualname__"):
        return f"the function {value.__qualname__}"
    kind = type(value)
    article = "an" if kind.__name__[0] in "AEIOU" else "a"
    return f"{article} {kind.__name__} of {kind.__module__}"


def _sequence(encoded: Encoded, value: Any, place: str) -> Node:
    kind = type(value).__name__
    if len(value) >= MANY_TEXTS and all(type(one) is str for one in value):
        return {"is": f"text {kind}", **encoded.texts(list(value), place)}
    nodes = [encoded.node(one, f"{place}[{k}]") for k, one in enumerate(value)]
    return nodes if kind == "list" else {"is": "tuple", "of": nodes}


def _dictionary(encoded: Encoded, value: Mapping[Any, Any], place: str) -> Node:
    pairs = [(key, encoded.node(key, f"a name in {_where(place)}"), item) for key, item in value.items()]
    return {"is": "dict", "of": [[node, encoded.node(item, f"{place}[{key!r}]")] for key, node, item in pairs]}


def _array(encoded: Encoded, value: np.ndarray, place: str) -> Node:
    if value.dtype == object:
        return _objects(encoded, value, place)
    if value.dtype.kind == "U":
        native = np.ascontiguousarray(value, value.dtype.newbyteorder("="))  # at least one axis
        codes = native.view(np.uint32)
        shape, width = list(value.shape), value.dtype.itemsize // 4
        return {"is": "letters", "name": encoded.held(codes, place), "shape": shape, "width": width}
    if kind_of(value.dtype) is None:
        raise ModelFileError(f"{_where(place)} is {_described(value)}; a model file holds arrays of numbers and texts")
    if value.ndim > 1 and value.flags.f_contiguous and not value.flags.c_contiguous:
        return {"is": "array", "name": encoded.held(value, place), "order": "F"}
    return {"is": "array", "name": encoded.held(value, place)}


def _objects(encoded: Encoded, value: np.ndarray, place: str) -> Node:
    """An array of Python's own texts and numbers, such as labels that came from a table."""
    items = value.ravel().tolist()
    if all(type(one) is str for one in items):
        return {"is": "text array", "shape": list(value.shape), **encoded.texts(items, place)}
    return {"is": "objects", "shape": list(value.shape),
            "of": [encoded.node(one, f"{place}[{k}]") for k, one in enumerate(items)]}  # fmt: skip


def _scalar(encoded: Encoded, value: np.generic, place: str) -> Node:
    if isinstance(value, np.str_):
        return {"is": "scalar", "type": "text", "of": str(value)}
    if kind_of(value.dtype) is None:
        raise ModelFileError(f"{_where(place)} is {_described(value)}; a model file holds numbers of up to 64 bits")
    return {"is": "scalar", "type": kind_of(value.dtype), "of": encoded.node(value.item(), place)}


def _sparse(encoded: Encoded, value: Any, place: str) -> Node:
    from scipy import sparse  # slow to import

    rows, kind = value.tocsr(), "array" if isinstance(value, sparse.sparray) else "matrix"
    parts = {part: encoded.held(getattr(rows, part), f"{place}.{part}") for part in ("data", "indices", "indptr")}
    return {"is": "sparse rows", "as": kind, "shape": list(rows.shape), **parts}


def _generator(encoded: Encoded, value: Any, place: str) -> Node:
    bits = value._bit_generator if isinstance(value, np.random.RandomState) else value.bit_generator
    if type(bits).__name__ not in GENERATORS:
        raise ModelFileError(f"{_where(place)} is {_described(bits)}; give a whole number as random_state")
    legacy = isinstance(value, np.random.RandomState)
    state = value.get_state(legacy=False) if legacy else bits.state
    return {"is": "random", "legacy": legacy, "of": encoded.node(state, place)}


def _word(encoded: Encoded, value: Enum, place: str) -> Node:
    return {"is": label_of(type(value)), "of": value.name}


def _held(encoded: Encoded, value: Any, place: str, names: Mapping[str, Any]) -> Node:
    held = {name: encoded.node(one, f"{place}.{name}" if place else name) for name, one in names.items()}
    return {"is": label_of(type(value)), "holds": held}


def _record(encoded: Encoded, value: Any, place: str) -> Node:
    own = type(value).__getstate__ is not object.__getstate__  # otherwise cached values would travel too
    state = value.__getstate__() if own else vars(value)
    return _held(encoded, value, place, {one.name: state[one.name] for one in fields(value)})


def _model(encoded: Encoded, value: Any, place: str) -> Node:
    return _held(encoded, value, place, value.__getstate__())


def _constructed(encoded: Encoded, value: Any, place: str) -> Node:
    return _held(encoded, value, place, {name: getattr(value, name) for name in signature(type(value)).parameters})


Writer = Callable[[Encoded, Any, str], Node]

WRITERS: dict[type, Writer] = {
    list: _sequence,
    tuple: _sequence,
    dict: _dictionary,
    np.ndarray: _array,
    np.random.Generator: _generator,
    np.random.RandomState: _generator,
}

BY_GROUP: dict[str, Writer] = {
    "model": _model,
    "record": _record,
    "word": _word,
    "kernel": _constructed,
    "loss": _constructed,
    "penalty": _constructed,
    "sklearn": _constructed,
}


def _writer(value: Any) -> Writer | None:
    if isinstance(value, np.generic):
        return _scalar
    if hasattr(value, "tocsr") and type(value).__module__.startswith("scipy.sparse"):
        return _sparse
    label = label_of(type(value))
    return None if label is None else BY_GROUP[label.partition(" ")[0]]
