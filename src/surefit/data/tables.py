"""Layer data: scikit-learn's validation of rows and targets, and which column or row is to blame where it fails.

In: what a user gave as ``X`` and ``y``.  Out: what ``validate_data`` makes of it, or its error with the columns by name
or number, how many entries are concerned, and what to do.  The words of scikit-learn stay inside the message.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data as _sklearn_validate

from surefit.data.plain import plain, refuse_outside
from surefit.data.whole_numbers import refuse_merged
from surefit.warnings import PairingWarning, frames_inside

SHOWN = 3
"""Columns and rows that a message lists before it counts the others."""

LOOKED_AT = 100_000
"""Entries of a column of objects that are looked at one by one."""

_NO_TARGET = "no_validation"
"""What scikit-learn takes for ``y`` where there are rows alone."""


def validate_data(model: Any, X: Any, y: Any = _NO_TARGET, **options: Any) -> Any:
    """As ``sklearn.utils.validation.validate_data``, with errors that say where and what to do."""
    _refuse_masks(X, y)
    _refuse_twins(X)
    refuse_outside(X)
    with explained(X, y, type(model).__name__, numbers=options.get("y_numeric", False)):
        if not options.get("skip_check_array"):  # what comes first in a pipeline may turn dates into numbers
            _refuse_dates(X)
        if options.get("y_numeric"):
            _refuse_dates(y)
        with np.errstate(invalid="ignore"):  # it adds infinite values of both signs, and refuses them then
            found = plain(_sklearn_validate(model, X, y, **options))
        if options.get("y_numeric") and found[1].dtype.kind in "SU":
            found[1].astype(np.float64)  # words, of which only those in objects have been refused
    if options.get("reset", True) and not options.get("skip_check_array"):  # new rows round as those of the fit did
        refuse_merged(X, y if options.get("y_numeric") else None)
    tell_of_labels(X, y=y)
    return found


def _refuse_masks(X: Any, y: Any) -> None:
    """Entries under a mask are missing, and scikit-learn would take what lies under it for numbers."""
    for name, values in (("X", X), ("y", y)):
        if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
            raise ValueError(
                f"{name} is a masked array, {int(np.ma.count_masked(values))} entries of which are masked, that is "
                "missing; fill them with values, for example by values.filled(np.nan) and SimpleImputer, or drop these "
                "rows"
            )


def _refuse_twins(X: Any) -> None:
    """Columns of one name cannot be told apart later."""
    if not (hasattr(X, "iloc") and hasattr(X, "columns")) or getattr(X.columns, "is_unique", True):
        return
    twins = list(dict.fromkeys(repr(name) for name in X.columns[X.columns.duplicated()]))
    more = f" and {len(twins) - SHOWN} more" if len(twins) > SHOWN else ""
    raise ValueError(
        f"several columns of X are called {', '.join(twins[:SHOWN])}{more}; give every column a name of its own, or "
        "drop the copies: X.loc[:, ~X.columns.duplicated()]"
    )


def tell_of_labels(X: Any, **beside: Any) -> None:
    """Rows are paired with targets and weights by position, as scikit-learn does, also where their labels differ."""
    rows: Any = getattr(X, "index", None)
    for name, values in beside.items():
        given: Any = getattr(values, "index", None)
        if not (hasattr(rows, "equals") and hasattr(given, "equals")) or rows.equals(given):
            continue
        if rows.is_unique and given.is_unique and len(rows.union(given, sort=False)) == len(rows):
            warnings.warn(
                f"X and {name} have the same row labels in different orders, and are paired by position; if what has "
                f"the same label belongs together give {name}.loc[X.index], and if not {name}.reset_index(drop=True)",
                PairingWarning,
                stacklevel=frames_inside(),
            )


_NUMBERS: ContextVar[np.ndarray | None] = ContextVar("surefit_row_numbers", default=None)


@contextmanager
def numbered(rows: np.ndarray) -> Iterator[None]:
    """Errors inside the block number rows as ``rows``: what is validated there is a part of what a user gave."""
    token = _NUMBERS.set(rows)
    try:
        yield
    finally:
        _NUMBERS.reset(token)


@contextmanager
def explained(X: Any, y: Any = None, name: str = "this model", numbers: bool = True) -> Iterator[None]:
    """Errors of the validation inside the block say which columns of ``X`` or rows of ``y`` they are about.

    ``numbers``: whether the targets must be numbers, so that words among them can be the reason.

    >>> with explained([[1.0], [math.nan]]):
    ...     raise ValueError("Input X contains NaN.")
    Traceback (most recent call last):
        ...
    ValueError: Input X contains NaN: column 0 has 1 missing value (row 1); impute missing values, for example with
    sklearn.impute.SimpleImputer, or drop these rows
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        text = _explanation(str(error), X, y, name, numbers)
        if text is None:
            raise
        missing = text.startswith("Input y contains NaN")  # pandas has a TypeError for its own sign of it
        raise (TypeError if isinstance(error, TypeError) and not missing else ValueError)(text) from None


