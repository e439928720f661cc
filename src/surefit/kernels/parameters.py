"""Layer kernels: the parameters of a kernel, as scikit-learn's searches and ``clone`` expect them.

In: a class whose constructor stores every argument under its own name.  Out: ``get_params``, ``set_params``, equality,
hash and ``repr`` by value.
"""

from __future__ import annotations

import copy
from abc import ABC
from functools import cache
from inspect import signature
from typing import Any, Self

import numpy as np

from surefit.names import hint
from surefit.parameters import Parametrised

_LONG = 20  # arrays beyond are not spelt out


class KernelParameters(Parametrised, ABC):
    """Parameters by name, nested ones as ``part__name``.

    ``set_params`` builds a new kernel first, so a refused value changes nothing, and copies nested kernels, so that a
    kernel which occurs twice changes in one place only.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; with ``deep`` also those of nested kernels."""
        found = self._own_params()
        if deep:
            for name, value in list(found.items()):
                if isinstance(value, KernelParameters):
                    found |= {f"{name}__{inner}": v for inner, v in value.get_params().items()}
        return found

    def set_params(self, **changes: Any) -> Self:
        """Change parameters, checked as in the constructor; ``part__name`` reaches into a nested kernel."""
        own = self._own_params()
        plain_changes = {name: value for name, value in changes.items() if "__" not in name}
        nested: dict[str, dict[str, Any]] = {}
        for name in changes.keys() - plain_changes.keys():
            part, _, inner = name.partition("__")
            nested.setdefault(part, {})[inner] = changes[name]
        unknown = (plain_changes.keys() | nested.keys()) - own.keys()
        if unknown:
            reason = hint(min(unknown), sorted(own))
            raise ValueError(f"{type(self).__name__} has no parameter {min(unknown)!r}; {reason}")
        own |= plain_changes
        for part, inner_changes in nested.items():
            if not isinstance(own[part], KernelParameters):
                raise ValueError(f"{part}={own[part]!r} has no parameters of its own; set {part} itself")
            own[part] = copy.copy(own[part]).set_params(**inner_changes)
        vars(self).update(vars(type(self)(**own)))
        return self

    def _own_params(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _names(type(self))}

    def _rebuilt(self, changes: dict[str, Any]) -> Any:
        """The same kernel with some parameters replaced; itself if nothing is new."""
        own = self._own_params()
        if all(own[name] is value for name, value in changes.items()):
            return self
        return type(self)(**(own | changes))

    def __repr__(self) -> str:
        # an argument that was not stored prints as an ellipsis: error messages must not fail
        inside = ", ".join(f"{name}={shown(getattr(self, name, ...))}" for name in _names(type(self)))
        return f"{type(self).__name__}({inside})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return _key(self) == _key(other)

    def __hash__(self) -> int:
        return hash(_key(self))


@cache
def _names(kind: type) -> tuple[str, ...]:
    """The arguments of a class's constructor; remembered, since reading a signature takes longer than a small block."""
    return tuple(signature(kind).parameters)


def plain(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's, which print as they are typed."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def shown(value: Any) -> str:
    """``value`` as in the expression that makes it: a function by its name, a long array by its shape."""
    if np.size(value) > _LONG:
        return f"<{' x '.join(map(str, np.shape(value)))} numbers>"
    return getattr(value, "__qualname__", None) or repr(plain(value))


def _key(value: Any) -> Any:
    """A hashable stand-in, equal for equal values: 1 and 1.0, a list and an array of the same numbers."""
    if isinstance(value, KernelParameters):
        return (type(value), *(_key(v) for v in value._own_params().values()))
    value = plain(value)
    return tuple(_key(v) for v in value) if isinstance(value, list | tuple) else value
