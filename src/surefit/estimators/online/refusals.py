"""Layer estimators: what is said of a row that an online model cannot learn from.

In: a `Refusal`, and the row or block that it is about.  Out: a ``ValueError`` that gives the cause, the place, and the
choices that there are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from surefit.compiled.twins import online as twin
from surefit.page import number
from surefit.solvers.online.state import Refusal

SKIP = "clean it, or skip and count such rows with bad_rows='skip'"


def refused(refusal: Refusal, state: Any, X: Any, y: Any) -> ValueError:
    """The error for row ``refusal.row`` of the block ``X`` (or for the only row) with target ``y``."""
    learnt = state.rows
    where = f"row {learnt + int(state.number('skipped'))} of the stream"
    before = f"; the {learnt:,} rows learnt before it stay learnt" if learnt else ""
    return ValueError(f"{where} {_cause(refusal, state, X, y)}{before}")


def _cause(refusal: Refusal, state: Any, X: Any, y: Any) -> str:
    feature = f"feature {refusal.feature!r}"
    if refusal.reason == twin.MISSING_FEATURE:
        return f"has no {feature}; give it, or count missing features as zero with missing='zero'"
    if refusal.reason == twin.NOT_A_NUMBER:
        return f"has {X[refusal.feature]!r} as {feature}, which is not a number; convert it, or leave it out"
    if refusal.reason == twin.TARGET_NOT_FINITE:
        return f"has the target {y!r}, which is missing or too large to square; {SKIP}"
    if refusal.reason == twin.TARGET_FAR:
        largest, far = number(state.number("largest_target")), number(state.settings.farthest)
        return (
            f"has the target {number(y)}, more than {far} times the largest before it ({largest}); {SKIP}, or let such "
            "values in with farthest=inf"
        )
    column, value = _largest(X, refusal.row, state)
    if refusal.reason == twin.TOO_LONG:
        longest, far = number(np.sqrt(state.number("longest"))), number(state.settings.farthest)
        return (
            f"has {number(value)} in {column}, which makes it more than {far} times as long as the longest row before "
            f"it ({longest}); {SKIP}, or let such rows in with farthest=inf"
        )
    if np.isfinite(value):
        return f"has {number(value)} in {column}, whose square is too large for a number; {SKIP}, or rescale the column"
    return f"has {'NaN' if np.isnan(value) else 'infinity'} in {column}; {SKIP}"


def _largest(X: Any, row: int, state: Any) -> tuple[str, float]:
    """The entry of a row that is to blame: missing, infinite, or the largest; and the column that it is in."""
    if isinstance(X, dict):
        names, values = list(X), np.array([np.nan if one is None else float(one) for one in X.values()])
    elif sparse.issparse(X):
        one = X.tocsr()[[row]]
        names, values = one.indices.tolist(), one.data
    else:
        values = np.atleast_2d(np.asarray(X, dtype=float))[row]
        known = {column: name for name, column in state.names.items()}
        names = [known.get(j, j) for j in range(len(values))]
    if len(values) == 0:
        return "no column", np.nan
    place = int(np.argmax(np.where(np.isnan(values), np.inf, np.abs(values))))
    bad = np.flatnonzero(np.isnan(values))
    place = int(bad[0]) if len(bad) else place
    name = names[place]
    return (f"column {name!r}" if isinstance(name, str) else f"column {name}"), float(values[place])
