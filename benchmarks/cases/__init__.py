"""The comparisons: one family per file, each with a tuple ``CASES``; a new file here is found by itself."""

import importlib
import pkgutil

from benchmarks.case import Case


def all_cases() -> tuple[Case, ...]:
    """The cases of every file in this folder, files in alphabetical order.

    >>> "import-time" in [case.name for case in all_cases()]
    True
    """
    found: list[Case] = []
    for module in pkgutil.iter_modules(__path__):
        found.extend(importlib.import_module(f"{__name__}.{module.name}").CASES)
    names = [case.name for case in found]
    if len(set(names)) != len(names):
        raise ValueError(f"two cases share a name in {sorted(names)}; results would overwrite each other")
    return tuple(found)
