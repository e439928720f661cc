"""Bounds on a mean: one sample, many bounds, one signature.

In: losses in a declared range, and ``delta``; rows of losses at once.  Out: bounds on their mean or on a quantile.
Doors: the functions of ``concentration.py`` and ``betting.py``, all called ``bound(losses, delta)``.

Read ``arguments.py`` (checked losses, safe roots), ``concentration.py`` (Hoeffding to Catoni, bands for a distribution)
and ``betting.py`` (the sharpest).  While rows come: ``sequences.py`` (valid at all times), ``running.py``,
``alarms.py`` (the mean is above a level).  Does the order matter: ``exchangeability.py``, its bet in ``order_bet.py``.
``unbounded.py``: means of non-negative numbers without a largest value.
``auc.py`` bounds a ranking, ``fixed_sequence.py`` a quantile of rows that do not count alike.
"""
