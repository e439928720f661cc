"""Tuned numbers of the lasso family: they change how long a path takes, and no answer by more than its tolerance.

The cases of ``benchmarks/cases/lasso.py`` and ``lasso_cv.py`` measure what they do.  Tests change them here, as
attributes of this module.
"""

# ---- which columns have their Gram matrix formed ----

WHOLE_LIMIT = 3000
"""Columns up to which, given as many rows, the Gram matrix of all columns is formed at once."""

FEW_SPARSE = 1500
"""Columns of a sparse design in focus up to which their Gram matrix is formed at once.

Beyond, sweeps over the columns are tried first; once they have cost what the Gram matrix would, it takes over.
"""

MOST_SPARSE = 6000
"""Columns of a sparse design in focus beyond which their Gram matrix is never formed."""

STAY = 8.0
"""A Gram matrix is kept while the next one costs at most this many times what all sweeps so far have cost."""

PRICE_OF_ENTRY = 50.0
"""Multiplications of a factorisation that take as long as one entry of a sparse column in a sweep."""

REFOCUS_BELOW = 0.8
"""If fewer than this share of the columns in focus are needed, those get a Gram matrix of their own."""

FEW_INSIDE = 0.25
"""If fewer than this share of the columns have a coefficient, products with the Gram matrix leave the others out.

Copying the columns inside then costs less than it saves.
"""

LARGEST_FACTORED = 3000
"""Most columns whose Gram matrix is factored for the gap of the second order."""

# ---- which lam are solved together ----

LOOK_AHEAD = 8
"""``lam`` that are solved between two passes over the data; any number where all products are known."""

FURTHEST = 1.5
"""Largest ratio of two ``lam`` that are solved between the same two passes over the data."""

LARGEST_RATIO = 1.15
"""Largest ratio of neighbouring ``lam`` on the way down; wider steps get stepping stones in between."""

LARGEST_RATIO_BY_GRAM = 2.0
"""The same where the Gram matrix of all columns is there: nothing can be missed, so stones only cost a step each."""

JUDGED_TOGETHER = 20
"""``lam`` whose gaps are computed in one go, while the next ones are solved for."""

LARGE_ENOUGH_TO_SHARE = 300
"""Columns from which computing gaps is worth a thread of its own."""

# ---- how exactly the problem on the working columns is solved ----

INNER_SHARE = 0.3
"""Share of the tolerance at which a solution on the working columns is worth a pass over all of them."""

SWEEP_SHARE = 1e-3
"""Sweeps stop when the next one would gain less than this share of the gap that is aimed at."""

STONE_TOL = 1e-3
"""Relative gap at which a stepping stone is left; for dense columns times ``lam / lam_max``.

There the last digits cost little and tell better which columns come next; sweeps over sparse columns pay for each.
"""

ONE_STEP = 1e-3
"""A start that is good enough still gets one step, which aims at this share of the gap."""

# ---- which columns join the working set ----

MARGIN = 0.1
"""A column joins if its predicted correlation ends within this share of the way ahead below its threshold."""

FIRST = 20
"""Columns that may join at once, the steepest first; or as many as have a coefficient, if that is more.

A far step would bring in all columns, and their Gram matrix, where a look at the steepest shows which are needed.
"""

# ---- when to give up ----

STALLED_TRIES = 5
"""Tries in a row on the same columns without a smaller gap, after which rounding is held to be the limit."""

MAX_TRIES = 30
"""Verifications of one ``lam``, after which the solution is returned with the gap that it has."""

CORRECTION_ROUNDS = 5
"""Rounds in which further columns may join the correction behind the gap of the second order."""

NON_NEGATIVE_ROUNDS = 1000
"""Most rounds for unpenalised features that must be ``>= 0``."""

# ---- ranks of supports ----

ENOUGH_ROWS = 4
"""Rows for each column among which independence is looked for first."""

LARGEST_UNION = 4000
"""Columns of all supports together beyond which they are counted as independent: their rank would cost too much."""

# ---- threads ----

ENTRIES_PER_THREAD = 500_000
"""Entries of a sparse matrix that are worth a thread of their own."""
