"""Hyperplanes that tell two classes apart: by streams of rows, by geometry, or with the fewest mistakes.

In: a matrix and labels -1 or +1.  Out: a record with the evidence.  Doors: ``perceptron.perceptron``,
``adaline.adaline``, ``thresholds.threshold_risk``, ``separability.is_separable``, ``separability.max_margin``,
``fewest_mistakes.min_disagreement``.

Read ``signed_rows.py`` (two classes as one cloud of rows), ``hull.py`` (the point of a convex hull nearest to 0) and
``separability.py``.  The fewest mistakes: ``plane_sweep.py`` visits all cells in low dimension, ``conflicts.py`` bounds
from below, ``fewest_mistakes.py`` chooses.  ``plan.py`` says beforehand what a fit will need; ``limits.py`` holds the
tuned numbers.
"""
