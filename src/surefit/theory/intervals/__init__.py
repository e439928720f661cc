"""Prediction intervals and sets of labels: conformal, jackknife, on streams, from a stored fit.

In: errors or scores of rows that a fit has not seen, or a factor of a fit linear in its targets.  Out: intervals, sets
or probabilities with their coverage.  A door for each method, in the file of its name.

From held-out rows: ``conformal.py``, ``weighted.py`` (rows that do not count alike), ``class_sets.py``,
``venn_abers.py`` (probabilities).  From the training rows: ``response.py`` (what each target does to a prediction),
``jackknife.py``, ``full.py``, ``full_class_sets.py``, ``studentised.py`` (wide where rows are few), ``grouped.py``,
``stored.py`` (a few hundred numbers instead of rows).  On streams: ``adaptive.py``, ``online_ridge.py``.
"""
