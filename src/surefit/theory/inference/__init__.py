"""Standard errors, tests, influence and summaries.

In: a `LinearFit` or a `LogisticFit`, records of numbers.  Out: tables of coefficients, tests, a `Summary`.  Doors:
``linear.coefficient_table``, ``logistic.logistic_table``, ``summary.summarise``.

Read ``influence.py`` (the record of a fit, what each row does to it), ``linear.py``, ``tables.py`` (the columns of a
summary) and ``summary.py`` (its facts and notes).  Logistic: ``logistic.py``, ``logistic_tests.py``,
``logistic_summary.py``.  With a squared penalty: ``shrunken.py``, ``logistic_shrunken.py``.  ``sandwich.py`` has the
noise of weighted gradients, ``stored.py`` the tables that a stored model keeps.
"""
