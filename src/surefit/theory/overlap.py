"""Layer theory: was a hold-out really held out?  Compares rows by 64-bit fingerprints of their exact values.

In: rows and targets.  Out: fingerprints ``(n,)``; the `Assumption` that no held-out row was trained on, or an error.
"""

from hashlib import blake2b
from numbers import Real
from typing import Any

import numpy as np

from surefit.data.rows import fingerprints
from surefit.theory.certificate import Assumption, Standing
from surefit.theory.copies import Equalities

UNTOUCHED = "the held-out rows were not used to train or choose this model"
MOST_STORED = 256
"""Fingerprints of training rows that travel with a stored model, which has to stay small."""


def row_prints(X: Any, y: Any) -> np.ndarray:
    """One 64-bit number per row of ``(X, y)``: of its numbers, or of what it prints as where there are words.

    >>> prints = row_prints([["a", 0.0], ["b", 1.0], ["a", 0.0]], [1, 1, 1])
    >>> bool(prints[0] == prints[2]), bool(prints[0] == prints[1])
    (True, False)
    """
    try:
        return fingerprints(X, y)
    except (TypeError, ValueError):
        return _printed(X, y)


def _printed(X: Any, y: Any) -> np.ndarray:
    rows = zip(np.asarray(X, dtype=object).tolist(), np.asarray(y, dtype=object).tolist(), strict=True)
    texts = (repr(_as_numbers(row)).encode() for row in rows)
    return np.array([int.from_bytes(blake2b(text, digest_size=8).digest()) for text in texts], np.uint64)


def _as_numbers(value: Any) -> Any:
    """Numbers of any type as floats, so that 1, 1.0 and True print alike; all else as it is."""
    if isinstance(value, list | tuple):
        return [_as_numbers(one) for one in value]
    return float(value) if isinstance(value, Real | np.bool_) else value


def column_names(X: Any) -> tuple[str, ...] | None:
    """The names of the columns of a frame, if they are words and no two are equal; None for anything else.

    >>> column_names(np.eye(2)) is None
    True
    """
    names = tuple(getattr(X, "columns", ()))
    return names if names and all(isinstance(one, str) for one in names) and len(set(names)) == len(names) else None


def in_order(X: Any, names: tuple[str, ...] | None) -> Any:
    """A frame with its columns in the order of ``names`` if it has just these, and all else as it is.

    Prints depend on the order of the columns; a row is the same row in any.
    """
    mine = column_names(X)
    if names is None or mine is None or mine == names or set(mine) != set(names):
        return X
    return X[list(names)]


def smallest_prints(prints: np.ndarray, most: int = MOST_STORED) -> np.ndarray:
    """The 256 smallest of the prints and their equals: as good as random rows, and the same ones in any other file.

    >>> smallest_prints(np.arange(1000)[::-1]).tolist() == list(range(256))
    True
    """
    if len(prints) <= most:
        return prints
    return np.sort(prints[prints <= np.partition(prints, most - 1)[most - 1]])


def untouched(
    training: np.ndarray, held_out: np.ndarray, found: Equalities, n_training: int | None = None
) -> tuple[Assumption, ...]:
    """What may be said of held-out rows that were compared with the training rows; an error if they are those rows.

    If only the `smallest_prints` of ``n_training`` rows are left, not all of them could be compared.  Where the
    training rows do not repeat among themselves, and chance does not explain it, no held-out row may equal one.

    >>> from surefit.theory.copies import equalities
    >>> train, test = np.arange(5), np.array([3, 9])
    >>> untouched(train, test, equalities(test, train, (np.array([[0.3], [0.9]]), np.array([1.3, 1.9]))))
    Traceback (most recent call last):
        ...
    ValueError: 1 of the 2 held-out rows were used in fit; certify on rows that the model has never seen
    """
    partly, given = n_training is not None and n_training > len(training), len(held_out)
    distinct = len(np.unique(training)) == len(training)
    if found.shared and found.doubtful and (distinct or found.shared == given):
        raise ValueError(
            f"{'at least ' if partly else ''}{found.shared} of the {given} held-out rows were used in fit; certify on "
            "rows that the model has never seen"
        )
    return (_seen_or_not(found, partly, (len(training), n_training)), *equal_rows(found))


def _seen_or_not(found: Equalities, partly: bool, counts: tuple[int, int | None]) -> Assumption:
    if found.shared:
        return Assumption(UNTOUCHED, Standing.UNVERIFIABLE, f"{found.shared} of them equal a training row")
    if partly:
        remembered, n = counts
        evidence = f"a stored model remembers {remembered} of its {n} rows, and none of them is held out"
        return Assumption(UNTOUCHED, Standing.DECLARED, evidence)
    return Assumption(UNTOUCHED, Standing.CHECKED, "no held-out row equals a training row")


def equal_rows(found: Equalities) -> tuple[Assumption, ...]:
    """What held-out rows that equal others ask for; nothing if there are none."""
    number = found.shared + found.repeated
    if not number:
        return ()
    if found.explained:
        text, why = "equal rows are independent draws, not copies", "as often as columns of so few values agree"
    else:
        text = "equal rows are independent draws, or else copies of one draw"
        why = "the bound is the larger of the two with and without them"
    return (Assumption(text, Standing.UNVERIFIABLE, f"{number} held-out rows equal a training row or another; {why}"),)
