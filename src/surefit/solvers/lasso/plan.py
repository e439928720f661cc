"""Layer solvers: what a lasso or an elastic net will need, said before it starts.

In: the `Shape` of a table, and the folds of a choice of ``lam``.  Out: a `Plan`.  Numbers of passes were counted on
simulated tables with ten columns that matter; dense solutions take longer.
"""

from __future__ import annotations

from surefit.solvers.cost import Plan, Shape, Work

GRID = 100
"""Values of ``lam`` on a path."""

PASSES, PATH_PASSES = 35.0, 200.0
"""Times that each entry is read by checks and fingerprints; and by a path with more columns than rows."""

PER_LAM = 135.0
"""Numbers read for each row and ``lam`` by held-out errors."""

CALLS, PATH_CALLS = 100.0, 500.0
"""Calls of library functions: of a fit for one ``lam``, and of a path."""

SUPPORT = 100
"""Columns that are taken to matter along a path."""

TALL = "there are more rows than columns, so one pass gives the products of all columns with each other"
WIDE = "there are more columns than rows, so only those that may enter are compared with each other"


def lasso_plan(shape: Shape, chooses: bool = False, folds: int = 0) -> Plan:
    """One ``lam``, or a path for all rows and one for each of ``folds``.

    >>> lasso_plan(Shape(1_000, 20)).reason == TALL, lasso_plan(Shape(1_000, 20), chooses=True).solver
    (True, 'coordinate descent')
    """
    n, d = shape.n, shape.d
    paths, rows = 1 + folds if chooses else 0, 8 * (n + d) * 6
    work = Work(reads=PASSES * shape.entries, calls=CALLS) + paths * Work(calls=PATH_CALLS)
    tall = n - n // max(folds, 2) * (paths > 1) >= d
    if tall:
        work += Work(products=float(n) * d**2 * (2.0 if folds and chooses else 1.0))
        work += paths * Work(loops=float(GRID) * d * min(d, SUPPORT))
    else:
        work += (paths or 0.1) * Work(reads=PATH_PASSES * shape.entries)
    if chooses:
        work += Work(reads=PER_LAM * GRID * n * (1.0 if folds else 0.4))
    squares = (paths if tall else 4) * min(d, max(n, SUPPORT)) ** 2
    kept = 8 * (GRID * (n // 3 + d) + squares) if chooses else 8 * d * min(n, d)
    return Plan("coordinate descent", int(rows + kept), work, TALL if tall else WIDE)
