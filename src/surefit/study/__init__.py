"""Layer study: a table in, a certified model out.

In: a file or a data frame, and the name of its target.  Out: a `TableModel` (encoder and estimator) and the record of
everything that was found, a `StudyResult`, which reports read.  The door is ``study.py``.

In reading order: ``settings.py`` (what is asked), ``tables/`` (files and frames), ``encode/`` (kinds of columns, rows
as numbers), ``target.py``, ``division.py`` and ``prepare.py`` (the hold-out first), ``candidates.py``, ``clock.py`` and
``compete.py`` (models on the same folds within a budget), ``answers.py`` (probabilities in the order of the classes),
``metrics.py``, ``ranking.py`` and ``leaderboard.py`` (who wins), ``verdict.py`` and ``promises.py`` (what the hold-out
says), ``explain.py``, ``learning.py`` (would more rows help?), ``checks/``, ``describe.py``, ``record.py`` (what comes
out), ``model.py`` (what stays).
"""
