"""Tuned numbers of the support-vector solver: they change how long it takes, and no answer by more than its tolerance.

The cases of ``benchmarks/cases/svr.py`` measure what they do.  Tests change them here, as attributes of this module.
"""

# ---- the ladder ----

SMALL = 2000
"""Points up to which the whole Gram matrix is held in float64, and the ladder has one rung."""

RUNG = 0.1
"""Share of the violation that a rung leaves."""

NEAR = 0.4
"""Points whose conditions hold by more than this share of the violation sit a rung out."""

WORKING = 0.5
"""Largest share of all points that is active at once, unless more are free; never fewer than `SMALL` points."""

GOAL = 0.8
"""The last rung aims at this share of the tolerance, so that the recomputed violation is below all of it."""

FINE = 1e-6
"""Goals below this are solved for in float64: the tube, about one, is known to 1e-7 in float32."""

ROUND = 200
"""Steps for each active point after which a rung ends: where rounding bars the way, the next rung finds out."""

PATIENCE = 4
"""Rungs without progress after which rounding is held to be the limit."""

# ---- seconds ----

CHUNK = 2e8
"""Entries of the Gram matrix that are read between two looks at the clock."""

TIME_SHARE = 0.7
"""Share of the seconds left that a rung may spend on kernel values: its own, and those of a closing evaluation."""

GROWTH = 3
"""While seconds are limited, a rung has at most this many times the points of any before it.

What is extrapolated from smaller rungs is not trusted further.
"""

PROBE_ROWS = 1 << 16
"""Rows on which the cost of kernel values is measured before the first rung."""

PROBE_POINTS = 256
"""Points with which it is measured; products with fewer points say nothing about the pace."""

CAUTION = 1.25
"""What a closing evaluation may take, as a multiple of what was measured."""

# ---- storage ----

STRIP = 512
"""Rows that are computed in float32 before they are rounded to 16 bits; a multiple of 64."""

BALANCED = 0.5
"""Smallest over largest ``k(x, x)`` from which 16 bits are used: one unit of rounding then serves all points."""

SINGLE = (1e-25, 1e30)
"""Largest ``k(x, x)`` between which single precision is used: beyond, it would overflow or lose small values."""

SHARED = 8000
"""Rows up to which all folds of a choice of ``lam`` share one Gram matrix, of ``4 n**2`` bytes."""
