"""Below all layers: what losses, penalties and kernels have in common: a formula with a few plain parameters.

In: the parameters as attributes.  Out: ``repr``, equality and hash by value, and the domain checks that constructors
and fits use.  Nothing here knows what a loss or a penalty computes.
"""

from __future__ import annotations

import math
from copy import deepcopy
from typing import Any

import numpy as np


class Parametrised:
    """An object that is its class and its parameters: prints as a call, equal and hashable by value.

    Parameters are plain attributes, so ``copy.deepcopy``, ``pickle`` and ``sklearn.base.clone`` need no help.

    >>> class Knee(Parametrised):
    ...     def __init__(self, threshold):
    ...         self.threshold = threshold
    >>> Knee(2.0), Knee(2.0) == Knee(2.0), Knee(2.0) == Knee(3.0)
    (Knee(threshold=2.0), True, False)
    """

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({inside})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = vars(self), vars(other)
        return mine.keys() == theirs.keys() and all(np.array_equal(mine[name], theirs[name]) for name in mine)

    def __hash__(self) -> int:
        return hash((type(self), repr(self)))


def own_copy(value: Any) -> Any:
    """A copy that no later edit of ``value`` reaches; ``value`` itself where a copy would not equal it.

    >>> parts = [1.0, [2.0]]
    >>> mine = own_copy(parts)
    >>> parts[1].append(3.0)
    >>> mine
    [1.0, [2.0]]
    """
    copied = deepcopy(value)
    return copied if copied == value else value


def as_number(name: str, value: object, remedy: str) -> float:
    """``value`` as a float, if it is a number; otherwise an error that ends with ``remedy``.

    >>> as_number("tol", "x", "1e-10 is a good value")
    Traceback (most recent call last):
        ...
    ValueError: tol must be a number, got 'x'; 1e-10 is a good value
    """
    try:
        if isinstance(value, str | bytes):  # which float would read
            raise TypeError
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, got {value!r}; {remedy}") from None


def whole_number(name: str, value: object, remedy: str, least: int = 1) -> int:
    """``value`` as an int, if it is a whole number ``>= least``; otherwise an error that ends with ``remedy``.

    >>> whole_number("max_iter", 5.0, "")
    5
    >>> whole_number("max_iter", 2.5, "leave it None to have it chosen")
    Traceback (most recent call last):
        ...
    ValueError: max_iter must be a whole number >= 1, got 2.5; leave it None to have it chosen
    """
    try:
        number = np.nan if isinstance(value, bool | np.bool_) else as_number(name, value, remedy)
    except ValueError:
        number = np.nan
    if not (number >= least and number.is_integer()):
        raise ValueError(f"{name} must be a whole number >= {least}, got {value!r}; {remedy}")
    return int(number)


def cost_table(costs: Any, k: int) -> np.ndarray:
    """``costs`` as a finite ``(k, k)`` array, a row for every true class and a column for every answer.

    >>> cost_table([[0, 1], [9, 0]], 2)
    array([[0., 1.],
           [9., 0.]])
    """
    try:
        table = np.asarray(costs, dtype=float)
        got = f"shape {table.shape}" if table.shape != (k, k) else "entries that are not finite"
    except (TypeError, ValueError):
        table, got = np.empty(0), repr(costs)
    if table.shape != (k, k) or not np.all(np.isfinite(table)):
        raise ValueError(
            f"costs must be a finite ({k}, {k}) table, got {got}; give a row per true class and a column per answer"
        )
    return table


def positive(name: str, value: float, remedy: str) -> float:
    """``value`` as a float, if it is finite and ``> 0``; otherwise an error that ends with ``remedy``.

    >>> positive("threshold", 2, "")
    2.0
    """
    number = as_number(name, value, remedy)
    if not (number > 0 and math.isfinite(number)):
        raise ValueError(f"{name} must be finite and > 0, got {value!r}; {remedy}")
    return number


def non_negative(name: str, value: float, remedy: str) -> float:
    """``value`` as a float, if it is finite and ``>= 0``; otherwise an error that ends with ``remedy``.

    >>> non_negative("lam", -1.0, "use lam=0 for plain least squares")
    Traceback (most recent call last):
        ...
    ValueError: lam must be >= 0, got -1.0; use lam=0 for plain least squares
    """
    number = as_number(name, value, remedy)
    if not number >= 0:
        raise ValueError(f"{name} must be >= 0, got {value!r}; {remedy}")
    if math.isinf(number):
        raise ValueError(f"{name} must be finite, got {value!r}; {remedy}")
    return number


def checked_grid(lams: Any, *, zero: bool = True) -> np.ndarray:
    """``lams`` as an array of finite numbers in the order given, ``>= 0``, or ``> 0`` unless ``zero`` is allowed.

    >>> checked_grid((1, 0.1, 0))
    array([1. , 0.1, 0. ])
    >>> checked_grid([1, 0], zero=False)
    Traceback (most recent call last):
        ...
    ValueError: lams must be a list of finite numbers > 0, got [1, 0]; leave it None for a default grid
    """
    try:
        grid = np.empty(0) if isinstance(lams, str) else np.asarray(list(lams), dtype=float)
    except (TypeError, ValueError):
        grid = np.empty(0)
    if grid.ndim != 1 or len(grid) == 0 or not np.all(np.isfinite(grid) & ((grid >= 0) if zero else (grid > 0))):
        raise ValueError(
            f"lams must be a list of finite numbers {'>=' if zero else '>'} 0, got {lams!r}; "
            "leave it None for a default grid"
        )
    return grid


def modest_targets(y: np.ndarray) -> np.ndarray:
    """``y``, unless squares of its numbers would leave the range of floating point numbers; then an error.

    >>> modest_targets(np.array([1e200]))
    Traceback (most recent call last):
        ...
    ValueError: y reaches 1e+200, so its squares leave the range of floating point numbers; rescale y
    """
    largest = float(np.max(np.abs(y), initial=0.0))
    if largest > 1e150 or 0.0 < largest < 1e-150:
        raise ValueError(
            f"y reaches {largest:.0e}, so its squares leave the range of floating point numbers; rescale y"
        )
    return y
