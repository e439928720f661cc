"""Layer guarantee: was a hold-out really held out?  Compares rows by 64-bit fingerprints of their exact values.

In: rows and targets.  Out: fingerprints ``(n,)``; the `Assumption` that no held-out row was trained on, or an error.
"""

from dataclasses import replace
from hashlib import blake2b
from numbers import Real
from typing import Any

import numpy as np

from surefit.data.fingerprints import fingerprints
from surefit.guarantee.seen.equal import Equalities, chance_of_so_few_strangers
from surefit.theory.certificates.certificate import Assumption, Standing

UNTOUCHED = "the held-out rows were not used to train or choose this model"
NOT_TRAINED_ON = "the held-out rows were not used to train this model"
DRAWS = "equal rows are independent draws, not copies of one draw"
COARSE = "as rows of so few values do"
NOT_MIXED = "no row was made from others"
DRAWS_OR_COPIES = "equal rows are all independent draws, or else all copies of one draw"
NOT_FOUND = {
    True: "none of them is a training row, also not with changes up to a millionth of a column's spread; copies that "
    "were changed more, and choices that these rows had a part in, cannot be seen",
    False: "none of them equals a training row; copies that were changed, and choices that these rows had a part in, "
    "cannot be seen here",
}
MIXED = (
    "{} rows lie exactly between two others, one of them held out and one trained on, as oversampling makes them; hold "
    "rows out first, and oversample the others"
)
CHANCE = 1e-6
"""Probability of refusing a hold-out of independent rows that fits into the training rows by chance."""
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
    """Numbers of any type as floats, so that 1, 1.0 and True print alike, and words as words; all else as it is."""
    if isinstance(value, list | tuple):
        return [_as_numbers(one) for one in value]
    if isinstance(value, str):
        return str(value)  # NumPy's words print with their type
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
    training: np.ndarray, held_out: np.ndarray, found: Equalities, n_training: int | None = None, draws: bool = False
) -> tuple[Assumption, ...]:
    """What may be said of held-out rows that were compared with the training rows; an error if they are those rows.

    They are if chance would not leave so few of them without a training row to equal (`CHANCE`), whatever is declared.
    A few that equal a training row are no reason to refuse: they count as errors.  Where only the `smallest_prints` of
    ``n_training`` rows are left to compare with, others may be training rows as well: then they are refused, unless
    equal rows are declared to be ``draws``.

    >>> from surefit.guarantee.seen.equal import equalities
    >>> train, test = np.arange(50), np.arange(30)
    >>> untouched(train, test, equalities(test, train))
    Traceback (most recent call last):
        ...
    ValueError: 30 of the 30 held-out rows were used in fit; give rows that the model has never seen
    """
    partly = n_training is not None and n_training > len(training)
    shared = np.isin(held_out, training)
    if shared.any():
        comparable = held_out[held_out <= training.max()] if partly else held_out
        if chance_of_so_few_strangers(training, comparable) <= CHANCE:
            every = replace(found, known=shared)
            raise ValueError(f"{_used(every, partly)}; give rows that the model has never seen")
        if found.shared and partly and not draws:
            _refuse_the_doubtful(found)
    return (_seen_or_not(found, partly, (len(training), n_training)), *equal_rows(found, draws))


def _refuse_the_doubtful(found: Equalities) -> None:
    """Raise ``ValueError``: a stored model knows some of the held-out rows, and cannot tell which others it knows."""
    it, equals = ("it", "equals") if found.shared == 1 else ("they", "equal")
    raise ValueError(
        f"{_used(found, True)}, or {it} only {equals} a training row: a stored model remembers too few of its rows to "
        "tell; give rows that the model has never seen; if such rows are independent draws that repeat by nature, "
        "declare it: equal_rows_are_draws=True"
    )


def _used(found: Equalities, partly: bool) -> str:
    were = "was" if found.shared == 1 else "were"
    changed = f", {found.nearly} of them with other last digits" if found.nearly else ""
    least = "at least " if partly else ""
    return f"{least}{found.shared:,} of the {len(found.first):,} held-out rows {were} used in fit{changed}"


def _seen_or_not(found: Equalities, partly: bool, counts: tuple[int, int | None]) -> Assumption:
    if found.mixed:
        return Assumption(UNTOUCHED, Standing.UNVERIFIABLE, MIXED.format(found.mixed))
    if found.shared:
        equal = "one of them equals a training row and counts as an error"
        evidence = equal if found.shared == 1 else f"{found.shared:,} of them equal a training row and count as errors"
        return Assumption(UNTOUCHED, Standing.UNVERIFIABLE, f"{evidence}, unless equal rows are draws")
    if found.coarse and not partly:
        evidence = f"{found.coarse:,} of them equal a training row or another, {COARSE}"
        return Assumption(UNTOUCHED, Standing.UNVERIFIABLE, f"{evidence}, so that copies cannot be seen here")
    if partly:
        remembered, n = counts
        evidence = f"a stored model remembers {remembered} of its {n} rows, and none of them is held out"
        return Assumption(UNTOUCHED, Standing.DECLARED, evidence)
    return Assumption(UNTOUCHED, Standing.UNVERIFIABLE, NOT_FOUND[found.near_seen])


def equal_rows(found: Equalities, draws: bool = False) -> tuple[Assumption, ...]:
    """What held-out rows that equal others ask for; nothing if there are none."""
    if found.mixed:
        standing = Standing.DECLARED if draws else Standing.VIOLATED
        return (Assumption(NOT_MIXED, standing, MIXED.format(found.mixed)),)
    if found.coarse and not draws:
        evidence = f"{found.coarse:,} held-out rows equal others, {COARSE}"
        coarse = Assumption(DRAWS, Standing.UNVERIFIABLE, evidence)
        return (coarse, *equal_rows(replace(found, coarse=0)))
    if not found.any:
        return (Assumption(DRAWS, Standing.DECLARED, f"{found.coarse:,} equal others"),) if found.coarse else ()
    number = found.shared + found.repeated
    nearly = " exactly or nearly" if found.nearly else ""
    count = f"{number:,} held-out rows equal{nearly}" if number > 1 else f"one held-out row equals{nearly}"
    if draws:
        return (Assumption(DRAWS, Standing.DECLARED, f"{count} a training row or another"),)
    return (
        Assumption(
            DRAWS_OR_COPIES,
            Standing.UNVERIFIABLE,
            f"{count} a training row or another, and such rows hardly ever agree by chance; the bound is the larger of "
            "the two: for copies each kind counts once, and as an error if it equals a training row",
        ),
    )