def _explanation(said: str, X: Any, y: Any, name: str, numbers: bool) -> str | None:
    """The message of an error with what is known about its cause; None where there is nothing to add."""
    if isinstance(X, dict) and not sparse.issparse(X):  # SciPy's dictionary of keys is both
        return "X is a dict; make a table of it: pandas.DataFrame(X)"
    if getattr(getattr(X, "dtype", None), "names", None):
        return "X is an array of records; make a table of it: pandas.DataFrame(X)"
    if isinstance(y, str) and y != _NO_TARGET:
        return f"y is the word {y!r}; give the targets themselves: the column of that name, left out of X"
    if X is not None and _is_no_list(X):
        return f"X is of type {type(X).__name__}; give rows of numbers: an array, a list of rows or a data frame"
    if y is not None and _is_no_list(y):
        return f"y is of type {type(y).__name__}; give one target for each row: an array, a list or a series"
    if len(getattr(X, "shape", ())) == 1 and len(getattr(y, "shape", ())) == 2:
        return "X has one dimension and y has two; call fit(X, y): the rows come first, then their targets"
    if "Complex data not supported" in said:
        return f"Complex data not supported: {_complex(X)}"
    if (isinstance(X, list | tuple) and not X) or (isinstance(X, np.ndarray) and X.shape == (0,)):
        return f"X is empty ({said.split(':')[0].rstrip('.')}); give at least one row of numbers"
    if "got 1D array instead" in said or "Expected a 2-dimensional container" in said:
        return _one_dimension(said.split(":")[0].split(" instead.")[0], X)
    for phrase, remedy in _REMEDIES.items():
        if phrase in said:
            text = said.rstrip()
            return f"{text if text.endswith('...') else text.removesuffix('.')}; {remedy}"
    if said.startswith("Found input variables with inconsistent numbers of samples"):
        return f"{said}: X has {_length(X)} rows and y has {_length(y)}; give one target for each row"
    if "y should be a 1d array" in said:
        return f"{said.rstrip('.')}; {name} has one target: fit one column of y at a time"
    if said.startswith("Input y contains"):
        target = np.asarray(y, dtype=object).ravel()
        where = _missing(target) if "NaN" in said else _infinite(target)
        return f"{said.split('.')[0]}{where and ': '}{where}; drop these rows"
    if (said.startswith("Input contains NaN") or "NA is ambiguous" in said) and (gaps := missing_labels(y)):
        return f"Input y contains NaN: {gaps}; drop these rows, or give them a label of their own"
    cast = any(word in said for word in ("convert", "argument must be", "DType", _DATES, "dtype", "array element"))
    if not (cast or said.startswith("Input X contains") or said.startswith("Input contains")):
        return None
    return _blame(said.split("\n")[0].split(". ")[0].rstrip("."), X, y if numbers else None, name)


def _blame(said: str, X: Any, y: Any, name: str) -> str | None:
    """The columns of ``X`` that are no numbers or lack some; otherwise the words or dates in ``y``."""
    if said.startswith("could not convert string to float"):
        said = said.partition(":")[0]  # the word is named already
    if isinstance(X, str):
        return f"X is the word {X!r} ({said}); read the table first, for example with pandas.read_csv"
    if isinstance(X, list | tuple) and X and isinstance(X[0], dict):
        return f"X is a list of dicts ({said}); make a table of it: pandas.DataFrame(X)"
    found = {kind: list(_columns_of(X, kind)) for kind in _KINDS}
    for kind, remedy in _KINDS.items():
        if found[kind]:
            more = f" and {len(found[kind]) - SHOWN} more columns" if len(found[kind]) > SHOWN else ""
            blamed = ", ".join(found[kind][:SHOWN]) + more
            if kind in ("missing", "infinite"):
                return f"{said}: {blamed}; {remedy}"
            return f"{blamed}; {remedy}" if said == _DATES else f"{blamed} ({said}); {remedy}"
    said = "" if said == _DATES else f" ({said})"
    target = None if y is None or isinstance(y, str) else np.asarray(y).ravel()
    if target is None or not len(target):
        return None
    if target.dtype.kind in "OSU" and (word := _first_word(target)) is not None:
        return (
            f"y holds words such as {word!r}, and {name} predicts numbers{said}; use a classifier such as "
            "LogisticRegression, or give numbers"
        )
    if target.dtype.kind == "M":
        return f"y holds dates, and {name} predicts numbers{said}; give a number, such as days since a first date"
    if _is_of(target, "m", _DURATIONS):
        return f"y holds durations, and {name} predicts numbers{said}; give their seconds: y.dt.total_seconds()"
    if (strange := _first_object(target)) is not None:
        return f"y holds values of type {type(strange).__name__}, and {name} predicts numbers{said}; give numbers"
    return None


