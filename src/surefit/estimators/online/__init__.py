"""Online models: rows come one at a time or in blocks, each is predicted before its label is seen.

In: rows in the order in which they come.  Out: predictions, weights, and what can be said while the stream runs.
Reading order: ``protocol`` (predict, see the label, learn; named rows; labels that come late), ``regressors``
(`WidrowHoff`, `OnlineRegressor`), ``classifiers``, ``svr``, ``ridge`` (what `Ridge.partial_fit` does), ``stream``
(`Stream`: progress, alarms, checkpoints), ``intervals``.
"""
