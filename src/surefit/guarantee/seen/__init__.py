"""Was this row trained on?  Fingerprints, equal, changed and mixed rows, and which rows are held out.

In: rows and targets, fingerprints of the training rows.  Out: a `Division` into training and hold-out, `Equalities` of
held-out rows, or a refusal.  Doors: ``division.division`` before a fit, ``alike.Alike`` and ``prints.untouched`` after.

Read ``division.py`` (row by row, alike on every machine), ``prints.py`` (rows by their exact values), ``equal.py``
(draws that agree, or copies?), ``coarse.py`` (does the coarseness of a table explain that rows are equal?),
``alike.py`` (the one comparison of all rows), ``columns.py`` (rows as numbers in common units), ``near.py`` (changed
copies), ``between.py`` (rows mixed from two others), ``rounded.py`` (single precision, where only prints are left).
"""
