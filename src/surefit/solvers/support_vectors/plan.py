"""Layer solvers: what a support-vector fit will need, said before it starts.

In: the `Shape` of a table, the limit on memory, and how many problems there are (a pair of classes each).  Out: a
`Plan`.  How many two-variable steps a problem takes depends on its data more than anything else here.
"""

from __future__ import annotations

from dataclasses import replace

from surefit.solvers.any_loss.plan import any_loss_plan
from surefit.solvers.any_loss.solve import SolverChoice
from surefit.solvers.cost import Plan, Shape, Work
from surefit.solvers.support_vectors import limits

DUAL_STEPS = "two-variable dual steps"
"""What the solver is called."""

CALLS = 150.0
"""Calls of library functions in a fit."""


CHOICE = 0.8
"""What a fold of choosing ``lam`` costs as a share of the fit, all ``lam`` together; measured on 500 to 4,000 rows."""


def support_vector_plan(shape: Shape, memory: float, linear: bool = False, chooses: int = 0) -> Plan:
    """Dual steps on few points at a time, or for many rows of a linear kernel the coefficients of the columns.

    ``chooses`` is the number of folds by which ``lam`` is chosen, 0 if it is given.

    >>> support_vector_plan(Shape(10_000, 5), 1e9).solver, support_vector_plan(Shape(10_000, 5), 1e9, True).solver
    ('two-variable dual steps', 'multipliers')
    """
    fit = _fit_plan(shape, memory, linear)
    if not chooses:
        return fit
    shared = 7 * shape.n**2 if shape.n <= limits.SHARED and 8 * shape.n**2 <= memory else 0
    return replace(fit, memory_bytes=max(fit.memory_bytes, shared), work=(1.0 + CHOICE * chooses) * fit.work)


def _fit_plan(shape: Shape, memory: float, linear: bool) -> Plan:
    pairs = shape.outputs * (shape.outputs - 1) // 2 if shape.outputs > 2 else 1
    n, d = (shape.n, shape.d) if pairs == 1 else (max(2 * shape.n // shape.outputs, 1), shape.d)
    part = Shape(n, d, 1, None if shape.stored is None else shape.stored * n / shape.n)
    if linear and n > max(limits.SMALL, 4 * d):
        reason = "the kernel is linear and rows are many, so the coefficients of the columns are sought"
        found = any_loss_plan(SolverChoice("multipliers", reason), part)
        return Plan(found.solver, found.memory_bytes, pairs * found.work, reason)
    work = Work(loops=float(n) ** 2 * (2.0 + 0.4 * d), reads=35.0 * part.entries, calls=CALLS)
    if n <= limits.SMALL:
        return Plan(DUAL_STEPS, 8 * n * n, pairs * work, f"the Gram matrix of {n:,} points is small")
    needed = min(int(2 * (limits.WORKING * n) ** 2), int(memory))
    return Plan(DUAL_STEPS, needed, pairs * work, "the points that can still matter are few at a time")
