"""Layer solvers: what a logistic regression will need, said before it starts.

In: the `Shape` of a table, the chosen solver, and the folds of a choice of ``lam``.  Out: a `Plan`.  Steps and fits
were counted on simulated tables with ten columns that matter.
"""

from __future__ import annotations

from surefit.solvers.any_loss.solve import SolverChoice
from surefit.solvers.cost import Plan, Shape, Work

STEPS = {"newton": 7.0, "newton-cg": 60.0, "lbfgs": 10.0, "prox-newton": 12.0, "gradient": 1000.0, "stochastic": 100.0}
"""Steps of a typical fit."""

LAMS, WARM = 15.0, 0.25
"""Values of ``lam`` that are tried on the way to the best; steps for one of them, which starts from its neighbour and
ends at a loose tolerance, as a share of those of a fit."""

PASSES, PER_ROW = 35.0, 500.0
"""Times that each entry is read by checks and fingerprints; numbers read in a step for each row and score."""

SAMPLE = 2_000
"""Rows from which L-BFGS takes its metric."""

CALLS, STEP_CALLS = 100.0, 10.0
"""Calls of library functions: of a fit, and of a step."""


def logistic_plan(choice: SolverChoice, shape: Shape, chooses: bool = False, folds: int = 0) -> Plan:
    """One fit; or, to choose ``lam``, a path on all rows and one for each fold before it.

    ``shape.outputs`` is the number of columns of scores: one for two classes.

    >>> logistic_plan(SolverChoice("newton", "few parameters"), Shape(1_000, 20)).solver
    'newton'
    """
    n, d, k = shape.n, shape.d, shape.outputs
    name = choice.name if choice.name in STEPS else "gradient"
    setup, step = Work(), Work(reads=PER_ROW * n * k + 4.0 * shape.entries * k, calls=STEP_CALLS)
    if name == "newton":
        step += Work(reads=8.0 * shape.entries * k, products=shape.entries * d * k * (k + 1) / 2 + (d * k) ** 3 / 3.0)
    elif name == "lbfgs":
        setup = Work(products=float(min(n, SAMPLE)) * d**2 + d**3 / 3.0)
    elif name == "prox-newton":
        step += Work(loops=8.0 * shape.entries * k)
    passes = Work(reads=PASSES * shape.entries, calls=CALLS)
    work = passes + setup + STEPS[name] * step
    if chooses:
        work += (1 + folds) * setup + (1 + folds) * LAMS * WARM * STEPS[name] * step + Work(calls=20 * CALLS)
    square = (d * k) ** 2 if name in ("newton", "lbfgs") else d
    memory = 8 * (3.2 * shape.entries * (2.5 if chooses else 1.0) + 2 * square + 10 * n * k)
    return Plan(choice.name, int(memory), work, choice.reason)
