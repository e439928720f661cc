"""Layer solvers: what a kernel fit will need, said before it starts."""

import os
from dataclasses import dataclass, replace
from numbers import Integral
from types import MappingProxyType

from surefit.solvers.solution import Solution, Status

LANDMARKS = 1_000
FEWEST_LANDMARKS = 10
"""Below this many landmarks an approximation is not worth its name."""


@dataclass(frozen=True)
class Plan:
    """How a fit would be computed, the memory it would take beside the data, and roughly how many operations.

    ``n_landmarks`` is None if every row counts.

    >>> print(Plan("exact by Cholesky", 8_000_000, 3.4e8, "1,000 points fit easily"))
    exact by Cholesky: 8.0 MB, about 3e+08 operations; 1,000 points fit easily
    """

    method: str
    memory_bytes: int
    operations: float
    reason: str
    n_landmarks: int | None = None

    def __str__(self) -> str:
        return f"{self.method}: {size(self.memory_bytes)}, about {self.operations:.0e} operations; {self.reason}"


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
