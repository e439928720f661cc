"""Layer store: plain data and arrays become a model again, after every check.

In: data that `encode` wrote, or that somebody else made up.  Out: the object, or a `ModelFileError` in words.  Objects
are only ever of classes in the vocabulary, and hold only what those classes declare; nothing from the file is run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from inspect import getattr_static, signature
from itertools import pairwise
from typing import Any

import numpy as np

from surefit.store.declared import check_declared
from surefit.store.encode import GENERATORS, Node
from surefit.store.refusal import ModelFileError
from surefit.store.tensors import KINDS
from surefit.store.vocabulary import VOCABULARY, class_of

LARGEST_CODE = 0x10FFFF
"""The last code point of Unicode."""


class Decoded:
    """Values from nodes, with the arrays that came along; each array must be asked for.

    >>> Decoded({"x": np.array([2.0])}).value({"is": "tuple", "of": [1, {"is": "array", "name": "x"}]})
    (1, array([2.]))
    """

    def __init__(self, arrays: Mapping[str, np.ndarray]):
        self.arrays = arrays
        self.asked: set[str] = set()

    def value(self, node: Node) -> Any:
        """What a node stands for."""
        if node is None or isinstance(node, bool | int | float | str):
            return node
        if isinstance(node, list):
            return [self.value(one) for one in node]
        kind = node.get("is") if isinstance(node, dict) else None
        if not isinstance(kind, str):
            raise ModelFileError("the model holds a value without a kind")
        if kind in READERS:
            read, names = READERS[kind]
            if not names >= node.keys() >= {name for name in names if name != "order"}:
                raise ModelFileError(f"a value of kind {kind!r} must have {', '.join(sorted(names - {'is'}))}")
            return read(self, node)
        return self._object(class_of(kind), kind.partition(" ")[0], node)

    def array(self, name: Any) -> np.ndarray:
        """An array of the file by its name."""
        if not isinstance(name, str) or name not in self.arrays:
            raise ModelFileError(f"the model asks for the array {str(name)[:60]!r}, which the file does not have")
        self.asked.add(name)
        return self.arrays[name]

    def refuse_unasked(self) -> None:
        """Raise if the file brings arrays that the model does not use."""
        if extra := self.arrays.keys() - self.asked:
            raise ModelFileError(f"the file brings arrays that the model does not use, such as {min(extra)[:60]!r}")

    def _object(self, kind: type, group: str, node: dict[str, Any]) -> Any:
        if group == "word":
            return _word(kind, node)
        if node.keys() != {"is", "holds"} or not isinstance(node["holds"], dict):
            raise ModelFileError(f"a {kind.__name__} must come with what it holds")
        held = {name: self.value(one) for name, one in node["holds"].items()}
        return {"model": _model, "record": _record}.get(group, _constructed)(kind, held)


def _word(kind: Any, node: dict[str, Any]) -> Any:
    name = node.get("of")
    if node.keys() != {"is", "of"} or not isinstance(name, str) or name not in kind.__members__:
        raise ModelFileError(f"{str(name)[:60]!r} is not a word of {kind.__name__}")
    return kind[name]


def _record(kind: Any, held: dict[str, Any]) -> Any:
    declared = {one.name: one for one in fields(kind)}
    if unknown := held.keys() - declared.keys():
        raise ModelFileError(
            f"{kind.__name__} holds {min(unknown)[:60]!r}, which this version of surefit does not know"
        )
    for name, one in declared.items():
        if name not in held:
            held[name] = _default(kind, one)
    check_declared(kind, held)
    return _with_state(kind, held)


def _default(kind: type, one: Any) -> Any:
    """What a record that was stored before the field existed holds there."""
    if one.default is not MISSING:
        return one.default
    if one.default_factory is not MISSING:
        return one.default_factory()
    raise ModelFileError(f"a {kind.__name__} comes without {one.name!r}, which it must hold")


def _model(kind: Any, held: dict[str, Any]) -> Any:
    parameters = set(kind._get_param_names())
    if missing := parameters - held.keys():
        raise ModelFileError(f"a {kind.__name__} comes without its parameter {min(missing)!r}")
    for name in held.keys() - parameters:
        fitted = name.isidentifier() and (name.endswith("_") or name.startswith("_")) and not name.startswith("__")
        if not fitted or hasattr(getattr_static(kind, name, None), "__get__"):
            raise ModelFileError(
                f"{kind.__name__} holds {name[:60]!r}, which is neither a parameter nor a result of fit"
            )
    _refuse_misfit(kind.__name__, held)
    return _with_state(kind, held)


def _refuse_misfit(name: str, held: dict[str, Any]) -> None:
    """Raise if coefficients or points have another number of columns than the model says that it takes."""
    d = held.get("n_features_in_")
    if d is None:
        return
    if type(d) is not int or d < 0:
        raise ModelFileError(f"{name} says that it takes {str(d)[:30]} columns")
    wide = {name: held.get(name) for name in ("points_", "support_vectors_", "feature_names_in_")}
    if held.get("features") is None:
        wide["coef_"] = held.get("coef_")
    for attribute, value in wide.items():
        if value is not None and (not hasattr(value, "shape") or value.shape[-1:] != (d,)):
            raise ModelFileError(f"{name} takes {d} columns, and its {attribute} does not fit that")


def _constructed(kind: Any, held: dict[str, Any]) -> Any:
    if unknown := held.keys() - signature(kind).parameters.keys():
        raise ModelFileError(f"{kind.__name__} has no parameter {min(unknown)[:60]!r}")
    try:
        return kind(**held)
    except (TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise ModelFileError(f"the file's parameters of {kind.__name__} are impossible: {error}") from error


def _with_state(kind: Any, held: dict[str, Any]) -> Any:
    found: Any = object.__new__(kind)
    if hasattr(kind, "__setstate__"):
        try:
            found.__setstate__(held)
        except (TypeError, ValueError, KeyError, AttributeError, IndexError) as error:
            raise ModelFileError(f"what the file says of {kind.__name__} does not fit together: {error}") from error
    else:
        vars(found).update(held)
    return found


def _list(node: Any) -> list[Any]:
    if not isinstance(node, list):
        raise ModelFileError("a sequence of the model is not one")
    return node


def _shape(node: Any, size: int, of: str) -> tuple[int, ...]:
    """A shape that holds ``size`` entries."""
    shape = _list(node)
    if not all(type(side) is int and 0 <= side < 2**48 for side in shape) or len(shape) > 32:
        raise ModelFileError(f"the shape of {of} is not made of whole numbers >= 0")
    if math.prod(shape) != size:
        raise ModelFileError(f"{of} declare another number of entries than there are")
    return tuple(shape)


def _tuple(decoded: Decoded, node: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(decoded.value(one) for one in _list(node["of"]))


def _dictionary(decoded: Decoded, node: dict[str, Any]) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for pair in _list(node["of"]):
        if len(_list(pair)) != 2:
            raise ModelFileError("an entry of a table is not a name and a value")
        key = decoded.value(pair[0])
        try:
            repeated = key in found
        except TypeError as error:
            raise ModelFileError("a table of the model has a name that is no name") from error
        if repeated:
            raise ModelFileError("a table of the model gives a name twice")
        found[key] = decoded.value(pair[1])
    return found


def _number(decoded: Decoded, node: dict[str, Any]) -> float:
    if node["of"] not in ("nan", "inf", "-inf"):
        raise ModelFileError(f"{str(node['of'])[:30]!r} is no number")
    return float(node["of"])


def _array(decoded: Decoded, node: dict[str, Any]) -> np.ndarray:
    found, order = decoded.array(node["name"]), node.get("order", "C")
    if order not in ("C", "F"):
        raise ModelFileError("the order of an array must be C or F")
    return np.asfortranarray(found) if order == "F" else found


def _letters(decoded: Decoded, node: dict[str, Any]) -> np.ndarray:
    codes, width = decoded.array(node["name"]), node["width"]
    if codes.dtype != np.uint32 or codes.ndim == 0 or type(width) is not int or not 0 <= width < 2**31:
        raise ModelFileError("an array of texts is not made of letters")
    if codes.size and codes.max() > LARGEST_CODE:
        raise ModelFileError("an array of texts holds letters that do not exist")
    shape = _shape(node["shape"], codes.size // width if width else codes.size, "texts")
    if codes.size != math.prod(shape) * width:
        raise ModelFileError("texts declare another number of letters than there are")
    return np.frombuffer(codes.tobytes(), f"=U{width}").reshape(shape).copy() if width else np.zeros(shape, "U0")


def _texts(decoded: Decoded, node: dict[str, Any]) -> list[str]:
    letters, ends = decoded.array(node["bytes"]), decoded.array(node["ends"])
    if letters.dtype != np.uint8 or ends.dtype != np.int64 or letters.ndim != 1 or ends.ndim != 1:
        raise ModelFileError("texts are not given by bytes and by where each ends")
    places = [0, *ends.tolist()]
    if places[-1] != len(letters) or any(a > b for a, b in pairwise(places)):
        raise ModelFileError("texts end where there are no bytes")
    data = letters.tobytes()
    try:
        return [data[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(places)]
    except UnicodeDecodeError as error:
        raise ModelFileError("texts are not in UTF-8") from error


def _text_array(decoded: Decoded, node: dict[str, Any]) -> np.ndarray:
    found = _texts(decoded, node)
    return _filled(found, _shape(node["shape"], len(found), "texts"))


def _objects(decoded: Decoded, node: dict[str, Any]) -> np.ndarray:
    items = [decoded.value(one) for one in _list(node["of"])]
    if not all(one is None or isinstance(one, bool | int | float | str) for one in items):
        raise ModelFileError("an array of objects holds more than numbers and texts")
    return _filled(items, _shape(node["shape"], len(items), "objects"))


def _filled(items: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    found = np.empty(len(items), dtype=object)
    found[:] = items
    return found.reshape(shape)


def _scalar(decoded: Decoded, node: dict[str, Any]) -> Any:
    kind, value = node["type"], decoded.value(node["of"])
    if kind == "text" and isinstance(value, str):
        return np.str_(value)
    if not isinstance(kind, str) or kind not in KINDS or not isinstance(value, bool | int | float):
        raise ModelFileError("a number is of a kind that does not exist")
    try:
        return np.dtype(KINDS[kind]).newbyteorder("=").type(value)
    except (OverflowError, ValueError) as error:
        raise ModelFileError(f"{value!r} is no number of kind {kind}") from error


def _sparse(decoded: Decoded, node: dict[str, Any]) -> Any:
    """Sparse rows, with every index checked: SciPy's loops would follow a wrong one anywhere."""
    from scipy import sparse  # slow to import

    parts = tuple(decoded.array(node[part]) for part in ("data", "indices", "indptr"))
    shape = _list(node["shape"])
    if len(shape) != 2 or not all(type(side) is int and 0 <= side < 2**48 for side in shape):
        raise ModelFileError("sparse rows need two whole numbers as their shape")
    if any(part.ndim != 1 for part in parts) or any(part.dtype.kind != "i" for part in parts[1:]):
        raise ModelFileError("sparse rows are not given by numbers, columns and ends of rows")
    if node["as"] not in ("array", "matrix"):
        raise ModelFileError("sparse rows come as an array or a matrix")
    try:
        found = (sparse.csr_array if node["as"] == "array" else sparse.csr_matrix)(parts, shape=tuple(shape))
        found.check_format(full_check=True)
    except (ValueError, IndexError, OverflowError) as error:
        raise ModelFileError(f"sparse rows do not fit together: {error}") from error
    return found


