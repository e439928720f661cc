"""Below all layers: what runs here, for reports of errors and of speed.

In: nothing.  Out: the level of the compiled loops, the BLAS with its kernel and threads, and versions.
"""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from textwrap import fill

from threadpoolctl import threadpool_info

from surefit.compiled import door, levels
from surefit.threads import cores

PACKAGES = ("surefit", "numpy", "scipy", "scikit-learn", "threadpoolctl")


def running() -> dict[str, str]:
    """What `show_versions` prints, by name.

    >>> running()["cores"] == str(cores())
    True
    """
    facts = {"level": _level(), "cores": str(cores())}
    pools = [pool for pool in threadpool_info() if pool["user_api"] in ("blas", "openmp")]
    for number, pool in enumerate(pools):
        release = f" {pool['version']}" if pool["version"] else ""
        kernel = f", kernel {pool['architecture']}" if pool.get("architecture") else ""
        home = os.path.basename(os.path.dirname(str(pool["filepath"]))) or "?"
        facts[f"{pool['user_api']} {number + 1}"] = (
            f"{pool['internal_api']}{release}{kernel}, {pool['num_threads']} threads, of {home}"
        )
    facts["python"] = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return facts | {name: _version(name) for name in PACKAGES}


def show_versions() -> None:
    """Print the level of the compiled loops, the BLAS with its kernel and threads, and versions of packages.

    The level is the highest that this processor has, or the one that the environment variable ``SUREFIT_LEVEL`` names.

    >>> show_versions()  # doctest: +ELLIPSIS
    level          ...
    """
    for name, fact in running().items():
        print(fill(f"{name:14s} {fact}", 80, subsequent_indent=" " * 15))


def _level() -> str:
    if not door.COMPILED:
        return "none: plain-Python twins run"
    return f"{levels.chosen()} (of {', '.join(levels.available())})"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
