"""Layer solvers: whether a kernel Newton fit is exact or on landmarks, and what it needs.

In: the shape of the problem and a memory budget.  Out: a `Plan`.  Nothing is allocated here.
"""

from __future__ import annotations

from dataclasses import dataclass

from surefit.solvers.plan import Plan

METHODS = ("auto", "exact", "nystroem")
STEPS = 10
"""Newton steps of a typical fit, for counting operations."""

MOST_LANDMARKS = 1000
FEWEST_LANDMARKS = 10
"""Below this many landmarks an approximation is not worth its name."""


@dataclass(frozen=True)
class KernelPlan(Plan):
    """A `Plan` for a kernel Newton fit; ``n_landmarks`` is None if every row is one."""

    n_landmarks: int | None = None


def kernel_newton_plan(
    n: int, d: int, outputs: int, budget: float, method: str = "auto", n_landmarks: int | None = None
) -> KernelPlan:
    """Exact while the Gram matrix and its factorisations fit into ``budget`` bytes, otherwise Nystroem landmarks.

    Exact fits hold ``K``, its rows for one fold of a choice of ``lam``, and a factorisation (several ``outputs``: one
    for each and one for their sum).  Refused: ``method="exact"`` beyond the budget, and a budget that leaves fewer than
    ten landmarks.

    >>> plan = kernel_newton_plan(100_000, 10, 1, budget=2e9)
    >>> plan.method, plan.n_landmarks
    ('nystroem', 833)
    >>> print(plan.reason)
    exact needs 240.0 GB for n = 100000, the memory budget is 2.0 GB; 833 landmarks need 2.0 GB
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}; got {method!r}")
    factors = 1 if outputs == 1 else outputs + 1
    exact = 8 * n * n * (2 + factors)
    too_large = f"exact needs {_gigabytes(exact)} for n = {n}, the memory budget is {_gigabytes(budget)}"
    if method == "exact" and exact > budget:
        raise ValueError(f"{too_large}; raise memory_budget, or use method='nystroem'")
    if method == "exact" or (method == "auto" and exact <= budget):
        operations = n * n * (d + 1.0) + STEPS * factors * n**3 * (1 / 3 if outputs == 1 else 1)
        reason = f"the Gram matrix of n = {n} and its factors fit into {_gigabytes(exact)}"
        return KernelPlan("exact", exact, operations, reason)
    asked = n_landmarks is not None
    wanted = min(n, MOST_LANDMARKS if n_landmarks is None else n_landmarks)
    m = wanted if asked else min(wanted, int(budget / (24 * n)))
    if m < min(n, FEWEST_LANDMARKS) and not asked:
        raise ValueError(
            f"the memory budget of {_gigabytes(budget)} leaves {m} landmarks for n = {n}; raise memory_budget, give "
            "n_landmarks, or fit on fewer rows"
        )
    memory = 24 * n * m + 16 * m * m
    why = f"{m} landmarks need {_gigabytes(memory)}"
    reason = f"asked for by method='nystroem'; {why}" if method == "nystroem" else f"{too_large}; {why}"
    operations = 1.0 * n * m * (d + m) + STEPS * n * m * (m + 300.0 * (outputs > 1) * outputs)
    return KernelPlan("nystroem", memory, operations, reason, m)


def _gigabytes(number: float) -> str:
    return f"{number / 1e9:.1f} GB"
