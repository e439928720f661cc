"""Layer study: findings about a table and a fit, each with a code, evidence and a remedy.

In: what was prepared, the runs and the winner.  Out: `Check` records, issues first.  The door is ``findings.py``.

Read ``finding.py`` (codes and titles, how a finding is written), ``table.py`` (tests of rows and columns), ``cells.py``
(codes for missing values, numbers in two notations), ``dates.py`` (dates not read, time zones, times of day),
``model.py`` (tests of the fit) and ``findings.py`` (which calls them in turn).  ``docs/checks.md`` is for users.
Identifiers and the order of rows are judged by tests whose probability to speak up without a cause is `LEVEL`; the
others by thresholds that the page states.
"""
