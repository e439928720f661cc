"""``python tests/elsewhere.py [setting ...]``: the whole suite as on other machines; ``make elsewhere`` runs it.

A processor with narrower vectors rounds logarithms, sums and products otherwise, and so does another number of threads.
Each setting therefore changes three things together: the level of NumPy's loops, the processor that OpenBLAS takes the
machine for, and the threads it uses.  Nothing that a test asserts may hang on them.  ``rotating`` stands for the
setting whose turn it is, by the number of commits.
"""

import os
import platform
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import NamedTuple

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

ROOT = Path(__file__).parents[1]


class Setting(NamedTuple):
    """What is played: NumPy with or without vectors of 256 bits (never of 512), a processor for BLAS, threads."""

    avx2: bool
    core: str
    threads: int


SETTINGS = {
    "old-1": Setting(avx2=False, core="Nehalem", threads=1),
    "avx2-2": Setting(avx2=True, core="Haswell", threads=2),
    "old-2": Setting(avx2=False, core="Sandybridge", threads=2),
    "avx2-1": Setting(avx2=True, core="Haswell", threads=1),
}
NEEDED = {"Nehalem": "SSE42", "Sandybridge": "AVX", "Haswell": "AVX2"}


def environment(setting: Setting) -> dict[str, str]:
    """The variables that play a setting; what this machine lacks is left out, for then there is nothing to disable.

    >>> environment(SETTINGS["old-1"])["OPENBLAS_NUM_THREADS"]
    '1'
    """
    keep = ("AVX2", "FMA3", "AVX", "F16C", "X86_V3") if setting.avx2 else ()
    disabled = [name for name in __cpu_dispatch__ if __cpu_features__.get(name) and name not in keep]
    found = {"OMP_NUM_THREADS": str(setting.threads), "OPENBLAS_NUM_THREADS": str(setting.threads)}
    found["SCIPY_ARRAY_API"] = "1"
    if disabled:
        found["NPY_DISABLE_CPU_FEATURES"] = " ".join(disabled)
    if __cpu_features__.get(NEEDED[setting.core]) and platform.machine() in ("x86_64", "AMD64"):
        found["OPENBLAS_CORETYPE"] = setting.core
    return found


def whose_turn() -> str:
    """The setting that the number of commits chooses; the day, where that is not known."""
    counted = subprocess.run(
        ["git", "rev-list", "--count", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    number = int(counted.stdout) if counted.returncode == 0 else date.today().toordinal()
    return list(SETTINGS)[number % len(SETTINGS)]


def run(name: str, options: list[str]) -> bool:
    """Whether the suite passes under a setting."""
    played = environment(SETTINGS[name])
    print(f"\n== {name}: {' '.join(f'{key}={value!r}' for key, value in sorted(played.items()))}", flush=True)
    command = [sys.executable, "-m", "pytest", *(options or ["--numprocesses=2"])]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **played}, check=False).returncode == 0


def main(arguments: list[str]) -> int:
    """Run the settings named first, all of them if none is, with what follows handed to pytest."""
    names = [one for one in arguments if one in SETTINGS or one == "rotating"]
    names = [whose_turn() if one == "rotating" else one for one in names] or list(SETTINGS)
    options = [one for one in arguments if one not in SETTINGS and one != "rotating"]
    if any(not one.startswith("-") and not (ROOT / one.split("::")[0]).exists() for one in options):
        print(f"settings are {', '.join(SETTINGS)} and rotating; got {' '.join(arguments)}")
        return 2
    passed = {name: run(name, options) for name in names}
    print()
    for name, fine in passed.items():
        print(f"{name}: {'passed' if fine else 'FAILED'}")
    return 0 if all(passed.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