def _is_no_list(data: Any) -> bool:
    """Whether it has no rows in an order: a set, something to be iterated over once, a single value."""
    listed = any(hasattr(data, name) for name in ("__len__", "__array__", "shape"))
    return not sparse.issparse(data) and (isinstance(data, set | frozenset | dict) or not listed)


def _complex(X: Any) -> str:
    """Which of ``X`` and ``y`` holds complex numbers, and what to do."""
    if np.iscomplexobj(X):
        return "X holds complex numbers; give real and imaginary parts as columns of their own"
    return "y holds complex numbers; fit real and imaginary parts as targets of their own"


def _one_dimension(said: str, X: Any) -> str:
    """What to do with a single column or row; a series knows its name."""
    column, row = "X.reshape(-1, 1)", "X.reshape(1, -1)"
    if hasattr(X, "to_frame"):
        column, row = "X.to_frame()", "X.to_frame().T"
    text = said if said.endswith("instead") else f"{said} instead"
    return f"{text}: X has one dimension; Reshape your data: {column} if it is a column, {row} if it is a row"


_DATES = "dates are no numbers"

_WRITTEN_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}(?!\d)")
"""A day at the beginning of a text: year first or last."""

_REMEDIES = {
    "while dim <= 2 is required": "give one row of numbers per sample: X.reshape(len(X), -1)",
    "features as input": "give the columns of the fit, in the same order",
    "feature names should match": "give the columns of the fit, in the same order",
    "Found array with 0 ": "give at least one row and one column",
    "at least one array or dtype is required": "X has no columns: give at least one",
    "inhomogeneous shape": "rows have different lengths: give every row the same columns",
}

_KINDS = {
    "written dates": "read the dates first, for example with pandas.to_datetime, then turn them into numbers, such as "
    "days since the first: (X['when'] - X['when'].min()).dt.days",
    "words": "encode words as numbers, for example with sklearn.preprocessing.OneHotEncoder, or drop the column",
    "dates": "turn dates into numbers, such as days since the first: (X['when'] - X['when'].min()).dt.days",
    "durations": "turn durations into numbers, such as seconds: X['took'].dt.total_seconds()",
    "objects": "give numbers, or leave the column out; a column of periods becomes one of dates by dt.to_timestamp()",
    "missing": "impute missing values, for example with sklearn.impute.SimpleImputer, or drop these rows",
    "infinite": "replace or drop them, or rescale the column",
}


def _columns_of(X: Any, kind: str) -> Iterator[str]:
    """What to say of each column that holds words or dates, or that lacks values."""
    for label, column in _columns(X):
        if kind in ("words", "written dates") and column.dtype.kind in "OSU":
            word = _first_word(column)
            dated = word is not None and _WRITTEN_DATE.match(str(word)) is not None
            if word is not None and dated == (kind == "written dates"):
                yield f"{label} holds {'dates' if dated else 'words'} such as {word!r}"
        elif kind == "dates" and _holds_dates(column):
            yield f"{label} holds dates"
        elif kind == "durations" and _is_of(column, "m", _DURATIONS):
            yield f"{label} holds durations"
        elif kind == "objects" and (strange := _first_object(column)) is not None:
            yield f"{label} holds values of type {type(strange).__name__}"
        elif kind == "missing" and (count := _missing(column)):
            yield f"{label} has {count}"
        elif kind == "infinite" and column.dtype.kind == "f" and (rows := np.flatnonzero(np.isinf(column))).size:
            yield f"{label} has {_counted(rows, len(column), 'infinite value')}"


