"""Layer solvers: what a kernel fit will need, said before it starts."""

import os
from dataclasses import dataclass, replace
from numbers import Integral
from types import MappingProxyType

from surefit.solvers.solution import Solution, Status

LANDMARKS = 1_000
FEWEST_LANDMARKS = 10
"""Below this many landmarks an approximation is not worth its name."""
SOLVERS = ("auto", "exact", "nystroem")
NEWTON_STEPS = 10
"""Newton steps of a typical fit, for counting operations."""

NEWTON_POINTS = 20_000
"""Points up to which ten factorisations take minutes at most."""


@dataclass(frozen=True)
class Plan:
    """How a fit would be computed, the memory it would take beside the data, and roughly how many operations.

    ``n_landmarks`` is None if every row counts.

    >>> print(Plan("exact by Cholesky", 8_000_000, 3.4e8, "1,000 points fit easily"))
    exact by Cholesky: 8.0 MB, about 3e+08 operations; 1,000 points fit easily
    """

    solver: str
    memory_bytes: int
    operations: float
    reason: str
    n_landmarks: int | None = None

    def __str__(self) -> str:
        return f"{self.solver}: {size(self.memory_bytes)}, about {self.operations:.0e} operations; {self.reason}"


def checked_shape(n: int, d: int) -> None:
    """Raise ``ValueError`` unless ``n`` rows of ``d`` columns can exist."""
    if not all(isinstance(side, Integral) and side >= 1 for side in (n, d)):
        raise ValueError(f"n and d must be whole numbers >= 1, got {n!r} and {d!r}; they are the shape of X")


def enough_landmarks(m: int, n: int, wanted: int, memory: float) -> None:
    """Raise ``MemoryError`` if the ``m`` landmarks that fit into ``memory`` bytes are fewer than any of use."""
    if m < min(n, wanted, FEWEST_LANDMARKS):
        raise MemoryError(
            f"{size(memory)} leave room for {m} landmarks of {n:,} points; raise memory, or fit fewer rows"
        )


def low_rank(solution: Solution, **facts: object) -> Solution:
    """A solution of an approximate problem, said to be one: its own gap becomes a fact, the whole problem's is open.

    A search that did not converge keeps its status.
    """
    kept = {**solution.facts, **facts, "gap_of_approximation": solution.gap}
    solved = solution.status in (Status.EXACT, Status.CONVERGED)
    status = Status.LOW_RANK if solved else solution.status
    return replace(solution, status=status, gap=float("inf"), facts=MappingProxyType(kept))


def size(n_bytes: float) -> str:
    """A number of bytes as people write it.

    >>> size(20e9), size(512)
    ('20.0 GB', '512 B')
    """
    for unit, amount in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= amount:
            return f"{n_bytes / amount:.1f} {unit}"
    return f"{n_bytes:.0f} B"


def memory_limit(wanted: float | None) -> float:
    """The bytes a fit may take: as wanted, or half of the machine's memory."""
    if wanted is None:
        return 0.5 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 2e9
    if not wanted > 0:
        raise ValueError(f"memory must be a number of bytes > 0, got {wanted!r}; leave it None for half the machine's")
    return float(wanted)


def kernel_newton_plan(
    n: int, d: int, outputs: int, memory: float, solver: str = "auto", n_landmarks: int = LANDMARKS
) -> Plan:
    """Exact while the Gram matrix and its factorisations fit into ``memory`` bytes, otherwise Nystroem landmarks.

    Exact fits hold ``K``, its rows for one fold of a choice of ``lam``, and a factorisation (several ``outputs``: one
    for each and one for their sum).  ``solver="exact"`` raises ``MemoryError`` rather than approximate.  Landmarks are
    as many as fit, up to ``n_landmarks``.

    >>> print(kernel_newton_plan(100_000, 10, 1, memory=2e9))
    nystroem: 2.0 GB, about 8e+11 operations; an exact fit of 100,000 points takes 240.0 GB, so 833 landmarks
    """
    if solver not in SOLVERS:
        raise ValueError(f"solver must be one of {', '.join(map(repr, SOLVERS))}; got {solver!r}")
    checked_shape(n, d)
    factors = 1 if outputs == 1 else outputs + 1
    exact = 8 * n * n * (2 + factors)
    if solver == "exact" and exact > memory:
        raise MemoryError(
            f"an exact fit of {n:,} points takes {size(exact)} and the limit is {size(memory)}; "
            "raise memory, or let solver='auto' go low-rank"
        )
    if solver == "exact" or (solver == "auto" and exact <= memory and n <= NEWTON_POINTS):
        operations = n * n * (d + 1.0) + NEWTON_STEPS * factors * n**3 / (3 if outputs == 1 else 1)
        return Plan("exact", exact, operations, f"{n:,} points fit into memory")
    m = min(n, n_landmarks, int(memory / (24 * n)))
    enough_landmarks(m, n, n_landmarks, memory)
    needed = 24 * n * m + 16 * m * m
    operations = 1.0 * n * m * (d + m) + NEWTON_STEPS * n * m * (m + 300.0 * (outputs > 1) * outputs)
    why = "asked for" if solver == "nystroem" else f"an exact fit of {n:,} points takes {size(exact)}"
    return Plan("nystroem", needed, operations, f"{why}, so {m:,} landmarks", m)
