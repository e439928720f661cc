"""Kernel ridge as one linear system, and smooth losses over a kernel by Newton steps over functions.

In: a kernel with all its parameters, points, targets, ``lam``.  Out: a `Solution` whose coefficients are the weights of
the points.  Doors: ``ridge.kernel_ridge``, ``nystroem.nystroem_ridge``, ``newton.kernel_newton``.

Ridge: read ``system.py`` (the system, its spectrum, its gap), ``ridge.py`` (which route), ``refine.py`` (large systems
on rounded matrices), ``nystroem.py`` (features of landmarks).  Other losses: ``problem.py`` (objective, dual, gap),
``gram.py`` (a Gram matrix as Newton sees it), ``newton.py``, ``softmax.py``.  What a fit will need
is said beforehand by ``ridge.choose_route`` and, for other losses, ``plan.py``; ``limits.py`` holds the tuned numbers.
"""
