"""Layer selection: the folds of cross-validation, dealt in one way for every model.

In: rows with weights, their targets or labels, and ``cv``.  Out: ``(train, test)`` for each fold, as positions among
the rows of positive weight.  Equal rows (same features, same target) share a fold, classes are spread evenly, and folds
depend neither on the order of the rows nor on the units of the columns: a row of weight ``k`` counts as ``k`` copies,
and the same seed deals the same folds in every model.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from surefit.data.design import Design
from surefit.data.fingerprints import fingerprints
from surefit.data.scale import column_sizes
from surefit.parameters import generator
from surefit.progress import Task
from surefit.threads import map_in_order

Fold = tuple[np.ndarray, np.ndarray]
"""Rows to fit on, and rows to judge by."""

CV = 5
"""Folds of every model, unless told otherwise."""

WORTH_A_THREAD = 200_000
"""Entries of the design from which folds run side by side."""

USUAL_FOLDS = 10
"""Largest number of folds that is lowered to the number of different rows; more than that were meant."""


def folds_of(
    design: Design, y: np.ndarray, cv: Any, random_state: Any, *, labelled: bool = False, groups: Any = None
) -> list[Fold]:
    """``(train, test)`` for each fold: shuffled ones if ``cv`` is a number, else what the splitter ``cv`` gives.

    ``y`` is (n,), or (n, k) for several targets; with ``labelled`` its classes are spread evenly.  ``groups`` (n,) of
    rows that depend on each other stay together, wherever their classes fall.  Catalogue S-05.

    >>> design, labels = Design.of([[0.0], [1], [2], [3]]), np.array([0, 0, 1, 1])
    >>> [test.tolist() for _, test in folds_of(design, labels, 2, 0, labelled=True)]
    [[0, 2], [1, 3]]
    """
    counted = design.weight > 0
    if isinstance(cv, int | np.integer):
        if groups is not None:
            member = np.unique(np.asarray(groups)[counted], return_inverse=True)[1]
            return _dealt(member, np.zeros(len(member), dtype=np.intp), int(cv), random_state, "groups")
        rows, target = design.counted(), y[counted]
        classes = np.unique(target, return_inverse=True)[1] if labelled else np.zeros(rows.n, dtype=np.intp)
        return _dealt(equal_rows(rows, classes if labelled else target), classes, int(cv), random_state)
    position = np.cumsum(counted) - 1
    among = lambda rows: position[rows[counted[rows]]]
    found = [(among(train), among(test)) for train, test in _given(design, y, cv, groups)]
    return _checked([(train, test) for train, test in found if len(test)])


def _checked(found: list[Fold]) -> list[Fold]:
    if not found:
        raise ValueError(
            "cv gives no split with a held-out row of positive weight; give a number of folds, a splitter, or a list "
            "of (train, test) rows (a generator gives its splits only once)"
        )
    if any(len(train) == 0 for train, _ in found):
        raise ValueError("a fold leaves no row of positive weight to fit on; use fewer folds or more rows")
    return found


def _given(design: Design, y: np.ndarray, cv: Any, groups: Any = None) -> Iterator[Fold]:
    """What the splitter ``cv`` says about all rows."""
    try:
        for train, test in check_cv(cv).split(design.X, y, groups):
            yield row_numbers(train, design.n), row_numbers(test, design.n)
    except ValueError as error:
        if "groups" not in str(error):
            raise
        raise ValueError(f"cv={cv!r} needs to know the groups; give them to fit: fit(X, y, groups=groups)") from error


def row_numbers(part: Any, n: int) -> np.ndarray:
    """One side of a split of ``n`` rows as row numbers, also if it is given as a mask.

    >>> row_numbers([True, False, True], 3)
    array([0, 2])
    """
    part = np.asarray(part)
    if part.dtype == bool and part.shape == (n,):
        return np.flatnonzero(part)
    whole = part.ndim == 1 and (part.dtype.kind in "iu" or part.size == 0)
    if not whole or np.any((part < -n) | (part >= n)):
        raise ValueError(f"cv must split rows 0 to {n - 1}, got {part!r}; give row numbers, or one mask entry per row")
    return part.astype(np.intp, copy=False)


def _dealt(
    groups: np.ndarray, classes: np.ndarray, cv: int, random_state: Any, what: str = "different rows"
) -> list[Fold]:
    """Groups of equal rows, or of rows that depend on each other, dealt to ``cv`` folds in shuffled order, one class
    after the other.

    There are at most as many folds as groups.  The only group of a class is never held out.
    """
    _, first = np.unique(groups, return_index=True)
    check_folds(cv, len(first), what)
    of_group = classes[first]
    shuffled = generator(random_state).permutation(len(first))
    in_turn = shuffled[np.argsort(of_group[shuffled], kind="stable")]
    folds = np.empty(len(first), dtype=np.intp)
    folds[in_turn] = np.arange(len(first)) % cv
    folds[np.bincount(of_group)[of_group] < 2] = -1
    of_row = folds[groups]
    numbers = np.unique(of_row[of_row >= 0])
    if len(numbers) == 0:
        some = "a class with at least 2 different rows" if of_group.max() > 0 else f"at least 2 {what}"
        raise ValueError(
            f"cross-validation needs {some} of positive weight, got n_samples = {len(first)}; give lam, or more rows"
        )
    return [(np.flatnonzero(of_row != k), np.flatnonzero(of_row == k)) for k in numbers]


def check_folds(cv: int, n_different: int, what: str = "different rows") -> None:
    """Refuse less than two folds, and more than there are different rows.

    Up to ten folds are as many as there are different rows instead: few rows are left out one by one.

    >>> check_folds(1000, 100)
    Traceback (most recent call last):
        ...
    ValueError: cv=1000 folds are more than the 100 different rows; give at most cv=100, which leaves out one row at
    a time
    """
    if cv < 2:
        raise ValueError(f"cv must be at least 2 folds, a splitter or an iterable of splits, got {cv!r}")
    if cv > max(n_different, USUAL_FOLDS) and n_different > 1:
        raise ValueError(
            f"cv={cv} folds are more than the {n_different} {what}; give at most cv={n_different}, which leaves out "
            f"one {'group' if what == 'groups' else 'row'} at a time"
        )


def equal_rows(rows: Design, y: np.ndarray) -> np.ndarray:
    """A number for each row, the same for equal rows and independent of their order.

    Rows are equal if all their numbers are, told by fingerprint; rows that only come close (timestamps, labels far
    from zero) are different rows.  Along a random projection the numbers grow, so that neither a change of units nor
    sparse storage deals other folds.

    >>> equal_rows(Design.of([[2.0], [1.7e12], [1.7e12 + 1], [2.0]]), np.zeros(4)).tolist()
    [0, 1, 2, 0]
    """
    prints, first, member = np.unique(fingerprints(rows.X, y), return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.intp)
    place[np.lexsort((prints, _projected(rows, y)[first]))] = np.arange(len(first))
    return place[member]


def _projected(rows: Design, y: np.ndarray) -> np.ndarray:
    """A random combination of the features and the targets of each row, columns at unit size, shape ``(n,)``.

    Each row is summed by itself, in the order of its columns: a matrix product may round equal rows differently.
    """
    rng, scale, targets = np.random.default_rng(0), column_sizes(rows), y.reshape(len(y), -1).astype(float)
    direction = rng.normal(size=rows.d) / np.where(scale > 0, scale, 1.0)
    largest = np.maximum(np.abs(targets).max(axis=0, initial=0.0), np.finfo(float).tiny)
    if rows.is_sparse:
        features = rows.matvec(direction)
    else:
        blocks = (np.multiply(rows.dense_rows(part), direction, order="C") for part in rows.row_slices())
        features = np.concatenate([np.zeros(0), *(block.sum(axis=1) for block in blocks)])
    return features + (rng.normal(size=targets.shape[1]) * (targets / largest)).sum(axis=1)


def in_parallel(task: Callable[[Any], Any], items: list[Any], entries: int, tell: Task) -> list[Any]:
    """``[task(item) for item in items]``, for large designs on a thread per core with BLAS itself single-threaded.

    Threads of BLAS would wait for each other; independent folds do not.  ``tell`` hears how many are done.
    """
    done: list[Any] = []
    for result in map(task, items) if entries < WORTH_A_THREAD else map_in_order(task, items):
        done.append(result)
        tell(len(done), np.nan)
    return done
