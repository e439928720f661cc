"""Layer solvers: whether a kernel Newton fit is exact or on landmarks, and what it needs.

In: the shape of the problem and a limit on memory.  Out: a `Plan`.  Nothing is allocated here.
"""

from surefit.solvers.kernel.plan import LANDMARKS, Plan, checked_shape, enough_landmarks, size

METHODS = ("auto", "exact", "nystroem")
STEPS = 10
"""Newton steps of a typical fit, for counting operations."""

EXACT_POINTS = 20_000
"""Points up to which ten factorisations take minutes at most."""


def kernel_newton_plan(
    n: int, d: int, outputs: int, memory: float, method: str = "auto", n_landmarks: int = LANDMARKS
) -> Plan:
    """Exact while the Gram matrix and its factorisations fit into ``memory`` bytes, otherwise Nystroem landmarks.

    Exact fits hold ``K``, its rows for one fold of a choice of ``lam``, and a factorisation (several ``outputs``: one
    for each and one for their sum).  ``method="exact"`` raises ``MemoryError`` rather than approximate.  Landmarks are
    as many as fit, up to ``n_landmarks``.

    >>> print(kernel_newton_plan(100_000, 10, 1, memory=2e9))
    nystroem: 2.0 GB, about 8e+11 operations; an exact fit of 100,000 points takes 240.0 GB, so 833 landmarks
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}; got {method!r}")
    checked_shape(n, d)
    factors = 1 if outputs == 1 else outputs + 1
    exact = 8 * n * n * (2 + factors)
    if method == "exact" and exact > memory:
        raise MemoryError(
            f"an exact fit of {n:,} points takes {size(exact)} and the limit is {size(memory)}; "
            "raise memory, or let method='auto' go low-rank"
        )
    if method == "exact" or (method == "auto" and exact <= memory and n <= EXACT_POINTS):
        operations = n * n * (d + 1.0) + STEPS * factors * n**3 / (3 if outputs == 1 else 1)
        return Plan("exact", exact, operations, f"{n:,} points fit into memory")
    m = min(n, n_landmarks, int(memory / (24 * n)))
    enough_landmarks(m, n, n_landmarks, memory)
    needed = 24 * n * m + 16 * m * m
    operations = 1.0 * n * m * (d + m) + STEPS * n * m * (m + 300.0 * (outputs > 1) * outputs)
    why = "asked for" if method == "nystroem" else f"an exact fit of {n:,} points takes {size(exact)}"
    return Plan("nystroem", needed, operations, f"{why}, so {m:,} landmarks", m)
