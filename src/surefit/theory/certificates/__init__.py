"""What is promised about future rows, its assumptions and its words.

In: held-out losses, errors or scores, or a bound of the training set.  Out: a `Certificate` with its assumptions, each
checked, declared or unverifiable.  Door: the file of its kind; every kind words its own sentences.

Read ``certificate.py`` (the records), ``wording.py`` (numbers in sentences, rounded to the safe side) and
``holdout.py`` (error rate, quantile of errors, any bounded loss), ``compared.py`` (row by row with a constant).  Then
``measures.py`` (log-loss, Brier score, recall,
ranking), ``unequal.py`` (groups of rows, rows of another law), ``in_time.py`` (later rows), ``thresholds.py`` (a
threshold with a promise), ``training_set.py`` (theorems, no new rows).  Streams: ``stream.py``, ``progress.py``
(lines of a table), ``watch.py`` (a promise refuted).  ``shuffle.py`` orders rows as nobody chose.
"""
