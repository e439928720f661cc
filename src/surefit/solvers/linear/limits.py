"""Tuned numbers of least squares and ridge: they change which route a fit takes and how long, not its digits.

The cases of ``benchmarks/cases/least_squares.py`` and ``ridge.py`` measure what they do.  Tests change them here, as
attributes of this module.
"""

SMALL_SIDE = 600
"""Side of a matrix up to which one thread factorises it fastest on a machine that has other things to do."""

DENSE_LIMIT = 10_000_000
"""Entries up to which a sparse design may be solved as a dense one."""

SMALL_TABLE = 50_000
"""Entries of ``X`` up to which the most careful route costs nothing worth saving."""

GRAM_SIDE_LIMIT = 4000
"""Smaller side of a large sparse design up to which a Gram matrix is formed; beyond, LSMR iterates."""

MAX_REFINEMENTS = 8
"""Most rounds of iterative refinement."""

# ---- subsets ----

EXHAUSTIVE_LIMIT = 20
"""Columns up to which every subset is looked at."""

QR_TOGETHER = 4096
"""Subsets that are compared by QR at a time."""

BATCH_NUMBERS = 50_000
"""Subsets at the bottom of the tree are visited together, as many as fill an array of about this size."""
