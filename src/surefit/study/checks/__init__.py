"""Layer study: findings about a table and a fit, each with a code, evidence and a remedy.

In: what was prepared, the runs and the winner.  Out: `Check` records.  `findings.py` is the door; `table.py` has the
checks of rows and columns, `model.py` those of the fit.  Identifiers and the order of rows are judged by tests whose
probability to speak up without a cause is `LEVEL`; the others by thresholds that `docs/checks.md` states.
"""
