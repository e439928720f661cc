"""The parts of a `StudyResult`, which is in ``study/record.py``: frozen records of texts, numbers and tuples.

``data.py`` (table, columns, machine), ``board.py`` (candidates and their order), ``winner.py`` (what the chosen model
is made of and promises), ``noticed.py`` (checks and advice).
"""
