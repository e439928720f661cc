"""Below all layers: the compiled loops, or the word that plain-Python twins run instead.

``native`` is the extension, or ``None`` where no compiler was found at install, or where the environment variable
``SUREFIT_PLAIN`` is set (to anything but 0): the library then runs on the twins, with the same answers, and says so
once.  Every file that calls a compiled loop asks here.
"""

import os
import warnings
from importlib import import_module
from typing import Any


def _found() -> Any:
    if os.environ.get("SUREFIT_PLAIN", "0") not in ("", "0"):
        _warn("are left out because SUREFIT_PLAIN is set", "unset it to have them")
        return None
    try:
        return import_module("surefit._native")
    except ImportError:
        _warn("are not installed", "reinstall with a C++17 compiler on the PATH to have them")
        return None


def _warn(why: str, remedy: str) -> None:
    warnings.warn(
        f"the compiled loops of surefit {why}, so plain-Python twins run: same answers, slower; {remedy}",
        RuntimeWarning,
        stacklevel=4,
    )


native: Any = _found()
