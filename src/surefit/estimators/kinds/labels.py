"""Layer estimators: class labels of any kind in, codes ``0 .. k-1`` out; weights of classes."""

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

MANY_ROWS = 10_000
"""From this number of rows, labels that are whole numbers are counted instead of sorted."""

SHORT_RANGE = 1_000
"""Labels are counted only if the largest is less than this above the smallest."""

LARGEST_LABEL = 2**40
"""Labels are counted only if their absolute values are below this."""


def encode_labels(y: Any, weight: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The sorted classes and, for every row, the position of its class among them.

    With ``weight``, only rows that count (weight > 0) make a class; the others get the code -1 if theirs is gone, since
    a row of weight zero may not change anything.  Fewer than two classes are refused: there is nothing to tell apart.

    >>> encode_labels(["no", "yes", "no"])
    (array(['no', 'yes'], dtype='<U3'), array([0, 1, 0]))
    """
    quick = _counted_codes(y, weight)
    if quick is not None:
        return quick
    y = _plain(y)
    try:
        _check_targets(y)
        y = column_or_1d(y, warn=True)
        counted = np.ones(len(y), dtype=bool) if weight is None else weight > 0
        classes = np.unique(y[counted])
    except TypeError as error:
        _check_all_there(y)
        raise ValueError("labels of y cannot be put in order; make them all strings or all numbers") from error
    if len(classes) < 2:
        raise ValueError(
            f"y must hold at least two classes, got one class only: {classes.tolist()}; "
            "add rows of another class, or leave out the classifier"
        )
    codes = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    return classes, np.where(classes[codes] == y, codes, -1)


def _plain(y: Any) -> Any:
    """Booleans that are held as objects, as booleans."""
    if isinstance(y, np.ndarray) and y.dtype == object and all(isinstance(one, bool | np.bool_) for one in y.flat):
        return y.astype(bool)
    return y


def _check_targets(y: Any) -> None:
    """Refuse numbers of a regression, with a remedy."""
    try:
        check_classification_targets(y)
    except ValueError as error:
        _check_all_there(y)
        said = str(error).rstrip(".")
        raise ValueError(f"{said}; use a regressor such as Ridge, or cut y into classes") from None


def _check_all_there(y: Any) -> None:
    """Refuse labels that are None, and say where."""
    gaps = [k for k, label in enumerate(np.ravel(np.asarray(y, dtype=object))) if label is None]
    if gaps:
        count = "1 missing label" if len(gaps) == 1 else f"{len(gaps):,} missing labels, the first"
        raise ValueError(
            f"y has {count} in row {gaps[0]}; drop these rows, or give them a label of their own"
        ) from None


def _counted_codes(y: Any, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray] | None:
    """The same for many whole numbers from a short range, by counting instead of sorting; None for everything else."""
    if not (isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "iu" and len(y) >= MANY_ROWS):
        return None
    least, most = int(y.min()), int(y.max())
    if (
        not -LARGEST_LABEL < least <= most < LARGEST_LABEL
        or most - least >= SHORT_RANGE
        or (weight is not None and np.any(weight <= 0))
    ):
        return None
    places = y.astype(np.int64) - least
    present = np.bincount(places, minlength=most - least + 1) > 0
    classes = (np.flatnonzero(present) + least).astype(y.dtype)
    if len(classes) < 2:
        return None
    return classes, places if np.all(present) else (np.cumsum(present) - 1)[places]


def class_factors(class_weight: Any, classes: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Factor of each class: 1, the given one, or for ``"balanced"`` the total weight over ``k`` times its own.

    Classes that are not named keep the factor 1, and names of no class are let pass if every class has its own; both
    at once is a name written in another way, and refused.

    >>> class_factors("balanced", np.array(["a", "b"]), np.array([0, 0, 0, 1]), np.ones(4))
    array([0.66666667, 2.        ])
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        return weight.sum() / (len(classes) * np.bincount(codes, weight, minlength=len(classes)))
    if not isinstance(class_weight, dict):
        raise ValueError(f"class_weight must be None, 'balanced' or a dict from label to factor; got {class_weight!r}")
    _refuse_strangers(class_weight, classes.tolist())
    try:
        factors = np.array([class_weight.get(label, 1.0) for label in classes.tolist()], dtype=float)
    except (TypeError, ValueError):
        factors = np.full(len(classes), np.nan)
    if not (np.all(np.isfinite(factors)) and np.all(factors > 0)):
        raise ValueError(
            f"class weights must be finite and > 0, got {class_weight!r}; leave out rows that do not count"
        )
    return factors


def class_weighted(class_weight: Any, classes: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The weights of rows, times the factors of their classes.

    >>> class_weighted({"b": 3.0}, np.array(["a", "b"]), np.array([0, 1, 1]), np.array([1.0, 2.0, 0.0]))
    array([1., 6., 0.])
    """
    if class_weight is None:
        return weight
    counted, weighted = weight > 0, weight.copy()
    factors = class_factors(class_weight, classes, codes[counted], weight[counted])
    weighted[counted] *= factors[codes[counted]]
    return weighted


def _refuse_strangers(class_weight: dict[Any, Any], classes: list[Any]) -> None:
    """Refuse names of no class while a class is without one."""
    strangers = [label for label in class_weight if label not in classes]
    unnamed = [label for label in classes if label not in class_weight]
    if strangers and unnamed:
        known = (
            "none of them a class" if len(strangers) == len(class_weight) else f"of which {strangers} are no classes"
        )
        raise ValueError(
            f"class_weight names {list(class_weight)}, {known} of y, and leaves out {unnamed}; write them as y does: "
            f"{classes}"
        )
