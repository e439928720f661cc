"""What is known about a fit: leverages, leave-one-out, criteria, inference, risk."""

from importlib import import_module as _import_module
from pkgutil import iter_modules as _iter_modules
from typing import Any as _Any


def __getattr__(name: str) -> _Any:
    """A module of this folder, imported when it is first asked for."""
    if name in __dir__():
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(module.name for module in _iter_modules(__path__))