def _random(decoded: Decoded, node: dict[str, Any]) -> Any:
    state = decoded.value(node["of"])
    name = state.get("bit_generator") if isinstance(state, dict) else None
    if name not in GENERATORS or not isinstance(node["legacy"], bool):
        raise ModelFileError("a generator of random numbers is of a kind that does not exist")
    try:
        if node["legacy"]:
            old = np.random.RandomState(getattr(np.random, name)())
            old.set_state(state)
            return old
        bits = getattr(np.random, name)()
        bits.state = state
        return np.random.Generator(bits)
    except (TypeError, ValueError, KeyError, OverflowError, IndexError) as error:
        raise ModelFileError("the state of a generator of random numbers is impossible") from error


READERS: dict[str, tuple[Callable[[Decoded, dict[str, Any]], Any], set[str]]] = {
    "tuple": (_tuple, {"is", "of"}),
    "dict": (_dictionary, {"is", "of"}),
    "number": (_number, {"is", "of"}),
    "array": (_array, {"is", "name", "order"}),
    "letters": (_letters, {"is", "name", "shape", "width"}),
    "text list": (_texts, {"is", "bytes", "ends"}),
    "text tuple": (lambda decoded, node: tuple(_texts(decoded, node)), {"is", "bytes", "ends"}),
    "text array": (_text_array, {"is", "bytes", "ends", "shape"}),
    "objects": (_objects, {"is", "shape", "of"}),
    "scalar": (_scalar, {"is", "type", "of"}),
    "sparse rows": (_sparse, {"is", "as", "shape", "data", "indices", "indptr"}),
    "random": (_random, {"is", "legacy", "of"}),
}

assert not READERS.keys() & VOCABULARY.keys()
