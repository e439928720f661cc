"""Layer estimators: what is said of a row that an online model cannot learn from.

In: a `Refusal`, and the row or block that it is about.  Out: a ``ValueError`` that gives the cause, the place, and the
choices that there are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from surefit.compiled.twins import online as twin
from surefit.estimators.online.reading import ReadBlock, Text
from surefit.page import number
from surefit.solvers.online.state import SETTLED, Refusal

OR_SKIP = "skip and count such rows with bad_rows='skip'"
LET_IN = "let such rows in with farthest=inf"
SKIP = f"clean it, or {OR_SKIP}"


def refused_in(block: ReadBlock, refusal: Refusal, state: Any, classes: Any = None) -> ValueError:
    """The error for row ``refusal.row`` of a block; ``classes`` of a classifier, which may not know a label."""
    text = block.texts.get(refusal.row)
    if text is None:
        return refused(refusal, state, block.rows, block.targets[refusal.row])
    return refused_text(text, state, classes)


def refused_text(text: Text, state: Any, classes: Any = None) -> ValueError:
    """The error for text in the next row of a stream, which may not have begun."""
    return _error(state, _text(text, None if classes is None else classes.tolist()))


def refused(refusal: Refusal, state: Any, X: Any, y: Any) -> ValueError:
    """The error for the only row ``X``, or for row ``refusal.row`` of it, with target ``y``."""
    return _error(state, _cause(refusal, state, X, y))


def _error(state: Any, cause: str) -> ValueError:
    learnt, skipped = (0, 0) if state is None else (state.rows, int(state.number("skipped")))
    where = f"row {learnt + skipped} of the stream"
    stay = {0: "", 1: "; the row learnt before it stays learnt"}
    return ValueError(f"{where} {cause}{stay.get(learnt, f'; the {learnt:,} rows learnt before it stay learnt')}")


def _text(text: Text, classes: Any) -> str:
    if text.column is not None:
        name = f"feature {text.column!r}" if isinstance(text.column, str) else f"column {text.column}"
        return f"has {text.said!r} as {name}, which is not a number; convert it, or {OR_SKIP}"
    if classes is None:
        return f"has the target {text.said!r}, which is not a number; convert it, or {OR_SKIP}"
    return (
        f"has the label {text.said!r}, and the classes are {classes}; correct it, or {OR_SKIP}; a stream of more than "
        "two classes needs sklearn.multiclass.OneVsRestClassifier"
    )


def _cause(refusal: Refusal, state: Any, X: Any, y: Any) -> str:
    feature = f"feature {refusal.feature!r}"
    if refusal.reason == twin.MISSING_FEATURE:
        return f"has no {feature}; give it, or count missing features as zero with missing='zero'"
    if refusal.reason == twin.NOT_A_NUMBER:
        return f"has {X[refusal.feature]!r} as {feature}, which is not a number; convert it, or {OR_SKIP}"
    if refusal.reason == twin.TARGET_NOT_FINITE:
        return f"has the target {float(y)!r}, which is missing or too large to square; {SKIP}"
    if refusal.reason == twin.TARGET_FAR:
        return f"has the target {number(y)}, {_far(state, 'largest_target', 'largest')}; {SKIP}, or {LET_IN}"
    column, value = _largest(X, refusal.row, state)
    if refusal.reason == twin.TOO_LONG:
        return f"has {number(value)} in {column}, {_far(state, 'longest', 'longest row')}; {SKIP}, or {LET_IN}"
    if np.isfinite(value):
        return f"has {number(value)} in {column}, whose square is too large for a number; {SKIP}, or rescale the column"
    return f"has {'NaN' if np.isnan(value) else 'infinity'} in {column}; {SKIP}"


def _far(state: Any, name: str, what: str) -> str:
    """Beyond what a value is, by the rule that holds at this moment of the stream."""
    before = state.number(name)
    if state.rows < SETTLED or before == 0:
        return f"beyond 2**53 ({number(twin.SWALLOWS)}), where a number swallows the others that are added to it"
    shown = number(np.sqrt(before) if name == "longest" else before)
    return f"more than {number(state.settings.farthest)} times the {what} before it ({shown})"


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
