"""Online learners: one row, one prediction, one step.

In: rows in the order in which they come.  Out: a state of plain arrays that predicts, and what was counted on the way.
The door is `LinearState.learn_block`; reading order: state, triangle, dual.

- ``state``: weights that step along the slope of a loss (Widrow-Hoff, perceptron, Adaline, any loss).
- ``triangle``: exact online ridge, a triangle to which rows are stacked.
- ``dual``: support vector regression, one multiplier a row.
"""
