"""Models of rows that are never in memory together: every pass is a function of a block and a merge of two results.

In: a `Source` and an executor.  Out: solutions as those of the other families, in the units of the table.

Read ``products.py`` (products of columns, words never made indicators), ``factor.py`` (a triangle in one pass, exact
least squares, ridge and lasso from it), ``small.py`` (a design of as many rows as columns that stands for all rows),
``refine.py`` (a second pass in twice the precision), ``loo.py`` (exact leave-one-out for a grid of ``lam``),
``newton.py`` (logistic regression for two or more classes), ``risk.py`` (any smooth loss of one score, with a
penalty), ``landmarks.py`` (kernels on rows drawn from all), ``offset.py`` (the intercept that is published, and what
rounding it costs).
"""
