"""Layer solvers: what least squares, ridge and searches of subsets will need, said before they start.

In: the `Shape` of a table and whether ``lam`` is to be chosen.  Out: a `Plan`.  Counts of operations are those of the
factorisations; passes over the table and the work for each row were counted on simulated tables of 5,000 to 3,000,000
entries.  Catalogue C-01, C-02.
"""

from __future__ import annotations

from surefit.solvers.cost import Plan, Shape, Work
from surefit.solvers.linear import limits

REASONS = {
    "cholesky": "the columns are far from dependent, so normal equations keep all digits",
    "qr": "the table is small, or its columns are close to dependent, and QR loses no digits to squares",
    "svd": "columns depend on each other, or outnumber the rows, and the shortest of all minimisers is wanted",
    "primal eigen": "one eigendecomposition on the side of the columns serves every lam and every left-out row",
    "dual eigen": "one eigendecomposition on the side of the rows serves every lam and every left-out row",
    "jacobi svd": "columns are so nearly dependent that singular values are computed to their last digit",
    "lsmr": "a large sparse table: iterations read it and factorise nothing",
}
"""Why a factorisation or iteration runs, by the name under ``solution_.facts["method"]``."""

PASSES, REFINED = 35.0, 35.0
"""Times that each entry is read by checks, fingerprints and centring; and by refinement in doubled precision."""

JACOBI, EIGEN = 130.0, 9.0
"""Operations over the cube of the shorter side: of a Jacobi singular value decomposition, of eigenvectors."""

GRID, PER_LAM = 100, 45.0
"""Values of ``lam`` from which one is chosen, and numbers read for each of them and each row."""

CALLS = 100.0
"""Calls of library functions in a fit."""

LSMR_PASSES = 400.0


def linear_plan(shape: Shape, solver: str = "auto", chooses: int = 0, penalised: bool = False) -> Plan:
    """Least squares, or ridge: for one ``lam``, or with ``lam`` chosen from ``chooses`` eigendecompositions.

    >>> linear_plan(Shape(20_000, 100)).solver, linear_plan(Shape(20_000, 100), chooses=1).solver
    ('cholesky', 'primal eigen')
    """
    n, d, k = shape.n, shape.d, shape.outputs
    short, long = min(n, d), max(n, d)
    passes = Work(reads=(PASSES + (0.0 if penalised else REFINED)) * shape.entries, calls=CALLS)
    products = Work(products=float(long) * short**2 + 4.0 * n * d * k)
    if shape.stored is not None and n * d > limits.DENSE_LIMIT:
        products = Work(products=4.0 * shape.entries * short)
        if short > limits.GRAM_SIDE_LIMIT and not chooses:
            return Plan("lsmr", 80 * (n + d), passes + Work(reads=LSMR_PASSES * shape.entries), REASONS["lsmr"])
    if chooses:
        name = "primal eigen" if n >= d else "dual eigen"
        along = Work(products=4.0 * GRID * n * short * k + 2.0 * GRID * short * d * k, reads=PER_LAM * GRID * n * k)
        work = passes + chooses * (products + Work(products=EIGEN * short**3) + along)
        return Plan(name, 8 * (n * d + 3 * short**2 + GRID * d * k), work, REASONS[name])
    wide = n < d if penalised else n < d + 1
    careful = solver == "qr" or (solver == "auto" and n * d <= limits.SMALL_TABLE)
    if solver == "svd" or (wide and (careful or (solver == "auto" and not penalised))):
        work = passes + products + Work(products=JACOBI * short**3)
        return Plan("svd", 8 * (3 * n * d + 5 * short**2), work, REASONS["svd"])
    if careful:
        return Plan("qr", 8 * (2 * n * d + 2 * short**2), passes + 2 * products, REASONS["qr"])
    work = passes + products + Work(products=short**3 / 3.0)
    return Plan("cholesky", 8 * (n * d // 5 + 3 * short**2), work, REASONS["cholesky"])


def descent_plan(shape: Shape, name: str, passes: int) -> Plan:
    """Gradient or stochastic descent, for study: so many passes over the table at most."""
    loops = passes * shape.entries * (4.0 if name == "stochastic" else 2.0)
    return Plan(
        name,
        8 * 4 * (shape.n + shape.d),
        Work(loops=loops, calls=CALLS),
        f"asked for; at most {passes:,} passes over the rows",
    )


def subset_plan(shape: Shape, search: str) -> Plan:
    """Least squares on subsets of the columns, all of them or one column at a time."""
    n, d = shape.n, shape.d
    memory = 8 * 5 * n * d
    factor = Work(products=2.0 * n * d**2, reads=PASSES * shape.entries, calls=3 * CALLS)
    if search == "exhaustive" or (search == "auto" and d <= limits.EXHAUSTIVE_LIMIT):
        return Plan("exhaustive", memory, factor + Work(loops=50.0 * 2.0**d), f"all 2**{d} subsets can be visited")
    name = "backward" if search == "backward" else "forward"
    why = f"asked for by search={name!r}" if search == name else f"2**{d} subsets are too many to visit"
    return Plan(name, memory, factor + Work(loops=3.0 * n * d**2), why)
