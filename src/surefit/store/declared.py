"""Layer store: whether the values of a record are what its class declares.

In: a class with annotated fields and their values.  Out: nothing, or a `ModelFileError` that names the field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from surefit.store.refusal import ModelFileError

NUMBERS = {float: (float, int, np.floating, np.integer), int: (int, np.integer), bool: (bool, np.bool_)}


def check_declared(kind: type, held: Mapping[str, Any]) -> None:
    """Raise if a value has not the type that its field declares.

    >>> from surefit.theory.certificates.certificate import Assumption
    >>> check_declared(Assumption, {"text": 3})
    Traceback (most recent call last):
        ...
    surefit.store.refusal.ModelFileError: text of Assumption holds a value of type int, which does not belong there
    """
    hints = _hints(kind)
    for name, value in held.items():
        if not conforms(value, hints.get(name, Any)):
            raise ModelFileError(
                f"{name} of {kind.__name__} holds a value of type {type(value).__name__}, which does not belong there"
            )


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def conforms(value: Any, hint: Any) -> bool:
    """Whether a value is of the type that an annotation names; unknown kinds of annotations promise nothing.

    >>> conforms((1, 2.5), tuple[float, ...]), conforms(("a",), tuple[int, ...]), conforms(None, int | None)
    (True, False, True)
    """
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if hint in (None, NoneType):
        return value is None
    if origin in (Union, UnionType):
        return any(conforms(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    if origin is tuple:
        return _tuple(value, inner)
    if origin in (dict, Mapping) or hint in (dict, Mapping, MappingProxyType):
        entries = value.items() if isinstance(value, dict | MappingProxyType) else None
        return entries is not None and all(conforms(part, one) for item in entries for part, one in zip(item, inner))  # noqa: B905
    if origin in (list, Sequence):
        return isinstance(value, list | tuple) and all(conforms(one, inner[0]) for one in value)
    if origin is Callable or hint is Callable:
        return callable(value)
    if hint in NUMBERS:
        return isinstance(value, NUMBERS[hint]) and (hint is bool or not isinstance(value, bool))
    return isinstance(value, hint) if isinstance(hint, type) else True


def _tuple(value: Any, inner: tuple[Any, ...]) -> bool:
    if not isinstance(value, tuple):
        return False
    if len(inner) == 2 and inner[1] is Ellipsis:
        return all(conforms(one, inner[0]) for one in value)
    return len(value) == len(inner) and all(map(conforms, value, inner))
