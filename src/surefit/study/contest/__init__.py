"""Candidates compete on the same folds within a budget of time.

In: encoded training rows, folds and a clock.  Out: a `Leaderboard` with tie groups, and its winner.

In reading order: ``candidates.py`` (who competes), ``reference.py`` (the black box beside them), ``clock.py`` and
``forecast.py`` (how long is left, how long a fit will take), ``compete.py`` (the folds), ``kept.py`` (what an
interruption leaves), ``answers.py`` (probabilities in the order of the classes), ``metrics.py``, ``ranking.py`` and
``leaderboard.py`` (who wins).
"""
