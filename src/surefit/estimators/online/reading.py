"""Layer estimators: blocks of rows as numbers, with the words that were among them.

In: rows and targets as users have them.  Out: the same with NaN in place of text, from which no learner learns, and for
each such row the text, so that an error can name it.  Text is never a number here, not even ``"1.5"``.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

PIECE = 256
"""Rows that are learnt and counted without an interruption between the two."""


@dataclass(frozen=True)
class Text:
    """Text where a number belongs: the column by name or number, None for the target."""

    column: Any
    said: Any


@dataclass(frozen=True)
class ReadBlock:
    """Rows (m, d) and targets (m,) as numbers, and the text that was in some of the rows."""

    rows: Any
    targets: np.ndarray
    texts: Mapping[int, Text] = field(default_factory=dict)


def is_named(X: Any) -> bool:
    """Whether a block is a list of dictionaries."""
    return isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(row, Mapping) for row in X)


def without_text(X: Any) -> tuple[Any, dict[int, Text]]:
    """``X`` with NaN in place of text, and the first text of each row that had some; ``X`` itself if there is none.

    >>> without_text([[1.0, "red"], [2.0, 3.0]])[1]
    {0: Text(column=1, said='red')}
    """
    if sparse.issparse(X) or (isinstance(X, np.ndarray) and X.dtype.kind not in "OSU"):
        return X, {}
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return _frame_without_text(X)
    try:
        table = X if isinstance(X, np.ndarray) else np.asarray(X)
        if table.dtype.kind in "SU":
            table = np.array(X, dtype=object)
    except ValueError:  # rows of different lengths, which the validation explains
        return X, {}
    if table.ndim != 2 or table.dtype.kind != "O":
        return X, {}
    texts = {}
    for i, j in reversed(np.argwhere(_text_in(table)).tolist()):
        texts[i] = Text(j, table[i, j])
    return (_blanked(table), texts) if texts else (X, {})


def _frame_without_text(X: Any) -> tuple[Any, dict[int, Text]]:
    texts: dict[int, Text] = {}
    kept = X
    for j in reversed(range(X.shape[1])):
        if getattr(X.dtypes.iloc[j], "kind", "O") not in "OSU":
            continue
        column = X.iloc[:, j].to_numpy(dtype=object)
        found = np.flatnonzero(_text_in(column)).tolist()
        if found:
            kept = kept.copy() if kept is X else kept
            kept.isetitem(j, _blanked(column))
            texts |= {i: Text(X.columns[j], column[i]) for i in found}
    return kept, texts


def targets_without_text(y: Any) -> tuple[Any, dict[int, Text]]:
    """The same for targets that are to be numbers."""
    plain = np.asarray(y)
    if plain.dtype.kind not in "OSU" or plain.ndim != 1:
        return y, {}
    values = np.array(list(y), dtype=object)
    texts = {int(i): Text(None, values[i]) for i in np.flatnonzero(_text_in(values))}
    return (_blanked(values), texts) if texts else (y, {})


def _text_in(values: np.ndarray) -> np.ndarray:
    return np.array([isinstance(one, str | bytes) for one in values.ravel().tolist()], dtype=bool).reshape(values.shape)


def _blanked(values: np.ndarray) -> np.ndarray:
    """A copy with NaN in place of text; numbers only where nothing else is left."""
    kept = values.copy()
    kept[_text_in(values)] = np.nan
    return kept


def pieces(X: Any, y: Any, size: int = PIECE) -> Iterator[tuple[Any, Any]]:
    """The block in pieces of so many rows: to a learner they are the same."""
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if rows != len(y):
        raise ValueError(f"X has {rows} rows and y {len(y)} targets; give one target per row")
    for start in range(0, rows, size):
        yield _cut(X, start, start + size), _cut(y, start, start + size)


def _cut(data: Any, start: int, end: int) -> Any:
    return data.iloc[start:end] if hasattr(data, "iloc") else data[start:end]


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits for the end of the block: what was learnt inside has been counted by then.

    Only the main thread hears signals; elsewhere there is nothing to do.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    heard: list[Any] = []
    signal.signal(signal.SIGINT, lambda *call: heard.append(call))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if heard:
            handler(*heard[0])