def _columns(X: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Every column with its name in a frame, or its number."""
    if sparse.issparse(X):
        entries, table = X.tocoo(), X.tocsc()
        for j in np.unique(entries.col[~np.isfinite(entries.data)])[: 10 * SHOWN].tolist():
            yield f"column {j}", np.asarray(table[:, [j]].todense()).ravel()
    elif hasattr(X, "iloc") and hasattr(X, "columns"):
        for j, name in enumerate(X.columns):
            yield f"column {name!r}", np.asarray(X.iloc[:, j])
    elif hasattr(X, "columns") and hasattr(X, "__getitem__"):
        yield from ((f"column {name!r}", np.asarray(X[name])) for name in getattr(X, "column_names", X.columns))
    else:
        try:
            table = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
        except ValueError:  # rows of different lengths
            return
        if table.ndim == 2:
            for j in range(table.shape[1]):
                yield f"column {j}", table[:, j]


def _first_word(column: np.ndarray) -> Any:
    """The first entry that is text and no number; None if there is none."""
    for entry in column[:LOOKED_AT].tolist():
        if isinstance(entry, str | bytes):
            try:
                float(entry)
            except ValueError:
                return entry
    return None


def _first_object(column: np.ndarray) -> Any:
    """The first entry that is neither text nor a number, a date or a duration; None if there is none."""
    if column.dtype.kind != "O" or _holds_dates(column) or _is_of(column, "m", _DURATIONS):
        return None
    for entry in column[:LOOKED_AT].tolist():
        try:
            float(0.0 if _is_missing(entry) or isinstance(entry, str | bytes) else entry)
        except (TypeError, ValueError):
            return entry
    return None


_DURATIONS = ("timedelta", "Timedelta")


def _holds_dates(column: np.ndarray) -> bool:
    return _is_of(column, "M") or (not _is_of(column, "m", _DURATIONS) and hasattr(_first(column), "isoformat"))


def _is_of(column: np.ndarray, kind: str, types: tuple[str, ...] = ()) -> bool:
    """Whether a column is of a kind of NumPy's, or of objects of which the first is of one of these types."""
    return column.dtype.kind == kind or type(_first(column)).__name__ in types


def _first(column: np.ndarray) -> Any:
    """The first object that is there, of a column of objects."""
    if column.dtype.kind != "O":
        return None
    return next((entry for entry in column[:LOOKED_AT].tolist() if not _is_missing(entry)), None)


def _missing(column: np.ndarray) -> str:
    """How many values are missing, and in which rows; nothing if none is."""
    if column.dtype.kind == "f":
        rows = np.flatnonzero(np.isnan(column))
    elif column.dtype.kind == "O":
        rows = np.flatnonzero([_is_missing(entry) for entry in column[:LOOKED_AT].tolist()])
    else:
        return ""
    return _counted(rows, len(column), "missing value") if rows.size else ""


def _infinite(target: np.ndarray) -> str:
    """How many targets are infinite, and in which rows; nothing if none is."""
    rows = np.flatnonzero([isinstance(entry, float) and math.isinf(entry) for entry in target[:LOOKED_AT].tolist()])
    return _counted(rows, len(target), "infinite value") if rows.size else ""


def missing_labels(y: Any) -> str:
    """The missing entries of a target; nothing if there are none."""
    return "" if y is None or isinstance(y, str) else _missing(np.asarray(y, dtype=object).ravel())


def _is_missing(entry: Any) -> bool:
    if entry is None or type(entry).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(entry, float | Decimal) and math.isnan(entry)


def _counted(rows: np.ndarray, n: int, what: str) -> str:
    """How many of ``n`` rows, and the first of them by number.

    >>> _counted(np.array([3, 17, 40, 41]), 50, "missing value")
    '4 missing values (rows 3, 17, 40, ...)'
    """
    numbers = _NUMBERS.get()
    plural = "" if len(rows) == 1 else "s"
    if numbers is not None and n != len(numbers):  # a part of a part: its rows have no known numbers
        return f"{len(rows):,} {what}{plural}"
    shown = rows[:SHOWN] if numbers is None else numbers[rows[:SHOWN]]
    listed = ", ".join(map(str, shown.tolist())) + (", ..." if len(rows) > SHOWN else "")
    return f"{len(rows):,} {what}{plural} (row{plural} {listed})"


def _refuse_dates(data: Any) -> None:
    """Dates would be taken for the number of their nanoseconds."""
    kinds = [getattr(getattr(data, "dtype", None), "kind", "")]
    if hasattr(data, "iloc") and hasattr(data, "columns"):
        kinds = [getattr(kind, "kind", "") for kind in data.dtypes]
    if any(kind in ("M", "m") for kind in kinds):
        raise ValueError(_DATES)


def _length(data: Any) -> Any:
    shape = getattr(data, "shape", None)
    return shape[0] if shape else len(data)


def target_name(y: Any) -> str:
    """The name of a series, or of the only column of a data frame; ``y`` if it has none."""
    columns = getattr(y, "columns", None)
    if columns is not None:
        return str(columns[0]) if len(columns) == 1 else "y"
    name = getattr(y, "name", None)
    return "y" if name is None else str(name)
