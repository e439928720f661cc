"""Layer study: a table in, a certified model out.

In: a file or a data frame, and the name of its target.  Out: a `TableModel` (encoder and estimator) and the record of
everything that was found, a `StudyResult`, which reports read.  The door is ``study.py``.

In reading order: ``settings.py`` (what is asked), ``tables/`` (files and frames), ``encode/`` (kinds of columns, rows
as numbers), ``target.py``, ``division.py`` and ``prepare.py`` (the hold-out first), ``contest/`` (models on the same
folds within a budget, and who wins), ``conclude.py``, which asks ``verdict.py`` and ``promises.py`` (what the hold-out
says; ``declared.py``: what groups or times leave of it), ``checks/``, ``inference.py`` and ``explain.py``
(coefficients), ``learning.py`` (would more rows help, which columns matter?), ``advice.py`` (what would help?) and
``describe.py``; ``record.py`` and ``records/`` (what comes out), ``model.py`` (what stays) and ``of_blocks.py`` (the
same from a model fitted to blocks).
"""
