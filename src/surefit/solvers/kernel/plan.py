"""Layer solvers: what a kernel fit will need, said before it starts.

In: the `Shape` of a table and a limit on memory.  Out: a `Plan`.  The steps of a fit and the work of a choice of
``lam`` were counted on simulated tables.
"""

from dataclasses import replace
from types import MappingProxyType

from surefit.solvers.cost import Plan, Shape, Work, size
from surefit.solvers.kernel import limits
from surefit.solvers.solution import Solution, Status

SOLVERS = ("auto", "exact", "nystroem")
NEWTON_STEPS = 7
"""Newton steps of a typical fit, for counting operations."""

PER_VALUE = 110.0
"""Numbers read for each entry of a Gram matrix that is computed and centred."""

CALLS = 150.0
"""Calls of library functions in a fit."""

CHOICE_FITS, CHOICE_SQUARES = 12.0, 290.0
"""A choice of ``lam`` costs as much as so many fits; on landmarks, so many times rows by squared landmarks."""


def enough_landmarks(m: int, n: int, wanted: int, memory: float) -> None:
    """Raise ``MemoryError`` if the ``m`` landmarks that fit into ``memory`` bytes are fewer than any of use."""
    if m < min(n, wanted, limits.FEWEST_LANDMARKS):
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


def kernel_newton_plan(
    shape: Shape, memory: float, solver: str = "auto", n_landmarks: int = limits.LANDMARKS, chooses: int = 0
) -> Plan:
    """Exact while the Gram matrix and its factorisations fit into ``memory`` bytes, otherwise Nystroem landmarks.

    Exact fits hold ``K``, its rows for one fold of a choice of ``lam``, and a factorisation (several ``outputs``: one
    for each and one for their sum).  ``solver="exact"`` raises ``MemoryError`` rather than approximate.  Landmarks are
    as many as fit, up to ``n_landmarks``.  ``chooses`` is the number of landmarks on which ``lam`` is chosen if there
    are more than `limits.CHOICE_ALL` rows, 0 if ``lam`` is given.

    >>> print(kernel_newton_plan(Shape(100_000, 10), memory=2e9))
    nystroem: 2.0 GB, about ...; an exact fit of 100,000 points takes 240.0 GB, so 833 landmarks
    """
    if solver not in SOLVERS:
        raise ValueError(f"solver must be one of {', '.join(map(repr, SOLVERS))}; got {solver!r}")
    n, d, outputs = shape.n, shape.d, shape.outputs
    factors = 1 if outputs == 1 else outputs + 1
    exact = 8 * n * n * (2 + factors)
    if solver == "exact" and exact > memory:
        raise MemoryError(
            f"an exact fit of {n:,} points takes {size(exact)} and the limit is {size(memory)}; "
            "raise memory, or let solver='auto' go low-rank"
        )
    if solver == "exact" or (solver == "auto" and exact <= memory and n <= limits.NEWTON_POINTS):
        work = Work(reads=PER_VALUE * n * n, products=float(n) * n * d, calls=CALLS)
        work += NEWTON_STEPS * Work(products=factors * n**3 / (3 if outputs == 1 else 1), reads=4.0 * n * n)
        return Plan("exact", exact, work + _chosen(work, n, chooses), f"{n:,} points fit into memory")
    m = min(n, n_landmarks, int(memory / (24 * n)))
    enough_landmarks(m, n, n_landmarks, memory)
    needed = 24 * n * m + 16 * m * m
    work = Work(products=1.0 * n * m * (d + m), reads=PER_VALUE * n * m, calls=CALLS)
    work += NEWTON_STEPS * Work(products=n * m * (m + 300.0 * (outputs > 1) * outputs))
    why = "asked for" if solver == "nystroem" else f"an exact fit of {n:,} points takes {size(exact)}"
    return Plan("nystroem", needed, work + (CHOICE_FITS if chooses else 0.0) * work, f"{why}, so {m:,} landmarks", m)


def _chosen(fit: Work, n: int, chooses: int) -> Work:
    """What the choice of ``lam`` for an exact fit takes."""
    if not chooses:
        return Work()
    return CHOICE_FITS * fit if n <= limits.CHOICE_ALL else Work(products=CHOICE_SQUARES * n * chooses**2)
