"""How a fit is held to its word: rows held out or handed in, certificates, calibration, intervals.

In: a fitted model, and rows that it has not seen or the record of its fit.  Out: certificates, intervals, sets of
labels.  Doors: ``certifiable.py`` (the decorator around every `fit`, and `certificate`), ``certify.py`` (any model).

Read ``fit_record.py`` (all that a fit keeps), ``certifiable.py``, ``held_out.py`` (from held-out answers to a
certificate) and ``declared.py`` (other measures, rows that are not drawn alike).  ``answers.py`` and
``label_values.py`` ask models, ``sampling.py`` how rows came about, ``inside.py`` models in pipelines; ``fit_calls.py``
refuses wrong calls.  ``seen/`` asks whether a row was trained on, ``theorems/`` has certificates without new rows,
``holdouts/`` what to compare with and `ReusableHoldOut`.
Any model: ``calibrate.py`` (intervals), ``class_sets.py``, ``scores.py`` (the quantile behind both),
``probabilities.py``, ``thresholds.py``.  Fits linear in their targets: ``factored.py`` (rows and factor),
``intervals.py``, ``stored_intervals.py`` (without the rows).
"""
