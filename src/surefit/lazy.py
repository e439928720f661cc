"""Below all layers: the names that a package shows, imported when they are first asked for.

In: a package, and for each name that it shows the module where that is.  Out: the package's ``__getattr__`` and
``__dir__``.  Type checkers read the ``__init__.pyi`` beside such an ``__init__.py``; a test keeps the two in agreement.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def shown(
    package: str, homes: Mapping[str, str], modules: Iterable[str] = (), unlisted: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of ``package``.

    ``homes`` says which module a name comes from, relative to the package.  ``modules`` are submodules that are
    imported when they are asked for.  Names that are ``unlisted`` can be imported and are not in ``dir``.

    >>> find, names = shown("surefit.theory", {"betting": "means.betting"})
    >>> find("betting").__module__, names()[-1]
    ('surefit.theory.means.betting', 'betting')
    """
    where = {name: f"{package}.{home}" for name, home in homes.items()}
    submodules, hidden = frozenset(modules), frozenset(unlisted)

    def find(name: str) -> Any:
        if name in where:
            value = getattr(import_module(where[name]), name)
            setattr(sys.modules[package], name, value)
            return value
        if name in submodules:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])

    def names() -> list[str]:
        known = {name for name in vars(sys.modules[package]) if name.startswith("__")}
        return sorted((known | set(where) | submodules) - hidden)

    return find, names
