"""Below all layers: the one warning of an installation without compiled loops."""

import warnings
from functools import cache


@cache
def warn_of_twins() -> None:
    """Say once, whichever door notices first, that plain-Python twins run instead of the compiled loops."""
    warnings.warn(
        "the compiled loops of surefit are not installed, so plain-Python twins run: same answers, slower; "
        "reinstall with a C++17 compiler on the PATH to have them",
        RuntimeWarning,
        stacklevel=3,
    )
