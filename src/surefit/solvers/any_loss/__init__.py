"""Any loss with any penalty: a solver chosen by what both declare about themselves, judged by one gap.

In: a `Problem`.  Out: a `Solution`.  Door: ``solve.minimise``, which chooses and says why.

Read ``solve.py``, then ``standardise.py`` (good coordinates, and the way back), ``parts.py`` (absolute values and
squares of a penalty) and ``judge.py`` (gap and status).  The ways: ``direct.py`` for squares, ``newton.py`` for smooth
pairs, ``prox_newton.py`` for sparse penalties, ``multipliers.py`` with ``envelope.py`` for losses with kinks,
``smoothed.py`` for kinks with any prox, ``proximal.py`` and ``lbfgs.py`` for what is large, ``descent.py`` and
``stochastic.py`` as in textbooks.  ``curve.py`` has what Newton's method needs of a loss, ``softened.py`` an
absolute loss without a kink, ``few_columns.py`` a search on the columns that matter.  ``plan.py`` says beforehand what
a fit will need; ``limits.py`` holds the tuned numbers.
"""
