"""Below all layers: the compiled loops once for each level of vector instructions, and the level that runs here.

On x86-64 there are ``v2`` (SSE4.2), ``v3`` (AVX2 and fused multiply-add) and ``v4`` (AVX-512), named as compilers name
them; elsewhere ``generic``.  The highest that the processor has is taken, or the one that the environment variable
``SUREFIT_LEVEL`` names.  Answers of two levels differ by rounding; iterations that end at a
tolerance may end elsewhere within it.
"""

import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any

LEVELS = ("generic", "v2", "v3", "v4")
"""From the lowest to the highest."""


def available() -> tuple[str, ...]:
    """The levels that were built and that this processor has, the lowest first; ImportError if none was built."""
    had = import_module("surefit._cpu").levels()
    return tuple(name for name in LEVELS if name in had and find_spec(f"surefit._native_{name}") is not None)


def chosen() -> str:
    """The level that runs: the highest, or the one that ``SUREFIT_LEVEL`` names."""
    found = available()
    if not found:
        raise ImportError("no level of the compiled loops is installed")
    asked = os.environ.get("SUREFIT_LEVEL", "") or found[-1]
    if asked not in found:
        raise ValueError(
            f"SUREFIT_LEVEL is {asked!r}, which this processor or this installation lacks; "
            f"set it to one of {', '.join(found)}, or unset it to have {found[-1]}"
        )
    return asked


def loops(level: str) -> Any:
    """The compiled loops of a level in `available`; those of several can be used side by side."""
    return import_module(f"surefit._native_{level}")
