"""Online learners: one row, one prediction, one step.

In: rows in the order in which they come.  Out: a state of plain arrays that predicts, and what was counted on the way.
The door is `LinearState.learn_block`.

Read ``state.py`` (weights that step along the slope of a loss: Widrow-Hoff, perceptron, Adaline, any loss),
``triangle.py`` (exact online ridge, a triangle to which rows are stacked) with ``products.py`` (columns' products in
106 bits, which correct it) and ``extents.py`` (numbers that would swallow all others), ``dual.py`` (support vector
regression, one multiplier a row).
"""
