"""``python -m benchmarks.instructions``: instructions of ten compiled loops, beside those on record; needs valgrind.

A busy machine does not disturb the count, so that a change that costs 3 % is seen.  Level v3, for valgrind does not
know AVX-512; only instructions of the compiled module itself count.  ``--renew`` writes the record, which holds for the
compiler that it names.
"""

import json
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from surefit.compiled.levels import loops

RECORD = Path(__file__).resolve().parent / "results" / "instructions.json"
LEVEL, ALLOWED = "v3", 0.03
N, D, WIDE = 512, 10, 200


rng = np.random.default_rng(0)
X, Z, V = (rng.standard_normal(shape) for shape in ((N, D), (N, D), (N, 1)))
L, G = rng.standard_normal((4 * N, 50)), rng.standard_normal((N, WIDE))
K = np.exp(-0.5 * np.sum((X[:, None] - X) ** 2, axis=2))
X32, Z32, V32 = (values.astype(np.float32) for values in (X, Z, V))
ONES, MANY, CODES = np.ones(N), np.ones(4 * N), np.arange(4 * N) % 2


def _logistic(m: Any, width: int) -> None:
    m.logistic_pass(L, CODES, MANY / (4 * N), np.ones((51, width)), 1, np.empty((51, width)))


def _extended(m: Any) -> None:
    coef, high, low = np.ones(50), np.empty(50), np.empty(50)
    m.extended_gradient(L, L[:, 0].copy(), MANY, coef, coef, coef, (0.0, 0.0), MANY.copy(), high, low, np.empty(4))


def _pairs(m: Any) -> None:
    m.pair_steps(K, 1.0, ONES, 0.05 * ONES, -ONES, ONES, (0.0, 500), np.zeros(N), -V[:, 0].copy())


LOOPS: dict[str, Callable[[Any], object]] = {
    "kernel prediction, float64": lambda m: m.radial_times(0, 0.1, X, Z, V, 1, np.empty((N, 1))),
    "kernel prediction, float32": lambda m: m.radial_times(0, 0.1, X32, Z32, V32, 1, np.empty((N, 1))),
    "kernel block": lambda m: m.radial_block(0, 0.1, X32, Z32, 1, np.empty((N, N), np.float32)),
    "kernel fold": lambda m: m.radial_fold(0, 0.1, X, Z, V, V, ONES, 1, np.empty((N + 2, 1))),
    "logistic pass": lambda m: _logistic(m, 1),
    "multinomial pass": lambda m: _logistic(m, 10),
    "Gram matrix": lambda m: m.fill_gram(G, ONES, ONES, 2, 1, np.empty((WIDE, WIDE)), np.empty(WIDE)),
    "gradient in 106 bits": _extended,
    "support vectors": _pairs,
    "fingerprints": lambda m: m.dense_prints(L, np.arange(1, 101, 2, dtype=np.uint64), 1, np.zeros(4 * N, np.uint64)),
}


def counted(name: str) -> int:
    """Instructions of the compiled module while the loop runs once in a fresh interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", sys.executable, "-m", __spec__.name]
        done = subprocess.run([*command, "--run", name], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"valgrind failed at {name!r}: {done.stderr[-2000:]}")
        return own_cost(out.read_text(), f"_native_{LEVEL}")


def own_cost(profile: str, module: str) -> int:
    """The sum of a profile's own costs in the objects whose path contains ``module``; costs of calls are left out.

    >>> own_cost("ob=(1) /native.so\\nfn=(1)\\n5 7\\ncalls=1 0\\n5 100\\nob=(2) /libc.so\\n1 50\\nob=(1)\\n2 1", "nat")
    8
    """
    inside, called, total, objects = False, False, 0, {}
    for line in profile.splitlines():
        named = re.match(r"(c?ob)=\((\d+)\)(?: (.*))?", line)
        if named:
            word, number, path = named.groups()
            objects[number] = path or objects.get(number, "")
            inside = module in objects[number] if word == "ob" else inside
        elif line.startswith("calls="):
            called = True
        elif re.match(r"[+\-*\d]", line):
            total += 0 if called or not inside else int(line.split()[1])
            called = False
    return total


def compiler() -> str:
    """What the record hangs on beside the sources."""
    try:
        first = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError):
        first = "no compiler"
    return f"{first}, {platform.machine()}"


def main(arguments: list[str]) -> int:
    """Count, compare, and renew the record if asked to; 1 if a loop takes over 3 % more than on record."""
    if arguments[:1] == ["--run"]:
        LOOPS[arguments[1]](loops(LEVEL))
        return 0
    record: dict[str, Any] = {"compiler": compiler(), "counts": {}}
    if RECORD.exists():
        record = json.loads(RECORD.read_text())
    if record["compiler"] != compiler():
        print(f"the record is of another compiler: {record['compiler']}; here {compiler()}")
    found, over = {}, []
    for name in LOOPS:
        found[name] = counted(name)
        before = record["counts"].get(name)
        change = found[name] / before - 1 if before else 0.0
        over += [name] if change > ALLOWED else []
        alarm = "  MORE THAN 3 %" if change > ALLOWED else ""
        print(f"{name:28s} {found[name]:12,d}  {change:+7.2%}{alarm}", flush=True)
    if "--renew" in arguments:
        RECORD.write_text(json.dumps({"level": LEVEL, "compiler": compiler(), "counts": found}, indent=1) + "\n")
    return 1 if over and "--renew" not in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
