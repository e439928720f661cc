"""Where numbers live: designs, centring, row blocks, tables as users give them, simulators that know the truth.

In: arrays, sparse matrices, data frames.  Out: a `Design` (rows with weights) and the products that solvers need.

Read ``design.py``, ``centred.py`` (intercept and weights as a change of variables), ``scale.py`` and ``units.py``
(sizes and spreads of columns), ``gram.py``.  ``tables.py`` checks what users give and names the column to blame,
``whole_numbers.py`` refuses what rounding would make one, ``plain.py`` copies what loops cannot take as it lies,
``aligned.py`` makes room that begins with a line of the cache, ``written.py`` knows numbers as people write them.
``scores.py`` has the answers of a linear model, ``fingerprints.py`` tells rows apart, ``blocks/`` holds rows that come
in parts, ``simulate.py`` draws samples.
"""

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
