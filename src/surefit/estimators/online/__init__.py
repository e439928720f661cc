"""Online models: rows come one at a time or in blocks, each is predicted before its label is seen.

In: rows in the order in which they come.  Out: predictions, weights, and what can be said while the stream runs.
Doors: `partial_fit` and `learn_one` of the models, `Stream` around any of them.

Read ``protocol.py`` (predict, see the label, learn; named rows; labels that come late), ``reading.py`` (blocks as
numbers, and text among them), ``refusals.py`` (rows that cannot be learnt from), ``counted.py`` (what was counted),
``regressors.py`` (`WidrowHoff`, `OnlineRegressor`), ``classifiers.py``, ``svr.py``, ``ridge.py`` (what
`Ridge.partial_fit` does), ``stream.py`` (`Stream`: progress, alarms, checkpoints), ``intervals.py``.  The steps
themselves are in ``solvers/online``.
"""
