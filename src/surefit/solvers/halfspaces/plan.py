"""Layer solvers: what a perceptron or Adaline will need at most, said before it starts.

In: the `Shape` of a table and the limit of epochs.  Out: a `Plan`.  On separable rows a perceptron ends earlier.
Catalogue C-05, C-06.
"""

from __future__ import annotations

from surefit.solvers.cost import Plan, Shape, Work

CALLS = 100.0
"""Calls of library functions in a fit."""

PER_VISIT = 0.1
"""Calls for each visit of a row through a kernel, whose rows are computed as they are needed."""


def epochs_plan(shape: Shape, name: str, epochs: int) -> Plan:
    """So many passes over the rows at most.

    >>> epochs_plan(Shape(1_000, 20), "perceptron", 50).reason
    'at most 50 passes over the rows'
    """
    work = Work(loops=epochs * shape.entries, reads=35.0 * shape.entries, calls=CALLS)
    return Plan(name, 8 * 6 * (shape.n + shape.d), work, f"at most {epochs:,} passes over the rows")


def kernel_epochs_plan(shape: Shape, epochs: int) -> Plan:
    """The same through a kernel."""
    n = shape.n
    work = Work(products=float(n) ** 2 * (shape.d + 20.0), calls=CALLS + PER_VISIT * n * epochs)
    return Plan("kernel perceptron", 8 * n * n, work, f"at most {epochs:,} passes over the rows")
