"""What a pass over blocks costs: three constants, fitted with one and two workers, that predict four.

Run ``python -m benchmarks.scale_cost FOLDER`` on the folder of `scale_data`.  Costs are processor seconds of all
processes together, so that a busy machine and its number of cores matter little.  The constants: reading a row,
a multiplication, and a message (a part sent to a worker, its state sent back and merged).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import psutil
from scipy.optimize import nnls

from benchmarks.scale_peers import source_of_folder
from surefit.data.blocks import files
from surefit.data.blocks.block import Block
from surefit.data.blocks.layout import Layout
from surefit.executors.local import Processes
from surefit.executors.reduce import one_pass
from surefit.solvers.blocks import factor, loo
from surefit.solvers.blocks.factor import Factorise, Target
from surefit.solvers.blocks.small import small

LAMS = np.geomspace(1e-8, 1.0, 50)


def count(block: Block) -> int:
    """Reads, and does nothing."""
    return len(block)


def add(left: int, right: int) -> int:
    """The sum."""
    return left + right


@dataclass(frozen=True)
class Case:
    """A pass: what is done with a block, and how many multiplications that is for a row."""

    name: str
    work: Callable[[Block], Any]
    merge: Callable[[Any, Any], Any]
    multiplications: float
    blocks: int


def cases(folder: str) -> list[Case]:
    """A read, both passes of ridge, and the first of them with a message for every block."""
    source = source_of_folder(folder, "y")
    first = source.first()
    layout, target = Layout.of(first, source.columns), Target.of(first, True)
    d = len(layout.labels)
    triangles = Factorise(layout, target)
    part = small(triangles(first), layout, target)
    at = loo.spectrum(part, layout, LAMS)
    leave = loo.LeaveOut(layout, target, at, True)
    return [
        Case("read", count, add, 0.0, 16),
        Case("triangles", triangles, factor.merge, (d + 2) ** 2, 16),
        Case("triangles, small parts", triangles, factor.merge, (d + 2) ** 2, 1),
        Case("leave-one-out", leave, loo.merge, d * d + 2.0 * d * len(LAMS), 16),
    ]


def measured(folder: str, case: Case, workers: Processes) -> float:
    """Processor seconds of this process and the workers, for one pass."""
    files.RUN = case.blocks
    everyone = [psutil.Process(), *map(psutil.Process, workers.pids())]
    spent = lambda: sum(sum(one.cpu_times()[:2]) for one in everyone)
    source = source_of_folder(folder, "y")
    before = spent()
    one_pass(source, case.work, case.merge, workers, case.name)
    return spent() - before


def counts(folder: str, case: Case) -> tuple[float, float, float]:
    """Rows, multiplications and messages of a pass."""
    n = float(source_of_folder(folder, "y").n)
    return n, n * case.multiplications, np.ceil(n / 65_536 / case.blocks)


def main(folder: str) -> None:
    """Fit at one and two workers, predict four."""
    found: dict[int, list[float]] = {}
    every = cases(folder)
    for number in (1, 2, 4):
        workers = Processes(number)
        try:
            for case in every[:2]:  # imports, and a warm cache
                measured(folder, case, workers)
            found[number] = [min(measured(folder, case, workers) for _ in range(3)) for case in every]
        finally:
            workers.close()
    rows = np.array([counts(folder, case) for case in every])
    size = rows.max(axis=0)
    constants = nnls(np.vstack([rows, rows]) / size, np.array(found[1] + found[2]))[0] / size
    print(f"read {constants[0] * 1e9:.0f} ns a row, multiply {constants[1] * 1e12:.0f} ps, message "
          f"{constants[2] * 1e3:.2f} ms")  # fmt: skip
    for case, row, *spent in zip(every, rows, found[1], found[2], found[4], strict=True):
        predicted = float(row @ constants)
        print(f"{case.name:24} 1, 2, 4 workers: {spent[0]:.2f} {spent[1]:.2f} {spent[2]:.2f} s; predicted "
              f"{predicted:.2f}, off by {predicted / spent[2] - 1:+.0%} at 4")  # fmt: skip


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1])
