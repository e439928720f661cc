"""Layer data: whole numbers so large that in double precision several are one.

In: rows or targets as a user gave them.  Out: nothing, or an error that names the column and two such numbers, and says
what to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

EXACT = 2**53
"""Up to here double precision holds every whole number."""

STEPS = 2**20
"""Numbers of double precision within the range of a column from which on their rounding does not matter."""


def refuse_merged(X: Any, y: Any = None) -> None:
    """An error where numbers that differ would become equal, in a column of the rows or among numeric targets.

    >>> refuse_merged(np.zeros((2, 1)), np.array([2**60, 2**60 + 1]))
    Traceback (most recent call last):
        ...
    ValueError: y holds whole numbers beyond 2**53 that floating point numbers cannot tell apart, such as
    1152921504606846976 and 1152921504606846977; subtract 1152921504606846976 from all of them first
    """
    for label, values in (*_whole(X, ""), *_whole(y, "y")):
        if told := told_of_merged(label, values, label == "y"):
            raise ValueError(told)


def told_of_merged(label: str, values: np.ndarray, target: bool = False) -> str:
    """What to tell the user if numbers of a column that differ would become equal, else nothing."""
    if (pair := merged(values)) is None:
        return ""
    first, second = pair
    remedy = "" if target else ", or leave the column out if it only names the rows"
    return (
        f"{label} holds whole numbers beyond 2**53 that floating point numbers cannot tell apart, such as {first} and "
        f"{second}; subtract {first} from all of them first{remedy}"
    )


def merged(values: np.ndarray) -> tuple[int, int] | None:
    """Two neighbouring whole numbers among ``values`` that are one in double precision, where that matters; or None.

    >>> merged(np.array([2**53 + 1, 2**53 + 5, 2**53]))
    (9007199254740992, 9007199254740993)
    >>> merged(np.array([2**53 + 1, 0, 2**53]))
    """
    if not values.size:
        return None
    low, high = int(values.min()), int(values.max())
    if max(high, -low) <= EXACT or high - low > STEPS * np.spacing(float(max(high, -low))):
        return None
    distinct = np.unique(values)
    rounded = distinct.astype(np.float64)
    places = np.flatnonzero(rounded[1:] == rounded[:-1])
    return (int(distinct[places[0]]), int(distinct[places[0] + 1])) if places.size else None


def _whole(data: Any, name: str) -> Iterator[tuple[str, np.ndarray]]:
    """The columns of whole numbers of 64 bits or more, each with what to call it; none where all are small."""
    data = np.asarray(data) if isinstance(data, list | tuple) else data
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        arrow = hasattr(data, "schema") and not hasattr(data, "dtypes")
        labels, kinds = (data.column_names, data.schema.types) if arrow else (list(data.columns), list(data.dtypes))
        for kind in filter(_may_be_whole, dict.fromkeys(kinds)):
            places = [j for j, one in enumerate(kinds) if one == kind]
            if isinstance(kind, np.dtype) and _all_near(data.iloc[:, places].to_numpy()):
                continue
            for j in places:
                series = data.iloc[:, j] if hasattr(data, "iloc") else data[labels[j]]
                yield name or f"column {labels[j]!r}", _whole_among(_present(series))
    elif sparse.issparse(data):
        if _may_be_whole(data.dtype) and not _all_near(data.data):
            columns = data.tocsc()
            for j, (first, last) in enumerate(pairwise(columns.indptr)):
                if last - first == data.shape[0]:  # beside a zero their rounding does not matter
                    yield f"column {j}", columns.data[first:last]
    elif hasattr(data, "dtype") and hasattr(data, "__array__") and _may_be_whole(data.dtype):
        table = _present(data)
        if name or table.ndim != 2:
            yield name, _whole_among(table.ravel())
        elif not _all_near(table):
            yield from ((f"column {j}", _whole_among(table[:, j])) for j in range(table.shape[1]))


def _all_near(values: np.ndarray) -> bool:
    """Whether double precision holds all of them exactly."""
    values = _whole_among(values)
    return bool(values.min(initial=0) >= -EXACT and values.max(initial=0) <= EXACT)


def _may_be_whole(kind: Any) -> bool:
    """Whether a dtype of NumPy, pandas, polars or pyarrow is one of whole numbers of 64 bits, or of objects."""
    return str(kind).lower() in ("int64", "uint64", "object")


def _present(values: Any) -> np.ndarray:
    """As an array, without the missing values that frames have beside whole numbers."""
    for drop in ("dropna", "drop_nulls", "drop_null"):  # of pandas, polars and pyarrow
        values = getattr(values, drop)() if hasattr(values, drop) else values
    return np.asarray(values)


def _whole_among(values: np.ndarray) -> np.ndarray:
    """Of objects the whole numbers, other arrays as they are."""
    if values.dtype != object:
        return values
    with suppress(TypeError, ValueError, OverflowError):
        if not np.any(np.abs(values.astype(np.float64)) >= EXACT):  # a tenth of the time that asking each of them takes
            return np.zeros(0, dtype=object)
    return np.array([one for one in values.ravel() if isinstance(one, int | np.integer)], dtype=object)
