"""Squared loss with absolute values and squares of coefficients: paths along ``lam`` with a gap for every solution.

In: a `Design`, a target, a grid of ``lam``, a `SparsePenalty`.  Out: a `SparsePath`.  Door: ``solve.elastic_net_path``.

Read ``path.py`` (what is asked, what comes out), ``problem.py`` (the problem in sums over centred rows), ``solve.py``,
then ``walk.py``: which columns work, which ``lam`` come next.  ``columns.py`` gives products with the design,
``focus.py`` the few columns in work, ``free_columns.py`` unpenalised columns that nearly depend on each other.
``gap.py`` bounds the error of every point, ``squares.py`` has the mean squared error of what is published.
``ranks.py`` counts independent columns of supports, for degrees of freedom.  ``plan.py`` says beforehand what a fit
will need; ``limits.py`` holds the tuned numbers.  ``exact/`` walks the path knot by knot instead, and solves the
constrained form.
"""
