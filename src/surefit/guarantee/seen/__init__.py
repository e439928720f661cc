"""Was this row trained on?  Fingerprints, equal and nearly equal rows, and which rows are held out.

In: rows and targets, fingerprints of the training rows.  Out: a `Division` into training and hold-out, counts of equal
rows, or a refusal.  Doors: ``division.division`` before a fit, ``prints.untouched`` after it.

Read ``division.py`` (row by row, alike on every machine), ``prints.py`` (rows by their exact values), ``rounded.py``
(rows that come back with other last digits), ``equal.py`` (draws that agree, or copies?), ``coarse.py`` (does the
coarseness of a table explain that rows are equal?).
"""
