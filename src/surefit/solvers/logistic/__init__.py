"""Logistic and multinomial regression, with squares, with absolute values, or without a penalty.

In: a `LogisticProblem` in the user's units.  Out: a `Solution`, or a `LogisticPath` along ``lam``.  Doors:
``solve.solve_logistic`` and ``solve.logistic_path``.

Read ``problem.py`` (objective, gradient, gap), ``coordinates.py`` (centred and scaled where that is needed), then the
ways: ``newton.py`` with the Hessian or products of it, ``lbfgs.py`` with a ``metric.py`` from a sample of the rows,
``sparse.py`` for an L1 part.  Without a penalty there may be no maximum: ``existence.py`` asks when that is likely,
``separation.py`` answers.  ``plan.py`` says beforehand what a fit will need; ``limits.py`` holds the tuned numbers.
"""
