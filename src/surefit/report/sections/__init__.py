"""The parts of the page, in its order: each is a function from a `StudyResult` to `Markup`, or to None.

`parts` holds what they share (headings, tables, figures with captions, notes to unfold).  Then `certificate` (with the
head of the page), `leaderboard`, `holdout` (predicted and observed, intervals, calibration), `drivers` (coefficients,
importances, path and criterion), `advice` (more rows? what else?), `checks`, `data` (the table and its columns) and
`again` (how to make it again).
"""
