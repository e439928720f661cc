"""Layer solvers: what a fit of any loss with any penalty will need, said before it starts.

In: a `Problem` that has the loss, the penalty and ``lam`` of a fit, and the `Shape` of its table.  Out: a `Plan`.
Numbers of steps are those of simulated tables: Newton's method needs few, losses with kinks a dozen problems of a few
steps each.
"""

from __future__ import annotations

from surefit.solvers.any_loss.solve import SolverChoice
from surefit.solvers.cost import Plan, Shape, Work
from surefit.solvers.linear.plan import CALLS, PASSES, linear_plan

STEPS = {
    "newton": 7.0,
    "prox-newton": 4.0,
    "multipliers": 60.0,
    "smoothed": 600.0,
    "lbfgs": 60.0,
    "proximal": 300.0,
    "gradient": 1000.0,
    "stochastic": 100.0,
}
"""Steps of a typical fit."""

SYSTEMS = ("newton", "multipliers")
"""Solvers whose steps factorise a system."""

PER_ENTRY, PER_ROW = 20.0, 600.0
"""Numbers read in a step for each entry of the table and for each row, whose loss is evaluated."""


def any_loss_plan(choice: SolverChoice, shape: Shape) -> Plan:
    """What the chosen solver will need.

    >>> from surefit.solvers.any_loss.solve import SolverChoice
    >>> any_loss_plan(SolverChoice("newton", "it is smooth"), Shape(1_000, 20)).reason
    'it is smooth'
    """
    if choice.name == "direct":
        found = linear_plan(shape, penalised=True)
        return Plan("direct", found.memory_bytes, found.work, choice.reason)
    n, short = shape.n, min(shape.n, shape.d)
    step = Work(reads=PER_ENTRY * shape.entries + PER_ROW * n, calls=10.0)
    if choice.name in SYSTEMS:
        step += Work(products=2.0 * shape.entries * short + short**3 / 3.0)
    elif choice.name == "prox-newton":
        step += Work(products=0.5 * shape.entries * short)
    work = Work(reads=PASSES * shape.entries, calls=CALLS) + STEPS[choice.name] * step
    return Plan(choice.name, int(8 * (2.2 * shape.entries + 3 * short**2 + 20 * n)), work, choice.reason)
