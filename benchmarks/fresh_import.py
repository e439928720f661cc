"""How long an import takes in a fresh interpreter: a module's name in, seconds out."""

import subprocess
import sys

_SCRIPT = """
import time
start = time.perf_counter()
import {module}
print(time.perf_counter() - start)
"""


def import_seconds(module: str) -> float:
    """Seconds of ``import module`` in a new interpreter, start-up of the interpreter itself not counted.

    >>> 0 < import_seconds("fractions") < 60
    True
    """
    command = [sys.executable, "-c", _SCRIPT.format(module=module)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"import {module} failed; install it first. Its last words:\n{done.stderr}")
    return float(done.stdout.split()[-1])
