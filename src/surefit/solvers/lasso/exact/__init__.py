"""The lasso without iterations to a tolerance: the exact path knot by knot, and the constrained form.

In: a `Design` or arrays, one target.  Out: a `HomotopyPath`, linear between its knots, or a `Solution` whose gap is
rounding.  Doors: ``homotopy.lasso_homotopy``, ``homotopy.least_angle_path``, ``constrained.constrained_lasso``,
``constrained.lasso_by_quadratic_programme``.

Read ``homotopy.py`` first.  ``active_columns.py`` holds the columns of the support with their triangular factor, and
``homotopy_check.py`` judges every knot on the data afterwards.
"""
