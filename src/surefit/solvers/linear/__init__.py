"""Least squares and ridge to the last digit that the data allow; solution sets; subsets of columns.

In: a `Design` or blocks of rows, targets, ``lam``.  Out: a `FactoredFit`: the `Solution` and the factor behind it,
which leverages, leave-one-out and inference reuse.  Doors: ``least_squares.least_squares``, ``least_squares.ridge``,
``streamed.least_squares_from_blocks``.

Read ``factor.py`` (Cholesky, QR, spectrum), ``rank.py`` (a rank where the Gram matrix cannot tell),
``least_squares.py`` (which route), ``refine.py`` (residuals in twice the precision).  ``lsmr.py`` is for large sparse
designs, ``streamed.py`` for rows that do not fit into memory.  ``solution_set.py`` has all solutions of a linear
system, ``subsets.py`` the best columns; ``untied.py`` serves fits with other losses.  ``plan.py`` says beforehand what
a fit will need; ``limits.py`` holds the tuned numbers.
"""
