"""Support-vector regression and classification through the dual.

In: a `SupportVectorProblem` and a `Budget`.  Out: a `Solution` with a gap and the interval of optimal offsets.  Doors:
``solve.solve_by_points``, and ``solve.solve_primal`` for the linear kernel with many rows.

Read ``problem.py`` (the problem, its dual, the gap), ``solve.py``, ``ladder.py`` (active points, a tenth of the
violation at a time), ``gram_store.py`` (Gram matrices in few bits), ``warm.py`` (many ``lam`` on one Gram
matrix).  ``plan.py`` says beforehand what a fit will need; ``limits.py`` holds the tuned numbers.
"""
