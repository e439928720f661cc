"""Layer study: a table in, a certified model out.

In: a file or a data frame, and the name of its target.  Out: a `TableModel` (encoder and estimator) and the record of
everything that was found, a `StudyResult`, which reports read.

`record.py` has what comes out.
"""
